/* SPDX-License-Identifier: Apache-2.0 */

/* DPDK's mempool handler "evenflow": finds the store of the calling thread,
 * and makes, resizes and shows stores.  DPDK calls the handler on any thread,
 * PMDs mostly, when its own cache is empty or full; lib/dpdk/mempool.c sets
 * stores up, on the main thread and on PMDs that start.  Also linked into the
 * object for secondary processes, so nothing of the package is called here.
 */

#include <config.h>

#include "dpdk/buffer-store.h"

#include <errno.h>

#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mempool.h>
#include <rte_pause.h>

#include "core/counter.h"
#include "dpdk/store-core.h"

/* User of the shared store, after the cores: threads without a store. */
#define GUEST RTE_MAX_LCORE

/* What a pool's "pool_data" points to. */
struct store {
    struct ef_shared shared;

    /* Pool set-up: written once each, with release. */
    ATOMIC(struct ef_core_store *) cores[RTE_MAX_LCORE];
    struct ef_chunk *own_chunks[RTE_MAX_LCORE + 1];

    /* Threads without a store, in turns under the lock: a call each, which
     * moves its buffers and some words.  A PMD is among them only in a pool
     * that has no store for it. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) atomic_bool guest_lock;
    struct ef_core_store *guest;        /* Of size 0. */
};

/* Making and freeing. */

/* Where the chunks behind a store with room for 'room' buffers begin. */
static size_t
core_chunks_ofs(unsigned room)
{
    return ROUND_UP(offsetof(struct ef_core_store, bufs)
                    + room * sizeof(void *), CACHE_LINE_SIZE);
}

static size_t
core_bytes(unsigned room)
{
    return (core_chunks_ofs(room)
            + EF_CHUNKS_PER_USER * sizeof(struct ef_chunk));
}

static size_t
store_bytes(unsigned n_bufs)
{
    return (sizeof(struct store)
            + ef_shared_n_chunks(n_bufs) * sizeof(struct ef_chunk));
}

uint64_t
ef_store_memory(unsigned n_bufs, unsigned n_cores)
{
    return (store_bytes(n_bufs)
            + ((uint64_t) n_cores + 1) * core_bytes(EF_STORE_MAX));
}

/* A store with room for 'room' buffers, and chunks behind it. */
static struct ef_core_store *
core_create(struct ef_shared *shared, unsigned user, unsigned room,
            int socket_id)
{
    size_t chunks_ofs = core_chunks_ofs(room);
    size_t bytes = core_bytes(room);
    void *core;

    core = rte_zmalloc_socket("ef_store_core", bytes, CACHE_LINE_SIZE,
                              socket_id);
    if (!core) {
        core = rte_zmalloc("ef_store_core", bytes, CACHE_LINE_SIZE);
    }
    if (core) {
        ef_shared_add_chunks(shared, user, RTE_PTR_ADD(core, chunks_ofs));
    }
    return core;
}

static void
free_pool(struct rte_mempool *mp)
{
    struct store *store = mp->pool_data;

    if (store) {
        for (unsigned i = 0; i < RTE_MAX_LCORE; i++) {
            struct ef_core_store *core;

            atomic_read_relaxed(&store->cores[i], &core);
            rte_free(core);
        }
        rte_free(store->guest);
        rte_free(store);
        mp->pool_data = NULL;
    }
}

static int
alloc_pool(struct rte_mempool *mp)
{
    uint32_t n_chunks = ef_shared_n_chunks(mp->size);
    struct store *store;

    store = rte_zmalloc_socket("ef_store", store_bytes(mp->size),
                               CACHE_LINE_SIZE, mp->socket_id);
    if (!store) {
        return -ENOMEM;
    }
    mp->pool_data = store;
    ef_shared_init(&store->shared, RTE_PTR_ADD(store, sizeof *store),
                   n_chunks, store->own_chunks);
    atomic_init(&store->guest_lock, false);
    store->guest = core_create(&store->shared, GUEST, EF_STORE_MAX,
                               mp->socket_id);
    if (!store->guest) {
        free_pool(mp);
        return -ENOMEM;
    }
    return 0;
}

