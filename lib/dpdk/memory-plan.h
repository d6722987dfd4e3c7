/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_MEMORY_PLAN_H
#define EF_DPDK_MEMORY_PLAN_H 1

/* What pools of buffers a set of ports needs, and how much memory of each
 * node, before there are any.  Pure but for the sizes, which DPDK computes.
 *
 *   memory-spec  "NAME:mtu=9000,rxq=4" -> a port's request; pure
 *   memory-now   the requests of the ports that there are
 *   memory-plan  requests -> pools, bytes, pages
 *
 * Threads: any that may block. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dpdk/mempool.h"

#define EF_PLAN_DESCRIPTOR_BYTES 64

/* A pool that would be made. */
struct ef_plan_pool {
    char *name;                 /* Named pool, port (per-port-memory) or NULL:
                                 * shared. */
    bool is_named;
    int socket_id;
    uint32_t buf_size;          /* Bytes of a buffer, headroom included. */
    uint32_t n_bufs;
    uint64_t bytes;             /* Buffers, headers and stores. */
    unsigned n_ports;
    uint32_t n_ring;            /* Buffers that rings of its ports can hold. */
};

struct ef_plan_node {
    int socket_id;
    uint64_t bytes;             /* Of its pools and 'ring_bytes'. */
    uint64_t ring_bytes;        /* Descriptors of all queues: drivers differ,
                                 * EF_PLAN_DESCRIPTOR_BYTES is for all. */
    uint64_t free_bytes;        /* Of DPDK's heap there now. */
    uint64_t n_pages_2m, n_pages_1g; /* What it takes, either way. */
};

struct ef_memory_plan {
    struct ef_plan_pool *pools;
    size_t n_pools;
    struct ef_plan_node *nodes; /* Sorted by socket_id. */
    size_t n_nodes;
};

/* Requests as ports would make them, with the settings in force and the PMD
 * threads of now.  Ports whose pools have the same shape share one.  Pages are
 * counted as if each pool began a new one, as it does in memory that grows on
 * demand. */
void ef_memory_plan_make(const struct ef_mempool_request *, size_t n,
                         struct ef_memory_plan *);
void ef_memory_plan_destroy(struct ef_memory_plan *);
/* A port that is planned, or there already. */
struct ef_memory_spec {
    char *name;                 /* Both strings are also in 'request'. */
    char *pool_name;
    struct ef_mempool_request request;
};

/* memory-spec: parses
 *
 *     NAME[:KEY=VALUE[,KEY=VALUE]...]
 *
 *     type     "dpdk", or "vhost": a guest's      dpdk
 *     mtu      bytes after the Ethernet header     1500
 *     numa     NUMA node                           0
 *     rxq, txq queues                              1, 'n_pmds' + 1
 *     rxd, txd descriptors of each queue           2048
 *     mempool  named pool                          none
 *
 * Returns NULL or, leaving 'spec' as it was, what is wrong, to be freed: the
 * value and the rule. */
char *ef_memory_spec_parse(const char *s, unsigned n_pmds,
                           struct ef_memory_spec *spec);
void ef_memory_specs_free(struct ef_memory_spec *, size_t n);

/* memory-now: of all DPDK ports that have a pool or want one, one for each of
 * its pools, sorted by name.  Returns 0, or EBUSY if a port is being attached,
 * removed or set up for long (ef_dpdk_try_lock()). */
int ef_memory_specs_now(struct ef_memory_spec **, size_t *n);

#endif /* dpdk/memory-plan.h */
