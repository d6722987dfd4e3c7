/* SPDX-License-Identifier: Apache-2.0 */

/* The package's dpdk.h: starts DPDK if the database says so.
 *
 * bridge.c calls dpdk_init() in every round of the main loop.  Arguments that
 * a trial in a child refuses leave the switch running without DPDK, and are
 * not tried again before they change; once EAL has started, changes wait for a
 * restart.  dpdk_available() is for any thread; PMDs: eal-thread.c. */

#include <config.h>

#include "dpdk/eal.h"

#include <getopt.h>
#include <stdio.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_version.h>

#include "dpdk.h"
#include "dpdk/classes.h"
#include "dpdk/eal-keys.h"
#include "dpdk/eal-vlog.h"
#include "netdev-offload-provider.h"
#include "ovs-numa.h"
#include "ovs-rcu.h"
#include "svec.h"
#include "vswitch-idl.h"

/* Enough to clear many huge pages. */
#define TRIAL_TIMEOUT_S 60

/* Main thread. */
static enum {
    EAL_NEW,                    /* dpdk_init() was not called yet. */
    EAL_OFF,                    /* Not wanted. */
    EAL_REFUSED,                /* Refused in the trial. */
    EAL_RUNS,
    EAL_SPENT,                  /* Failed here: only a new process can. */
} state = EAL_NEW;
static struct smap seen = SMAP_INITIALIZER(&seen);  /* At the last call. */
static struct smap started = SMAP_INITIALIZER(&started);

/* Written by main, read by any thread; orders nothing. */
static atomic_bool is_available = ATOMIC_VAR_INIT(false);

/* With "try", failure is loud, as it always was. */
static enum vlog_level
failure_level(const struct smap *other_config)
{
    return ef_eal_is_try(other_config) ? VLL_EMER : VLL_ERR;
}

/* EAL does not start with what the keys ask for. */
static void
report_failure(const struct smap *other_config, enum vlog_level level,
               const char *reason)
{
    char *keys = ef_eal_keys_report_failed(other_config, reason);

    VLOG(level, "Unable to initialize DPDK: %s (by %s of other_config)",
         reason, keys);
    free(keys);
}

static int
lowest_core(const struct ovs_numa_dump *affinity)
{
    const struct ovs_numa_info_core *core;
    unsigned lowest = INT_MAX;

    FOR_EACH_CORE_ON_DUMP (core, affinity) {
        lowest = MIN(lowest, core->core_id);
    }
    return lowest;
}

/* Makes the arguments, with a NULL at the end.  Returns false if the values of
 * the keys do not allow it. */
static bool
make_args(const struct smap *other_config,
          const struct ovs_numa_dump *affinity, struct svec *args)
{
    int core = affinity ? lowest_core(affinity) : 0;
    const char *key;
    char *joined;
    char *error;

    svec_add(args, ovs_get_program_name());
    error = ef_eal_args(other_config, core, args, &key);
    if (error) {
        size_t rule_ofs = (strlen(key) + strlen(smap_get(other_config, key))
                           + strlen("'=': "));

        ef_eal_keys_report_refused(other_config, key, error + rule_ofs);
        VLOG(failure_level(other_config), "Unable to initialize DPDK: %s",
             error);
        free(error);
        return false;
    }
    svec_terminate(args);

    joined = svec_join(args, " ", ".");
    VLOG_INFO("EAL ARGS: %s", joined);
    free(joined);
    return true;
}

/* A trial may take long.  No pointer under RCU is held so close to the main
 * loop: others need not wait for this thread. */
static bool
try_args(const struct smap *other_config, const struct svec *args)
{
    char *reason;

    ovsrcu_quiesce_start();
    reason = ef_eal_trial(args->n, args->names, TRIAL_TIMEOUT_S);
    ovsrcu_quiesce_end();

    if (reason) {
        report_failure(other_config, failure_level(other_config), reason);
        free(reason);
        return false;
    }
    return true;
}

