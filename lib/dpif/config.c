/* SPDX-License-Identifier: Apache-2.0 */

/* Settings of the whole datapath: Open_vSwitch:other_config as the bridge
 * hands it over.  Called by the main thread at start and with every change of
 * the database; acts on what is different.  Keys and log lines are
 * upstream's. */

#include <config.h>

#include "dpif/ops.h"

#include "core/log.h"
#include "core/setting-parse.h"
#include "core/settings.h"
#include "dpdk/mempool.h"
#include "dpdk/tx-watch.h"
#include "dpif/datapath.h"
#include "dpif/reconfigure.h"
#include "dpif/sleep-config.h"
#include "rcu/rcu.h"
#include "smap.h"
#include "util.h"

#define SCOPE "Open_vSwitch"

/* As the manual of the database says. */
#define MAX_FLUSH_INTERVAL_US 1000000
#define MS_PER_MIN 60000

/* Returns what 'key' says, from 0 to 'max', or 'old' if that is refused. */
static unsigned long long
number_or_old(const struct smap *cfg, const char *key, unsigned long long def,
              unsigned long long max, unsigned long long old)
{
    ef_setting_number(SCOPE, cfg, key, def, 0, max, &old);
    return old;
}

static void
set_flush_interval(struct ef_params *params, const struct smap *cfg)
{
    unsigned long long new_us;
    uint32_t old_us;

    atomic_read_relaxed(&params->tx_flush_interval_us, &old_us);
    new_us = number_or_old(cfg, "tx-flush-interval", 0, MAX_FLUSH_INTERVAL_US,
                           old_us);
    if (new_us != old_us) {
        atomic_store_relaxed(&params->tx_flush_interval_us, new_us);
        VLOG_INFO("Flushing interval for tx queues set to %llu us", new_us);
    }
}

static void
set_latency_target(struct ef_params *params, const struct smap *cfg)
{
    unsigned long long new_us;
    uint32_t old_us;

    atomic_read_relaxed(&params->latency_target_us, &old_us);
    new_us = number_or_old(cfg, "latency-target", EF_LATENCY_TARGET_UNSET,
                           EF_LATENCY_TARGET_MAX, old_us);
    if (new_us == old_us) {
        return;
    }
    atomic_store_relaxed(&params->latency_target_us, new_us);
    ef_params_output_changed();
    if (new_us == EF_LATENCY_TARGET_UNSET) {
        VLOG_INFO("No latency target: tx-flush-interval rules");
    } else {
        VLOG_INFO("Latency target set to %llu us", new_us);
    }
}

static void
set_tx_watermark(struct ef_params *params, const struct smap *cfg)
{
    unsigned long long percent;
    uint8_t old;

    atomic_read_relaxed(&params->tx_watermark, &old);
    percent = old;
    ef_setting_number(SCOPE, cfg, "tx-watermark", EF_TX_WATERMARK_DEFAULT,
                      1, 100, &percent);
    if (percent != old) {
        atomic_store_relaxed(&params->tx_watermark, percent);
        VLOG_INFO("Batches are not held for rings and queues filled beyond "
                  "%llu%%", percent);
    }
}

static void
set_small_packet(struct ef_params *params, const struct smap *cfg)
{
    unsigned long long bytes;
    uint32_t old;

    atomic_read_relaxed(&params->small_packet, &old);
    bytes = number_or_old(cfg, "small-packet", 0, EF_SMALL_PACKET_MAX, old);
    if (bytes != old) {
        atomic_store_relaxed(&params->small_packet, bytes);
        ef_params_output_changed();
        VLOG_INFO("Packets of up to %llu bytes are urgent", bytes);
    }
}

static void
set_emc_insertion(struct ef_params *params, const struct smap *cfg)
{
    unsigned long long inv_prob;
    uint32_t new_min, old_min;

    if (!ef_setting_number(SCOPE, cfg, "emc-insert-inv-prob",
                           EF_EMC_INSERT_INV_PROB_DEFAULT, 0, UINT32_MAX,
                           &inv_prob)) {
        return;
    }
    new_min = inv_prob ? UINT32_MAX / inv_prob : 0;

    atomic_read_relaxed(&params->emc_insert_min, &old_min);
    if (new_min == old_min) {
        return;
    }
    atomic_store_relaxed(&params->emc_insert_min, new_min);
    if (new_min) {
        VLOG_INFO("EMC insertion probability changed to 1/%llu (~%.2f%%)",
                  inv_prob, 100 / (float) inv_prob);
    } else {
        VLOG_INFO("EMC insertion probability changed to zero");
    }
}

/* Stores what 'key', false if unset, says, and logs one of two sentences if
 * that is new. */
