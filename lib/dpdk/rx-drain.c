/* SPDX-License-Identifier: Apache-2.0 */

/* Takes packets out of a full receive ring and keeps those that must not be
 * lost.  Called by pmd/overload-input.c, on the PMD that owns the queue.
 *
 * Cheaper than reception: of what is shed, only the headers are read. */

#include <config.h>

#include "dpdk/rx-drain.h"

#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include "dp-packet.h"
#include "dpdk/ethdev.h"
#include "dpdk/rx-finish.h"
#include "dpdk/rx-priority.h"
#include "stats/drop.h"

/* So many packets ahead their headers are asked for. */
#define AHEAD 8

int
ef_rx_is_filled(const struct netdev_rxq *rxq, unsigned percent)
{
    const struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(rxq->netdev);
    unsigned offset;
    int status;

    if (!ef_dpdk_is_dpdk(rxq->netdev) || dev->kind != EF_DPDK_ETH) {
        return -1;
    }
    offset = dev->rxq_size * percent / 100;
    status = rte_eth_rx_descriptor_status(ef_ethdev_cast(rxq->netdev)->port_id,
                                          rxq->queue_id, offset);
    return status < 0 ? -1 : status == RTE_ETH_RX_DESC_DONE;
}

static inline bool
is_priority(const struct rte_mbuf *mbuf)
{
    /* Headers beyond the first segment are not looked for. */
    return ef_rx_is_priority(rte_pktmbuf_mtod(mbuf, const void *),
                             rte_pktmbuf_data_len(mbuf));
}

/* Moves priority frames to the front, the others to 'others', both in order.
 * Returns how many there are at the front. */
static size_t
split(struct rte_mbuf **mbufs, size_t n, struct rte_mbuf **others)
{
    size_t n_priority = 0;

    for (size_t i = 0; i < MIN(n, AHEAD); i++) {
        rte_prefetch0(rte_pktmbuf_mtod(mbufs[i], const void *));
    }
    for (size_t i = 0; i < n; i++) {
        struct rte_mbuf *mbuf = mbufs[i];

        if (i + AHEAD < n) {
            rte_prefetch0(rte_pktmbuf_mtod(mbufs[i + AHEAD], const void *));
        }
        if (OVS_UNLIKELY(is_priority(mbuf))) {
            mbufs[n_priority++] = mbuf;
        } else {
            others[i - n_priority] = mbuf;
        }
    }
    return n_priority;
}

size_t
ef_rx_drain(struct netdev_rxq *rxq, struct dp_packet_batch *kept)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(rxq->netdev);
    struct ef_dpdk_rxq_counters *counters = &dev->rxq_counters[rxq->queue_id];
    struct rte_mbuf **mbufs = (struct rte_mbuf **) kept->packets;
    struct rte_mbuf *shed[NETDEV_MAX_BURST];
    size_t n, n_kept;

    dp_packet_batch_init(kept);
    n = rte_eth_rx_burst(ef_ethdev_cast(rxq->netdev)->port_id, rxq->queue_id,
                         mbufs, NETDEV_MAX_BURST);
    n_kept = split(mbufs, n, shed);
    if (n > n_kept) {
        rte_pktmbuf_free_bulk(shed, n - n_kept);
        ef_counter_add(&counters->overload_drops, n - n_kept);
        ef_drop_count(EF_DROP_RX_OVERLOAD, n - n_kept);
    }
    if (OVS_UNLIKELY(n_kept)) {
        ef_counter_add(&counters->priority_packets, n_kept);
        ef_rx_finish(dev, rxq->queue_id, kept, n_kept);
    }
    return n;
}

size_t
ef_rx_priority_first(struct netdev_rxq *rxq, struct dp_packet_batch *batch)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(rxq->netdev);
    struct rte_mbuf **mbufs = (struct rte_mbuf **) batch->packets;
    size_t n = dp_packet_batch_size(batch);
    struct rte_mbuf *others[NETDEV_MAX_BURST];
    size_t n_priority = split(mbufs, n, others);

    if (OVS_UNLIKELY(n_priority)) {
        memcpy(mbufs + n_priority, others, (n - n_priority) * sizeof *mbufs);
        ef_counter_add(&dev->rxq_counters[rxq->queue_id].priority_packets,
                       n_priority);
    }
    return n_priority;
}

void
ef_rx_shed(struct netdev_rxq *rxq, struct dp_packet_batch *batch, size_t n)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(rxq->netdev);
    size_t size = dp_packet_batch_size(batch);

    if (size > n) {
        for (size_t i = n; i < size; i++) {
            ef_drop_packet(EF_DROP_RX_OVERLOAD, batch->packets[i]);
        }
        ef_counter_add(&dev->rxq_counters[rxq->queue_id].overload_drops,
                       size - n);
        batch->count = n;
    }
}