/* Taking, freeing and counting. */

/* NULL: 'lcore' is none, or has no store. */
static struct ef_core_store *
find_core(const struct store *store_, unsigned lcore)
{
    struct store *store = CONST_CAST(struct store *, store_);
    struct ef_core_store *core = NULL;

    if (lcore < RTE_MAX_LCORE) {
        /* Acquire: what the store was when it was made, from the release in
         * ef_store_add_core(). */
        atomic_read_explicit(&store->cores[lcore], &core,
                             memory_order_acquire);
    }
    return core;
}

/* A spin lock like DPDK's, but one that ThreadSanitizer sees.  Acquire and
 * release pair with each other. */
static void
lock_guest(struct store *store)
{
    while (atomic_exchange_explicit(&store->guest_lock, true,
                                    memory_order_acquire)) {
        rte_pause();
    }
}

static void
unlock_guest(struct store *store)
{
    atomic_store_explicit(&store->guest_lock, false, memory_order_release);
}

static int
dequeue(struct rte_mempool *mp, void **bufs, unsigned n)
{
    struct store *store = mp->pool_data;
    struct ef_core_store *core = find_core(store, rte_lcore_id());
    int error;

    if (OVS_LIKELY(core != NULL)) {
        return -ef_core_store_get(core, &store->shared, bufs, n);
    }
    lock_guest(store);
    error = ef_core_store_get(store->guest, &store->shared, bufs, n);
    unlock_guest(store);
    return -error;
}

static int
enqueue(struct rte_mempool *mp, void *const *bufs, unsigned n)
{
    struct store *store = mp->pool_data;
    struct ef_core_store *core = find_core(store, rte_lcore_id());

    if (OVS_LIKELY(core != NULL)) {
        ef_core_store_put(core, &store->shared, bufs, n);
    } else {
        lock_guest(store);
        ef_core_store_put(store->guest, &store->shared, bufs, n);
        unlock_guest(store);
    }
    return 0;
}

/* Acquire pairs with the owner's release: the calls that led to this fill are
 * counted for ef_store_n_puts(). */
static unsigned
read_fill(struct ef_core_store *core)
{
    unsigned fill;

    atomic_read_explicit(&core->fill, &fill, memory_order_acquire);
    return fill;
}

/* The order matters: see ef_shared_count(). */
static unsigned
get_count(const struct rte_mempool *mp)
{
    const struct store *store = mp->pool_data;
    uint64_t n_odd, n;

    if (!store) {
        /* Being made or freed: DPDK's list of pools has it already, or yet. */
        return 0;
    }
    n = ef_shared_count(&store->shared, &n_odd);
    for (unsigned i = 0; i < RTE_MAX_LCORE; i++) {
        struct ef_core_store *core = find_core(store, i);

        n += core ? read_fill(core) : 0;
    }
    return MIN(n, mp->size);
}

const struct rte_mempool_ops ef_store_ops = {
    .name = EF_STORE_OPS,
    .alloc = alloc_pool,
    .free = free_pool,
    .enqueue = enqueue,
    .dequeue = dequeue,
    .get_count = get_count,
};

/* Public functions. */

int
ef_store_register(void)
{
    static bool is_registered;
    int index;

    if (is_registered) {
        return 0;
    }
    index = rte_mempool_register_ops(&ef_store_ops);
    is_registered = index >= 0;
    return is_registered ? 0 : -index;
}

bool
ef_store_is_ours(const struct rte_mempool *mp)
{
    return rte_mempool_get_ops(mp->ops_index)->dequeue == dequeue;
}

/* NULL: the pool is not ours, or not made yet. */
static struct store *
store_of(const struct rte_mempool *mp)
{
    return ef_store_is_ours(mp) ? mp->pool_data : NULL;
}