static void
set_switch(atomic_bool *param, const struct smap *cfg, const char *key,
           const char *on, const char *off)
{
    bool old, value;

    atomic_read_relaxed(param, &old);
    value = old;
    ef_setting_bool(SCOPE, cfg, key, false, &value);
    if (value != old) {
        atomic_store_relaxed(param, value);
        VLOG_INFO("%s", value ? on : off);
    }
}

static void
set_overload(struct ef_params *params, const struct smap *cfg)
{
    unsigned long long percent;
    uint8_t old;

    atomic_read_relaxed(&params->overload_percent, &old);
    percent = number_or_old(cfg, "rx-overload-budget",
                            EF_OVERLOAD_PERCENT_DEFAULT,
                            EF_OVERLOAD_PERCENT_MAX, old);
    if (percent != old) {
        atomic_store_relaxed(&params->overload_percent, percent);
        VLOG_INFO("PMDs may use %llu%% of their time to make room in full "
                  "receive queues", percent);
    }
}

static void
set_latency_sample(struct ef_params *params, const struct smap *cfg)
{
    unsigned long long every;
    uint32_t old;

    atomic_read_relaxed(&params->latency_sample, &old);
    every = number_or_old(cfg, "latency-sample", EF_LATENCY_SAMPLE_DEFAULT,
                          EF_LATENCY_SAMPLE_MAX, old);
    if (every != old) {
        atomic_store_relaxed(&params->latency_sample, every);
        if (every) {
            VLOG_INFO("Latency of one packet in %llu is measured", every);
        } else {
            VLOG_INFO("Latency of packets is not measured");
        }
    }
}

static bool
is_mask(const char *text)
{
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        text += 2;
    }
    return !text[strspn(text, "0123456789abcdefABCDEF")];
}

static void
set_cpu_mask(struct ef_datapath *dp, const struct smap *cfg)
{
    const char *mask = smap_get(cfg, "pmd-cpu-mask");

    if (mask && !is_mask(mask)) {
        ef_setting_refuse(SCOPE, cfg, "pmd-cpu-mask",
                          "must be a hexadecimal number");
        return;
    }
    ef_settings_accept(SCOPE, "pmd-cpu-mask", mask);
    if (!nullable_string_is_equal(dp->pmd_cpu_mask, mask)) {
        free(dp->pmd_cpu_mask);
        dp->pmd_cpu_mask = nullable_xstrdup(mask);
        ef_datapath_request_reconfigure(dp);
    }
}

static void
set_assignment(struct ef_datapath *dp, const struct smap *cfg)
{
    enum ef_sched_algorithm algorithm;
    bool isolate = dp->sched_isolate;

    if (!ef_sched_algorithm_parse(smap_get_def(cfg, "pmd-rxq-assign",
                                               "cycles"), &algorithm)) {
        VLOG_WARN("Unsupported rx queue to PMD assignment mode in "
                  "pmd-rxq-assign. Defaulting to 'cycles'.");
        algorithm = EF_SCHED_CYCLES;
        ef_settings_accept(SCOPE, "pmd-rxq-assign", NULL);
        ef_setting_refuse(SCOPE, cfg, "pmd-rxq-assign", "must be 'roundrobin',"
                          " 'cycles' or 'group'");
    } else {
        ef_settings_accept(SCOPE, "pmd-rxq-assign",
                           smap_get(cfg, "pmd-rxq-assign"));
    }
    if (dp->sched_algorithm != algorithm) {
        dp->sched_algorithm = algorithm;
        VLOG_INFO("Rxq to PMD assignment mode changed to: \'%s\'.",
                  ef_sched_algorithm_name(algorithm));
        ef_datapath_request_reconfigure(dp);
    }

    ef_setting_bool(SCOPE, cfg, "pmd-rxq-isolate", true, &isolate);
    if (!isolate && algorithm != EF_SCHED_GROUP) {
        VLOG_WARN("pmd-rxq-isolate can only be set false "
                  "when using pmd-rxq-assign=group");
        isolate = true;
    }
    if (dp->sched_isolate != isolate) {
        dp->sched_isolate = isolate;
        VLOG_INFO("pmd-rxq-affinity %s PMD core",
                  isolate ? "isolates" : "does not isolate");
        ef_datapath_request_reconfigure(dp);
    }
}

/* As ef_setting_number(), but a refused value puts the default in force, as
 * upstream's tests have it. */
static unsigned long long
get_or_default(const struct smap *cfg, const char *key, unsigned def,
               unsigned min, unsigned max)
{
    unsigned long long value = def;

    if (!ef_setting_number(SCOPE, cfg, key, def, min, max, &value)) {
        const char *text = smap_get(cfg, key);
        char *rule = xasprintf("must be a number from %u to %u; until then it"
                               " is %u", min, max, def);

        ef_settings_accept(SCOPE, key, NULL);
        ef_settings_refuse(SCOPE, key, text, rule);
        free(rule);
    }
    return value;
}

