/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_MEMPOOL_H
#define EF_DPDK_MEMPOOL_H 1

/* Pools of packet buffers.
 *
 * By default, ports of the same buffer size and NUMA node share a pool;
 * "shared-mempool-config" widens the buffers so that more ports share;
 * "per-port-memory" gives every port a pool that is sized for it.
 *
 * A pool is freed when no port has it and all of its buffers are home: what
 * is in a ring, a queue or a packet of the slow path keeps it.  What waits is
 * looked at again whenever a pool is asked for or given back.  From one grace
 * period after it was found complete (the thread that brought the last buffer
 * home may still be inside the pool) it goes when a pool is asked for and does
 * not fit: a port that comes back finds its pool.
 *
 *     struct ef_mempool *pool;
 *     error = ef_mempool_get(&request, &pool);
 *     ... rte_eth_rx_queue_setup(..., ef_mempool_rte(pool)) ...
 *     ef_mempool_put(pool);
 *
 * Threads: any that may block, but a vhost or ethdev callback; the calls lock
 * each other out. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <stddef.h>

#include "dpdk/buffer-store.h"
#include "dpdk/cache-size.h"

struct ef_mempool;
struct rte_mempool;
struct smap;

/* What a port needs. */
struct ef_mempool_request {
    const char *port_name;
    int mtu;                    /* Bytes after the Ethernet header. */
    int socket_id;              /* NUMA node of DPDK. */
    int n_rxq, rxq_size;        /* Queues, descriptors in each. */
    int n_txq, txq_size;
    const char *pool_name;      /* options:mempool; NULL: as it was. */
    const struct ef_cache_size *cache_size; /* NULL: other_config's. */
    int tx_free_burst;          /* Buffers that the driver frees at once, 0:
                                 * not known. */
};

/* What a request comes to. */
struct ef_mempool_shape {
    uint32_t buf_size;          /* Bytes, headroom included. */
    uint32_t n_bufs;
    int socket_id;
    const char *owner;          /* Port, or NULL: any may share. */
    const char *name;           /* Named pool, or NULL. */
};

/* Takes 'per-port-memory' and 'shared-mempool-config' from the database's
 * other_config.  Before the first port; a malformed value is logged, shown by
 * "evenflow/config-show", and the default stays. */
void ef_mempool_configure(const struct smap *other_config);
/* Takes 'mempool-cache-size' and 'mempool-config', at any time.  Sizes of
 * caches change in pools that are there; a number of buffers concerns pools
 * that are made later.  Malformed: the old value stays. */
void ef_mempool_set_config(const struct smap *other_config);
/* The shape that a request has with the settings in force.  Strings are the
 * request's.  Returns 0 or EINVAL. */
int ef_mempool_shape(const struct ef_mempool_request *,
                     struct ef_mempool_shape *);
/* Why a named pool cannot have this cache size: another port's is in force, or
 * it breaks a rule.  To be freed; NULL: it can. */
char *ef_mempool_conflict(const struct ef_mempool_request *);

/* Finds or makes a pool.  Asks for fewer buffers if memory is short.  Returns
 * 0 or a positive errno (ENOMEM: not even the least number of buffers). */
int ef_mempool_get(const struct ef_mempool_request *, struct ef_mempool **);
/* NULL is accepted. */
void ef_mempool_put(struct ef_mempool *);

/* Whether a port with 'pool' that now makes 'request' may keep it. */
bool ef_mempool_fits(const struct ef_mempool *pool,
                     const struct ef_mempool_request *request);

struct rte_mempool *ef_mempool_rte(const struct ef_mempool *);
/* Bytes of a packet that one buffer holds. */
uint32_t ef_mempool_data_room(const struct ef_mempool *);

/* A PMD got an lcore id, or is about to give it back (see dpdk/lcores.h). */
void ef_mempool_core_starts(unsigned lcore);
void ef_mempool_core_ends(unsigned lcore);

/* What "dpif-netdev/mempool-show" shows. */
struct ef_mempool_core_facts {
    unsigned lcore, core;
    struct ef_store_core_stats store;
};

struct ef_mempool_facts {
    char *rte_name;
    char *name;                 /* Named pool, port, or NULL: shared. */
    bool is_named;
    int socket_id;
    uint32_t buf_size;
    unsigned n_bufs, n_free, n_in_use;
    unsigned n_ports;           /* 0: waits for its buffers. */
    bool is_waiting;            /* To be freed when all buffers are home. */
    unsigned n_ring;            /* What the rings of its ports can hold. */
    struct ef_store_stats shared;
    struct ef_mempool_core_facts *cores;
    size_t n_cores;
};

/* Snapshot of all pools, sorted by 'rte_name'. */
size_t ef_mempool_get_facts(struct ef_mempool_facts **);
void ef_mempool_facts_free(struct ef_mempool_facts *, size_t n);

/* Prints what "netdev-dpdk/get-mempool-info" shows: of one pool, or (NULL) a
 * list of all. */
void ef_mempool_dump(FILE *, const struct ef_mempool *);

/* mempool-commands: registers "netdev-dpdk/get-mempool-info", once. */
void ef_mempool_commands_init(void);

#endif /* dpdk/mempool.h */
