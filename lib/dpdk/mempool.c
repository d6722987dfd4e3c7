/* SPDX-License-Identifier: Apache-2.0 */

/* Makes, shares and frees pools of packet buffers, which ports (dpdk/dev.c)
 * ask for when they are reconfigured, and frees buffers for the package's
 * dp-packet.c.  Main thread; the RCU reclaimer says when a pool may go.
 *
 * A pool that no port has is freed in two steps.  The sweep notes that all
 * buffers are home.  A PMD may at that moment be inside the pool still, having
 * counted a buffer as its cache's but not stored it yet; so the pool may go
 * only a grace period later.  It goes when a port asks for another one: making
 * a pool takes a fifth of a second, and a port often comes back.
 */

#include <config.h>

#include "dpdk/mempool.h"

#include <errno.h>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "core/settings.h"
#include "dp-packet.h"
#include "dpdk/dev.h"
#include "dpdk/log.h"
#include "dpdk/mempool-config.h"
#include "hash.h"
#include "netdev-dpdk.h"

/* Buffers of a shared pool: as many as these if there is memory, else half of
 * that, and so on.  Operators have reserved memory by these numbers. */
#define MAX_BUFS (4096 * 64)
#define MIN_BUFS (4096 * 4)

/* From this MTU on a shared pool is a large one. */
#define LARGE_MTU 1500

/* What a port needs of a pool. */
struct shape {
    uint32_t buf_size;          /* Bytes, headroom included. */
    uint32_t n_bufs;
    int socket_id;
    const char *owner;          /* Port, or NULL: any may share. */
};

struct ef_mempool {
    struct ovs_list node;       /* In 'pools'. */
    struct rte_mempool *rte;
    struct shape shape;         /* As asked for; 'owner' is allocated. */
    unsigned n_refs;            /* Ports. */
    uintptr_t complete;         /* Grace period to wait for, 0: none yet. */
    bool may_go;                /* It is over. */
};

static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;
static struct ovs_list pools OVS_GUARDED_BY(mutex)
    = OVS_LIST_INITIALIZER(&pools);
static uintptr_t last_complete OVS_GUARDED_BY(mutex);

/* Set before the first port. */
static struct ef_mempool_steps steps;
static bool per_port;

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
                  + MIN_BUFS);

    return MIN(n, UINT32_MAX);
}

static struct shape
shape_of(const struct ef_mempool_request *r)
{
    struct shape shape = { .socket_id = r->socket_id };

    if (per_port) {
        shape.owner = r->port_name;
        shape.buf_size = ef_mempool_buf_size(r->mtu);
        shape.n_bufs = n_bufs_of_port(r);
    } else {
        const struct ef_mempool_step *step
            = ef_mempool_steps_fit(&steps, r->mtu, r->socket_id);

        shape.buf_size = ef_mempool_buf_size(step ? step->mtu : r->mtu);
        shape.n_bufs = (ef_dpdk_mtu_to_frame(LARGE_MTU) <= shape.buf_size
                        ? MAX_BUFS : MIN_BUFS);
    }
    return shape;
}

static bool
shape_equal(const struct shape *a, const struct shape *b)
{
    return (a->buf_size == b->buf_size
            && a->socket_id == b->socket_id
            && a->n_bufs == b->n_bufs
            && nullable_string_is_equal(a->owner, b->owner));
}

static void
log_step(const struct ef_mempool_request *r, const struct shape *shape)
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

/* Making a pool. */

/* DPDK wants names that are unique; a port may have two pools at once, and
 * two ports' names one hash. */
static void
pick_name(char name[RTE_MEMPOOL_NAMESIZE], const char *port_name,
          const struct shape *shape, uint32_t n_bufs)
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

/* What struct dp_packet has beyond the mbuf goes to the mbuf's private area,
 * padded so that the data, and the next buffer, start on a cache line.
 * Returns 0 or a positive errno. */
static int
make_rte(const char *name, const struct shape *shape, uint32_t n_bufs,
         struct rte_mempool **mpp)
{
    size_t packet_size = ROUND_UP(sizeof(struct dp_packet),
                                  RTE_CACHE_LINE_SIZE);
    struct rte_mempool *mp;

    BUILD_ASSERT_DECL(offsetof(struct dp_packet, mbuf) == 0);

    rte_errno = 0;
    mp = rte_pktmbuf_pool_create(name, n_bufs, RTE_MEMPOOL_CACHE_MAX_SIZE,
                                 packet_size - sizeof(struct rte_mbuf),
                                 shape->buf_size, shape->socket_id);
    *mpp = mp;
    if (mp) {
        rte_mempool_obj_iter(mp, init_buf, NULL);
        return 0;
    }
    /* ENOBUFS: the last piece of memory is too small for one buffer. */
    return !rte_errno || rte_errno == ENOBUFS ? ENOMEM : rte_errno;
}

/* Tries with fewer and fewer buffers. */
static int
make_rte_shrinking(const struct ef_mempool_request *r,
                   const struct shape *shape, struct rte_mempool **mpp)
{
    uint32_t n_bufs = shape->n_bufs;

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

        if (error != ENOMEM || n_bufs <= MIN_BUFS) {
            VLOG_ERR("Failed to create mempool \"%s\" with a request of "
                     "%u mbufs", name, n_bufs);
            return error;
        }
        VLOG_DBG("Failed to create mempool \"%s\" with a request of %u "
                 "mbufs, retrying with %u mbufs", name, n_bufs,
                 MAX(n_bufs / 2, MIN_BUFS));
        n_bufs = MAX(n_bufs / 2, MIN_BUFS);
    }
}

