/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_BUFFER_STORE_H
#define EF_DPDK_BUFFER_STORE_H 1

/* Where the free buffers of a pool are: DPDK's mempool handler "evenflow".
 *
 *     driver --- DPDK's cache --- store of the core --- shared store
 *               (inline, small)    (one thread's)      (bulks of 256)
 *
 * A pool made with this handler has a store for each core (DPDK's "lcore")
 * that ef_store_add_core() gave one.  Only a core whose store is empty or full
 * makes a trip to the shared store, and moves EF_STORE_BULK buffers with it
 * (half its size, if that is less): a chunk changes hands by one
 * compare-and-swap on a tagged number, whatever others do meanwhile, and also
 * if they are preempted in the middle.  So a thread that takes as many buffers
 * as it frees makes no trip, and one that only takes, or only frees, makes one
 * for 256 buffers.
 *
 * Threads without a store of their own (main, handlers) go to the shared store
 * with each call, in turns under a spin lock that cores with a store never
 * touch.  What comes in portions of less than a bulk is kept apart there, as
 * odd buffers, and joined to bulks.  So every free buffer is found by whoever
 * needs it, but those in other cores' stores.
 *
 * Every trip is counted exactly, by the core that makes it.
 *
 * How many buffers are home is told without double counts while nobody takes
 * any, apart from what DPDK's cache shows twice while it is being flushed; see
 * ef_store_n_puts().
 *
 * Everything is in DPDK's memory: a secondary process that loads the same
 * handler (libef-mempool.so) can count and dump:
 *
 *     dpdk-proc-info -d .../libef-mempool.so -- --show-mempool=NAME */

#include <stdbool.h>
#include <stdint.h>

struct rte_mempool;
struct rte_mempool_ops;

#define EF_STORE_OPS "evenflow"
/* Buffers of a trip. */
#define EF_STORE_BULK 256
/* Largest size of a core's store. */
#define EF_STORE_MAX 4096
/* Size of DPDK's own cache in front, for rte_pktmbuf_pool_create_by_ops(). */
#define EF_STORE_FRONT 64

/* Set-up. */

/* Makes the handler known to DPDK, after EAL has started, once: a handler that
 * registers earlier moves the numbers of the others.  Returns 0 or a positive
 * errno. */
int ef_store_register(void);
/* The handler itself, for the loadable object. */
extern const struct rte_mempool_ops ef_store_ops;

/* Pool set-up; callers exclude each other, packet path may go on. */

/* Gives 'lcore' a store of 'size' buffers (0 to EF_STORE_MAX; 0: none is kept,
 * each bulk of DPDK's cache is a trip), in memory of 'socket_id' if there is
 * any.  One that has a store gets another size: the core gives back what is
 * too much when it frees next.  Returns 0, ENOMEM
 * or EINVAL (the pool is another handler's, or no such lcore). */
int ef_store_add_core(struct rte_mempool *, unsigned lcore, int socket_id,
                      unsigned size);

/* Gives back what the core keeps, in DPDK's cache too.  Called by the thread
 * of 'lcore' itself, or while there is none. */
void ef_store_flush_core(struct rte_mempool *, unsigned lcore);

/* Any thread. */

struct ef_store_core_stats {
    unsigned size;              /* As set. */
    unsigned fill;              /* Buffers in the store. */
    unsigned front_fill;        /* Buffers in DPDK's cache of this core. */
    uint64_t n_refills;         /* Trips that brought a bulk. */
    uint64_t n_flushes;         /* Trips that took one away. */
    uint64_t n_empty;           /* Trips that found nothing: no buffers. */
    uint64_t n_odd;             /* Of all these, those to odd buffers. */
    uint64_t n_retries;         /* Failed compare-and-swaps. */
    uint64_t n_get_calls, n_put_calls; /* From DPDK's cache. */
    uint64_t n_refill_bufs, n_flush_bufs; /* Buffers of these trips. */
};

/* Returns false if 'lcore' has no store. */
bool ef_store_get_core(const struct rte_mempool *, unsigned lcore,
                       struct ef_store_core_stats *);

struct ef_store_stats {
    unsigned n_shared;          /* Buffers in the shared store. */
    unsigned n_odd;             /* Of these, those not in full bulks. */
    uint64_t n_odd_gets, n_odd_puts; /* Calls by threads without a store. */
    uint64_t n_empty;           /* Of these, those that found nothing. */
    uint64_t n_retries;         /* Their failed compare-and-swaps. */
};

void ef_store_get(const struct rte_mempool *, struct ef_store_stats *);

/* Calls that put buffers into stores, of all threads.  If it is the same
 * before and after rte_mempool_avail_count(), and each PMD has been quiescent
 * since it was read first, and nobody takes buffers, then the count is
 * exact. */
uint64_t ef_store_n_puts(const struct rte_mempool *);

/* Bytes of DPDK's memory that the handler takes for a pool of 'n_bufs' with
 * stores of 'n_cores': what it allocates beside the buffers, for a plan. */
uint64_t ef_store_memory(unsigned n_bufs, unsigned n_cores);

/* Whether the pool was made with this handler. */
bool ef_store_is_ours(const struct rte_mempool *);

#endif /* dpdk/buffer-store.h */
