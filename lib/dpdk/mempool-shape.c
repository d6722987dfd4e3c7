/* SPDX-License-Identifier: Apache-2.0 */

/* The database's settings about all pools, and what a port's request comes to
 * with them.  Settings are taken over in the main thread, some when DPDK
 * starts, others whenever they change (lib/dpif/config.c). */

#include <config.h>

#include "dpdk/mempool-private.h"

#include <errno.h>

#include <rte_mempool.h>

#include "core/setting-parse.h"
#include "core/settings.h"
#include "dp-packet.h"
#include "dpdk/dev.h"
#include "dpdk/log.h"
#include "dpdk/mempool-config.h"
#include "smap.h"

#define SCOPE "Open_vSwitch"

/* Buffers of a shared pool: as many as these if there is memory, else half of
 * that, and so on.  Operators have reserved memory by these numbers. */
#define MAX_BUFS (4096 * 64)
/* From this MTU on a shared pool is a large one. */
#define LARGE_MTU 1500

/* Set before the first port. */
static struct ef_mempool_steps steps;
static bool per_port;

/* Change at any time. */
static struct ef_mempool_numbers numbers OVS_GUARDED_BY(ef_mempool_mutex);
static struct ef_cache_size cache_size OVS_GUARDED_BY(ef_mempool_mutex)
    = EF_CACHE_SIZE_AUTO;

/* What a port needs. */

static int
check_request(const struct ef_mempool_request *r)
{
    bool ok = (r->mtu >= 0 && r->mtu <= EF_MEMPOOL_MAX_MTU
               && r->n_rxq >= 0 && r->n_txq >= 0
               && r->rxq_size >= 0 && r->txq_size >= 0);

    return ok ? 0 : EINVAL;
}

/* Every descriptor may hold a buffer, and so may a burst in each PMD's hands;
 * the rest is for packets that are elsewhere. */
static uint32_t
n_bufs_of_port(const struct ef_mempool_request *r)
{
    uint64_t n = ((uint64_t) r->n_rxq * r->rxq_size
                  + (uint64_t) r->n_txq * r->txq_size
                  + MIN(RTE_MAX_LCORE, r->n_rxq) * NETDEV_MAX_BURST
                  + EF_MEMPOOL_LEAST_BUFS);

    return MIN(n, UINT32_MAX);
}

static uint32_t
n_bufs_to_share(uint32_t buf_size)
{
    return ef_dpdk_mtu_to_frame(LARGE_MTU) <= buf_size ? MAX_BUFS
           : EF_MEMPOOL_LEAST_BUFS;
}

int
ef_mempool_shape_locked(const struct ef_mempool_request *r,
                        struct ef_mempool_shape *shape)
{
    const struct ef_mempool_step *step;
    uint32_t asked;
    int error;

    *shape = (struct ef_mempool_shape) { .socket_id = r->socket_id };
    error = check_request(r);
    if (error) {
        return error;
    }
    step = per_port ? NULL
           : ef_mempool_steps_fit(&steps, r->mtu, r->socket_id);
    shape->buf_size = ef_mempool_buf_size(step ? step->mtu : r->mtu);
    if (r->pool_name) {
        shape->name = r->pool_name;
        asked = ef_mempool_numbers_get(&numbers, r->pool_name);
        shape->n_bufs = asked ? asked : n_bufs_to_share(shape->buf_size);
    } else if (per_port) {
        shape->owner = r->port_name;
        shape->n_bufs = n_bufs_of_port(r);
    } else {
        shape->n_bufs = n_bufs_to_share(shape->buf_size);
    }
    return 0;
}

int
ef_mempool_shape(const struct ef_mempool_request *r,
                 struct ef_mempool_shape *shape)
{
    int error;

    ovs_mutex_lock(&ef_mempool_mutex);
    error = ef_mempool_shape_locked(r, shape);
    ovs_mutex_unlock(&ef_mempool_mutex);
    return error;
}

bool
ef_mempool_number_is_asked(const struct ef_mempool_shape *shape)
{
    return shape->name && ef_mempool_numbers_get(&numbers, shape->name);
}

void
ef_mempool_log_step(const struct ef_mempool_request *r,
                    const struct ef_mempool_shape *shape)
{
    if (per_port) {
        return;
    }
    if (ef_mempool_steps_fit(&steps, r->mtu, r->socket_id)) {
        VLOG_DBG("Found user configured shared mempool with mbufs of size "
                 "%"PRIu32", suitable for port with MTU %d, NUMA %d.",
                 shape->buf_size, r->mtu, r->socket_id);
    } else {
        VLOG_DBG("No user configured shared mempool mbuf sizes found "
                 "suitable for port with MTU %d, NUMA %d.",
                 r->mtu, r->socket_id);
    }
}

/* Settings that hold from the start. */

