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

void
ef_ethdev_watch_start(struct ef_ethdev *eth)
{
    struct ef_dpdk_dev *dev = &eth->dev;

    ef_tx_alarm_forget(dev->alarm);
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

bool
ef_ethdev_is_watched(const struct netdev *netdev)
{
    return netdev->netdev_class == &ef_ethdev_class;
}
