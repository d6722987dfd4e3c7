/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of dpdk/buffer-store.c: one thread that goes on as several lcores in
 * turn.  Trips, sizes, odd buffers, counts. */

#include <config.h>

#include "dpdk/buffer-store.h"

#include <errno.h>

#include "dpdk/store-core.h"
#include "ef-test.h"
#include "store-fixture.h"

#define N 4096
#define BURST 32

static void *bufs[N + 1];

static bool
get(struct rte_mempool *pool, unsigned lcore, unsigned ofs, unsigned n)
{
    fx_be_lcore(lcore);
    return !rte_mempool_get_bulk(pool, bufs + ofs, n);
}

static void
put(struct rte_mempool *pool, unsigned lcore, unsigned ofs, unsigned n)
{
    fx_be_lcore(lcore);
    rte_mempool_put_bulk(pool, bufs + ofs, n);
}

/* All buffers, each once, can be taken by 'lcore'. */
static void
check_whole(struct rte_mempool *pool, unsigned lcore)
{
    static void *all[N];
    uint8_t *seen = xzalloc(pool->size);
    unsigned n = 0;

    fx_be_lcore(lcore);
    while (n < pool->size && !rte_mempool_get(pool, &all[n])) {
        n++;
    }
    EF_CHECK_EQ(n, pool->size);
    for (unsigned i = 0; i < n; i++) {
        EF_CHECK_EQ(seen[fx_number(all[i])]++, 0);
    }
    rte_mempool_put_bulk(pool, all, n);
    free(seen);
}

EF_TEST(threads_without_a_store_take_and_free)
{
    struct rte_mempool *pool;
    struct ef_store_stats stats;

    EF_REQUIRE(fx_store_start());
    pool = fx_store_pool(1000, 0);
    EF_CHECK(ef_store_is_ours(pool));
    EF_CHECK_EQ(rte_mempool_avail_count(pool), 1000u);
    ef_store_get(pool, &stats);
    EF_CHECK_EQ(stats.n_shared, 1000u);
    EF_CHECK_EQ(stats.n_odd, 1000 % EF_STORE_BULK);

    EF_CHECK(get(pool, LCORE_ID_ANY, 0, 999));
    EF_CHECK_EQ(rte_mempool_avail_count(pool), 1u);
    EF_CHECK(!get(pool, LCORE_ID_ANY, 999, 2));
    EF_CHECK_EQ(rte_mempool_avail_count(pool), 1u);
    EF_CHECK(get(pool, LCORE_ID_ANY, 999, 1));
    ef_store_get(pool, &stats);
    EF_CHECK_EQ(stats.n_shared, 0u);
    EF_CHECK(stats.n_empty > 0);
    put(pool, LCORE_ID_ANY, 0, 1000);
    EF_CHECK_EQ(rte_mempool_avail_count(pool), 1000u);
    check_whole(pool, LCORE_ID_ANY);
    rte_mempool_free(pool);
}

EF_TEST(symmetric_traffic_makes_no_trip)
{
    struct ef_store_core_stats before, after;
    struct rte_mempool *pool;

    EF_REQUIRE(fx_store_start());
    pool = fx_store_pool(N, EF_STORE_FRONT);
    EF_CHECK_EQ(ef_store_add_core(pool, 3, SOCKET_ID_ANY, 2048), 0);
    for (int round = 0; round < 1000; round++) {
        if (round == 10) {
            before = fx_core_stats(pool, 3);
        }
        for (int i = 0; i < 1024; i += BURST) {
            EF_REQUIRE(get(pool, 3, i, BURST));
        }
        for (int i = 0; i < 1024; i += BURST) {
            put(pool, 3, i, BURST);
        }
    }
    after = fx_core_stats(pool, 3);
    EF_CHECK_EQ(after.n_refills, before.n_refills);
    EF_CHECK_EQ(after.n_flushes, before.n_flushes);
    EF_CHECK_EQ(after.n_empty, 0u);
    EF_CHECK_EQ(after.n_retries, 0u);
    EF_CHECK(after.n_get_calls > before.n_get_calls);
    EF_CHECK(after.fill > 0 && after.fill <= 2048);
    rte_mempool_free(pool);
}

