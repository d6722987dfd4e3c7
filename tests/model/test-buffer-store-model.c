/* SPDX-License-Identifier: Apache-2.0 */

/* Model test of dpdk/buffer-store.c: one thread that goes on as one of several
 * lcores, or as none, and does something at random, against a dull twin that
 * only knows where each buffer is: in whose store, shared, or with whom. */

#include <config.h>

#include "dpdk/buffer-store.h"

#include "ef-test.h"
#include "store-fixture.h"

#define N_ROUNDS 60
#define N_STEPS 3000
#define MAX_BUFS 6000
#define N_LCORES 5              /* The last two have no store. */
#define N_STORES 3

struct twin {
    struct rte_mempool *pool;
    bool is_taken[MAX_BUFS];
    void *held[MAX_BUFS];
    unsigned n_held;
    unsigned sizes[N_STORES];
    uint64_t n_puts;            /* Calls. */
};

static unsigned
lcore_of(unsigned i)
{
    return i == N_LCORES - 1 ? LCORE_ID_ANY : i;
}

/* Mostly bursts, sometimes one buffer, sometimes many. */
static unsigned
random_n(unsigned max)
{
    unsigned n;

    switch (random_range(8)) {
    case 0:
        n = 1;
        break;
    case 1:
        n = 1 + random_range(1500);
        break;
    case 2:
        n = EF_STORE_BULK;
        break;
    default:
        n = 1 + random_range(96);
        break;
    }
    return MIN(n, max);
}

static unsigned
random_size(void)
{
    static const unsigned sizes[] = {
        0, 1, 2, 3, 31, 64, 100, 256, 511, 512, 513, 2048, EF_STORE_MAX
    };

    return sizes[random_range(ARRAY_SIZE(sizes))];
}

/* Buffers that nobody but lcore 'i' can reach. */
static unsigned
n_elsewhere(const struct twin *twin, unsigned i)
{
    unsigned n = 0;

    for (unsigned j = 0; j < N_STORES; j++) {
        n += j != i ? fx_core_stats(twin->pool, j).fill : 0;
    }
    return n;
}

static void
step_get(struct twin *twin, unsigned i)
{
    unsigned n_free = twin->pool->size - twin->n_held;
    unsigned n = random_n(twin->pool->size);
    unsigned n_reach = n_free - n_elsewhere(twin, i);
    void *bufs[1500];
    bool ok;

    ok = !rte_mempool_get_bulk(twin->pool, bufs, n);
    if (!EF_CHECK_EQ(ok, n <= n_reach) || !ok) {
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        unsigned number = fx_number(bufs[k]);

        EF_CHECK(!twin->is_taken[number]);
        twin->is_taken[number] = true;
        twin->held[twin->n_held++] = bufs[k];
    }
}

/* Returns false if there was nothing to free. */
static bool
step_put(struct twin *twin)
{
    unsigned n = random_n(twin->n_held);

    if (!n) {
        return false;
    }
    for (unsigned k = 0; k < n; k++) {
        unsigned pick = random_range(twin->n_held - k);
        void **a = &twin->held[pick];
        void **b = &twin->held[twin->n_held - k - 1];
        void *buf = *a;

        *a = *b;
        *b = buf;
        twin->is_taken[fx_number(buf)] = false;
    }
    twin->n_held -= n;
    rte_mempool_put_bulk(twin->pool, &twin->held[twin->n_held], n);
    twin->n_puts++;
    return true;
}

static void
check(const struct twin *twin)
{
    struct ef_store_stats shared;
    uint64_t n = 0;

    ef_store_get(twin->pool, &shared);
    for (unsigned j = 0; j < N_STORES; j++) {
        struct ef_store_core_stats s = fx_core_stats(twin->pool, j);

        EF_CHECK_EQ(s.size, twin->sizes[j]);
        EF_CHECK(s.fill <= EF_STORE_MAX);
        EF_CHECK_EQ(s.n_retries, 0u);
        n += s.fill;
    }
    EF_CHECK(shared.n_odd <= shared.n_shared);
    EF_CHECK_EQ((shared.n_shared - shared.n_odd) % EF_STORE_BULK, 0u);
    EF_CHECK_EQ(n + shared.n_shared, twin->pool->size - twin->n_held);
    EF_CHECK_EQ(rte_mempool_avail_count(twin->pool), n + shared.n_shared);
    EF_CHECK_EQ(ef_store_n_puts(twin->pool), twin->n_puts);
}

