/* SPDX-License-Identifier: Apache-2.0 */

/* Statistics of a datapath as a whole: sums over its instances, and what its
 * offload threads did.  Any thread. */

#include <config.h>

#include "dpif/ops.h"

#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "flow/offload.h"
#include "netdev-offload.h"
#include "port/port-table.h"
#include "stats/pmd-perf.h"

static uint64_t
n_hits(const uint64_t counters[PMD_N_STATS])
{
    return counters[PMD_STAT_EXACT_HIT] + counters[PMD_STAT_SMC_HIT]
           + counters[PMD_STAT_MASKED_HIT] + counters[PMD_STAT_SIMPLE_HIT]
           + counters[PMD_STAT_PHWOL_HIT];
}

int
ef_dpif_get_stats(const struct dpif *dpif, struct dpif_dp_stats *stats)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_pmd *pmd;

    /* All bits set: there is no such number here. */
    *stats = (struct dpif_dp_stats) {
        .n_cache_hit = UINT64_MAX,
        .n_mask_hit = UINT64_MAX,
        .n_masks = UINT32_MAX,
    };
    EF_PMD_FOR_EACH (pmd, dp) {
        uint64_t counters[PMD_N_STATS];

        pmd_perf_read_counters(&pmd->perf, counters);
        stats->n_hit += n_hits(counters);
        stats->n_missed += counters[PMD_STAT_MISS];
        stats->n_lost += counters[PMD_STAT_LOST];
        stats->n_flows += ef_flow_table_count(&pmd->flows);
    }
    return 0;
}

/* Adds to 'sum' the flows that each of 'n' offload threads has put into the
 * device; a device that cannot tell adds nothing. */
static void
add_port_flows(const struct ef_port *port, unsigned n, uint64_t sum[])
{
    uint64_t *n_flows = xcalloc(n, sizeof *n_flows);

    if (!netdev_flow_get_n_flows(port->netdev, n_flows)) {
        for (unsigned i = 0; i < n; i++) {
            sum[i] += n_flows[i];
        }
    }
    free(n_flows);
}

int
ef_dpif_offload_stats_get(struct dpif *dpif, struct netdev_custom_stats *stats)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    unsigned n = netdev_offload_thread_nb();
    struct ef_port *port;
    uint64_t *n_flows;

    if (!netdev_is_flow_api_enabled()) {
        return EINVAL;
    }

    n_flows = xcalloc(n, sizeof *n_flows);
    ovs_rwlock_rdlock(&dp->ports.rwlock);
    EF_PORT_FOR_EACH (port, &dp->ports) {
        add_port_flows(port, n, n_flows);
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);

    ef_offload_format_stats(n_flows, stats);
    free(n_flows);
    return 0;
}
