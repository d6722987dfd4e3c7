/* SPDX-License-Identifier: Apache-2.0 */

/* Packets to the guest of a vhost port.  Called by PMDs and the main thread;
 * several may send to one queue of the guest, of which each call holds the
 * lock. */

#include <config.h>

#include "dpdk/vhost.h"

#include <rte_mbuf.h>
#include <rte_vhost.h>

#include "coverage.h"
#include "dp-packet.h"
#include "dpdk/tx-prepare.h"
#include "util.h"

COVERAGE_DEFINE(vhost_tx_contention);

static void
lock_txq(struct ef_dpdk_txq *txq)
{
    if (OVS_UNLIKELY(!rte_spinlock_trylock(&txq->lock))) {
        COVERAGE_INC(vhost_tx_contention);
        rte_spinlock_lock(&txq->lock);
    }
}

static bool
can_send(struct ef_vhost *port)
{
    bool is_ready, is_up;

    atomic_read_relaxed(&port->is_ready, &is_ready);
    atomic_read_relaxed(&port->dev.is_up, &is_up);
    return is_ready && is_up;
}

static void
drop_batch(struct ef_dpdk_txq *txq, struct dp_packet_batch *batch)
{
    lock_txq(txq);
    ef_counter_add(&txq->n.down_drops, dp_packet_batch_size(batch));
    rte_spinlock_unlock(&txq->lock);
    dp_packet_delete_batch(batch, true);
}

/* Gives packets to the guest, as often as it has taken some and at most 1 +
 * retries_max times: one that does not drain its queue costs one call.
 * Returns how many it took. */
static size_t
enqueue(struct ef_vhost *port, int vid, int queue, struct rte_mbuf **mbufs,
        size_t n, int *n_retries)
{
    int retries_max = 0;
    size_t n_sent = 0;

    *n_retries = 0;
    for (;;) {
        size_t n_taken = rte_vhost_enqueue_burst(vid, ef_vhost_tx_vring(queue),
                                                 mbufs + n_sent, n - n_sent);

        n_sent += n_taken;
        if (OVS_LIKELY(n_sent >= n) || !n_taken) {
            break;
        }
        if (!*n_retries) {
            atomic_read_relaxed(&port->retries_max, &retries_max);
        }
        if (*n_retries >= retries_max) {
            break;
        }
        ++*n_retries;
    }
    return n_sent;
}

/* ef_tx_send_func.  The lock of the queue is held. */
static void
send_mbufs(struct ef_dpdk_dev *dev, unsigned queue, struct rte_mbuf **mbufs,
           size_t n)
{
    struct ef_vhost *port = CONTAINER_OF(dev, struct ef_vhost, dev);
    struct ef_dpdk_txq_counters *counters = &dev->txqs[queue].n;
    /* The guest may have left since ef_vhost_send() looked. */
    int vid = ef_vhost_get_vid(port);

    if (OVS_LIKELY(vid >= 0)) {
        int n_retries;
        size_t n_sent = enqueue(port, vid, queue, mbufs, n, &n_retries);

        ef_vhost_count(&port->tx_counters[queue], mbufs, n_sent);
        if (OVS_UNLIKELY(n_retries)) {
            ef_counter_add(&counters->retries, n_retries);
        }
        if (OVS_UNLIKELY(n_sent < n)) {
            ef_counter_add(&counters->failure_drops, n - n_sent);
        }
    } else {
        ef_counter_add(&counters->down_drops, n);
    }
    /* The library copied what it took. */
    rte_pktmbuf_free_bulk(mbufs, n);
}

int
ef_vhost_send(struct netdev *netdev, int qid, struct dp_packet_batch *batch,
              bool concurrent_txq OVS_UNUSED)
{
    struct ef_vhost *port = ef_vhost_cast(netdev);
    int txq = qid % netdev->n_txq;
    int vid = ef_vhost_get_vid(port);
    unsigned long long offloads;
    int queue;

    atomic_read_relaxed(&port->tx_map[txq], &queue);
    if (OVS_UNLIKELY(vid < 0 || queue < 0 || !can_send(port))) {
        drop_batch(&port->dev.txqs[txq], batch);
        return 0;
    }

    atomic_read_relaxed(&port->tx_offloads, &offloads);
    lock_txq(&port->dev.txqs[queue]);
    ef_tx_prepare(&port->dev, queue, offloads, batch, send_mbufs);
    rte_spinlock_unlock(&port->dev.txqs[queue].lock);
    return 0;
}
