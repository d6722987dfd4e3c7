/* SPDX-License-Identifier: Apache-2.0 */

/* Takes over how long PMD threads may sleep, and shows it.  Called by the main
 * thread: with every change of the database, and for each new PMD.
 *
 * Log lines are upstream's, those of its older and of its newer releases. */

#include <config.h>

#include "dpif/sleep-config.h"

#include <inttypes.h>

#include "core/log.h"
#include "core/setting-parse.h"
#include "core/settings.h"
#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "openvswitch/dynamic-string.h"
#include "smap.h"

#define SCOPE "Open_vSwitch"

static void
log_pmd(const struct ef_pmd *pmd, uint64_t max_us)
{
    VLOG_INFO("PMD thread on numa_id: %d, core id: %2u, "
              "max sleep: %4"PRIu64" us.", pmd->numa_id, pmd->core_id, max_us);
}

static void
set_pmd(const struct ef_datapath *dp, struct ef_pmd *pmd)
{
    uint64_t max_us = ef_sleep_max_of(&dp->sleep_max, pmd->core_id);

    atomic_store_relaxed(&pmd->max_sleep_us, max_us);
    log_pmd(pmd, max_us);
}

static void
set_all(struct ef_datapath *dp)
{
    uint64_t default_us = dp->sleep_max.default_us;
    bool any = default_us;
    struct ef_pmd **pmds;
    size_t n;

    for (size_t i = 0; i < dp->sleep_max.n_cores; i++) {
        any |= dp->sleep_max.cores[i].max_us > 0;
    }
    VLOG_INFO("Default PMD thread max sleep: %4"PRIu64" us.", default_us);
    pmds = ef_datapath_sorted_pmds(dp, &n);
    for (size_t i = 0; i < n; i++) {
        if (ef_pmd_is_thread(pmds[i])) {
            set_pmd(dp, pmds[i]);
        }
    }
    free(pmds);
    VLOG_INFO("PMD max sleep request is %"PRIu64" usecs.", default_us);
    VLOG_INFO("PMD load based sleeps are %s.", any ? "enabled" : "disabled");
}

/* Reads 'key', whose value is a list, what is good of it, or one number, which
 * is good or not. */
static void
parse(const struct smap *cfg, const char *key, bool is_list,
      struct ef_sleep_max *max)
{
    const char *text = smap_get(cfg, key);
    bool clipped;

    if (!is_list && (!*text || text[strspn(text, "0123456789")])) {
        ef_setting_refuse(SCOPE, cfg, key, "must be a number from 0 to 10000");
    } else if (!ef_sleep_max_parse(max, text, &clipped)) {
        ef_setting_refuse(SCOPE, cfg, key, "must be a list of TIME and "
                          "CORE:TIME in microseconds; items that are neither "
                          "are passed over");
    } else if (clipped) {
        /* As upstream does. */
        ef_setting_refuse(SCOPE, cfg, key, "a time must be from 0 to 10000; "
                          "one above counts as 10000");
    } else {
        ef_settings_accept(SCOPE, key, text);
    }
}

/* What 'cfg' says, or what was in force where it is refused. */
static void
read_config(const struct ef_datapath *dp, const struct smap *cfg,
            struct ef_sleep_max *max)
{
    const char *old_text = smap_get(cfg, "pmd-maxsleep");

    if (smap_get(cfg, "pmd-sleep-max")) {
        parse(cfg, "pmd-sleep-max", true, max);
        if (old_text) {
            ef_setting_refuse(SCOPE, cfg, "pmd-maxsleep",
                              "pmd-sleep-max is set");
        } else {
            ef_settings_accept(SCOPE, "pmd-maxsleep", NULL);
        }
        return;
    }
    ef_settings_accept(SCOPE, "pmd-sleep-max", NULL);
    if (old_text) {
        if (!dp->configured) {
            VLOG_INFO("pmd-maxsleep is the old name of pmd-sleep-max.");
        }
        parse(cfg, "pmd-maxsleep", false, max);
    } else {
        ef_settings_accept(SCOPE, "pmd-maxsleep", NULL);
        ef_sleep_max_destroy(max);
    }
}

void
ef_sleep_configure(struct ef_datapath *dp, const struct smap *cfg)
{
    struct ef_sleep_max new;
    bool changed;

    ef_sleep_max_copy(&new, &dp->sleep_max);
    read_config(dp, cfg, &new);
    changed = !ef_sleep_max_equal(&dp->sleep_max, &new);
    ef_sleep_max_destroy(&dp->sleep_max);
    dp->sleep_max = new;
    if (changed || !dp->configured) {
        set_all(dp);
    }
}

void
ef_sleep_set_pmd(const struct ef_datapath *dp, struct ef_pmd *pmd)
{
    if (ef_pmd_is_thread(pmd)) {
        set_pmd(dp, pmd);
    }
}

void
ef_sleep_show(struct ds *reply, const struct ef_datapath *dp)
{
    struct ef_pmd **pmds;
    size_t n;

    ds_put_format(reply, "Default max sleep: %4"PRIu64" us\n",
                  dp->sleep_max.default_us);
    pmds = ef_datapath_sorted_pmds(dp, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t max_us;

        if (ef_pmd_is_thread(pmds[i])) {
            atomic_read_relaxed(&pmds[i]->max_sleep_us, &max_us);
            ds_put_format(reply, "pmd thread numa_id %d core_id %u:\n"
                          "  max sleep: %4"PRIu64" us\n",
                          pmds[i]->numa_id, pmds[i]->core_id, max_us);
        }
    }
    free(pmds);
}
