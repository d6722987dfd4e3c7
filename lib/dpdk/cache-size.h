/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_CACHE_SIZE_H
#define EF_DPDK_CACHE_SIZE_H 1

/* How many free buffers of a pool each core keeps for itself.  Pure.
 *
 *     mempool-cache-size=auto
 *     mempool-cache-size=1024
 *     mempool-cache-size=2:2048,3:2048       (CORE:N; other cores: auto)
 *
 * A core is a CPU number, as in pmd-cpu-mask.
 *
 * Threads: any. */

#include <stdbool.h>
#include <stddef.h>

#include "dpdk/buffer-store.h"

/* Entry of a list. */
struct ef_cache_core {
    unsigned core;
    unsigned size;
};

struct ef_cache_size {
    int size;                   /* Of all cores, or -1: auto. */
    struct ef_cache_core *cores; /* Exceptions, sorted by core. */
    size_t n_cores;
};
#define EF_CACHE_SIZE_AUTO { .size = -1 }

/* Parses a value; NULL is "auto".  Sizes are 0 to EF_STORE_MAX; a core occurs
 * once.  Returns NULL or, leaving 'auto', the rule that the value breaks. */
const char *ef_cache_size_parse(const char *value, struct ef_cache_size *);
void ef_cache_size_clone(struct ef_cache_size *dst,
                         const struct ef_cache_size *src);
bool ef_cache_size_equal(const struct ef_cache_size *,
                         const struct ef_cache_size *);
void ef_cache_size_destroy(struct ef_cache_size *);
/* As a value of the key, to be freed. */
char *ef_cache_size_format(const struct ef_cache_size *);

/* What "auto" depends on. */
struct ef_cache_demand {
    unsigned n_bufs;            /* Of the pool. */
    unsigned n_pmds;            /* PMD threads, 0 as 1. */
    unsigned n_rxq, n_txq;      /* Queues of the pool's ports. */
    unsigned burst;             /* Packets of a receive batch. */
    unsigned tx_free_burst;     /* Buffers that a driver frees at once. */
};

/* The size for 'core': what the value says, or computed so that the swings of
 * one core's own queues fit, at least two bulks, and that all cores together
 * keep at most half of the pool. */
unsigned ef_cache_size_get(const struct ef_cache_size *, unsigned core,
                           const struct ef_cache_demand *);

/* Whether cores could keep so many of 'n_bufs' that others starve.  Returns
 * NULL or the rule: sizes of all 'n_pmds' cores may add up to half the pool at
 * most. */
const char *ef_cache_size_check(const struct ef_cache_size *,
                                const struct ef_cache_demand *);

#endif /* dpdk/cache-size.h */