/* Taken by one core, freed by another, through DPDK's cache of 'front'. */
static void
check_asymmetric(unsigned front, unsigned size)
{
    struct ef_store_core_stats taker, freer;
    struct rte_mempool *pool = fx_store_pool(N, front);
    const int n_rounds = 4000;

    EF_CHECK_EQ(ef_store_add_core(pool, 1, SOCKET_ID_ANY, size), 0);
    EF_CHECK_EQ(ef_store_add_core(pool, 2, SOCKET_ID_ANY, size), 0);
    for (int round = 0; round < n_rounds; round++) {
        EF_REQUIRE(get(pool, 1, 0, BURST));
        put(pool, 2, 0, BURST);
    }
    taker = fx_core_stats(pool, 1);
    freer = fx_core_stats(pool, 2);
    EF_CHECK(taker.n_refills > 0 && freer.n_flushes > 0);
    EF_CHECK_EQ(taker.n_flushes, 0u);
    EF_CHECK_EQ(freer.n_refills, 0u);
    EF_CHECK(taker.n_refills * EF_STORE_BULK
             <= n_rounds * BURST + size + 2 * front + EF_STORE_BULK);
    EF_CHECK_EQ(taker.n_refill_bufs, taker.n_refills * EF_STORE_BULK);
    EF_CHECK_EQ(freer.n_flush_bufs, freer.n_flushes * EF_STORE_BULK);
    EF_CHECK_EQ(taker.n_odd + freer.n_odd, 0u);
    EF_CHECK_EQ(rte_mempool_avail_count(pool), N);
    rte_mempool_free(pool);
}

EF_TEST(a_trip_moves_a_bulk)
{
    EF_REQUIRE(fx_store_start());
    check_asymmetric(EF_STORE_FRONT, 512);
    check_asymmetric(EF_STORE_FRONT, 1024);
    check_asymmetric(0, 512);
    check_asymmetric(32, 513);
}

EF_TEST(large_requests_go_past_the_store)
{
    struct ef_store_core_stats stats;
    struct rte_mempool *pool;

    EF_REQUIRE(fx_store_start());
    pool = fx_store_pool(N, 0);
    ef_store_add_core(pool, 1, SOCKET_ID_ANY, 512);
    EF_CHECK(get(pool, 1, 0, N));
    EF_CHECK(!get(pool, 1, N, 1));
    stats = fx_core_stats(pool, 1);
    EF_CHECK_EQ(stats.n_refills, N / EF_STORE_BULK);
    EF_CHECK_EQ(stats.n_empty, 1u);
    put(pool, 1, 0, N);
    stats = fx_core_stats(pool, 1);
    EF_CHECK(stats.fill <= 512);
    EF_CHECK_EQ(rte_mempool_avail_count(pool), N);
    check_whole(pool, 1);
    rte_mempool_free(pool);
}

EF_TEST(failed_request_restores_what_it_took)
{
    struct ef_store_core_stats stats;
    struct rte_mempool *pool;

    EF_REQUIRE(fx_store_start());
    pool = fx_store_pool(1000, 0);
    ef_store_add_core(pool, 1, SOCKET_ID_ANY, 512);
    EF_CHECK(get(pool, 1, 0, 10));
    EF_CHECK_EQ(fx_core_stats(pool, 1).fill, 246u);
    EF_CHECK(!get(pool, 1, 10, 991));
    stats = fx_core_stats(pool, 1);
    EF_CHECK_EQ(stats.fill, 246u);
    EF_CHECK_EQ(stats.n_empty, 1u);
    EF_CHECK_EQ(rte_mempool_avail_count(pool), 990u);
    /* Others find what does not belong to the core. */
    EF_CHECK(get(pool, LCORE_ID_ANY, 10, 744));
    EF_CHECK(!get(pool, LCORE_ID_ANY, 754, 1));
    put(pool, 1, 0, 754);
    check_whole(pool, 1);
    rte_mempool_free(pool);
}

/* DPDK takes what its cache has, asks for more to the same place, and on
 * failure believes what it took to be there still. */
EF_TEST(failed_request_leaves_what_dpdk_caches)
{
    struct rte_mempool *pool;

    EF_REQUIRE(fx_store_start());
    pool = fx_store_pool(1000, EF_STORE_FRONT);
    ef_store_add_core(pool, 1, SOCKET_ID_ANY, 512);
    EF_CHECK(get(pool, 1, 0, 1000));
    put(pool, 1, 0, 10);
    put(pool, LCORE_ID_ANY, 10, 5);
    EF_CHECK(!get(pool, 1, 1000, 32));
    put(pool, 1, 15, 985);
    check_whole(pool, 1);
    rte_mempool_free(pool);
}

