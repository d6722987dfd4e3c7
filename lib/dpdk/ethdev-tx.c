/* SPDX-License-Identifier: Apache-2.0 */

/* Transmission of ports of type=dpdk.
 *
 * Called by the PMD that has the tx queue, or by any PMD or the main thread
 * when queues are shared: then under the queue's spin lock, for one batch. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_errno.h>

#include "dp-packet.h"
#include "dpdk/log.h"
#include "dpdk/tx-prepare.h"
#include "dpdk/tx-watch.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

/* Lets the driver make 'mbufs' ready for its offloads.  One that it refuses
 * is dropped, the others move together.  Returns how many are left. */
static size_t
driver_prepare(struct ef_ethdev *eth, unsigned qid, struct rte_mbuf **mbufs,
               size_t n)
{
    size_t n_ready = 0;

    for (;;) {
        n_ready += rte_eth_tx_prepare(eth->port_id, qid, mbufs + n_ready,
                                      n - n_ready);
        if (OVS_LIKELY(n_ready >= n)) {
            return n;
        }
        VLOG_WARN_RL(&rl, "%s: Output batch contains invalid packets. "
                     "Only %"PRIuSIZE"/%"PRIuSIZE" are valid: %s",
                     netdev_get_name(&eth->dev.up), n_ready, n,
                     rte_strerror(rte_errno));
        rte_pktmbuf_free(mbufs[n_ready]);
        n--;
        memmove(&mbufs[n_ready], &mbufs[n_ready + 1],
                (n - n_ready) * sizeof *mbufs);
        ef_counter_add(&eth->dev.txqs[qid].n.invalid_hwol_drops, 1);
    }
}

static void
burst(struct ef_dpdk_dev *dev, unsigned qid, struct rte_mbuf **mbufs,
      size_t n)
{
    struct ef_ethdev *eth = CONTAINER_OF(dev, struct ef_ethdev, dev);
    struct ef_tx_watch *watch = dev->txqs[qid].watch;
    size_t n_sent = 0;
    int marked = -1;

    if (eth->tx_offloads) {
        n = driver_prepare(eth, qid, mbufs, n);
    }
    if (OVS_LIKELY(watch)) {
        marked = ef_tx_watch_mark(watch, mbufs, n);
    }
    while (n_sent < n) {
        uint16_t n_taken = rte_eth_tx_burst(eth->port_id, qid,
                                            mbufs + n_sent, n - n_sent);

        if (OVS_UNLIKELY(!n_taken)) {
            break;
        }
        n_sent += n_taken;
    }
    if (OVS_LIKELY(watch)) {
        ef_tx_watch_sent(watch, marked, n_sent);
    }
    if (OVS_UNLIKELY(n_sent < n)) {
        ef_counter_add(&dev->txqs[qid].n.failure_drops, n - n_sent);
        /* They may be of different pools. */
        while (n_sent < n) {
            rte_pktmbuf_free(mbufs[n_sent++]);
        }
    }
}

int
ef_ethdev_send(struct netdev *netdev, int qid, struct dp_packet_batch *batch,
               bool concurrent_txq)
{
    struct ef_ethdev *eth = ef_ethdev_cast(netdev);
    bool is_up;

    if (OVS_UNLIKELY(concurrent_txq)) {
        qid %= netdev->n_txq;
        rte_spinlock_lock(&eth->dev.txqs[qid].lock);
    }

    /* A stale value only shifts by a batch when the port goes down. */
    atomic_read_relaxed(&eth->dev.is_up, &is_up);
    if (OVS_LIKELY(is_up)) {
        ef_tx_prepare(&eth->dev, qid, eth->tx_offloads, batch, burst);
    } else {
        ef_counter_add(&eth->dev.txqs[qid].n.down_drops,
                       dp_packet_batch_size(batch));
        dp_packet_delete_batch(batch, true);
    }

    if (OVS_UNLIKELY(concurrent_txq)) {
        rte_spinlock_unlock(&eth->dev.txqs[qid].lock);
    }
    return 0;
}
