/* SPDX-License-Identifier: Apache-2.0 */

/* The pools of a port and the options that name them.  Called by the classes
 * (ethdev*.c, vhost*.c) in the main thread, for a reconfiguration while no PMD
 * uses the port. */

#include <config.h>

#include "dpdk/dev-pool.h"

#include <errno.h>

#include "core/settings.h"
#include "dpdk/dev.h"
#include "dpdk/log.h"
#include "dpdk/mempool.h"

static const char *
name_of(const struct ef_dpdk_dev *dev)
{
    return netdev_get_name(&dev->up);
}

/* Options. */

/* 'value' is in force, NULL: the default. */
static void
note(const struct ef_dpdk_dev *dev, const char *key, const char *value)
{
    char *scope = ef_settings_interface(name_of(dev));

    ef_settings_accept(scope, key, value);
    free(scope);
}

static struct ef_mempool_request
basic_request(const struct ef_dpdk_dev *dev, const char *pool_name)
{
    return (struct ef_mempool_request) {
        .port_name = name_of(dev),
        .mtu = dev->want.mtu,
        .socket_id = dev->want.socket_id,
        .pool_name = pool_name,
        .copies = dev->kind != EF_DPDK_ETH,
        .owner = dev,
    };
}

static struct ef_mempool_request
cache_request(const struct ef_dpdk_dev *dev, const struct ef_pool_options *o)
{
    struct ef_mempool_request r = basic_request(dev, o->name);

    r.cache_size = o->has_cache_size ? &o->cache_size : NULL;
    return r;
}

/* Why 'o' cannot have its cache size, to be freed, or NULL. */
static char *
cache_conflict(const struct ef_dpdk_dev *dev, const struct ef_pool_options *o)
{
    struct ef_mempool_request r = cache_request(dev, o);

    return ef_mempool_conflict(&r);
}

static void
set_cache_size(struct ef_pool_options *o, const struct ef_pool_options *from)
{
    ef_cache_size_destroy(&o->cache_size);
    o->has_cache_size = from && from->has_cache_size;
    if (o->has_cache_size) {
        ef_cache_size_clone(&o->cache_size, &from->cache_size);
    }
}

struct parse_aux {
    struct ef_dpdk_dev *dev;
    bool is_live;
    char *error;                /* Of a new port: the first one. */
    char *cache_rule;           /* Told when it is known what is in force. */
};

static void
reject(struct parse_aux *aux, const char *key, const char *value,
       const char *rule)
{
    if (aux->is_live) {
        ef_dpdk_dev_refuse(aux->dev, key, value, "%s", rule);
    } else if (!aux->error) {
        aux->error = xasprintf("'%s=%s': %s", key, value, rule);
    }
}

static void
on_option(const char *key, const char *value, const char *rule, void *aux_)
{
    struct parse_aux *aux = aux_;

    if (!strcmp(key, "mempool-cache-size")) {
        aux->cache_rule = nullable_xstrdup(rule);
    } else if (rule) {
        reject(aux, key, value, rule);
    } else {
        note(aux->dev, key, value);
    }
}

/* What is parsed can still be in conflict with other Interfaces.  Then the old
 * size stays, if the pool is the same, and it is in conflict neither. */
static void
settle_cache_size(struct parse_aux *aux, const struct smap *options,
                  struct ef_pool_options *new)
{
    const char *key = "mempool-cache-size";
    const struct ef_pool_options *old = &aux->dev->pools.want;
    char *reason = cache_conflict(aux->dev, new);
    char *in_force;

    if (reason) {
        bool same = nullable_string_is_equal(old->name, new->name);
        char *again;

        set_cache_size(new, same ? old : NULL);
        again = cache_conflict(aux->dev, new);
        if (again) {
            set_cache_size(new, NULL);
            free(again);
        }
    }
    if (aux->cache_rule) {
        free(reason);
        reason = aux->cache_rule;
    }
    in_force = (new->has_cache_size
                ? ef_cache_size_format(&new->cache_size) : NULL);
    note(aux->dev, key, in_force);
    free(in_force);
    if (reason) {
        reject(aux, key, smap_get_def(options, key, ""), reason);
        free(reason);
    }
}

