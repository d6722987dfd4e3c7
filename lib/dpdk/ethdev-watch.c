/* SPDX-License-Identifier: Apache-2.0 */

/* Watches of the tx queues of a port of type=dpdk: when they start and stop.
 *
 * The main thread calls set-up and stop, while no PMD uses the port; idle is
 * called by lib/output on the thread that has the queue, or one of those that
 * share it. */

#include <config.h>

#include "dpdk/ethdev.h"

#include "dpdk/log.h"
#include "dpdk/tx-alarm.h"
#include "dpdk/tx-watch.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(1, 5);

/* net_bonding has several rings behind a queue, which complete in no order;
 * who reads a net_ring, perhaps another process, frees as it likes. */
static const char *const unwatched_drivers[] = { "net_bonding", "net_ring" };

static bool
is_unwatched_driver(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(unwatched_drivers); i++) {
        if (!strcmp(name, unwatched_drivers[i])) {
            return true;
        }
    }
    return false;
}

/* Whether marks would say nothing, or buffers are put back without a look at
 * who else holds them, as some drivers do unless they are told not to. */
static bool
cannot_be_watched(uint16_t port_id)
{
    struct rte_eth_dev_info info;
    struct rte_eth_txq_info txq;
    uint64_t offloads;

    if (rte_eth_dev_info_get(port_id, &info)) {
        return true;
    }
    offloads = info.default_txconf.offloads;
    if (!rte_eth_tx_queue_info_get(port_id, 0, &txq)) {
        offloads |= txq.conf.offloads;
    }
    return ((offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE)
            || is_unwatched_driver(info.driver_name));
}

void
ef_ethdev_watch_start(struct ef_ethdev *eth)
{
    struct ef_dpdk_dev *dev = &eth->dev;

    ef_tx_alarm_forget(dev->alarm);
    if (cannot_be_watched(eth->port_id)) {
        return;
    }
    for (unsigned i = 0; i < dev->n_txqs; i++) {
        struct ef_dpdk_txq *txq = &dev->txqs[i];

        if (txq->watch) {
            ef_tx_watch_reset(txq->watch, eth->port_id, dev->txq_size);
            continue;
        }
        txq->watch = ef_tx_watch_create(eth->port_id, i, dev->txq_size,
                                        dev->socket_id);
        if (!txq->watch) {
            /* The port works without. */
            VLOG_WARN_RL(&rl, "%s: no memory to watch tx queue %u",
                         netdev_get_name(&dev->up), i);
        }
    }
}

void
ef_ethdev_watch_stop(struct ef_ethdev *eth)
{
    struct ef_dpdk_dev *dev = &eth->dev;

    for (unsigned i = 0; i < dev->n_txqs; i++) {
        struct ef_tx_watch *watch = dev->txqs[i].watch;

        if (watch) {
            ef_tx_watch_reset(watch, eth->port_id, dev->txq_size);
        }
    }
}

void
ef_ethdev_watch_idle(struct netdev *netdev, int qid, bool concurrent_txq)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    struct ef_dpdk_txq *txq = &dev->txqs[qid % netdev->n_txq];

    /* Never waits: whoever has the lock sends, so the queue is not idle. */
    if (!txq->watch
        || (concurrent_txq && !rte_spinlock_trylock(&txq->lock))) {
        return;
    }
    ef_tx_watch_idle(txq->watch);
    if (concurrent_txq) {
        rte_spinlock_unlock(&txq->lock);
    }
}

void
ef_ethdev_watch_rest(struct netdev *netdev, int qid)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    struct ef_tx_watch *watch = dev->txqs[qid % netdev->n_txq].watch;

    if (watch) {
        ef_tx_watch_rest(watch);
    }
}

bool
ef_ethdev_is_watched(const struct netdev *netdev)
{
    return netdev->netdev_class == &ef_ethdev_class;
}
