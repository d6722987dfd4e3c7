/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_MEMPOOL_CONFIG_H
#define EF_DPDK_MEMPOOL_CONFIG_H 1

/* The database's keys about packet buffers, and how large a buffer is.  Pure:
 * no log, no DPDK.
 *
 *     per-port-memory=true
 *     shared-mempool-config=9000,1500:0      (MTU[:NUMA node], ...)
 *     mempool-config=control:4096,v6:65536   (NAME:number of buffers, ...)
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

/* Named pools. */

#define EF_MEMPOOL_NAME_MAX 20
#define EF_MEMPOOL_NAME_RULE                                    \
    "a pool's name must be 1 to 20 letters, digits, '-', '_' or '.'"
/* The 'len' bytes at 'name'. */
bool ef_mempool_name_is_valid(const char *name, size_t len);

#define EF_MEMPOOL_MIN_BUFS 512
#define EF_MEMPOOL_MAX_BUFS 2000000

/* A named pool and how many buffers it shall have. */
struct ef_mempool_number {
    char *name;
    uint32_t n_bufs;
};

struct ef_mempool_numbers {
    struct ef_mempool_number *pools;
    size_t n;
};

/* Parses the value of "mempool-config"; NULL is an empty list.  Returns NULL
 * or, leaving 'numbers' empty, the rule that the value breaks. */
const char *ef_mempool_numbers_parse(const char *value,
                                     struct ef_mempool_numbers *numbers);
void ef_mempool_numbers_clear(struct ef_mempool_numbers *);
/* What 'name' shall have, or 0: nothing is said. */
uint32_t ef_mempool_numbers_get(const struct ef_mempool_numbers *,
                                const char *name);

#endif /* dpdk/mempool-config.h */
