/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_MEMPOOL_CONFIG_H
#define EF_DPDK_MEMPOOL_CONFIG_H 1

/* The database's keys about packet buffers, and how large a buffer is.  Pure:
 * no log, no DPDK.
 *
 *     per-port-memory=true
 *     shared-mempool-config=9000,1500:0      (MTU[:NUMA node], ...)
 *
 * Threads: any. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EF_MEMPOOL_ALL_SOCKETS (-1)

/* The longest that a buffer, counted in 16 bits, has room for. */
#define EF_MEMPOOL_MAX_MTU 64486

/* Ports of up to this MTU, on this node, share buffers for this MTU. */
struct ef_mempool_step {
    int mtu;
    int socket_id;              /* Or EF_MEMPOOL_ALL_SOCKETS. */
};

struct ef_mempool_steps {
    struct ef_mempool_step *steps;
    size_t n;
};

/* Parses the value of "shared-mempool-config".  Returns NULL or, leaving
 * 'steps' empty, the rule that the value breaks. */
const char *ef_mempool_steps_parse(const char *value,
                                   struct ef_mempool_steps *steps);
void ef_mempool_steps_clear(struct ef_mempool_steps *);

/* Parses the value of "per-port-memory"; NULL is the default.  Returns NULL or
 * the rule that the value breaks and stores the default. */
const char *ef_mempool_per_port_parse(const char *value, bool *per_port);

/* Bytes of a buffer, headroom included, for packets of 'mtu'. */
uint32_t ef_mempool_buf_size(int mtu);

/* The smallest step whose buffers hold packets of 'mtu' on this node, or
 * NULL. */
const struct ef_mempool_step *ef_mempool_steps_fit(
    const struct ef_mempool_steps *, int mtu, int socket_id);

#endif /* dpdk/mempool-config.h */
