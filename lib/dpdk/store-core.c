/* SPDX-License-Identifier: Apache-2.0 */

/* A core's own store of free buffers: what DPDK's cache calls when it is
 * empty or full.  Called by the handler (dpdk/buffer-store.c), on the thread
 * that owns the store.  Also linked into the object for secondary processes,
 * so nothing of the package is called here.
 */

#include <config.h>

#include "dpdk/store-core.h"

#include <errno.h>
#include <string.h>

#include "core/counter.h"

/* Most that are gathered before any is given away. */
#define GATHER_MAX (EF_STORE_MAX - EF_STORE_BULK)

static unsigned
get_fill(struct ef_core_store *store)
{
    unsigned fill;

    atomic_read_relaxed(&store->fill, &fill);
    return fill;
}

/* Release, for who counts (ef_store_n_puts()): 'n_put_calls' is raised
 * already. */
static void
set_fill(struct ef_core_store *store, unsigned fill)
{
    atomic_store_explicit(&store->fill, fill, memory_order_release);
}

static unsigned
get_size(struct ef_core_store *store)
{
    unsigned size;

    /* Stands alone: an older value is as good. */
    atomic_read_relaxed(&store->size, &size);
    return size;
}

/* Buffers of a trip.  Half of a small store, so that the same number goes
 * either way before the next trip. */
static unsigned
bulk_of(unsigned size)
{
    return MIN(size / 2, EF_STORE_BULK);
}

/* Takes 'n' buffers from the top, which there must be. */
static void
take(struct ef_core_store *store, void **bufs, unsigned n)
{
    unsigned fill = get_fill(store) - n;

    memcpy(bufs, &store->bufs[fill], n * sizeof *bufs);
    set_fill(store, fill);
}

static void
add(struct ef_core_store *store, void *const *bufs, unsigned n)
{
    unsigned fill = get_fill(store);

    memcpy(&store->bufs[fill], bufs, n * sizeof *bufs);
    set_fill(store, fill + n);
}

static void
flush(struct ef_core_store *store, struct ef_shared *shared, unsigned n)
{
    unsigned fill = get_fill(store) - n;

    /* First lowered here, then raised there (see ef_shared_count()); the
     * pointers stay in place meanwhile. */
    set_fill(store, fill);
    ef_shared_put(shared, &store->trips, &store->bufs[fill], n);
}

/* Fetches on top of what is here, until there are 'n', at most GATHER_MAX.
 * Returns how many there are. */
static unsigned
gather(struct ef_core_store *store, struct ef_shared *shared, unsigned n)
{
    unsigned bulk = bulk_of(get_size(store));
    unsigned fill = get_fill(store);

    while (fill < n) {
        unsigned want = MIN(MAX(n - fill, bulk), EF_STORE_BULK);
        unsigned got = ef_shared_get(shared, &store->trips,
                                     &store->bufs[fill], want);

        if (!got) {
            break;
        }
        fill += got;
        set_fill(store, fill);
    }
    return fill;
}

static int
get_many(struct ef_core_store *store, struct ef_shared *shared, void **bufs,
         unsigned n)
{
    for (unsigned done = 0; done < n; done += MIN(n - done, GATHER_MAX)) {
        if (ef_core_store_get(store, shared, bufs + done,
                              MIN(n - done, GATHER_MAX))) {
            ef_core_store_put(store, shared, bufs, done);
            return ENOBUFS;
        }
    }
    return 0;
}

/* 'bufs' is written only when there are enough: it can be where DPDK's cache
 * has buffers, which it counts again if we fail. */
int
ef_core_store_get(struct ef_core_store *store, struct ef_shared *shared,
                  void **bufs, unsigned n)
{
    unsigned fill = get_fill(store);
    unsigned now;

    if (OVS_UNLIKELY(n > GATHER_MAX)) {
        return get_many(store, shared, bufs, n);
    }
    ef_counter_add(&store->n_get_calls, 1);
    if (OVS_LIKELY(n <= fill) || gather(store, shared, n) >= n) {
        take(store, bufs, n);
        return 0;
    }
    /* What was here stays here, the rest goes back for others to find. */
    while ((now = get_fill(store)) > fill) {
        flush(store, shared, MIN(now - fill, EF_STORE_BULK));
    }
    return ENOBUFS;
}

/* Makes room for fewer than half of the store's size, or passes all on. */
static unsigned
put_shared(struct ef_core_store *store, struct ef_shared *shared,
           void *const *bufs, unsigned n, unsigned size)
{
    unsigned bulk = bulk_of(size);
    unsigned done = 0;
    unsigned fill;

    /* The size was lowered. */
    while ((fill = get_fill(store)) > size) {
        flush(store, shared, MIN(fill - size, EF_STORE_BULK));
    }
    while (get_fill(store) + n - done > size) {
        if (n - done < bulk) {
            /* So there is more than a bulk in the store. */
            flush(store, shared, bulk);
        } else {
            unsigned k = MIN(n - done, EF_STORE_BULK);

            ef_shared_put(shared, &store->trips, bufs + done, k);
            done += k;
        }
    }
    return done;
}

void
ef_core_store_put(struct ef_core_store *store, struct ef_shared *shared,
                  void *const *bufs, unsigned n)
{
    unsigned size = get_size(store);

    ef_counter_add(&store->n_put_calls, 1);
    if (OVS_UNLIKELY(get_fill(store) + n > size)) {
        unsigned done = put_shared(store, shared, bufs, n, size);

        bufs += done;
        n -= done;
    }
    add(store, bufs, n);
}

void
ef_core_store_flush(struct ef_core_store *store, struct ef_shared *shared)
{
    unsigned fill;

    while ((fill = get_fill(store)) > 0) {
        flush(store, shared, MIN(fill, EF_STORE_BULK));
    }
}
