/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_MEMORY_PLAN_H
#define EF_DPDK_MEMORY_PLAN_H 1

/* What pools of buffers a set of ports needs, and how much memory of each
 * node, before there are any.  Pure but for the sizes, which DPDK computes.
 *
 * Threads: any that may block. */

#include <stddef.h>
#include <stdint.h>

#include "dpdk/mempool.h"

/* A pool that would be made. */
struct ef_plan_pool {
    char *name;                 /* Named pool, port (per-port-memory) or NULL:
                                 * shared. */
    int socket_id;
    uint32_t buf_size;          /* Bytes of a buffer, headroom included. */
    uint32_t n_bufs;
    uint64_t bytes;             /* Buffers, headers and stores. */
    unsigned n_ports;
    uint32_t n_ring;            /* Buffers that rings of its ports can hold. */
};

struct ef_plan_node {
    int socket_id;
    uint64_t bytes;
    uint64_t free_bytes;        /* Of DPDK's heap there now. */
    uint64_t n_pages_2m, n_pages_1g; /* What it takes, either way. */
};

struct ef_memory_plan {
    struct ef_plan_pool *pools;
    size_t n_pools;
    struct ef_plan_node *nodes; /* Sorted by socket_id. */
    size_t n_nodes;
};

/* Requests as ports would make them, with the settings in force now. */
void ef_memory_plan_make(const struct ef_mempool_request *, size_t n,
                         struct ef_memory_plan *);
void ef_memory_plan_destroy(struct ef_memory_plan *);

#endif /* dpdk/memory-plan.h */
