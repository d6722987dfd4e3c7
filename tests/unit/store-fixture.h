/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H 1

/* For tests of the buffer store: pools of small objects with the handler, and
 * threads that pretend to be other lcores.  Threads: the test's. */

#include <sched.h>

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include "dpdk/buffer-store.h"
#include "dpdk-fixture.h"

/* Starts DPDK with the handler, once; returns whether both are there.  DPDK
 * pins the thread that starts it, and those that this creates; here they run
 * anywhere. */
static inline bool
fx_store_start(void)
{
    cpu_set_t cpus;
    bool ok;

    sched_getaffinity(0, sizeof cpus, &cpus);
    ok = fx_start() && !ef_store_register();
    sched_setaffinity(0, sizeof cpus, &cpus);
    return ok;
}

static inline void
fx_number_object(struct rte_mempool *pool OVS_UNUSED, void *arg OVS_UNUSED,
                 void *object, unsigned i)
{
    *(unsigned *) object = i;
}

/* Each object of a pool has a number, from 0. */
static inline unsigned
fx_number(const void *object)
{
    return *(const unsigned *) object;
}

/* 'front' is the size of DPDK's own cache. */
static inline struct rte_mempool *
fx_store_pool(unsigned n, unsigned front)
{
    static int n_pools;
    struct rte_mempool *pool;
    char name[16];

    snprintf(name, sizeof name, "store%d", n_pools++);
    pool = rte_mempool_create_empty(name, n, 64, front, 0, SOCKET_ID_ANY, 0);
    ovs_assert(pool && !rte_mempool_set_ops_byname(pool, EF_STORE_OPS, NULL)
               && rte_mempool_populate_default(pool) == n);
    rte_mempool_obj_iter(pool, fx_number_object, NULL);
    return pool;
}

/* The calling thread goes on as 'lcore'; LCORE_ID_ANY: as none. */
static inline void
fx_be_lcore(unsigned lcore)
{
    RTE_PER_LCORE(_lcore_id) = lcore;
}

static inline struct ef_store_core_stats
fx_core_stats(const struct rte_mempool *pool, unsigned lcore)
{
    struct ef_store_core_stats stats = { .size = UINT_MAX };

    ef_store_get_core(pool, lcore, &stats);
    return stats;
}

#endif /* store-fixture.h */
