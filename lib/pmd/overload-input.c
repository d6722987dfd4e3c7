/* SPDX-License-Identifier: Apache-2.0 */

/* The turn of a receive queue that may be in overload: its batch, and more
 * bursts of which only priority frames are kept.  Called by pmd/poll.c, by the
 * owner of the instance, for queues that give nothing but full bursts. */

#include <config.h>

#include "pmd/overload-input.h"

#include "dp-packet.h"
#include "dpdk/rx-drain.h"
#include "pmd/input.h"
#include "pmd/overload.h"
#include "pmd/pmd.h"

/* A turn that sheds. */
struct turn {
    struct ef_pmd *pmd;
    struct ef_rxq *rxq;
    odp_port_t port_no;
    uint64_t may_spend;         /* Ticks that looking may take. */
    uint64_t spent;
};

/* Puts priority frames first, and leaves no more of the others than there is
 * time for. */
static void
sort_batch(struct turn *turn, struct dp_packet_batch *batch)
{
    struct pmd_perf_stats *perf = &turn->pmd->perf;
    uint64_t start = cycles_counter_update(perf);
    size_t n_priority = ef_rx_priority_first(turn->rxq->rx, batch);

    ef_rx_shed(turn->rxq->rx, batch,
               n_priority + ef_overload_share(&turn->rxq->overload));
    turn->spent += cycles_counter_update(perf) - start;
}

static void
handle_batch(struct turn *turn, struct dp_packet_batch *batch)
{
    struct pmd_perf_stats *perf = &turn->pmd->perf;
    uint64_t start = cycles_counter_update(perf);
    size_t n = dp_packet_batch_size(batch);

    ef_pmd_input(turn->pmd, batch, turn->port_no);
    ef_overload_took(&turn->rxq->overload, cycles_counter_update(perf) - start,
                     n);
}

/* Sheds a burst but for priority frames, which are handled at once and added
 * to '*n_kept'.  Returns whether there may be more. */
static bool
drain_burst(struct turn *turn, size_t *n_kept)
{
    struct pmd_perf_stats *perf = &turn->pmd->perf;
    uint64_t start = cycles_counter_update(perf);
    struct dp_packet_batch kept;
    size_t n = 0;

    dp_packet_batch_init(&kept);
    if (ef_rx_is_filled(turn->rxq->rx, EF_OVERLOAD_LOW) > 0) {
        n = ef_rx_drain(turn->rxq->rx, &kept);
    }
    turn->spent += cycles_counter_update(perf) - start;
    if (OVS_UNLIKELY(!dp_packet_batch_is_empty(&kept))) {
        *n_kept += dp_packet_batch_size(&kept);
        /* The actions of the batch before may have left their marks. */
        turn->pmd->act.depth = 0;
        ef_pmd_input(turn->pmd, &kept, turn->port_no);
    }
    return n == NETDEV_MAX_BURST;
}

size_t
ef_overload_input(struct ef_pmd *pmd, struct ef_rxq *rxq,
                  struct dp_packet_batch *batch, odp_port_t port_no)
{
    struct turn turn = { .pmd = pmd, .rxq = rxq, .port_no = port_no };
    struct ef_rxq_overload *q = &rxq->overload;
    size_t n_kept = 0;
    int is_filled = ef_rx_is_filled(rxq->rx, ef_overload_threshold(q));

    if (OVS_LIKELY(!ef_overload_set(&pmd->overload, q, is_filled))) {
        ef_pmd_input(pmd, batch, port_no);
        return 0;
    }

    turn.may_spend = ef_overload_earn(&pmd->overload,
                                      cycles_counter_update(&pmd->perf));
    if (turn.may_spend) {
        sort_batch(&turn, batch);
    }
    handle_batch(&turn, batch);
    for (int i = 0; i < EF_OVERLOAD_BURSTS && turn.spent < turn.may_spend
                    && n_kept < NETDEV_MAX_BURST; i++) {
        if (!drain_burst(&turn, &n_kept)) {
            break;
        }
    }
    ef_overload_spend(&pmd->overload, turn.spent);
    return n_kept;
}
