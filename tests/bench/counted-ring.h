/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_COUNTED_RING_H
#define BENCH_COUNTED_RING_H 1

/* DPDK's handler "ring_mp_mc" once more, as "ring_mp_mc_counted": it counts
 * calls, buffers and failed compare-and-swaps of each lcore.
 *
 * The ring's functions are inline in DPDK's headers; here they are compiled
 * with a compare-and-swap that counts.  Include this before any other header
 * of DPDK.  Threads: each writes its own account. */

#include <rte_atomic.h>
#include <rte_common.h>
#include <rte_lcore.h>

struct counted_trips {
    uint64_t n_gets, n_puts;
    uint64_t n_bufs_got, n_bufs_put;
    uint64_t n_retries;
} __rte_cache_aligned;

/* The last is for threads without an lcore. */
static struct counted_trips counted_trips[RTE_MAX_LCORE + 1];

static inline struct counted_trips *
counted_mine(void)
{
    return &counted_trips[RTE_MIN(rte_lcore_id(), (unsigned) RTE_MAX_LCORE)];
}

static inline bool
counted_swap(bool ok)
{
    counted_mine()->n_retries += !ok;
    return ok;
}

#define rte_atomic32_cmpset(...) \
    counted_swap(rte_atomic32_cmpset(__VA_ARGS__))
#define __atomic_compare_exchange_n(...) \
    counted_swap(__atomic_compare_exchange_n(__VA_ARGS__))
#include <rte_ring.h>
#undef rte_atomic32_cmpset
#undef __atomic_compare_exchange_n

#include <errno.h>
#include <rte_mempool.h>

static int
counted_alloc(struct rte_mempool *mp)
{
    char name[RTE_RING_NAMESIZE];

    snprintf(name, sizeof name, "CR_%s", mp->name);
    mp->pool_data = rte_ring_create(name, rte_align32pow2(mp->size + 1),
                                    mp->socket_id, 0);
    return mp->pool_data ? 0 : -ENOMEM;
}

static void
counted_free(struct rte_mempool *mp)
{
    rte_ring_free(mp->pool_data);
}

static int
counted_enqueue(struct rte_mempool *mp, void *const *bufs, unsigned n)
{
    struct counted_trips *trips = counted_mine();
    unsigned done = rte_ring_mp_enqueue_bulk(mp->pool_data, bufs, n, NULL);

    trips->n_puts++;
    trips->n_bufs_put += done;
    return done ? 0 : -ENOBUFS;
}

static int
counted_dequeue(struct rte_mempool *mp, void **bufs, unsigned n)
{
    struct counted_trips *trips = counted_mine();
    unsigned done = rte_ring_mc_dequeue_bulk(mp->pool_data, bufs, n, NULL);

    trips->n_gets++;
    trips->n_bufs_got += done;
    return done ? 0 : -ENOBUFS;
}

static unsigned
counted_count(const struct rte_mempool *mp)
{
    return rte_ring_count(mp->pool_data);
}

static const struct rte_mempool_ops counted_ops = {
    .name = "ring_mp_mc_counted",
    .alloc = counted_alloc,
    .free = counted_free,
    .enqueue = counted_enqueue,
    .dequeue = counted_dequeue,
    .get_count = counted_count,
};

#endif /* counted-ring.h */
