/* SPDX-License-Identifier: Apache-2.0 */

/* The commands dpdk/...: what DPDK can print about itself, and the levels of
 * its log.
 *
 * Registered by eal.c once EAL runs; answered on the main thread. */

#include <config.h>

#include "dpdk/eal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_malloc.h>
#include <rte_memzone.h>

#include "dpdk/eal-vlog.h"
#include "unixctl.h"
#include "util.h"

typedef void dump_func(FILE *);

/* Stores what 'dump' prints, to be freed by the caller, or returns a positive
 * errno. */
static int
dump_to_string(dump_func *dump, char **sp)
{
    FILE *stream;
    size_t size;

    *sp = NULL;
    stream = open_memstream(sp, &size);
    if (!stream) {
        return errno;
    }
    dump(stream);
    return fclose(stream) ? errno : 0;
}

static void
dump_malloc_stats(FILE *stream)
{
    rte_malloc_dump_stats(stream, NULL);
}

static void
dump_cmd(struct unixctl_conn *conn, int argc OVS_UNUSED,
         const char *argv[] OVS_UNUSED, void *dump)
{
    char *reply;
    int error = dump_to_string(*(dump_func **) dump, &reply);

    if (error) {
        free(reply);
        reply = xasprintf("Unable to open memstream: %s.",
                          ovs_strerror(error));
        unixctl_command_reply_error(conn, reply);
    } else {
        unixctl_command_reply(conn, reply);
    }
    free(reply);
}

/* Returns the level of this name, or 0. */
static int
log_level_by_name(const char *name)
{
    static const struct {
        const char *name;
        int level;
    } levels[] = {
        { "emergency", RTE_LOG_EMERG },
        { "alert", RTE_LOG_ALERT },
        { "critical", RTE_LOG_CRIT },
        { "error", RTE_LOG_ERR },
        { "warning", RTE_LOG_WARNING },
        { "notice", RTE_LOG_NOTICE },
        { "info", RTE_LOG_INFO },
        { "debug", RTE_LOG_DEBUG },
    };

    for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
        if (!strcmp(name, levels[i].name)) {
            return levels[i].level;
        }
    }
    return 0;
}

/* 'arg' is "LEVEL" or "PATTERN:LEVEL"; a pattern ends at the first colon.
 * With 'set' false only looks whether it is well-formed.  Returns NULL or
 * what is wrong, to be freed by the caller. */
static char *
log_set(const char *arg, bool set)
{
    const char *colon = strchr(arg, ':');
    const char *name = colon ? colon + 1 : arg;
    int level = log_level_by_name(name);
    char *error = NULL;
    char *pattern;

    if (!level) {
        return xasprintf("invalid log level: '%s'", name);
    } else if (!set) {
        return NULL;
    }
    pattern = colon ? xmemdup0(arg, colon - arg) : xstrdup("*");
    if (rte_log_set_level_pattern(pattern, level) < 0) {
        error = xasprintf("cannot set log level for '%s'", arg);
    }
    free(pattern);
    return error;
}

/* All arguments are looked at before the first takes effect. */
static void
log_set_cmd(struct unixctl_conn *conn, int argc, const char *argv[],
            void *aux OVS_UNUSED)
{
    static const char *everything[] = { "dpdk/log-set", "*:debug" };
    char *error = NULL;

    if (argc < 2) {
        argv = everything;
        argc = ARRAY_SIZE(everything);
    }
    for (int set = false; set <= true; set++) {
        for (int i = 1; i < argc && !error; i++) {
            error = log_set(argv[i], set);
        }
    }
    if (error) {
        unixctl_command_reply_error(conn, error);
        free(error);
    } else {
        unixctl_command_reply(conn, NULL);
    }
}

void
ef_eal_show_init(void)
{
    static struct {
        const char *name;
        dump_func *dump;
    } dumps[] = {
        { "dpdk/lcore-list", rte_lcore_dump },
        { "dpdk/log-list", rte_log_dump },
        { "dpdk/get-malloc-stats", dump_malloc_stats },
    };

    for (size_t i = 0; i < ARRAY_SIZE(dumps); i++) {
        unixctl_command_register(dumps[i].name, "", 0, 0, dump_cmd,
                                 &dumps[i].dump);
    }
    unixctl_command_register("dpdk/log-set", "{level | pattern:level}", 0,
                             INT_MAX, log_set_cmd, NULL);
}

static void
dump_start(FILE *stream)
{
    fputs("rte_memzone_dump:\n", stream);
    rte_memzone_dump(stream);
    fputs("rte_log_dump:\n", stream);
    rte_log_dump(stream);
}

void
ef_eal_show_debug(void)
{
    char *s;
    int error;

    if (!VLOG_IS_DBG_ENABLED()) {
        return;
    }
    error = dump_to_string(dump_start, &s);
    if (error) {
        VLOG_DBG("Could not dump memzone and log levels. "
                 "Unable to open memstream: %s.", ovs_strerror(error));
    } else {
        VLOG_DBG("%s", s);
    }
    free(s);
}
