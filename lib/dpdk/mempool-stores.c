/* SPDX-License-Identifier: Apache-2.0 */

/* Gives each PMD a store of free buffers in each pool, sized for what the
 * pool's ports and the settings are now, and warns of pools that are too small
 * for their ports.  Called in the main thread when any of that changes, and by
 * a PMD when it starts and ends. */

#include <config.h>

#include "dpdk/mempool-private.h"

#include <rte_memory.h>
#include <rte_mempool.h>

#include "dp-packet.h"
#include "dpdk/lcores.h"
#include "dpdk/log.h"
#include "ovs-numa.h"

void
ef_mempool_demand(const struct ef_mempool *pool,
                  struct ef_cache_demand *demand)
{
    const struct ef_mempool_user *user;

    *demand = (struct ef_cache_demand) {
        .n_bufs = pool->rte->size,
        .n_pmds = ef_lcores_n(),
        .burst = NETDEV_MAX_BURST,
    };
    LIST_FOR_EACH (user, node, &pool->users) {
        demand->n_rxq += user->n_rxq;
        demand->n_txq += user->n_txq;
        demand->tx_free_burst = MAX(demand->tx_free_burst,
                                    user->tx_free_burst);
    }
}

unsigned
ef_mempool_n_ring(const struct ef_mempool *pool)
{
    const struct ef_mempool_user *user;
    unsigned n = 0;

    LIST_FOR_EACH (user, node, &pool->users) {
        n += user->n_ring;
    }
    return n;
}

static const struct ef_cache_size *
setting_of(const struct ef_mempool *pool)
    OVS_REQUIRES(ef_mempool_mutex)
{
    const struct ef_cache_size *claimed
        = pool->shape.name ? ef_mempool_claimed(pool->shape.name) : NULL;

    return claimed ? claimed : ef_mempool_default_cache_size();
}

/* A value that was right can be too much later, with more PMDs, or for a
 * smaller pool: then half of the pool is shared out evenly. */
static unsigned
size_for_core(const struct ef_cache_size *setting, unsigned core,
              const struct ef_cache_demand *demand)
{
    unsigned size = ef_cache_size_get(setting, core, demand);

    if (ef_cache_size_check(setting, demand)) {
        size = MIN(size, demand->n_bufs / 2 / MAX(demand->n_pmds, 1));
    }
    return size;
}

static void
set_size(struct ef_mempool *pool, unsigned lcore, unsigned core, int size)
    OVS_REQUIRES(ef_mempool_mutex)
{
    int numa_id = ovs_numa_get_numa_id(core);
    int error;

    if (pool->store_sizes[lcore] == size) {
        return;
    }
    error = ef_store_add_core(pool->rte, lcore,
                              numa_id == OVS_NUMA_UNSPEC ? SOCKET_ID_ANY
                              : numa_id, size);
    if (error) {
        VLOG_WARN("Core %u has no store of %d buffers of mempool \"%s\": %s",
                  core, size, pool->rte->name, ovs_strerror(error));
        return;
    }
    pool->store_sizes[lcore] = size;
}

/* The port whose rings can hold most. */
static const struct ef_mempool_user *
largest_user(const struct ef_mempool *pool)
{
    const struct ef_mempool_user *user, *largest = NULL;

    LIST_FOR_EACH (user, node, &pool->users) {
        if (!largest || user->n_ring > largest->n_ring) {
            largest = user;
        }
    }
    return largest;
}

static void
warn_if_small(struct ef_mempool *pool, unsigned n_stores)
    OVS_REQUIRES(ef_mempool_mutex)
{
    unsigned n_ring = ef_mempool_n_ring(pool);
    const struct ef_mempool_user *largest = largest_user(pool);

    if (pool->warned || (uint64_t) n_ring + n_stores <= pool->rte->size) {
        return;
    }
    pool->warned = true;
    VLOG_WARN("Mempool \"%s\" has %u buffers, but rings of its %"PRIuSIZE
              " ports can hold %u and stores of cores %u: a port whose "
              "consumer stops, as '%s' with up to %u, can starve the others.  "
              "It takes %u buffers%s%s.",
              pool->rte->name, pool->rte->size, ovs_list_size(&pool->users),
              n_ring, n_stores, largest->port_name, largest->n_ring,
              n_ring + n_stores,
              pool->shape.name ? " in mempool-config for pool " : "",
              pool->shape.name ? pool->shape.name : "");
}

static void
fit_stores_of(struct ef_mempool *pool)
    OVS_REQUIRES(ef_mempool_mutex)
{
    const struct ef_cache_size *setting = setting_of(pool);
    struct ef_cache_demand demand;
    unsigned core, sum = 0;

    ef_mempool_demand(pool, &demand);
    for (unsigned lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
        if (ef_lcores_get(lcore, &core)) {
            unsigned size = size_for_core(setting, core, &demand);

            set_size(pool, lcore, core, size);
            sum += size;
        }
    }
    warn_if_small(pool, sum);
}

void
ef_mempool_fit_stores(void)
{
    struct ef_mempool *pool;

    LIST_FOR_EACH (pool, node, &ef_mempools) {
        if (ef_mempool_is_used(pool)) {
            fit_stores_of(pool);
        }
    }
}

/* The mutex is held for a fifth of a second at most (while the main thread
 * makes a pool), and never while anybody waits for a PMD. */
void
ef_mempool_core_starts(unsigned lcore OVS_UNUSED)
{
    ovs_mutex_lock(&ef_mempool_mutex);
    ef_mempool_fit_stores();
    ovs_mutex_unlock(&ef_mempool_mutex);
}

void
ef_mempool_core_ends(unsigned lcore)
{
    struct ef_mempool *pool;

    ovs_mutex_lock(&ef_mempool_mutex);
    LIST_FOR_EACH (pool, node, &ef_mempools) {
        ef_store_flush_core(pool->rte, lcore);
    }
    ef_mempool_fit_stores();
    ovs_mutex_unlock(&ef_mempool_mutex);
}
