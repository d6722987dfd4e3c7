/* SPDX-License-Identifier: Apache-2.0 */

/* Which Interface decides on the cache size of a named pool: of those whose
 * options:mempool-cache-size was accepted, the one that asked first.  When it
 * goes or has no wish any more, the next one decides.  Called by dev-pool.c
 * when options change; main thread. */

#include <config.h>

#include "dpdk/mempool-private.h"

#include <string.h>

#include <rte_mempool.h>

#include "dpdk/lcores.h"
#include "util.h"

struct claim {
    struct ovs_list node;
    char *port_name, *pool_name;
    const void *owner;          /* The request's. */
    struct ef_cache_size size;
};

/* Oldest first. */
static struct ovs_list claims OVS_GUARDED_BY(ef_mempool_mutex)
    = OVS_LIST_INITIALIZER(&claims);

static struct claim *
first_of_pool(const char *pool_name)
    OVS_REQUIRES(ef_mempool_mutex)
{
    struct claim *claim;

    LIST_FOR_EACH (claim, node, &claims) {
        if (!strcmp(claim->pool_name, pool_name)) {
            return claim;
        }
    }
    return NULL;
}

static struct claim *
of_port(const char *port_name)
    OVS_REQUIRES(ef_mempool_mutex)
{
    struct claim *claim;

    LIST_FOR_EACH (claim, node, &claims) {
        if (!strcmp(claim->port_name, port_name)) {
            return claim;
        }
    }
    return NULL;
}

static void
remove_claim(struct claim *claim)
    OVS_REQUIRES(ef_mempool_mutex)
{
    ovs_list_remove(&claim->node);
    ef_cache_size_destroy(&claim->size);
    free(claim->port_name);
    free(claim->pool_name);
    free(claim);
}

const struct ef_cache_size *
ef_mempool_claimed(const char *pool_name)
{
    const struct claim *claim = first_of_pool(pool_name);

    return claim ? &claim->size : NULL;
}

/* Checks 'size' against the smallest of the pools of this name, or the one
 * that would be made. */
static const char *
check_size(const struct ef_mempool_request *r)
    OVS_REQUIRES(ef_mempool_mutex)
{
    struct ef_cache_demand demand = { .n_pmds = ef_lcores_n() };
    const struct ef_mempool *pool;
    uint32_t n_bufs = UINT32_MAX;

    LIST_FOR_EACH (pool, node, &ef_mempools) {
        if (ef_mempool_is_used(pool)
            && nullable_string_is_equal(pool->shape.name, r->pool_name)) {
            n_bufs = MIN(n_bufs, pool->rte->size);
        }
    }
    if (n_bufs == UINT32_MAX) {
        struct ef_mempool_shape shape;

        if (ef_mempool_shape_locked(r, &shape)) {
            return NULL;
        }
        n_bufs = shape.n_bufs;
    }
    demand.n_bufs = n_bufs;
    return ef_cache_size_check(r->cache_size, &demand);
}

char *
ef_mempool_conflict(const struct ef_mempool_request *r)
{
    const struct claim *decider;
    char *reason = NULL;

    if (!r->pool_name || !r->cache_size) {
        return NULL;
    }
    ovs_mutex_lock(&ef_mempool_mutex);
    decider = first_of_pool(r->pool_name);
    if (decider && strcmp(decider->port_name, r->port_name)
        && !ef_cache_size_equal(&decider->size, r->cache_size)) {
        char *size = ef_cache_size_format(&decider->size);

        reason = xasprintf("Interface '%s' has decided on %s for pool '%s'",
                           decider->port_name, size, r->pool_name);
        free(size);
    } else {
        reason = nullable_xstrdup(check_size(r));
    }
    ovs_mutex_unlock(&ef_mempool_mutex);
    return reason;
}

void
ef_mempool_claim(const struct ef_mempool_request *r)
{
    struct claim *claim;

    ovs_mutex_lock(&ef_mempool_mutex);
    claim = of_port(r->port_name);
    if (claim && (!r->cache_size || !r->pool_name
                  || strcmp(claim->pool_name, r->pool_name))) {
        remove_claim(claim);
        claim = NULL;
    }
    if (r->cache_size && r->pool_name) {
        if (!claim) {
            claim = xzalloc(sizeof *claim);
            claim->port_name = xstrdup(r->port_name);
            claim->pool_name = xstrdup(r->pool_name);
            ovs_list_push_back(&claims, &claim->node);
        }
        claim->owner = r->owner;
        ef_cache_size_destroy(&claim->size);
        ef_cache_size_clone(&claim->size, r->cache_size);
    }
    ef_mempool_fit_stores();
    ovs_mutex_unlock(&ef_mempool_mutex);
}

void
ef_mempool_unclaim(const char *port_name, const void *owner)
{
    struct claim *claim;

    ovs_mutex_lock(&ef_mempool_mutex);
    claim = of_port(port_name);
    if (claim && claim->owner == owner) {
        remove_claim(claim);
        ef_mempool_fit_stores();
    }
    ovs_mutex_unlock(&ef_mempool_mutex);
}