/* What names a pool that could not be had, as it is wanted and as it is. */
static char *
format_option(const struct ef_pool_options *o, const char *key)
{
    return (strcmp(key, "mempool") ? ef_pool_options_format_rxqs(o)
            : nullable_xstrdup(o->name));
}

static void
show_failure(struct ef_dpdk_dev *dev)
{
    const char *key = dev->pools.failed_key;
    char *wanted = format_option(&dev->pools.want, key);
    char *is = format_option(&dev->pools.is, key);

    note(dev, key, is);
    ef_dpdk_dev_refuse(dev, key, wanted ? wanted : "", "%s",
                       dev->pools.failed_rule);
    free(wanted);
    free(is);
}

static void
forget_failure(struct ef_dpdk_dev *dev)
{
    free(dev->pools.failed_key);
    free(dev->pools.failed_rule);
    dev->pools.failed_key = NULL;
    dev->pools.failed_rule = NULL;
}

static void
take_options(struct ef_dpdk_dev *dev, struct ef_pool_options *new)
{
    struct ef_dpdk_pools *pools = &dev->pools;
    bool same = ef_pool_options_same_pools(&pools->want, new);
    struct ef_mempool_request r = cache_request(dev, new);

    ef_mempool_claim(&r);
    ef_pool_options_destroy(&pools->want);
    pools->want = *new;
    if (!same) {
        forget_failure(dev);
        pools->is_stale = true;
        netdev_request_reconfigure(&dev->up);
    } else if (pools->failed_key) {
        show_failure(dev);
    }
}

int
ef_dpdk_dev_set_pool_options(struct ef_dpdk_dev *dev,
                             const struct smap *options, bool is_live,
                             char **errp)
{
    struct parse_aux aux = { .dev = dev, .is_live = is_live };
    struct ef_pool_options new;

    ef_pool_options_parse(options, &dev->pools.want, &new, on_option, &aux);
    settle_cache_size(&aux, options, &new);
    if (aux.error) {
        ef_pool_options_destroy(&new);
        *errp = aux.error;
        return EINVAL;
    }
    take_options(dev, &new);
    return 0;
}

/* Pools. */

/* What a reconfiguration takes, all of it or nothing. */
struct new_pools {
    struct ef_mempool *pool;
    struct ef_dpdk_queue_pool *of_rxqs;
    size_t n_of_rxqs;
    const char *failed_key;     /* The option whose pool could not be had. */
};

static void
put_pools(const struct ef_dpdk_dev *dev, struct ef_mempool *pool,
          struct ef_dpdk_queue_pool *of_rxqs, size_t n_of_rxqs)
{
    ef_mempool_put(pool, name_of(dev));
    for (size_t i = 0; i < n_of_rxqs; i++) {
        ef_mempool_put(of_rxqs[i].pool, name_of(dev));
        free(of_rxqs[i].name);
    }
    free(of_rxqs);
}

/* The pool that rx queue 'i' has instead of the port's, or NULL. */
static const char *
own_pool_of_rxq(const struct ef_dpdk_dev *dev, unsigned i)
{
    const struct ef_pool_options *want = &dev->pools.want;
    const char *name = ef_pool_options_rxq(want, i);

    return name && nullable_string_is_equal(name, want->name) ? NULL : name;
}

/* How many rx queues have the pool 'name', NULL: the port's. */
static int
count_rxqs(const struct ef_dpdk_dev *dev, const char *name)
{
    int n = 0;

    for (int i = 0; i < dev->want.n_rxq; i++) {
        n += nullable_string_is_equal(own_pool_of_rxq(dev, i), name);
    }
    return n;
}

static struct ef_mempool_request
port_request(const struct ef_dpdk_dev *dev)
{
    struct ef_mempool_request r = basic_request(dev, dev->pools.want.name);

    r.n_rxq = count_rxqs(dev, NULL);
    r.rxq_size = dev->want.rxq_size;
    r.n_txq = dev->want.n_txq;
    r.txq_size = dev->want.txq_size;
    r.tx_free_burst = dev->pools.tx_free_burst;
    return r;
}