static uint64_t
get_alb_interval_ms(const struct smap *cfg)
{
    return get_or_default(cfg, "pmd-auto-lb-rebal-interval",
                          EF_ALB_INTERVAL_MIN_DEFAULT,
                          1, EF_ALB_INTERVAL_MIN_MAX) * MS_PER_MIN;
}

/* Returns whether a threshold or the interval is new. */
static bool
set_alb_thresholds(struct ef_alb *alb, const struct smap *cfg)
{
    uint64_t interval_ms = get_alb_interval_ms(cfg);
    uint8_t improvement = get_or_default(cfg,
                                         "pmd-auto-lb-improvement-threshold",
                                         EF_ALB_IMPROVEMENT_DEFAULT, 0, 100);
    uint8_t load = get_or_default(cfg, "pmd-auto-lb-load-threshold",
                                  EF_ALB_LOAD_DEFAULT, 0, 100);
    bool changed = false;

    if (alb->interval_ms != interval_ms) {
        alb->interval_ms = interval_ms;
        VLOG_INFO("PMD auto load balance interval set to "
                  "%"PRIu64" mins\n", interval_ms / MS_PER_MIN);
        changed = true;
    }
    if (alb->improvement_threshold != improvement) {
        alb->improvement_threshold = improvement;
        VLOG_INFO("PMD auto load balance improvement threshold set to "
                  "%"PRIu8"%%", improvement);
        changed = true;
    }
    if (alb->load_threshold != load) {
        alb->load_threshold = load;
        VLOG_INFO("PMD auto load balance load threshold set to %"PRIu8"%%",
                  load);
        changed = true;
    }
    return changed;
}

static void
set_alb(struct ef_datapath *dp, const struct smap *cfg)
{
    struct ef_alb *alb = &dp->alb;
    bool changed = set_alb_thresholds(alb, cfg);
    bool enabled = alb->enabled;

    ef_setting_bool(SCOPE, cfg, "pmd-auto-lb", false, &enabled);
    atomic_store_relaxed(&dp->env.params.alb_load_threshold,
                         alb->load_threshold);
    atomic_store_relaxed(&dp->env.params.alb_enabled, enabled);
    if (alb->enabled == enabled && !changed) {
        return;
    }
    alb->enabled = enabled;
    if (enabled) {
        VLOG_INFO("PMD auto load balance is enabled, "
                  "interval %"PRIu64" mins, pmd load threshold %"PRIu8"%%, "
                  "improvement threshold %"PRIu8"%%.",
                  alb->interval_ms / MS_PER_MIN, alb->load_threshold,
                  alb->improvement_threshold);
    } else {
        alb->last_check_ms = 0;
        VLOG_INFO("PMD auto load balance is disabled.");
    }
}

static void
set_rcu(const struct smap *cfg)
{
    unsigned long long n = ef_rcu_get_max_pending();

    ef_setting_number(SCOPE, cfg, "rcu-max-pending",
                      EF_RCU_MAX_PENDING_DEFAULT, 1, EF_RCU_MAX_PENDING_MAX,
                      &n);
    ef_rcu_set_max_pending(n);

    n = ef_rcu_get_stall_ms();
    ef_setting_number(SCOPE, cfg, "rcu-stall-ms", EF_RCU_STALL_MS_DEFAULT,
                      0, EF_RCU_STALL_MS_MAX, &n);
    ef_rcu_set_stall_ms(n);
}

static void
set_tx_telemetry(const struct smap *cfg)
{
    bool old = ef_tx_watch_is_enabled();
    bool value = old;

    ef_setting_bool(SCOPE, cfg, "tx-telemetry", true, &value);
    if (value != old) {
        ef_tx_watch_enable(value);
        VLOG_INFO("Telemetry of transmit completion is %s",
                  value ? "enabled" : "disabled");
    }
}

int
ef_dpif_set_config(struct dpif *dpif, const struct smap *cfg)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_params *params = &dp->env.params;

    set_flush_interval(params, cfg);
    set_latency_target(params, cfg);
    set_tx_watermark(params, cfg);
    set_small_packet(params, cfg);
    set_latency_sample(params, cfg);
    set_cpu_mask(dp, cfg);
    set_emc_insertion(params, cfg);
    set_switch(&params->perf_metrics, cfg, "pmd-perf-metrics",
               "PMD performance metrics collection enabled",
               "PMD performance metrics collection disabled");
    set_switch(&params->smc_enable, cfg, "smc-enable",
               "SMC cache is enabled", "SMC cache is disabled");
    set_assignment(dp, cfg);
    set_alb(dp, cfg);
    ef_sleep_configure(dp, cfg);
    set_overload(params, cfg);
    set_rcu(cfg);
    ef_mempool_set_config(cfg);
    set_tx_telemetry(cfg);
    dp->configured = true;
    return 0;
}
