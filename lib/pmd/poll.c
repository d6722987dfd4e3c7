/* SPDX-License-Identifier: Apache-2.0 */

/* Receives from a queue and accounts for the cycles that its packets cost.
 * Called by PMD threads for each of their queues in turn (pmd/thread.c) and by
 * the main thread for ports that cannot be polled (dpif/run.c). */

#include <config.h>

#include "pmd/poll.h"

#include <errno.h>

#include "core/log.h"
#include "netdev.h"
#include "pmd/input.h"
#include "pmd/overload-input.h"
#include "pmd/pmd.h"
#include "timeval.h"

void
ef_pmd_set_emc(struct ef_pmd *pmd, bool emc_enabled)
{
    pmd->emc_insert_min = 0;
    if (emc_enabled) {
        atomic_read_relaxed(&pmd->env->params.emc_insert_min,
                            &pmd->emc_insert_min);
    }
}

/* 'n_waiting': packets still in the queue, negative if not known. */
static void
measure_batch(struct pmd_perf_stats *perf, const struct ef_rxq *rxq, int n,
              int n_waiting)
{
    perf->current.batches++;
    histogram_add_sample(&perf->pkts_per_batch, n);
    if (rxq->is_vhost && n_waiting >= 0) {
        uint32_t fill = n + n_waiting;

        perf->current.max_vhost_qfill = MAX(perf->current.max_vhost_qfill,
                                            fill);
    }
}

static void
log_rx_error(const struct ef_rxq *rxq, int error)
{
    static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(1, 5);

    if (error != EAGAIN && error != EOPNOTSUPP) {
        VLOG_ERR_RL(&rl, "error receiving data from %s: %s",
                    netdev_rxq_get_name(rxq->rx), ovs_strerror(error));
    }
}

int
ef_pmd_poll_rxq(struct ef_pmd *pmd, struct ef_rxq *rxq, odp_port_t port_no)
{
    struct dp_packet_batch batch;
    struct cycle_timer timer;
    int n_waiting = 0;
    int n_packets = 0;
    uint64_t started;
    uint32_t sample;
    bool metrics;
    int error;

    atomic_read_relaxed(&pmd->env->params.perf_metrics, &metrics);
    atomic_read_relaxed(&pmd->env->params.latency_sample, &sample);
    cycle_timer_start(&pmd->perf, &timer);
    started = pmd->perf.last_tsc;
    dp_packet_batch_init(&batch);
    error = netdev_rxq_recv(rxq->rx, &batch, (metrics && rxq->is_vhost
                                              ? &n_waiting : NULL));
    if (error) {
        rxq->emptied_ticks = started;
        cycle_timer_stop(&pmd->perf, &timer);
        log_rx_error(rxq, error);
        return 0;
    }

    n_packets = dp_packet_batch_size(&batch);
    ef_latency_received(&pmd->output.latency, sample, rxq->emptied_ticks,
                        &batch, port_no);
    rxq->emptied_ticks = n_packets < rxq->burst ? started : 0;
    if (metrics) {
        measure_batch(&pmd->perf, rxq, n_packets, n_waiting);
    }
    pmd->act.depth = 0;
    pmd->act.rxq = rxq;
    pmd->act.now_us = time_usec();
    ef_output_received(&pmd->output, pmd->perf.last_tsc);
    if (OVS_UNLIKELY(pmd->overload.percent)
        && ef_overload_is_near(&rxq->overload, n_packets, rxq->burst)) {
        n_packets += ef_overload_input(pmd, rxq, &batch, port_no);
    } else {
        ef_pmd_input(pmd, &batch, port_no);
    }
    ef_load_add(&rxq->load, cycle_timer_stop(&pmd->perf, &timer));

    ef_output_polled(&pmd->output, pmd->perf.last_tsc, n_packets,
                     rxq->burst);
    ef_output_flush(&pmd->output, pmd->act.now_us, false);
    pmd->act.rxq = NULL;
    return n_packets;
}