static int
pool_create(const struct ef_mempool_request *r, const struct shape *shape,
            struct ef_mempool **poolp)
    OVS_REQUIRES(mutex)
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
    ovs_list_push_back(&pools, &pool->node);
    *poolp = pool;
    return 0;
}

static void
pool_free(struct ef_mempool *pool)
    OVS_REQUIRES(mutex)
{
    VLOG_DBG("Freeing mempool \"%s\"", pool->rte->name);
    ovs_list_remove(&pool->node);
    rte_mempool_free(pool->rte);
    free(CONST_CAST(char *, pool->shape.owner));
    free(pool);
}

/* Freeing pools that nobody has. */

/* RCU reclaimer, one grace period after a sweep. */
static void
grace_is_over(void *complete_)
{
    uintptr_t complete = (uintptr_t) complete_;
    struct ef_mempool *pool;

    ovs_mutex_lock(&mutex);
    LIST_FOR_EACH (pool, node, &pools) {
        if (!pool->n_refs && pool->complete && pool->complete <= complete) {
            pool->may_go = true;
        }
    }
    ovs_mutex_unlock(&mutex);
}

static void
free_unused(void)
    OVS_REQUIRES(mutex)
{
    struct ef_mempool *pool;

    LIST_FOR_EACH_SAFE (pool, node, &pools) {
        if (pool->may_go) {
            pool_free(pool);
        }
    }
}

/* Nobody takes buffers out of a pool without references, so one that is full
 * stays so.  rte_mempool_full() may miss a buffer on its way home: then the
 * next sweep sees it. */
static void
sweep(void)
    OVS_REQUIRES(mutex)
{
    struct ef_mempool *pool;
    bool found = false;

    LIST_FOR_EACH (pool, node, &pools) {
        if (!pool->n_refs && !pool->complete && rte_mempool_full(pool->rte)) {
            pool->complete = last_complete + 1;
            found = true;
        }
    }
    if (found) {
        last_complete++;
        ovsrcu_postpone__(grace_is_over, (void *) last_complete);
    }
}

static struct ef_mempool *
find(const struct shape *shape)
    OVS_REQUIRES(mutex)
{
    struct ef_mempool *pool;

    LIST_FOR_EACH (pool, node, &pools) {
        if (shape_equal(&pool->shape, shape)) {
            return pool;
        }
    }
    return NULL;
}

/* Public functions. */

static void
configure_per_port(const char *value)
{
    const char *rule = ef_mempool_per_port_parse(value, &per_port);

    if (rule) {
        VLOG_WARN("'per-port-memory=%s': %s", value, rule);
        ef_settings_refuse("Open_vSwitch", "per-port-memory", value, rule);
    } else {
        ef_settings_accept("Open_vSwitch", "per-port-memory", value);
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
        ef_settings_refuse("Open_vSwitch", "shared-mempool-config", value,
                           rule);
        return;
    }
    ef_settings_accept("Open_vSwitch", "shared-mempool-config", value);
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
}

int
ef_mempool_get(const struct ef_mempool_request *r, struct ef_mempool **poolp)
{
    struct ef_mempool *pool;
    struct shape shape;
    int error;

    *poolp = NULL;
    error = check_request(r);
    if (error) {
        return error;
    }
    shape = shape_of(r);
    log_step(r, &shape);

    ovs_mutex_lock(&mutex);
    pool = find(&shape);
    if (pool) {
        VLOG_DBG("Reusing mempool \"%s\"", pool->rte->name);
        pool->may_go = false;
    }
    free_unused();              /* Before there has to be memory for more. */
    if (!pool) {
        error = pool_create(r, &shape, &pool);
    }
    if (!error) {
        pool->n_refs++;
        pool->complete = 0;
        *poolp = pool;
    }
    sweep();
    ovs_mutex_unlock(&mutex);
    return error;
}

void
ef_mempool_put(struct ef_mempool *pool)
{
    if (!pool) {
        return;
    }
    ovs_mutex_lock(&mutex);
    ovs_assert(pool->n_refs);
    pool->n_refs--;
    sweep();
    ovs_mutex_unlock(&mutex);
}

bool
ef_mempool_fits(const struct ef_mempool *pool,
                const struct ef_mempool_request *r)
{
    struct shape shape;

    if (check_request(r)) {
        return false;
    }
    shape = shape_of(r);
    return shape_equal(&pool->shape, &shape);
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
    ovs_mutex_lock(&mutex);
    if (pool) {
        rte_mempool_dump(stream, pool->rte);
        fprintf(stream, "    count: avail (%u), in use (%u)\n",
                rte_mempool_avail_count(pool->rte),
                rte_mempool_in_use_count(pool->rte));
    } else {
        rte_mempool_list_dump(stream);
    }
    ovs_mutex_unlock(&mutex);
}

/* Called by the package to free a packet that is a buffer of ours. */
void
free_dpdk_buf(struct dp_packet *packet)
{
    rte_pktmbuf_free(&packet->mbuf);
}
