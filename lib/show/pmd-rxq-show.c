/* SPDX-License-Identifier: Apache-2.0 */

/* Prints the rx queues that a PMD polls.
 *
 * Called by dpif/commands.c for each instance, on the main thread. */

#include <config.h>

#include "show/pmd-rxq-show.h"

#include <inttypes.h>

#include "netdev.h"
#include "openvswitch/dynamic-string.h"
#include "pmd/load.h"
#include "pmd/pmd.h"
#include "port/rxq.h"

static int
compare_name_and_queue(const void *a_, const void *b_)
{
    const struct netdev_rxq *a = (*(struct ef_rxq *const *) a_)->rx;
    const struct netdev_rxq *b = (*(struct ef_rxq *const *) b_)->rx;
    int order = strcmp(netdev_rxq_get_name(a), netdev_rxq_get_name(b));

    return order ? order : (netdev_rxq_get_queue_id(a)
                            - netdev_rxq_get_queue_id(b));
}

static struct ef_rxq **
sorted_rxqs(const struct ef_reload *reload, size_t *n)
    OVS_REQUIRES(reload->mutex)
{
    struct ef_rxq **rxqs;

    *n = reload->n_rxqs;
    if (!*n) {
        return NULL;
    }
    rxqs = xmemdup(reload->rxqs, *n * sizeof *rxqs);
    qsort(rxqs, *n, sizeof *rxqs, compare_name_and_queue);
    return rxqs;
}

/* Ends a line with the share of 'cycles' in 'total', in percent. */
static void
put_usage(struct ds *ds, uint64_t cycles, uint64_t total)
{
    if (total) {
        ds_put_format(ds, "%2"PRIu64" %%\n", cycles * 100 / total);
    } else {
        ds_put_cstr(ds, "NOT AVAIL\n");
    }
}

static void
put_rxq(struct ds *ds, const struct ef_rxq *rxq, uint64_t cycles,
        uint64_t total)
{
    ds_put_format(ds, "  port: %-16s  queue-id: %2d %-10s  pmd usage: ",
                  netdev_rxq_get_name(rxq->rx),
                  netdev_rxq_get_queue_id(rxq->rx),
                  netdev_rxq_enabled(rxq->rx) ? "(enabled)" : "(disabled)");
    put_usage(ds, cycles, total);
}

void
ef_show_pmd_rxqs(struct ds *ds, struct ef_pmd *pmd, unsigned n_intervals)
{
    uint64_t total, busy;
    uint64_t of_rxqs = 0;
    struct ef_rxq **rxqs;
    size_t n_rxqs;

    if (!ef_pmd_is_thread(pmd)) {
        return;
    }
    ds_put_format(ds, "pmd thread numa_id %d core_id %u:\n"
                  "  isolated : %s\n",
                  pmd->numa_id, pmd->core_id,
                  pmd->isolated ? "true" : "false");

    ovs_mutex_lock(&pmd->reload.mutex);
    rxqs = sorted_rxqs(&pmd->reload, &n_rxqs);
    total = ef_pmd_load_interval_cycles(&pmd->load) * n_intervals;
    busy = MIN(ef_load_sum(&pmd->load.busy_load, n_intervals), total);

    for (size_t i = 0; i < n_rxqs; i++) {
        uint64_t cycles = ef_load_sum(&rxqs[i]->load, n_intervals);

        of_rxqs += cycles;
        put_rxq(ds, rxqs[i], cycles, total);
    }
    if (n_rxqs) {
        ds_put_cstr(ds, "  overhead: ");
        put_usage(ds, busy > of_rxqs ? busy - of_rxqs : 0, total);
    }
    ovs_mutex_unlock(&pmd->reload.mutex);
    free(rxqs);
}
