/* SPDX-License-Identifier: Apache-2.0 */

/* Reception of ports of type=dpdk.
 *
 * Receive queues are made and closed by the main thread; ef_ethdev_rxq_recv()
 * is called by the PMD that owns the queue. */

#include <config.h>

#include "dpdk/ethdev.h"

#include "dp-packet.h"
#include "dpdk/rx-burst.h"
#include "dpdk/rx-finish.h"

struct ethdev_rxq {
    struct netdev_rxq up;
    uint16_t port_id;           /* Of the port; here to save a cache line. */
};

static struct ethdev_rxq *
ethdev_rxq_cast(const struct netdev_rxq *rxq)
{
    return CONTAINER_OF(rxq, struct ethdev_rxq, up);
}

struct netdev_rxq *
ef_ethdev_rxq_alloc(void)
{
    struct ethdev_rxq *rxq = xzalloc_cacheline(sizeof *rxq);

    return &rxq->up;
}

int
ef_ethdev_rxq_construct(struct netdev_rxq *rxq)
{
    struct ef_ethdev *eth = ef_ethdev_cast(rxq->netdev);

    ovs_mutex_lock(&eth->dev.mutex);
    ethdev_rxq_cast(rxq)->port_id = eth->port_id;
    ovs_mutex_unlock(&eth->dev.mutex);
    return 0;
}

void
ef_ethdev_rxq_destruct(struct netdev_rxq *rxq OVS_UNUSED)
{
}

void
ef_ethdev_rxq_dealloc(struct netdev_rxq *rxq)
{
    free_cacheline(ethdev_rxq_cast(rxq));
}

int
ef_ethdev_rxq_recv(struct netdev_rxq *rxq, struct dp_packet_batch *batch,
                   int *qfill)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(rxq->netdev);
    uint16_t port_id = ethdev_rxq_cast(rxq)->port_id;
    bool is_up;
    uint16_t burst = ef_rx_burst_read(&dev->rx_burst);
    uint16_t n;

    /* A stale value only shifts by a batch when the port goes down. */
    atomic_read_relaxed(&dev->is_up, &is_up);
    if (OVS_UNLIKELY(!is_up)) {
        return EAGAIN;
    }
    n = rte_eth_rx_burst(port_id, rxq->queue_id,
                         (struct rte_mbuf **) batch->packets, burst);
    if (!n) {
        return EAGAIN;
    }
    if (qfill) {
        /* The driver counts descriptors: too slow to do it when the queue is
         * known to be empty. */
        *qfill = n == burst
                 ? rte_eth_rx_queue_count(port_id, rxq->queue_id) : 0;
    }
    ef_rx_finish(dev, rxq->queue_id, batch, n);
    return 0;
}