int
ef_store_add_core(struct rte_mempool *mp, unsigned lcore, int socket_id,
                  unsigned size)
{
    struct store *store = store_of(mp);
    struct ef_core_store *core;

    if (!store || lcore >= RTE_MAX_LCORE || size > EF_STORE_MAX) {
        return EINVAL;
    }
    core = find_core(store, lcore);
    if (core) {
        atomic_store_relaxed(&core->size, size);
        return 0;
    }

    core = core_create(&store->shared, lcore, EF_STORE_MAX, socket_id);
    if (!core) {
        return ENOMEM;
    }
    atomic_store_relaxed(&core->size, size);
    /* Release: pairs with the acquire in find_core(). */
    atomic_store_explicit(&store->cores[lcore], core, memory_order_release);
    return 0;
}

void
ef_store_flush_core(struct rte_mempool *mp, unsigned lcore)
{
    struct store *store = store_of(mp);
    struct ef_core_store *core = store ? find_core(store, lcore) : NULL;
    struct rte_mempool_cache *cache = rte_mempool_default_cache(mp, lcore);

    if (!core) {
        if (cache) {
            /* As the caller's: at worst into its own store. */
            rte_mempool_cache_flush(cache, mp);
        }
        return;
    }
    if (cache) {
        ef_core_store_put(core, &store->shared, cache->objs, cache->len);
        cache->len = 0;
    }
    ef_core_store_flush(core, &store->shared);
}

/* Fill of DPDK's cache, which its owner changes with plain stores, as
 * rte_mempool_avail_count() reads it: the number is one of the latest. */
static unsigned __attribute__((noinline, no_sanitize("thread")))
read_front(const struct rte_mempool *mp, unsigned lcore)
{
    return mp->cache_size ? mp->local_cache[lcore].len : 0;
}

bool
ef_store_get_core(const struct rte_mempool *mp, unsigned lcore,
                  struct ef_store_core_stats *stats)
{
    const struct store *store = store_of(mp);
    struct ef_core_store *core = store ? find_core(store, lcore) : NULL;

    if (!core) {
        return false;
    }
    atomic_read_relaxed(&core->size, &stats->size);
    stats->fill = read_fill(core);
    stats->front_fill = read_front(mp, lcore);
    stats->n_refills = ef_counter_get(&core->trips.n_gets);
    stats->n_flushes = ef_counter_get(&core->trips.n_puts);
    stats->n_empty = ef_counter_get(&core->trips.n_empty);
    stats->n_odd = ef_counter_get(&core->trips.n_odd);
    stats->n_retries = ef_counter_get(&core->trips.n_retries);
    stats->n_get_calls = ef_counter_get(&core->n_get_calls);
    stats->n_put_calls = ef_counter_get(&core->n_put_calls);
    stats->n_refill_bufs = ef_counter_get(&core->trips.n_bufs_got);
    stats->n_flush_bufs = ef_counter_get(&core->trips.n_bufs_put);
    return true;
}

void
ef_store_get(const struct rte_mempool *mp, struct ef_store_stats *stats)
{
    const struct store *store = store_of(mp);
    const struct ef_core_store *guest;
    uint64_t n_odd;

    memset(stats, 0, sizeof *stats);
    if (!store) {
        return;
    }
    guest = store->guest;
    stats->n_shared = ef_shared_count(&store->shared, &n_odd);
    stats->n_odd = n_odd;
    stats->n_odd_gets = ef_counter_get(&guest->n_get_calls);
    stats->n_odd_puts = ef_counter_get(&guest->n_put_calls);
    stats->n_empty = ef_counter_get(&guest->trips.n_empty);
    stats->n_retries = ef_counter_get(&guest->trips.n_retries);
}

/* Acquire: what is read next is not older. */
static uint64_t
read_n_puts(const struct ef_core_store *core)
{
    unsigned long long n;

    atomic_read_explicit(CONST_CAST(atomic_ullong *, &core->n_put_calls), &n,
                         memory_order_acquire);
    return n;
}

uint64_t
ef_store_n_puts(const struct rte_mempool *mp)
{
    const struct store *store = store_of(mp);
    uint64_t n;

    if (!store) {
        return 0;
    }
    n = read_n_puts(store->guest);
    for (unsigned i = 0; i < RTE_MAX_LCORE; i++) {
        const struct ef_core_store *core = find_core(store, i);

        n += core ? read_n_puts(core) : 0;
    }
    return n;
}
