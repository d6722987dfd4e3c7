/* SPDX-License-Identifier: Apache-2.0 */

/* Packets from the guest of a vhost port.  Called by the PMD that owns the
 * rx queue. */

#include <config.h>

#include "dpdk/vhost.h"

#include <rte_vhost.h>

#include "dp-packet.h"
#include "dpdk/rx-burst.h"
#include "dpdk/rx-finish.h"
#include "util.h"

/* A queue that the guest has disabled or does not have is not asked for: the
 * library would log that it does not exist. */
static bool
can_receive(struct ef_vhost *port, int queue)
{
    bool is_ready, is_up, is_enabled;

    atomic_read_relaxed(&port->is_ready, &is_ready);
    atomic_read_relaxed(&port->dev.is_up, &is_up);
    atomic_read_relaxed(&port->rxq_enabled[queue], &is_enabled);
    return is_ready && is_up && is_enabled;
}

int
ef_vhost_rxq_recv(struct netdev_rxq *rxq, struct dp_packet_batch *batch,
                  int *qfill)
{
    struct ef_vhost *port = ef_vhost_cast(rxq->netdev);
    struct rte_mbuf **mbufs = (struct rte_mbuf **) batch->packets;
    int vring = ef_vhost_rx_vring(rxq->queue_id);
    /* Valid until this thread quiesces: see ef_vhost_guest_clear(). */
    int vid = ef_vhost_get_vid(port);
    unsigned burst = ef_rx_burst_read(&port->dev.rx_burst);
    size_t n;

    if (OVS_UNLIKELY(vid < 0 || !can_receive(port, rxq->queue_id))) {
        return EAGAIN;
    }
    n = rte_vhost_dequeue_burst(vid, vring,
                                ef_dpdk_dev_rxq_pool(&port->dev,
                                                     rxq->queue_id),
                                mbufs, burst);
    if (!n) {
        return EAGAIN;
    }
    if (qfill) {
        /* The library computes with 16 bits and returns 32. */
        *qfill = (n == burst
                  ? rte_vhost_rx_queue_count(vid, vring) & UINT16_MAX : 0);
    }
    ef_vhost_count(&port->rx_counters[rxq->queue_id], mbufs, n);
    ef_rx_finish(&port->dev, rxq->queue_id, batch, n);
    return 0;
}

bool
ef_vhost_rxq_enabled(struct netdev_rxq *rxq)
{
    struct ef_vhost *port = ef_vhost_cast(rxq->netdev);
    bool is_enabled;

    atomic_read_relaxed(&port->rxq_enabled[rxq->queue_id], &is_enabled);
    return is_enabled;
}