/* Starts EAL in this process.  'affinity' is what this thread shall have
 * again after it, or NULL. */
static bool
start_eal(const struct smap *other_config, const struct svec *args,
          const struct ovs_numa_dump *affinity)
{
    char **argv;
    int result;

    ef_eal_log_start();

    /* EAL reorders its array. */
    argv = xmemdup(args->names, (args->n + 1) * sizeof *argv);
    optind = 1;
    result = rte_eal_init(args->n, argv);
    free(argv);
    if (affinity) {
        ovs_numa_thread_setaffinity_dump(affinity);
    }

    if (result < 0) {
        report_failure(other_config, VLL_EMER, ovs_strerror(rte_errno));
        return false;
    }
    if (!rte_mp_disable()) {
        const char *error = "Could not disable multiprocess, "
                            "DPDK won't be available.";

        free(ef_eal_keys_report_failed(other_config, error));
        VLOG_EMER("%s", error);
        rte_eal_cleanup();
        return false;
    }
    return true;
}

/* What else there is to do once EAL runs. */
static void
set_up(const struct smap *other_config)
{
    ef_eal_show_debug();
    ef_eal_show_init();

    /* This thread is no PMD, whatever EAL thinks of it. */
    RTE_PER_LCORE(_lcore_id) = NON_PMD_CORE_ID;

    ef_eal_keys_copy(&started, other_config);
    ef_eal_keys_report_started(&started);
    ef_dpdk_register_classes(other_config);
    netdev_register_flow_api_provider(&netdev_offload_dpdk);
}

static void
start(const struct smap *other_config)
{
    struct svec args = SVEC_EMPTY_INITIALIZER;
    struct ovs_numa_dump *affinity = NULL;

    VLOG_INFO("Using %s", rte_version());
    VLOG_INFO("DPDK Enabled - initializing...");
    if (!ef_eal_names_cores(other_config)) {
        affinity = ovs_numa_thread_getaffinity_dump();
        if (!affinity) {
            VLOG_ERR("Thread getaffinity failed. Using core #0");
        }
    }

    if (!make_args(other_config, affinity, &args)
        || !try_args(other_config, &args)) {
        state = EAL_REFUSED;
    } else if (!start_eal(other_config, &args, affinity)) {
        state = EAL_SPENT;
    } else {
        set_up(other_config);
        state = EAL_RUNS;
        atomic_store_relaxed(&is_available, true);
        VLOG_INFO("DPDK Enabled - initialized");
    }
    ovs_numa_dump_destroy(affinity);
    svec_destroy(&args);
}

static void
consider(const struct smap *other_config)
{
    if (state == EAL_RUNS || state == EAL_SPENT) {
        ef_eal_keys_report_late(other_config, &seen, &started);
        return;
    }
    ef_eal_keys_report_idle(other_config);
    if (ef_eal_is_wanted(other_config)) {
        start(other_config);
    } else {
        state = EAL_OFF;
        VLOG_INFO_ONCE("DPDK Disabled - Use other_config:dpdk-init to "
                       "enable");
    }
}

void
dpdk_init(const struct smap *other_config)
{
    if (!other_config) {
        return;
    } else if (state == EAL_NEW
               || !ef_eal_keys_are_equal(&seen, other_config)) {
        consider(other_config);
        smap_destroy(&seen);
        ef_eal_keys_copy(&seen, other_config);
    } else if (state == EAL_REFUSED || state == EAL_SPENT) {
        VLOG_ERR_ONCE("DPDK Initialization Failed.");
    }
}

void
print_dpdk_version(void)
{
    printf("%s\n", rte_version());
}

void
dpdk_status(const struct ovsrec_open_vswitch *cfg)
{
    if (!cfg) {
        return;
    }
    ovsrec_open_vswitch_set_dpdk_version(cfg, rte_version());
    ovsrec_open_vswitch_set_dpdk_initialized(cfg, dpdk_available());
}

bool
dpdk_available(void)
{
    bool available;

    atomic_read_relaxed(&is_available, &available);
    return available;
}
