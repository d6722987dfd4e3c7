/* SPDX-License-Identifier: Apache-2.0 */

/* Finds, makes and gives back pools of packet buffers, which ports
 * (dpdk/dev-pool.c) ask for when they are reconfigured, and frees buffers for
 * the package's dp-packet.c.  Main thread; free_dpdk_buf() any.
 *
 * Pools are made with the handler of dpdk/buffer-store.h, and with no other:
 * the stores' counts are what tells when a pool may be freed. */

#include <config.h>

#include "dpdk/mempool.h"

#include <errno.h>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "dp-packet.h"
#include "dpdk/dev.h"
#include "dpdk/log.h"
#include "dpdk/mempool-private.h"
#include "hash.h"
#include "netdev-dpdk.h"

struct ovs_mutex ef_mempool_mutex = OVS_MUTEX_INITIALIZER;
struct ovs_list ef_mempools = OVS_LIST_INITIALIZER(&ef_mempools);

/* Making a pool. */

/* DPDK wants names that are unique; a port may have two pools at once, and
 * two ports' names one hash. */
static void
pick_name(char name[RTE_MEMPOOL_NAMESIZE], const char *port_name,
          const struct ef_mempool_shape *shape, uint32_t n_bufs)
{
    uint32_t hash = hash_string(port_name, 0);

    do {
        char full[64];

        snprintf(full, sizeof full, "ovs%08x%02d%05d%07u",
                 hash++, shape->socket_id,
                 (int) shape->buf_size - EF_DPDK_FRAME_OVERHEAD, n_bufs);
        ovs_strlcpy(name, full, RTE_MEMPOOL_NAMESIZE);
    } while (rte_mempool_lookup(name));
}

static void
init_buf(struct rte_mempool *mp OVS_UNUSED, void *aux OVS_UNUSED,
         void *buf, unsigned i OVS_UNUSED)
{
    dp_packet_init_dpdk(buf);
}

/* DPDK's cache of each core keeps up to half as much again, which nobody else
 * can reach: of a small pool it may not be much, with all the cores there may
 * be. */
static unsigned
front_size(uint32_t n_bufs)
{
    return MIN(n_bufs / (2 * RTE_MAX_LCORE), EF_STORE_FRONT);
}

static bool
has_handler(void)
{
    const struct rte_mempool_ops_table *table = &rte_mempool_ops_table;

    for (unsigned i = 0; i < table->num_ops; i++) {
        if (!strcmp(table->ops[i].name, EF_STORE_OPS)) {
            return true;
        }
    }
    return false;
}

/* What struct dp_packet has beyond the mbuf goes to the mbuf's private area,
 * padded so that the data, and the next buffer, start on a cache line.
 * Returns 0 or a positive errno. */
static int
make_rte(const char *name, const struct ef_mempool_shape *shape,
         uint32_t n_bufs, struct rte_mempool **mpp)
{
    size_t packet_size = ROUND_UP(sizeof(struct dp_packet),
                                  RTE_CACHE_LINE_SIZE);
    struct rte_mempool *mp;

    BUILD_ASSERT_DECL(offsetof(struct dp_packet, mbuf) == 0);

    *mpp = NULL;
    if (!has_handler()) {
        VLOG_ERR("DPDK has no mempool handler \"%s\": it was not registered "
                 "when DPDK started", EF_STORE_OPS);
        return ENOTSUP;
    }
    rte_errno = 0;
    mp = rte_pktmbuf_pool_create_by_ops(name, n_bufs, front_size(n_bufs),
                                        packet_size - sizeof(struct rte_mbuf),
                                        shape->buf_size, shape->socket_id,
                                        EF_STORE_OPS);
    *mpp = mp;
    if (mp) {
        rte_mempool_obj_iter(mp, init_buf, NULL);
        return 0;
    }
    /* ENOBUFS: the last piece of memory is too small for one buffer. */
    return !rte_errno || rte_errno == ENOBUFS ? ENOMEM : rte_errno;
}

