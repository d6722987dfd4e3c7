/* SPDX-License-Identifier: Apache-2.0 */

/* Registers the unixctl commands of the data path and answers them.
 *
 * Runs on the main thread.  Finds the datapath and its instances, hands each
 * to the function of show/ that prints it, and replies. */

#include <config.h>

#include "dpif/ops.h"

#include "core/core-claim.h"
#include "dpif/datapath.h"
#include "dpif/latency.h"
#include "dpif/pmd-set.h"
#include "dpif/sleep-config.h"
#include "openvswitch/dynamic-string.h"
#include "seq.h"
#include "show/bond-show.h"
#include "show/ctl-commands.h"
#include "show/pmd-perf-show.h"
#include "show/pmd-rxq-show.h"
#include "show/pmd-stats-show.h"
#include "unixctl.h"
#include "util.h"

#define NO_DATAPATH "please specify an existing datapath"

#define INTERVAL_S (EF_LOAD_INTERVAL_US / 1000000)
#define MAX_SECS (INTERVAL_S * EF_LOAD_INTERVALS)

enum pmd_command {
    STATS_SHOW,
    STATS_CLEAR,
    RXQ_SHOW,
    PERF_SHOW,
};

/* What the arguments of a pmd-* command ask for. */
struct pmd_query {
    enum pmd_command command;
    const char *dp_name;        /* NULL: the only one. */
    bool one_core;              /* Only the instance on 'core_id'. */
    unsigned core_id;
    unsigned secs;              /* RXQ_SHOW: whole intervals. */
    struct pmd_perf_params perf;        /* PERF_SHOW. */
};

/* Each of the parse_...() functions returns NULL, or what is wrong, to be
 * freed by the caller. */

static char *
parse_core(const char *value, struct pmd_query *query)
{
    if (!str_to_uint(value, 10, &query->core_id)) {
        return xasprintf("-pmd %s: the number of a core is needed", value);
    }
    query->one_core = true;
    return NULL;
}

/* Any number will do, as it always did: one that is out of range shows all
 * there is. */
static char *
parse_secs(const char *value, struct pmd_query *query)
{
    long long secs;

    if (!str_to_llong(value, 10, &secs)) {
        return xasprintf("-secs %s: a number of seconds from 1 to %lld is "
                         "needed", value, MAX_SECS);
    }
    query->secs = (secs > 0 && secs < MAX_SECS
                   ? ROUND_UP(secs, INTERVAL_S) : MAX_SECS);
    return NULL;
}

static char *
parse_history_len(const char *option, const char *value, size_t *len)
{
    long long n;

    if (!str_to_llong(value, 10, &n)) {
        return xasprintf("%s %s: a number of samples from 0 to %d is needed",
                         option, value, HISTORY_LEN);
    }
    *len = MIN(MAX(n, 0), HISTORY_LEN);
    return NULL;
}

/* Whether 'option' stands before a value in this command. */
static bool
takes_value(enum pmd_command command, const char *option)
{
    return !strcmp(option, "-pmd")
           || (command == RXQ_SHOW && !strcmp(option, "-secs"))
           || (command == PERF_SHOW && (!strcmp(option, "-it")
                                        || !strcmp(option, "-ms")));
}

static char *
parse_option(const char *option, const char *value, struct pmd_query *query)
{
    if (!value) {
        return xasprintf("%s needs a number after it", option);
    } else if (!strcmp(option, "-pmd")) {
        return parse_core(value, query);
    } else if (!strcmp(option, "-secs")) {
        return parse_secs(value, query);
    } else if (!strcmp(option, "-it")) {
        return parse_history_len(option, value, &query->perf.iter_hist_len);
    } else {
        return parse_history_len(option, value, &query->perf.ms_hist_len);
    }
}

static char *
parse_query(int argc, const char *argv[], struct pmd_query *query)
{
    char *error = NULL;

    for (int i = 1; i < argc && !error; i++) {
        if (takes_value(query->command, argv[i])) {
            const char *option = argv[i++];

            error = parse_option(option, i < argc ? argv[i] : NULL, query);
        } else if (query->command == PERF_SHOW && !strcmp(argv[i], "-nh")) {
            query->perf.histograms = false;
        } else if (argv[i][0] == '-') {
            error = xasprintf("%s: unknown option", argv[i]);
        } else {
            query->dp_name = argv[i];
        }
    }
    return error;
}

static void
answer_for_pmd(struct ds *reply, struct ef_pmd *pmd,
               const struct pmd_query *query)
{
    switch (query->command) {
    case STATS_SHOW:
        ef_show_pmd_stats(reply, pmd);
        break;
    case STATS_CLEAR:
        pmd_perf_stats_clear(&pmd->perf);
        break;
    case RXQ_SHOW:
        ef_show_pmd_rxqs(reply, pmd, query->secs / INTERVAL_S);
        break;
    case PERF_SHOW:
        ef_show_pmd_perf(reply, pmd, &query->perf);
        break;
    default:
        OVS_NOT_REACHED();
    }
}

static void
answer_query(struct ds *reply, const struct ef_datapath *dp,
             const struct pmd_query *query)
{
    bool first = true;
    struct ef_pmd **pmds;
    size_t n;

    pmds = ef_datapath_sorted_pmds(dp, &n);
    for (size_t i = 0; i < n; i++) {
        if (query->one_core && pmds[i]->core_id != query->core_id) {
            continue;
        }
        if (query->command == RXQ_SHOW && first) {
            ds_put_format(reply, "Displaying last %u seconds pmd usage %%\n",
                          query->secs);
        }
        answer_for_pmd(reply, pmds[i], query);
        first = false;
    }
    free(pmds);
}