EF_TEST(size_changes_live)
{
    struct rte_mempool *pool;

    EF_REQUIRE(fx_store_start());
    pool = fx_store_pool(N, 0);
    ef_store_add_core(pool, 1, SOCKET_ID_ANY, 2048);
    EF_CHECK(get(pool, 1, 0, 2000));
    put(pool, 1, 0, 2000);
    EF_CHECK_EQ(fx_core_stats(pool, 1).fill, 2048u);

    EF_CHECK_EQ(ef_store_add_core(pool, 1, SOCKET_ID_ANY, 64), 0);
    EF_CHECK_EQ(fx_core_stats(pool, 1).size, 64u);
    EF_CHECK(get(pool, 1, 0, 1));
    put(pool, 1, 0, 1);
    EF_CHECK(fx_core_stats(pool, 1).fill <= 64);
    EF_CHECK_EQ(rte_mempool_avail_count(pool), N);

    /* Portions of half a small store. */
    for (int i = 0; i < 1000; i++) {
        EF_REQUIRE(get(pool, 1, 0, 16));
        put(pool, LCORE_ID_ANY, 0, 16);
    }
    EF_CHECK(fx_core_stats(pool, 1).n_refill_bufs >= 16000);
    EF_CHECK(fx_core_stats(pool, 1).n_odd > 0);

    EF_CHECK_EQ(ef_store_add_core(pool, 1, SOCKET_ID_ANY, 0), 0);
    EF_CHECK(get(pool, 1, 0, 100));
    put(pool, 1, 0, 100);
    EF_CHECK_EQ(fx_core_stats(pool, 1).fill, 0u);
    EF_CHECK_EQ(rte_mempool_avail_count(pool), N);
    check_whole(pool, LCORE_ID_ANY);

    EF_CHECK_EQ(ef_store_add_core(pool, 1, SOCKET_ID_ANY, 1), 0);
    EF_CHECK(get(pool, 1, 0, 100));
    put(pool, 1, 0, 100);
    EF_CHECK(fx_core_stats(pool, 1).fill <= 1);
    EF_CHECK_EQ(ef_store_add_core(pool, 1, SOCKET_ID_ANY, EF_STORE_MAX), 0);
    check_whole(pool, 1);
    rte_mempool_free(pool);
}

EF_TEST(bad_requests_are_refused)
{
    struct ef_store_core_stats stats;
    struct ef_store_stats shared;
    struct rte_mempool *pool, *other;

    EF_REQUIRE(fx_store_start());
    EF_CHECK_EQ(ef_store_register(), 0);        /* Again: nothing. */
    pool = fx_store_pool(100, 0);
    EF_CHECK_EQ(ef_store_add_core(pool, RTE_MAX_LCORE, 0, 1), EINVAL);
    EF_CHECK_EQ(ef_store_add_core(pool, 0, 0, EF_STORE_MAX + 1), EINVAL);
    EF_CHECK(!ef_store_get_core(pool, 0, &stats));
    EF_CHECK(!ef_store_get_core(pool, LCORE_ID_ANY, &stats));
    ef_store_flush_core(pool, 0);

    other = fx_pool(100, 64);
    EF_CHECK(!ef_store_is_ours(other));
    EF_CHECK_EQ(ef_store_add_core(other, 0, 0, 1), EINVAL);
    EF_CHECK(!ef_store_get_core(other, 0, &stats));
    EF_CHECK_EQ(ef_store_n_puts(other), 0u);
    ef_store_get(other, &shared);
    EF_CHECK_EQ(shared.n_shared, 0u);
    rte_mempool_free(other);
    rte_mempool_free(pool);
}

EF_TEST(flushed_core_keeps_nothing)
{
    struct ef_store_core_stats stats;
    struct rte_mempool *pool;
    struct ef_store_stats shared;

    EF_REQUIRE(fx_store_start());
    pool = fx_store_pool(N, EF_STORE_FRONT);
    ef_store_add_core(pool, 1, SOCKET_ID_ANY, 1024);
    EF_CHECK(get(pool, 1, 0, 700));
    put(pool, 1, 0, 700);
    EF_CHECK(get(pool, 1, 0, BURST));
    put(pool, 1, 0, BURST);
    stats = fx_core_stats(pool, 1);
    EF_CHECK(stats.fill > 0 && stats.front_fill > 0);
    fx_be_lcore(LCORE_ID_ANY);
    ef_store_flush_core(pool, 1);
    stats = fx_core_stats(pool, 1);
    EF_CHECK_EQ(stats.fill, 0u);
    EF_CHECK_EQ(stats.front_fill, 0u);
    ef_store_get(pool, &shared);
    EF_CHECK_EQ(shared.n_shared, N);
    check_whole(pool, LCORE_ID_ANY);
    rte_mempool_free(pool);
}

EF_TEST(puts_are_counted)
{
    struct rte_mempool *pool;
    uint64_t n;

    EF_REQUIRE(fx_store_start());
    pool = fx_store_pool(N, 0);
    ef_store_add_core(pool, 1, SOCKET_ID_ANY, 512);
    n = ef_store_n_puts(pool);
    EF_CHECK(get(pool, 1, 0, 2));
    EF_CHECK_EQ(ef_store_n_puts(pool), n);
    put(pool, 1, 0, 1);
    put(pool, LCORE_ID_ANY, 1, 1);
    EF_CHECK_EQ(ef_store_n_puts(pool), n + 2);
    rte_mempool_free(pool);
}

/* A buffer freed twice is found. */
EF_TEST_MUST_FAIL(twice_is_noticed)
{
    struct rte_mempool *pool;

    EF_REQUIRE(fx_store_start());
    pool = fx_store_pool(1000, 0);
    ef_store_add_core(pool, 1, SOCKET_ID_ANY, 512);
    EF_CHECK(get(pool, 1, 0, 2));
    bufs[1] = bufs[0];
    put(pool, 1, 0, 2);
    check_whole(pool, 1);
    rte_mempool_free(pool);
}