static void
configure_per_port(const char *value)
{
    const char *rule = ef_mempool_per_port_parse(value, &per_port);

    if (rule) {
        VLOG_WARN("'per-port-memory=%s': %s", value, rule);
        ef_settings_refuse(SCOPE, "per-port-memory", value, rule);
    } else {
        ef_settings_accept(SCOPE, "per-port-memory", value);
    }
    VLOG_INFO("Per port memory for DPDK devices %s.",
              per_port ? "enabled" : "disabled");
}

static void
configure_steps(const char *value)
{
    const char *rule;

    ef_mempool_steps_clear(&steps);
    rule = value ? ef_mempool_steps_parse(value, &steps) : NULL;
    if (rule) {
        VLOG_WARN("'shared-mempool-config=%s': %s", value, rule);
        VLOG_WARN("User configured shared mempools will not be used.");
        ef_settings_refuse(SCOPE, "shared-mempool-config", value, rule);
        return;
    }
    ef_settings_accept(SCOPE, "shared-mempool-config", value);
    for (size_t i = 0; i < steps.n; i++) {
        const struct ef_mempool_step *step = &steps.steps[i];
        char numa[16] = "ALL";

        if (step->socket_id != EF_MEMPOOL_ALL_SOCKETS) {
            snprintf(numa, sizeof numa, "%d", step->socket_id);
        }
        VLOG_INFO("User configured shared mempool set for: MTU %d, NUMA %s.",
                  step->mtu, numa);
    }
}

void
ef_mempool_configure(const struct smap *other_config)
{
    configure_per_port(smap_get(other_config, "per-port-memory"));
    configure_steps(smap_get(other_config, "shared-mempool-config"));
    ef_mempool_set_config(other_config);
}

/* Settings that change. */

static bool
numbers_equal(const struct ef_mempool_numbers *a,
              const struct ef_mempool_numbers *b)
{
    bool equal = a->n == b->n;

    for (size_t i = 0; equal && i < a->n; i++) {
        equal = !strcmp(a->pools[i].name, b->pools[i].name)
                && a->pools[i].n_bufs == b->pools[i].n_bufs;
    }
    return equal;
}

/* Returns whether they are other ones now. */
static bool
set_numbers(const struct smap *other_config)
    OVS_REQUIRES(ef_mempool_mutex)
{
    const char *key = "mempool-config";
    const char *value = smap_get(other_config, key);
    struct ef_mempool_numbers new;
    const char *rule;

    rule = ef_mempool_numbers_parse(value, &new);
    if (rule) {
        ef_setting_refuse(SCOPE, other_config, key, rule);
        return false;
    }
    ef_settings_accept(SCOPE, key, value);
    if (numbers_equal(&numbers, &new)) {
        ef_mempool_numbers_clear(&new);
        return false;
    }
    ef_mempool_numbers_clear(&numbers);
    numbers = new;
    return true;
}

/* Whether pools that ports have can do with it.  Returns NULL or why not, to
 * be freed. */
static char *
check_in_pools(const struct ef_cache_size *size)
    OVS_REQUIRES(ef_mempool_mutex)
{
    struct ef_cache_demand demand;
    struct ef_mempool *pool;

    LIST_FOR_EACH (pool, node, &ef_mempools) {
        const char *rule;

        if (!ef_mempool_is_used(pool)
            || (pool->shape.name && ef_mempool_claimed(pool->shape.name))) {
            continue;
        }
        ef_mempool_demand(pool, &demand);
        rule = ef_cache_size_check(size, &demand);
        if (rule) {
            return xasprintf("%s, and mempool \"%s\" has %u", rule,
                             pool->rte->name, pool->rte->size);
        }
    }
    return NULL;
}

static void
set_cache_size(const struct smap *other_config)
    OVS_REQUIRES(ef_mempool_mutex)
{
    const char *key = "mempool-cache-size";
    const char *value = smap_get(other_config, key);
    struct ef_cache_size new;
    char *rule;

    rule = nullable_xstrdup(ef_cache_size_parse(value, &new));
    if (!rule && !ef_cache_size_equal(&cache_size, &new)) {
        rule = check_in_pools(&new);
    }
    if (rule) {
        ef_setting_refuse(SCOPE, other_config, key, rule);
        ef_cache_size_destroy(&new);
        free(rule);
        return;
    }
    ef_settings_accept(SCOPE, key, value);
    ef_cache_size_destroy(&cache_size);
    cache_size = new;
}

void
ef_mempool_set_config(const struct smap *other_config)
{
    bool changed;

    ovs_mutex_lock(&ef_mempool_mutex);
    changed = set_numbers(other_config);
    set_cache_size(other_config);
    ef_mempool_fit_stores();
    ovs_mutex_unlock(&ef_mempool_mutex);
    if (changed) {
        ef_dpdk_dev_retry_pools();
    }
}

const struct ef_cache_size *
ef_mempool_default_cache_size(void)
{
    return &cache_size;
}