static void
step(struct twin *twin)
{
    unsigned i = random_range(N_LCORES);
    bool is_put = false;

    fx_be_lcore(lcore_of(i));
    switch (random_range(50)) {
    case 0:
        if (i < N_STORES) {
            twin->sizes[i] = random_size();
            EF_CHECK_EQ(ef_store_add_core(twin->pool, i, SOCKET_ID_ANY,
                                          twin->sizes[i]), 0);
        }
        break;
    case 1:
        if (i < N_STORES) {
            ef_store_flush_core(twin->pool, i);
            EF_CHECK_EQ(fx_core_stats(twin->pool, i).fill, 0u);
        }
        break;
    default:
        if (random_range(2)) {
            is_put = step_put(twin);
        } else {
            step_get(twin, i);
        }
        break;
    }
    if (is_put && i < N_STORES) {
        EF_CHECK(fx_core_stats(twin->pool, i).fill <= twin->sizes[i]);
    }
    check(twin);
}

static void
run_round(unsigned n_bufs)
{
    struct twin *twin = xzalloc(sizeof *twin);

    fx_be_lcore(LCORE_ID_ANY);
    twin->pool = fx_store_pool(n_bufs, 0);
    twin->n_puts = ef_store_n_puts(twin->pool);
    for (unsigned i = 0; i < N_STORES; i++) {
        twin->sizes[i] = random_size();
        EF_CHECK_EQ(ef_store_add_core(twin->pool, i, SOCKET_ID_ANY,
                                      twin->sizes[i]), 0);
    }
    for (int i = 0; i < N_STEPS; i++) {
        step(twin);
    }
    rte_mempool_free(twin->pool);
    free(twin);
}

/* Takes without asking how many there are, and frees; the twin only knows what
 * is taken. */
static void
step_cached(struct twin *twin)
{
    unsigned n = random_n(twin->pool->size);
    void *bufs[1500];

    fx_be_lcore(lcore_of(random_range(N_LCORES)));
    if (random_range(2)) {
        step_put(twin);
    } else if (!rte_mempool_get_bulk(twin->pool, bufs, n)) {
        for (unsigned k = 0; k < n; k++) {
            unsigned number = fx_number(bufs[k]);

            EF_CHECK(!twin->is_taken[number]);
            twin->is_taken[number] = true;
            twin->held[twin->n_held++] = bufs[k];
        }
    }
}

/* Whether every buffer that nobody has can be taken, once. */
static void
check_all_home(struct twin *twin)
{
    unsigned n = twin->pool->size - twin->n_held;
    void **bufs = xcalloc(n + 1, sizeof *bufs);

    for (unsigned i = 0; i < N_LCORES - 1; i++) {
        fx_be_lcore(i);
        ef_store_flush_core(twin->pool, i);
    }
    fx_be_lcore(LCORE_ID_ANY);
    EF_CHECK_EQ(rte_mempool_avail_count(twin->pool), n);
    EF_CHECK(!n || !rte_mempool_get_bulk(twin->pool, bufs, n));
    for (unsigned k = 0; k < n && bufs[k]; k++) {
        unsigned number = fx_number(bufs[k]);

        EF_CHECK(!twin->is_taken[number]);
        twin->is_taken[number] = true;
    }
    free(bufs);
}

static void
run_cached_round(unsigned n_bufs)
{
    struct twin *twin = xzalloc(sizeof *twin);

    fx_be_lcore(LCORE_ID_ANY);
    twin->pool = fx_store_pool(n_bufs, EF_STORE_FRONT);
    for (unsigned i = 0; i < N_STORES; i++) {
        EF_CHECK_EQ(ef_store_add_core(twin->pool, i, SOCKET_ID_ANY,
                                      random_size()), 0);
    }
    for (int i = 0; i < N_STEPS; i++) {
        step_cached(twin);
    }
    check_all_home(twin);
    rte_mempool_free(twin->pool);
    free(twin);
}

EF_TEST(random_operations_keep_each_buffer_once)
{
    EF_REQUIRE(fx_store_start());
    for (int round = 0; round < N_ROUNDS; round++) {
        run_round(1 + random_range(MAX_BUFS));
    }
}

/* Smaller than a bulk: all buffers are odd ones. */
EF_TEST(small_pools_work_as_well)
{
    EF_REQUIRE(fx_store_start());
    for (int round = 0; round < N_ROUNDS; round++) {
        run_round(1 + random_range(300));
    }
}

/* DPDK's cache in front believes to have still what it had when it asked in
 * vain. */
EF_TEST(buffers_stay_single_behind_a_cache)
{
    EF_REQUIRE(fx_store_start());
    for (int round = 0; round < N_ROUNDS; round++) {
        run_cached_round(3 * EF_STORE_FRONT / 2 + random_range(1000));
    }
}