/* Tries with fewer and fewer buffers, if nobody asked for a number. */
static int
make_rte_shrinking(const struct ef_mempool_request *r,
                   const struct ef_mempool_shape *shape,
                   struct rte_mempool **mpp)
    OVS_REQUIRES(ef_mempool_mutex)
{
    uint32_t n_bufs = shape->n_bufs;
    uint32_t least = ef_mempool_number_is_asked(shape) ? n_bufs
                     : EF_MEMPOOL_LEAST_BUFS;

    for (;;) {
        char name[RTE_MEMPOOL_NAMESIZE];
        int error;

        pick_name(name, r->port_name, shape, n_bufs);
        VLOG_DBG("Port %s: Requesting a mempool of %u mbufs of size %u on "
                 "socket %d for %d Rx and %d Tx queues, cache line size of "
                 "%u", r->port_name, n_bufs, shape->buf_size,
                 shape->socket_id, r->n_rxq, r->n_txq, RTE_CACHE_LINE_SIZE);
        error = make_rte(name, shape, n_bufs, mpp);
        if (!error) {
            VLOG_DBG("Allocated \"%s\" mempool with %u mbufs",
                     name, n_bufs);
            return 0;
        }

        if (error == ENOMEM && ef_mempool_await_freed()) {
            continue;
        }
        if (error != ENOMEM || n_bufs <= least) {
            VLOG_ERR("Failed to create mempool \"%s\" with a request of "
                     "%u mbufs", name, n_bufs);
            return error;
        }
        VLOG_DBG("Failed to create mempool \"%s\" with a request of %u "
                 "mbufs, retrying with %u mbufs", name, n_bufs,
                 MAX(n_bufs / 2, least));
        n_bufs = MAX(n_bufs / 2, least);
    }
}

static int
pool_create(const struct ef_mempool_request *r,
            const struct ef_mempool_shape *shape, struct ef_mempool **poolp)
    OVS_REQUIRES(ef_mempool_mutex)
{
    struct ef_mempool *pool;
    struct rte_mempool *mp;
    int error;

    error = make_rte_shrinking(r, shape, &mp);
    if (error) {
        return error;
    }
    pool = xzalloc(sizeof *pool);
    pool->rte = mp;
    pool->shape = *shape;
    pool->shape.owner = nullable_xstrdup(shape->owner);
    pool->shape.name = nullable_xstrdup(shape->name);
    ovs_list_init(&pool->users);
    for (size_t i = 0; i < ARRAY_SIZE(pool->store_sizes); i++) {
        pool->store_sizes[i] = -1;
    }
    ovs_list_push_back(&ef_mempools, &pool->node);
    ef_mempool_start_waiting(pool);     /* For its first port. */
    *poolp = pool;
    return 0;
}

void
ef_mempool_free(struct ef_mempool *pool)
{
    VLOG_DBG("Freeing mempool \"%s\"", pool->rte->name);
    ovs_list_remove(&pool->node);
    rte_mempool_free(pool->rte);
    free(CONST_CAST(char *, pool->shape.owner));
    free(CONST_CAST(char *, pool->shape.name));
    free(pool);
}

/* Finding one. */

/* A named pool that ports have keeps its number of buffers. */
static bool
serves(const struct ef_mempool *pool, const struct ef_mempool_shape *shape)
{
    const struct ef_mempool_shape *has = &pool->shape;

    return (has->buf_size == shape->buf_size
            && has->socket_id == shape->socket_id
            && nullable_string_is_equal(has->owner, shape->owner)
            && nullable_string_is_equal(has->name, shape->name)
            && (has->n_bufs == shape->n_bufs
                || (shape->name && ef_mempool_is_used(pool))));
}

/* Prefers one that ports have. */
static struct ef_mempool *
find(const struct ef_mempool_shape *shape)
    OVS_REQUIRES(ef_mempool_mutex)
{
    struct ef_mempool *pool, *found = NULL;

    LIST_FOR_EACH (pool, node, &ef_mempools) {
        if (serves(pool, shape)
            && (!found || ef_mempool_is_used(pool))) {
            found = pool;
        }
    }
    return found;
}

