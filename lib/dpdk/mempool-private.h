/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_MEMPOOL_PRIVATE_H
#define EF_DPDK_MEMPOOL_PRIVATE_H 1

/* What the files mempool*.c share, see dpdk/mempool.h: the list of pools and
 * who uses them.  Everything is under ef_mempool_mutex, which is taken last of
 * all of ours; PMDs take it only when they start and end. */

#include <rte_config.h>

#include "dpdk/mempool.h"
#include "openvswitch/list.h"
#include "ovs-thread.h"

/* Least number of buffers that a pool is made with if nobody asked for one. */
#define EF_MEMPOOL_LEAST_BUFS (4096 * 4)

/* A port, with what it asked for last. */
struct ef_mempool_user {
    struct ovs_list node;       /* In 'users' of the pool, oldest first. */
    char *port_name;
    unsigned n_rxq, n_txq;
    unsigned tx_free_burst;
    unsigned n_ring;            /* Buffers that its rings can hold. */
};

/* Of a pool without users, see mempool-free.c. */
enum ef_mempool_wait {
    EF_MEMPOOL_INCOMPLETE,      /* Buffers are in flight, or a port has it. */
    EF_MEMPOOL_COUNTED,         /* All were home, it seemed. */
    EF_MEMPOOL_COMPLETE,        /* All are, but a PMD may be inside still. */
    EF_MEMPOOL_MAY_GO,
};

struct ef_mempool {
    struct ovs_list node;       /* In 'ef_mempools'. */
    struct rte_mempool *rte;
    struct ef_mempool_shape shape; /* As asked for; strings are allocated. */
    struct ovs_list users;      /* Of struct ef_mempool_user. */
    bool warned;                /* That its number of buffers is too small. */
    int store_sizes[RTE_MAX_LCORE]; /* -1: the lcore has no store. */

    /* Of one without users. */
    enum ef_mempool_wait wait;
    uintptr_t grace;            /* The grace period it waits for. */
    uint64_t n_puts;            /* When it was COUNTED. */
    long long unused_since;     /* ms. */
};

extern struct ovs_mutex ef_mempool_mutex;
extern struct ovs_list ef_mempools OVS_GUARDED_BY(ef_mempool_mutex);

static inline bool
ef_mempool_is_used(const struct ef_mempool *pool)
{
    return !ovs_list_is_empty(&pool->users);
}

/* Removes it from the list and gives its memory back. */
void ef_mempool_free(struct ef_mempool *) OVS_REQUIRES(ef_mempool_mutex);

/* mempool-shape. */
int ef_mempool_shape_locked(const struct ef_mempool_request *,
                            struct ef_mempool_shape *)
    OVS_REQUIRES(ef_mempool_mutex);
/* What other_config says of caches. */
const struct ef_cache_size *ef_mempool_default_cache_size(void)
    OVS_REQUIRES(ef_mempool_mutex);
/* Whether 'mempool-config' says how many buffers it shall have. */
bool ef_mempool_number_is_asked(const struct ef_mempool_shape *)
    OVS_REQUIRES(ef_mempool_mutex);
void ef_mempool_log_step(const struct ef_mempool_request *,
                         const struct ef_mempool_shape *);

/* mempool-claims.  What the deciding Interface says of the caches of a named
 * pool, or NULL. */
const struct ef_cache_size *ef_mempool_claimed(const char *pool_name)
    OVS_REQUIRES(ef_mempool_mutex);

/* mempool-stores.  What caches of 'pool' depend on. */
void ef_mempool_demand(const struct ef_mempool *, struct ef_cache_demand *)
    OVS_REQUIRES(ef_mempool_mutex);
/* Sizes the stores anew, in all pools that ports have. */
void ef_mempool_fit_stores(void) OVS_REQUIRES(ef_mempool_mutex);
/* What rings of its ports can hold. */
unsigned ef_mempool_n_ring(const struct ef_mempool *)
    OVS_REQUIRES(ef_mempool_mutex);

/* mempool-free.  Looks which pools are complete; sets free those that may go,
 * all of them or those that had their time. */
void ef_mempool_sweep(void) OVS_REQUIRES(ef_mempool_mutex);
void ef_mempool_free_unused(bool all) OVS_REQUIRES(ef_mempool_mutex);
/* Memory is short: waits, for EF_MEMPOOL_AWAIT_US at most, for a pool that
 * only waits for grace periods.  Returns whether any was freed.  Passes a
 * quiescent state, and releases the mutex meanwhile. */
#define EF_MEMPOOL_AWAIT_US 100000
bool ef_mempool_await_freed(void) OVS_REQUIRES(ef_mempool_mutex);
/* A port took it, or its last port gave it back. */
void ef_mempool_stop_waiting(struct ef_mempool *)
    OVS_REQUIRES(ef_mempool_mutex);
void ef_mempool_start_waiting(struct ef_mempool *)
    OVS_REQUIRES(ef_mempool_mutex);

#endif /* dpdk/mempool-private.h */
