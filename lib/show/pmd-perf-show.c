/* SPDX-License-Identifier: Apache-2.0 */

/* Prints the performance metrics of a PMD.
 *
 * Called by dpif/commands.c for each instance, on the main thread.  The
 * package formats the metrics; this is the frame around them. */

#include <config.h>

#include "show/pmd-perf-show.h"

#include "openvswitch/dynamic-string.h"
#include "pmd/pmd.h"
#include "show/pmd-title.h"
#include "stats/pmd-perf.h"
#include "timeval.h"

static void
put_metrics(struct ds *ds, struct pmd_perf_stats *perf,
            const struct pmd_perf_params *params)
    OVS_REQUIRES(perf->clear_mutex)
{
    if (params->histograms) {
        ds_put_char(ds, '\n');
        pmd_perf_format_histograms(ds, perf);
    }
    if (params->iter_hist_len) {
        ds_put_char(ds, '\n');
        pmd_perf_format_iteration_history(ds, perf, params->iter_hist_len);
    }
    if (params->ms_hist_len) {
        ds_put_char(ds, '\n');
        pmd_perf_format_ms_history(ds, perf, params->ms_hist_len);
    }
}

static void
put_times(struct ds *ds, double duration_s)
{
    char *now = xastrftime_msec("%H:%M:%S.###", time_wall_msec(), true);

    ds_put_format(ds, "\nTime: %s\nMeasurement duration: %.3f s\n\n",
                  now, duration_s);
    free(now);
}

void
ef_show_pmd_perf(struct ds *ds, struct ef_pmd *pmd,
                 const struct pmd_perf_params *params)
{
    struct pmd_perf_stats *perf = &pmd->perf;
    long long age_ms;
    bool metrics;

    if (!ef_pmd_is_thread(pmd)) {
        return;
    }

    age_ms = time_msec() - (long long) perf->start_ms;
    put_times(ds, age_ms / 1000.0);
    ef_show_pmd_title(ds, pmd);
    ds_put_char(ds, '\n');
    pmd_perf_format_overall_stats(ds, perf, age_ms / 1000.0);

    atomic_read_relaxed(&pmd->env->params.perf_metrics, &metrics);
    if (metrics) {
        ovs_mutex_lock(&perf->clear_mutex);
        put_metrics(ds, perf, params);
        ovs_mutex_unlock(&perf->clear_mutex);
    }
}
