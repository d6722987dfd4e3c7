/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_STORE_CORE_H
#define EF_DPDK_STORE_CORE_H 1

/* One user's store of free buffers: a stack of pointers that nobody else
 * touches, in front of the shared store.
 *
 * Threads: the owner takes and frees; the main thread sets the size, which the
 * owner heeds when it frees next; any reads counts.  A store of size 0 keeps
 * nothing: several threads may be its owner in turn, under a lock. */

#include "dpdk/store-shared.h"

struct ef_core_store {
    /* Main thread. */
    atomic_uint32_t size;       /* At most EF_STORE_MAX. */

    /* Owner; read by any. */
    atomic_uint32_t fill;
    atomic_ullong n_get_calls, n_put_calls;
    struct ef_trips trips;

    /* Owner. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) void *bufs[]; /* EF_STORE_MAX. */
};

/* Owner. */

/* Returns 0 with all 'n' buffers in 'bufs', or ENOBUFS, with 'bufs' as it was
 * unless 'n' is more than EF_STORE_MAX - EF_STORE_BULK. */
int ef_core_store_get(struct ef_core_store *, struct ef_shared *, void **bufs,
                      unsigned n);
void ef_core_store_put(struct ef_core_store *, struct ef_shared *,
                       void *const *bufs, unsigned n);
/* Gives everything to the shared store. */
void ef_core_store_flush(struct ef_core_store *, struct ef_shared *);

#endif /* dpdk/store-core.h */