static struct ef_mempool_request
queue_request(const struct ef_dpdk_dev *dev, const char *name)
{
    struct ef_mempool_request r = basic_request(dev, name);

    r.n_rxq = count_rxqs(dev, name);
    r.rxq_size = dev->want.rxq_size;
    return r;
}

size_t
ef_dpdk_dev_pool_requests(const struct ef_dpdk_dev *dev,
                          struct ef_mempool_request *requests)
{
    size_t n = 0;

    requests[n++] = port_request(dev);
    for (int i = 0; i < dev->want.n_rxq; i++) {
        const char *name = own_pool_of_rxq(dev, i);
        bool is_new = name != NULL;

        for (size_t j = 1; is_new && j < n; j++) {
            is_new = strcmp(requests[j].pool_name, name) != 0;
        }
        if (is_new) {
            requests[n++] = queue_request(dev, name);
        }
    }
    return n;
}

static int
get_pool(const struct ef_mempool_request *r, struct ef_mempool **poolp)
{
    int error = ef_mempool_get(r, poolp);

    if (error) {
        VLOG_ERR("Failed to create memory pool for netdev %s, with MTU %d on "
                 "socket %d: %s", r->port_name, r->mtu, r->socket_id,
                 ovs_strerror(error));
    }
    return error;
}

static int
get_pool_of_port(const struct ef_dpdk_dev *dev, struct new_pools *new)
{
    struct ef_mempool_request r = port_request(dev);
    int error = get_pool(&r, &new->pool);

    if (error) {
        new->failed_key = dev->pools.want.name ? "mempool" : NULL;
    }
    return error;
}

static bool
has_queue_pool(const struct new_pools *new, const char *name)
{
    for (size_t i = 0; i < new->n_of_rxqs; i++) {
        if (!strcmp(new->of_rxqs[i].name, name)) {
            return true;
        }
    }
    return false;
}

static int
get_queue_pools(const struct ef_dpdk_dev *dev, struct new_pools *new)
{
    for (int i = 0; i < dev->want.n_rxq; i++) {
        const char *name = own_pool_of_rxq(dev, i);
        struct ef_mempool_request r;
        struct ef_mempool *pool;
        int error;

        if (!name || has_queue_pool(new, name)) {
            continue;
        }
        r = queue_request(dev, name);
        error = get_pool(&r, &pool);
        if (error) {
            new->failed_key = "mempool-rxq";
            return error;
        }
        new->of_rxqs = xrealloc(new->of_rxqs, (new->n_of_rxqs + 1)
                                * sizeof *new->of_rxqs);
        new->of_rxqs[new->n_of_rxqs++] = (struct ef_dpdk_queue_pool) {
            .name = xstrdup(name), .pool = pool,
        };
    }
    return 0;
}

/* The packet path's view. */
static void
publish_queue_pools(struct ef_dpdk_dev *dev)
{
    struct ef_dpdk_pools *pools = &dev->pools;

    free(dev->rxq_pools);
    dev->rxq_pools = NULL;
    dev->n_rxq_pools = pools->n_of_rxqs ? dev->want.n_rxq : 0;
    if (!dev->n_rxq_pools) {
        return;
    }
    dev->rxq_pools = xcalloc(dev->n_rxq_pools, sizeof *dev->rxq_pools);
    for (unsigned i = 0; i < dev->n_rxq_pools; i++) {
        const char *name = own_pool_of_rxq(dev, i);

        dev->rxq_pools[i] = dev->rte_pool;
        for (size_t j = 0; name && j < pools->n_of_rxqs; j++) {
            if (!strcmp(pools->of_rxqs[j].name, name)) {
                dev->rxq_pools[i] = ef_mempool_rte(pools->of_rxqs[j].pool);
            }
        }
    }
}

static void
use_pools(struct ef_dpdk_dev *dev, const struct new_pools *new)
{
    struct ef_dpdk_pools *pools = &dev->pools;

    put_pools(dev, dev->pool, pools->of_rxqs, pools->n_of_rxqs);
    dev->pool = new->pool;
    dev->rte_pool = ef_mempool_rte(new->pool);
    pools->of_rxqs = new->of_rxqs;
    pools->n_of_rxqs = new->n_of_rxqs;
    ef_pool_options_destroy(&pools->is);
    ef_pool_options_clone(&pools->is, &pools->want);
    publish_queue_pools(dev);
}

