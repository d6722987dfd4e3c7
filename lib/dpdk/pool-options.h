/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_POOL_OPTIONS_H
#define EF_DPDK_POOL_OPTIONS_H 1

/* Interface:options about packet buffers, of type=dpdk and both vhost types.
 * Pure.
 *
 *     mempool=NAME
 *     mempool-rxq=QUEUE:NAME,...      (other queues: the Interface's pool)
 *     mempool-cache-size=...          (see dpdk/cache-size.h; of NAME)
 *
 * Queues that the port does not have, or not yet, may be named.
 *
 * Threads: any. */

#include <stdbool.h>
#include <stddef.h>

#include "dpdk/cache-size.h"

struct smap;

struct ef_pool_rxq {
    unsigned queue;
    char *name;
};

struct ef_pool_options {
    char *name;                 /* NULL: the pool that ports share. */
    struct ef_pool_rxq *rxqs;   /* Sorted by queue. */
    size_t n_rxqs;
    bool has_cache_size;        /* Only with 'name'. */
    struct ef_cache_size cache_size;
};
#define EF_POOL_OPTIONS_NONE { .cache_size = EF_CACHE_SIZE_AUTO }

void ef_pool_options_clone(struct ef_pool_options *dst,
                           const struct ef_pool_options *src);
void ef_pool_options_destroy(struct ef_pool_options *);
/* Whether both mean the same pools; cache sizes do not matter. */
bool ef_pool_options_same_pools(const struct ef_pool_options *,
                                const struct ef_pool_options *);
/* The pool of a receive queue, NULL: the Interface's. */
const char *ef_pool_options_rxq(const struct ef_pool_options *,
                                unsigned queue);

/* The value of "mempool-rxq", to be freed, NULL: not set. */
char *ef_pool_options_format_rxqs(const struct ef_pool_options *);

/* Called for each option; 'rule' is NULL for a value that is accepted, NULL
 * itself if the option is not set. */
typedef void ef_pool_option_func(const char *key, const char *value,
                                 const char *rule, void *aux);
/* Fills in 'new' from 'options'; what is refused stays as in 'old'. */
void ef_pool_options_parse(const struct smap *options,
                           const struct ef_pool_options *old,
                           struct ef_pool_options *new,
                           ef_pool_option_func *, void *aux);

#endif /* dpdk/pool-options.h */
