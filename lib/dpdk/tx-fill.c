/* SPDX-License-Identifier: Apache-2.0 */

/* Looks at one place of a ring to see whether it is taken.  Called by
 * output/tx-policy.c after a send. */

#include <config.h>

#include "dpdk/tx-fill.h"

#include <rte_ethdev.h>
#include <rte_vhost.h>

#include "dpdk/ethdev.h"
#include "dpdk/vhost.h"

/* Negative if the driver does not tell. */
static int
is_taken(const struct ef_ethdev *eth, uint16_t txq, unsigned offset)
{
    int status = rte_eth_tx_descriptor_status(eth->port_id, txq, offset);

    return status < 0 ? -1 : status == RTE_ETH_TX_DESC_FULL;
}

static int
is_ring_filled(const struct ef_ethdev *eth, uint16_t txq, unsigned percent)
{
    unsigned size = eth->dev.txq_size;
    unsigned limit = size * percent / 100;
    int first = is_taken(eth, txq, 0);

    /* Offset 0 is the place of the next packet, which is free unless the ring
     * is full, and what is taken ends at the last offset; or it is the oldest
     * packet in a driver that counts from there. */
    return first < 0 ? -1 : is_taken(eth, txq, first ? limit
                                               : size - 1 - limit);
}

static int
is_guest_filled(struct ef_vhost *port, int txq, unsigned percent)
{
    int vid = ef_vhost_get_vid(port);
    unsigned size;
    int queue;

    atomic_read_relaxed(&port->tx_map[txq], &queue);
    if (vid < 0 || queue < 0) {
        return -1;
    }
    size = port->guest.vring_sizes[ef_vhost_tx_vring(queue)];
    return rte_vhost_avail_entries(vid, ef_vhost_tx_vring(queue))
           < size - size * percent / 100;
}

int
ef_tx_is_filled(const struct netdev *netdev, int txq, unsigned percent,
                bool shared)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    rte_spinlock_t *lock;
    int filled;

    if (!ef_dpdk_is_dpdk(netdev) || txq < 0) {
        return -1;
    }
    if (dev->kind != EF_DPDK_ETH) {
        return is_guest_filled(CONTAINER_OF(dev, struct ef_vhost, dev),
                               txq % netdev->n_txq, percent);
    }
    if (!shared) {
        return is_ring_filled(CONTAINER_OF(dev, struct ef_ethdev, dev), txq,
                              percent);
    }
    txq %= netdev->n_txq;
    lock = &dev->txqs[txq].lock;
    if (!rte_spinlock_trylock(lock)) {
        return -1;
    }
    filled = is_ring_filled(CONTAINER_OF(dev, struct ef_ethdev, dev), txq,
                            percent);
    rte_spinlock_unlock(lock);
    return filled;
}
