/* SPDX-License-Identifier: Apache-2.0 */

/* Snapshots of pools for commands.  Any thread that may block.  The mutex is
 * held while the stores of all PMDs are read, which takes microseconds a
 * pool. */

#include <config.h>

#include "dpdk/mempool-private.h"

#include <errno.h>

#include <rte_mempool.h>

#include "dpdk/dev.h"
#include "dpdk/lcores.h"
#include "util.h"

static void
get_cores(const struct ef_mempool *pool, struct ef_mempool_facts *facts)
{
    facts->cores = xcalloc(RTE_MAX_LCORE, sizeof *facts->cores);
    for (unsigned lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
        struct ef_mempool_core_facts *core = &facts->cores[facts->n_cores];

        if (ef_lcores_get(lcore, &core->core)
            && ef_store_get_core(pool->rte, lcore, &core->store)) {
            core->lcore = lcore;
            facts->n_cores++;
        }
    }
}

static void
get_facts(const struct ef_mempool *pool, struct ef_mempool_facts *facts)
    OVS_REQUIRES(ef_mempool_mutex)
{
    const struct ef_mempool_shape *shape = &pool->shape;

    *facts = (struct ef_mempool_facts) {
        .rte_name = xstrdup(pool->rte->name),
        .name = nullable_xstrdup(shape->name ? shape->name : shape->owner),
        .is_named = shape->name != NULL,
        .socket_id = shape->socket_id,
        .buf_size = shape->buf_size,
        .n_bufs = pool->rte->size,
        .n_free = rte_mempool_avail_count(pool->rte),
        .n_ports = ovs_list_size(&pool->users),
        .is_waiting = !ef_mempool_is_used(pool),
        .n_ring = ef_mempool_n_ring(pool),
    };
    facts->n_in_use = facts->n_bufs - facts->n_free;
    ef_store_get(pool->rte, &facts->shared);
    get_cores(pool, facts);
}

static int
compare_facts(const void *a_, const void *b_)
{
    const struct ef_mempool_facts *a = a_, *b = b_;

    return strcmp(a->rte_name, b->rte_name);
}

static size_t
get_all(struct ef_mempool_facts **factsp)
    OVS_REQUIRES(ef_mempool_mutex)
{
    const struct ef_mempool *pool;
    size_t n = 0;

    *factsp = xcalloc(MAX(ovs_list_size(&ef_mempools), 1), sizeof **factsp);
    LIST_FOR_EACH (pool, node, &ef_mempools) {
        get_facts(pool, &(*factsp)[n++]);
    }
    qsort(*factsp, n, sizeof **factsp, compare_facts);
    return n;
}

size_t
ef_mempool_get_facts(struct ef_mempool_facts **factsp)
{
    size_t n;

    ovs_mutex_lock(&ef_mempool_mutex);
    n = get_all(factsp);
    ovs_mutex_unlock(&ef_mempool_mutex);
    return n;
}

int
ef_mempool_try_facts(struct ef_mempool_facts **factsp, size_t *np)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    int n_tries = EF_DPDK_TRIES;

    if (!ef_dpdk_try_lock(&ef_mempool_mutex, &n_tries)) {
        return EBUSY;
    }
    *np = get_all(factsp);
    ovs_mutex_unlock(&ef_mempool_mutex);
    return 0;
}

void
ef_mempool_facts_free(struct ef_mempool_facts *facts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(facts[i].rte_name);
        free(facts[i].name);
        free(facts[i].cores);
    }
    free(facts);
}
