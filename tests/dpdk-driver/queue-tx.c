/* SPDX-License-Identifier: Apache-2.0 */

/* Transmit queues of net_ef_tx: a ring, and a wire that empties it as time
 * goes by.  Time only passes while somebody looks.
 *
 * The thread that has the queue, which DPDK's callers see to. */

#include <config.h>

#include "net_ef_tx.h"
#include "wire.h"

#include <errno.h>

#include <rte_cycles.h>
#include <rte_malloc.h>

static unsigned
n_used(const struct ef_tx_queue *q)
{
    return q->n_put - q->n_freed;
}

/* What the wire has taken by now. */
static void
advance(struct ef_tx_queue *q, uint64_t now)
{
    if (ef_tx_get(&q->control->stop)) {
        return;
    }
    while (q->n_done != q->n_put && q->done_tsc[q->n_done % q->size] <= now) {
        q->n_done++;
    }
}

/* The end of what is reported: descriptors up to one that asks for it. */
static uint32_t
n_reported(const struct ef_tx_queue *q)
{
    return q->n_done - q->n_done % q->rs_thresh;
}

static bool
holds(struct ef_tx_queue *q)
{
    uint32_t every = ef_tx_get(&q->control->hold);

    if (!every || q->n_held == EF_TX_HELD_MAX) {
        return false;
    }
    if (!q->n_until_hold || q->n_until_hold > every) {
        q->n_until_hold = every;
    }
    return !--q->n_until_hold;
}

/* Frees at most 'max' of those that are reported. */
static unsigned
free_reported(struct ef_tx_queue *q, unsigned max)
{
    uint32_t end = n_reported(q);
    unsigned n = 0;

    while (n < max && (int32_t) (end - q->n_freed) > 0) {
        struct rte_mbuf *mbuf = q->mbufs[q->n_freed++ % q->size];

        if (holds(q)) {
            q->held[q->n_held++] = mbuf;
            __atomic_fetch_add(&q->control->n_held, 1, __ATOMIC_RELAXED);
        } else {
            rte_pktmbuf_free(mbuf);
        }
        n++;
    }
    return n;
}

static bool
is_time_to_free(const struct ef_tx_queue *q)
{
    unsigned used = n_used(q);

    return q->counts_used ? used >= q->free_thresh
           : q->size - used < q->free_thresh;
}

uint16_t
ef_tx_burst(void *txq, struct rte_mbuf **mbufs, uint16_t n)
{
    struct ef_tx_queue *q = txq;
    uint32_t rate = ef_tx_get(&q->control->rate);
    uint64_t hz = rte_get_tsc_hz(), now = rte_rdtsc();
    uint64_t delay = ef_tx_get(&q->control->delay_us) * hz / 1000000;
    uint64_t spacing = rate ? hz / rate : 0;

    advance(q, now);
    if (is_time_to_free(q)) {
        free_reported(q, UINT32_MAX);
    }
    n = RTE_MIN(n, q->size - 1 - n_used(q));
    q->wire_free_tsc = RTE_MAX(q->wire_free_tsc, now);
    for (unsigned i = 0; i < n; i++) {
        unsigned slot = q->n_put++ % q->size;

        q->wire_free_tsc += spacing;
        q->done_tsc[slot] = q->wire_free_tsc + delay;
        q->counts.n_bytes += mbufs[i]->pkt_len;
        q->mbufs[slot] = mbufs[i];
        if (q->wire) {
            ef_wire_send(q->wire, mbufs[i]);
        }
    }
    q->counts.n_packets += n;
    return n;
}

int
ef_tx_status(void *txq, uint16_t offset)
{
    struct ef_tx_queue *q = txq;
    uint32_t descriptor;

    if (offset >= q->size) {
        return -EINVAL;
    }
    advance(q, rte_rdtsc());
    /* The one that was put a ring's length before. */
    descriptor = q->n_put + offset - q->size;
    return ((int32_t) (descriptor - n_reported(q)) < 0
            ? RTE_ETH_TX_DESC_DONE : RTE_ETH_TX_DESC_FULL);
}

int
ef_tx_cleanup(void *txq, uint32_t max)
{
    struct ef_tx_queue *q = txq;

    advance(q, rte_rdtsc());
    return free_reported(q, max ? max : UINT32_MAX);
}

/* Set-up. */

struct ef_tx_queue *
ef_tx_queue_create(uint16_t size, int socket_id)
{
    struct ef_tx_queue *q = rte_zmalloc_socket("ef_txq", sizeof *q, 64,
                                               socket_id);

    if (q) {
        q->size = size;
        q->mbufs = rte_zmalloc("ef_txq", size * sizeof *q->mbufs, 64);
        q->done_tsc = rte_zmalloc("ef_txq", size * sizeof *q->done_tsc, 64);
        q->held = rte_zmalloc("ef_txq", EF_TX_HELD_MAX * sizeof *q->held, 64);
        if (!q->mbufs || !q->done_tsc || !q->held) {
            ef_tx_queue_destroy(q);
            return NULL;
        }
    }
    return q;
}

/* As a driver does that stops its device: all that is left is free. */
void
ef_tx_queue_empty(struct ef_tx_queue *q)
{
    while (q->n_freed != q->n_put) {
        rte_pktmbuf_free(q->mbufs[q->n_freed++ % q->size]);
    }
    __atomic_fetch_sub(&q->control->n_held, q->n_held, __ATOMIC_RELAXED);
    while (q->n_held) {
        rte_pktmbuf_free(q->held[--q->n_held]);
    }
    q->n_put = q->n_done = q->n_freed = 0;
    q->wire_free_tsc = 0;
}

void
ef_tx_queue_destroy(struct ef_tx_queue *q)
{
    if (q) {
        rte_free(q->held);
        rte_free(q->done_tsc);
        rte_free(q->mbufs);
        rte_free(q);
    }
}