/* Users. */

static struct ef_mempool_user *
find_user(const struct ef_mempool *pool, const char *port_name)
{
    struct ef_mempool_user *user;

    LIST_FOR_EACH (user, node, &pool->users) {
        if (!strcmp(user->port_name, port_name)) {
            return user;
        }
    }
    return NULL;
}

static void
add_user(struct ef_mempool *pool, const struct ef_mempool_request *r)
{
    struct ef_mempool_user *user = xzalloc(sizeof *user);

    user->port_name = xstrdup(r->port_name);
    user->n_rxq = r->n_rxq;
    user->n_txq = r->n_txq;
    user->tx_free_burst = MAX(r->tx_free_burst, 0);
    user->n_ring = r->copies ? 0
                   : r->n_rxq * r->rxq_size + r->n_txq * r->txq_size;
    ovs_list_push_back(&pool->users, &user->node);
}

/* The port's oldest: the others it took to replace that. */
static void
remove_user(struct ef_mempool *pool, const char *port_name)
{
    struct ef_mempool_user *user = find_user(pool, port_name);

    ovs_assert(user);
    ovs_list_remove(&user->node);
    free(user->port_name);
    free(user);
}

/* Public functions. */

static void
take_pool(struct ef_mempool *pool, const struct ef_mempool_request *r)
    OVS_REQUIRES(ef_mempool_mutex)
{
    if (!ef_mempool_is_used(pool)) {
        ef_mempool_stop_waiting(pool);
    }
    add_user(pool, r);
    ef_mempool_fit_stores();
}

int
ef_mempool_get(const struct ef_mempool_request *r, struct ef_mempool **poolp)
{
    struct ef_mempool_shape shape;
    struct ef_mempool *pool = NULL;
    int error;

    ovs_mutex_lock(&ef_mempool_mutex);
    error = ef_mempool_shape_locked(r, &shape);
    if (!error) {
        ef_mempool_log_step(r, &shape);
        pool = find(&shape);
        if (pool) {
            VLOG_DBG("Reusing mempool \"%s\"", pool->rte->name);
        } else {
            ef_mempool_free_unused(true);   /* Memory for the new one. */
            error = pool_create(r, &shape, &pool);
        }
    }
    if (!error) {
        take_pool(pool, r);
    }
    ef_mempool_sweep();
    ovs_mutex_unlock(&ef_mempool_mutex);
    *poolp = pool;
    return error;
}

void
ef_mempool_put(struct ef_mempool *pool, const char *port_name)
{
    if (!pool) {
        return;
    }
    ovs_mutex_lock(&ef_mempool_mutex);
    remove_user(pool, port_name);
    if (!ef_mempool_is_used(pool)) {
        ef_mempool_start_waiting(pool);
    }
    ef_mempool_fit_stores();
    ef_mempool_sweep();
    ovs_mutex_unlock(&ef_mempool_mutex);
}

struct rte_mempool *
ef_mempool_rte(const struct ef_mempool *pool)
{
    return pool->rte;
}

uint32_t
ef_mempool_data_room(const struct ef_mempool *pool)
{
    return rte_pktmbuf_data_room_size(pool->rte) - RTE_PKTMBUF_HEADROOM;
}

void
ef_mempool_dump(FILE *stream, const struct ef_mempool *pool)
{
    ovs_mutex_lock(&ef_mempool_mutex);
    if (pool) {
        rte_mempool_dump(stream, pool->rte);
        fprintf(stream, "    count: avail (%u), in use (%u)\n",
                rte_mempool_avail_count(pool->rte),
                rte_mempool_in_use_count(pool->rte));
    } else {
        rte_mempool_list_dump(stream);
    }
    ovs_mutex_unlock(&ef_mempool_mutex);
}

/* Called by the package to free a packet that is a buffer of ours. */
void
free_dpdk_buf(struct dp_packet *packet)
{
    rte_pktmbuf_free(&packet->mbuf);
}
