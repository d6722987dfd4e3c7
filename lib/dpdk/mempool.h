/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_MEMPOOL_H
#define EF_DPDK_MEMPOOL_H 1

/* Pools of packet buffers.
 *
 * By default, ports of the same buffer size and NUMA node share a pool;
 * "shared-mempool-config" widens the buffers so that more ports share;
 * "per-port-memory" gives every port a pool that is sized for it; ports and
 * queues that name a pool (options:mempool, options:mempool-rxq) share it with
 * those that name it too, if buffer size and node are the same.
 *
 * A pool is freed when no port has it and all of its buffers are home: what
 * is in a ring, a queue or a packet of the slow path keeps it, and
 * ef_mempool_get_facts() lists it.  Once a second it is looked at; when all
 * are home, and no PMD can be inside the pool any more, it goes
 * EF_MEMPOOL_KEEP_MS after its last port, or at once when another pool is
 * made.  Until then a port that comes back finds its pool.
 *
 *     struct ef_mempool *pool;
 *     error = ef_mempool_get(&request, &pool);
 *     ... rte_eth_rx_queue_setup(..., ef_mempool_rte(pool)) ...
 *     ef_mempool_put(pool, request.port_name);
 *
 *   mempool         finds, makes and gives back
 *   mempool-config  parsers; pure
 *   mempool-shape   settings of all pools; what a request comes to
 *   mempool-claims  which Interface decides on a named pool's caches
 *   mempool-stores  sizes of the cores' stores, and the warning about sizes
 *   mempool-free    when a pool may go
 *   mempool-facts   what commands show; mempool-commands
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
    bool copies;                /* vhost: its rings hold no buffers. */
    const void *owner;          /* Tells ports of the same name apart. */
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
 * that are made later; ports that could not have a pool try again.  Malformed:
 * the old value stays. */
void ef_mempool_set_config(const struct smap *other_config);
/* The shape that a request has with the settings in force.  Strings are the
 * request's.  Returns 0 or EINVAL. */
int ef_mempool_shape(const struct ef_mempool_request *,
                     struct ef_mempool_shape *);

/* Why a named pool cannot have this cache size: another Interface has decided
 * on one, or it breaks a rule.  To be freed; NULL: it can. */
char *ef_mempool_conflict(const struct ef_mempool_request *);
/* The port's Interface asks for the request's cache size, NULL: for none, of
 * the named pool.  The first that asks decides until it asks for something
 * else or is gone. */
void ef_mempool_claim(const struct ef_mempool_request *);
/* Unless a new port of the same name has claimed since: one that is deleted
 * can live on for a while. */
void ef_mempool_unclaim(const char *port_name, const void *owner);

/* Finds or makes a pool.  Asks for fewer buffers if memory is short, unless
 * 'mempool-config' says how many.  A port that asks for something new takes
 * the new pool, which may be the old one, before it gives the old one back.
 * Returns 0 or a positive errno (ENOMEM: not even the least number of buffers;
 * ENOTSUP: ef_store_register() was not called). */
int ef_mempool_get(const struct ef_mempool_request *, struct ef_mempool **);
/* NULL is accepted.  'port_name' is the request's. */
void ef_mempool_put(struct ef_mempool *, const char *port_name);

struct rte_mempool *ef_mempool_rte(const struct ef_mempool *);
/* Bytes of a packet that one buffer holds. */
uint32_t ef_mempool_data_room(const struct ef_mempool *);

/* A PMD got an lcore id and entered it, or left it and is about to give it
 * back (see dpdk/lcores.h); called by the PMD.  The latter leaves no buffer
 * with the lcore. */
void ef_mempool_core_starts(unsigned lcore);
void ef_mempool_core_ends(unsigned lcore);

/* Main loop: sees to it that pools which wait are freed. */
void ef_mempool_run(void);
void ef_mempool_wait(void);

/* How long a pool that could go waits for a port that comes back. */
#define EF_MEMPOOL_KEEP_MS 10000

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
/* For commands: returns 0, or EBUSY if a pool is being made for long
 * (ef_dpdk_try_lock()). */
int ef_mempool_try_facts(struct ef_mempool_facts **, size_t *n);
void ef_mempool_facts_free(struct ef_mempool_facts *, size_t n);

/* Prints what "netdev-dpdk/get-mempool-info" shows: of one pool, or (NULL) a
 * list of all. */
void ef_mempool_dump(FILE *, const struct ef_mempool *);

/* mempool-commands: registers "netdev-dpdk/get-mempool-info", once. */
void ef_mempool_commands_init(void);

#endif /* dpdk/mempool.h */