static void
note_failure(struct ef_dpdk_dev *dev, const char *key, int error)
{
    struct ef_dpdk_pools *pools = &dev->pools;

    forget_failure(dev);
    pools->failed_key = xstrdup(key);
    pools->failed_rule = xasprintf("there are no buffers for MTU %d on NUMA "
                                   "node %d (%s)", dev->want.mtu,
                                   dev->want.socket_id, ovs_strerror(error));
    show_failure(dev);
    netdev_change_seq_changed(&dev->up);
}

/* What could not be had is in force. */
static void
end_failure(struct ef_dpdk_dev *dev)
{
    const char *key = dev->pools.failed_key;

    if (key) {
        char *is = format_option(&dev->pools.is, key);

        note(dev, key, is);
        free(is);
        ef_dpdk_dev_unrefuse(dev, key);
        netdev_change_seq_changed(&dev->up);
        forget_failure(dev);
    }
}

/* New pools are taken before the old ones are given back, so that a port never
 * stands without, and one that stays is not freed in between. */
static int
renew_pools(struct ef_dpdk_dev *dev)
{
    struct new_pools new = { .pool = NULL };
    int error;

    dev->pools.is_stale = false;
    error = get_pool_of_port(dev, &new);
    if (!error) {
        error = get_queue_pools(dev, &new);
    }
    if (!error) {
        use_pools(dev, &new);
        end_failure(dev);
        return 0;
    }
    put_pools(dev, new.pool, new.of_rxqs, new.n_of_rxqs);
    if (new.failed_key) {
        note_failure(dev, new.failed_key, error);
    }
    return error;
}

int
ef_dpdk_dev_set_pool(struct ef_dpdk_dev *dev)
{
    /* A guest whose node is not known yet sends nothing: its pool waits, or
     * it would be made on the wrong node first. */
    if (dev->kind == EF_DPDK_ETH || dev->want.socket_id >= 0) {
        int error = renew_pools(dev);

        if (error && dev->pool && dev->pools.failed_key) {
            /* The port goes on with the pools, and the MTU, that it has. */
            return 0;
        } else if (error) {
            return error;
        }
    }
    dev->mtu = dev->want.mtu;
    dev->max_frame = ef_dpdk_mtu_to_frame(dev->mtu);
    dev->socket_id = dev->want.socket_id;
    return 0;
}

void
ef_dpdk_dev_retry_pools(void)
{
    struct ef_dpdk_dev *dev;

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    LIST_FOR_EACH (dev, list_node, &ef_dpdk_dev_list) {
        ovs_mutex_lock(&dev->mutex);
        if (dev->pools.failed_key) {
            dev->pools.is_stale = true;
            netdev_request_reconfigure(&dev->up);
        }
        ovs_mutex_unlock(&dev->mutex);
    }
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);
}

/* Life. */

void
ef_dpdk_dev_pools_init(struct ef_dpdk_dev *dev)
{
    dev->pools = (struct ef_dpdk_pools) {
        .want = EF_POOL_OPTIONS_NONE,
        .is = EF_POOL_OPTIONS_NONE,
    };
}

void
ef_dpdk_dev_pools_uninit(struct ef_dpdk_dev *dev)
{
    struct ef_dpdk_pools *pools = &dev->pools;

    ef_mempool_unclaim(name_of(dev), dev);
    put_pools(dev, dev->pool, pools->of_rxqs, pools->n_of_rxqs);
    free(dev->rxq_pools);
    dev->pool = NULL;
    dev->rte_pool = NULL;
    dev->rxq_pools = NULL;
    dev->n_rxq_pools = 0;
    pools->of_rxqs = NULL;
    pools->n_of_rxqs = 0;
    forget_failure(dev);
    ef_pool_options_destroy(&pools->want);
    ef_pool_options_destroy(&pools->is);
}