static void
pmd_cmd(struct unixctl_conn *conn, int argc, const char *argv[],
        void *command)
{
    struct pmd_query query = {
        .command = *(const enum pmd_command *) command,
        .secs = MAX_SECS,
        .perf = { .histograms = true },
    };
    struct ds reply = DS_EMPTY_INITIALIZER;
    const struct ef_datapath *dp;
    char *error;

    error = parse_query(argc, argv, &query);
    if (error) {
        unixctl_command_reply_error(conn, error);
        free(error);
        return;
    }

    ovs_mutex_lock(&ef_datapaths_mutex);
    dp = ef_datapath_lookup(query.dp_name);
    if (dp) {
        answer_query(&reply, dp, &query);
    }
    ovs_mutex_unlock(&ef_datapaths_mutex);

    if (dp) {
        unixctl_command_reply(conn, ds_cstr(&reply));
    } else if (query.dp_name) {
        ds_put_format(&reply, "%s: no such datapath, "NO_DATAPATH,
                      query.dp_name);
        unixctl_command_reply_error(conn, ds_cstr(&reply));
    } else {
        unixctl_command_reply_error(conn, NO_DATAPATH);
    }
    ds_destroy(&reply);
}

static void
rebalance_cmd(struct unixctl_conn *conn, int argc, const char *argv[],
              void *aux OVS_UNUSED)
{
    struct ef_datapath *dp;

    ovs_mutex_lock(&ef_datapaths_mutex);
    dp = ef_datapath_lookup(argc > 1 ? argv[1] : NULL);
    if (dp) {
        seq_change(dp->reconfigure_seq);
    }
    ovs_mutex_unlock(&ef_datapaths_mutex);

    if (dp) {
        unixctl_command_reply(conn, "pmd rxq rebalance requested.\n");
    } else {
        unixctl_command_reply_error(conn, NO_DATAPATH);
    }
}

/* Replies with what 'show' says of a datapath, the only one if 'name' is
 * null. */
static void
reply_about(struct unixctl_conn *conn, const char *name,
            void (*show)(struct ds *, const struct ef_datapath *))
{
    struct ds reply = DS_EMPTY_INITIALIZER;
    const struct ef_datapath *dp;

    ovs_mutex_lock(&ef_datapaths_mutex);
    dp = ef_datapath_lookup(name);
    if (dp) {
        show(&reply, dp);
    }
    ovs_mutex_unlock(&ef_datapaths_mutex);

    if (dp) {
        unixctl_command_reply(conn, ds_cstr(&reply));
    } else {
        unixctl_command_reply_error(conn, NO_DATAPATH);
    }
    ds_destroy(&reply);
}

static void
sleep_show_cmd(struct unixctl_conn *conn, int argc, const char *argv[],
               void *aux OVS_UNUSED)
{
    reply_about(conn, argc > 1 ? argv[1] : NULL, ef_sleep_show);
}

static void
show_bonds(struct ds *reply, const struct ef_datapath *dp)
{
    ef_show_bonds(reply, &dp->bonds);
}

static void
bond_show_cmd(struct unixctl_conn *conn, int argc, const char *argv[],
              void *aux OVS_UNUSED)
{
    reply_about(conn, argc > 1 ? argv[1] : NULL, show_bonds);
}

/* Called once for each class of datapath; unixctl ignores repetitions. */
int
ef_dpif_init(void)
{
    static enum pmd_command stats_show = STATS_SHOW;
    static enum pmd_command stats_clear = STATS_CLEAR;
    static enum pmd_command rxq_show = RXQ_SHOW;
    static enum pmd_command perf_show = PERF_SHOW;
    static const struct {
        const char *name;
        const char *usage;
        int max_args;
        unixctl_cb_func *cb;
        enum pmd_command *aux;
    } commands[] = {
        { "pmd-stats-show", "[-pmd core] [dp]", 3, pmd_cmd, &stats_show },
        { "pmd-stats-clear", "[-pmd core] [dp]", 3, pmd_cmd, &stats_clear },
        { "pmd-rxq-show", "[-pmd core] [-secs secs] [dp]", 5,
          pmd_cmd, &rxq_show },
        { "pmd-perf-show", "[-nh] [-it iter-history-len] "
          "[-ms ms-history-len] [-pmd core] [dp]", 8, pmd_cmd, &perf_show },
        { "pmd-perf-log-set", "on|off [-b before] [-a after] [-e|-ne] "
          "[-us usec] [-q qlen]", 10, pmd_perf_log_set_cmd, NULL },
        { "pmd-rxq-rebalance", "[dp]", 1, rebalance_cmd, NULL },
        { "pmd-sleep-show", "[dp]", 1, sleep_show_cmd, NULL },
        { "bond-show", "[dp]", 1, bond_show_cmd, NULL },
    };

    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        char *name = xasprintf("dpif-netdev/%s", commands[i].name);

        unixctl_command_register(name, commands[i].usage, 0,
                                 commands[i].max_args, commands[i].cb,
                                 commands[i].aux);
        free(name);
    }
    ef_latency_commands_init();
    ef_core_claims_init();
    ef_ctl_commands_init();
    return 0;
}
