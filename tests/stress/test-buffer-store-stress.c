/* SPDX-License-Identifier: Apache-2.0 */

/* Threads with and without stores on one pool:
 *
 *     takers --- ring of each --- freers     (asymmetric, in pairs)
 *     some that take and free, swinging      (symmetric)
 *     some without an lcore                  (odd portions)
 *     main: resizes stores, counts
 *
 * Each buffer is stamped by who takes it, so that one which two have shows; at
 * the end all are home, once.  Then two facts that the store is there for:
 * symmetric traffic makes no trip, asymmetric traffic one for a bulk. */

#include <config.h>

#include "dpdk/buffer-store.h"

#include "ef-test.h"
#include "ovs-thread.h"
#include "store-fixture.h"
#include "timeval.h"

#define N_THREADS 8
#define N_BUFS 16383
#define BURST 32
#define MAX_HELD 1024
#define SIZE 2048
#define QUEUE 1024

enum role { TAKER, FREER, SWINGER, STRANGER };

struct worker {
    struct rte_mempool *pool;
    enum role role;
    struct worker *peer;        /* Of a freer: whose buffers. */
    uint64_t n_rounds;          /* 0: until 'must_stop'. */

    /* A taker's, to its freer. */
    ATOMIC(void *) queue[QUEUE];
    atomic_uint head, tail;

    void *held[MAX_HELD];
    unsigned n_held;
    unsigned lcore;
    struct ef_store_core_stats before, after;   /* Second half of rounds. */
};

static atomic_bool must_stop;

/* Objects: number, and whether somebody has it. */
static void
stamp(void *const *bufs, unsigned n, bool take)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned *is_taken = (unsigned *) bufs[i] + 1;

        EF_CHECK_EQ(*is_taken, take ? 0u : 1u);
        *is_taken = take;
    }
}

static bool
take(struct worker *w, unsigned n)
{
    void **bufs = &w->held[w->n_held];

    if (rte_mempool_get_bulk(w->pool, bufs, n)) {
        sched_yield();
        return false;
    }
    stamp(bufs, n, true);
    w->n_held += n;
    return true;
}

static void
give(struct worker *w, unsigned n)
{
    w->n_held -= n;
    stamp(&w->held[w->n_held], n, false);
    rte_mempool_put_bulk(w->pool, &w->held[w->n_held], n);
}

/* One writer of 'head', one of 'tail'; ThreadSanitizer sees their order, which
 * it would not in DPDK's ring. */
static bool
hand_over(struct worker *w)
{
    unsigned head, tail;

    atomic_read_relaxed(&w->head, &head);
    atomic_read_explicit(&w->tail, &tail, memory_order_acquire);
    if (head - tail > QUEUE - BURST) {
        sched_yield();
        return false;
    }
    for (unsigned i = 0; i < BURST; i++) {
        atomic_store_relaxed(&w->queue[(head + i) % QUEUE],
                             w->held[--w->n_held]);
    }
    atomic_store_explicit(&w->head, head + BURST, memory_order_release);
    return true;
}

static bool
receive(struct worker *w)
{
    struct worker *from = w->peer;
    unsigned head, tail;

    atomic_read_relaxed(&from->tail, &tail);
    atomic_read_explicit(&from->head, &head, memory_order_acquire);
    if (head == tail) {
        sched_yield();
        return false;
    }
    for (unsigned i = 0; i < BURST; i++) {
        atomic_read_relaxed(&from->queue[(tail + i) % QUEUE],
                            &w->held[w->n_held++]);
    }
    atomic_store_explicit(&from->tail, tail + BURST, memory_order_release);
    return true;
}

/* Returns false if there was nothing to do. */
static bool
work(struct worker *w)
{
    unsigned n;

    switch (w->role) {
    case TAKER:
        return (w->n_held || take(w, BURST)) && hand_over(w);
    case FREER:
        if (!receive(w)) {
            return false;
        }
        give(w, BURST);
        return true;
    case SWINGER:
        if (!w->n_held || (w->n_held < MAX_HELD && random_range(2))) {
            return take(w, BURST);
        }
        give(w, BURST);
        return true;
    case STRANGER:
        n = 1 + random_range(100);
        if (w->n_held < MAX_HELD - 100 && random_range(2)) {
            return take(w, n);
        }
        give(w, MIN(n, w->n_held));
        return true;
    }
    return true;
}

static void
run_rounds(struct worker *w, uint64_t n)
{
    bool stop = false;

    for (uint64_t i = 0; i < n; ) {
        i += work(w);
    }
    while (!n && !stop) {
        work(w);
        atomic_read_relaxed(&must_stop, &stop);
    }
}

static void *
worker_main(void *w_)
{
    static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;
    struct worker *w = w_;

    if (w->role != STRANGER) {
        EF_CHECK(!rte_thread_register());
        w->lcore = rte_lcore_id();
        ovs_mutex_lock(&mutex);
        EF_CHECK_EQ(ef_store_add_core(w->pool, w->lcore, SOCKET_ID_ANY, SIZE),
                    0);
        ovs_mutex_unlock(&mutex);
    }
    run_rounds(w, w->n_rounds / 2);
    w->before = fx_core_stats(w->pool, w->lcore);
    if (w->n_rounds) {
        run_rounds(w, w->n_rounds - w->n_rounds / 2);
    }
    w->after = fx_core_stats(w->pool, w->lcore);
    if (w->n_held) {
        give(w, w->n_held);
    }
    if (w->role != STRANGER) {
        ef_store_flush_core(w->pool, w->lcore);
        rte_thread_unregister();
    }
    return NULL;
}

static void
start(struct worker *w, struct rte_mempool *pool, enum role role,
      uint64_t n_rounds, pthread_t *thread)
{
    w->pool = pool;
    w->role = role;
    w->n_rounds = n_rounds;
    w->peer = w - 1;
    w->lcore = LCORE_ID_ANY;
    *thread = ovs_thread_create("worker", worker_main, w);
}

/* What takers left in their queues. */
static void
drain(struct worker *workers)
{
    for (int i = 1; i < N_THREADS; i++) {
        struct worker *w = &workers[i];

        while (w->role == FREER && receive(w)) {
            give(w, BURST);
        }
    }
}

static void
check_all_home(struct rte_mempool *pool)
{
    static void *all[N_BUFS];
    struct ef_store_stats stats;

    ef_store_get(pool, &stats);
    EF_CHECK_EQ(stats.n_shared, N_BUFS);
    EF_CHECK_EQ(rte_mempool_avail_count(pool), N_BUFS);
    EF_REQUIRE(!rte_mempool_get_bulk(pool, all, N_BUFS));
    stamp(all, N_BUFS, true);
    rte_mempool_put_bulk(pool, all, N_BUFS);
}

static void
resize_and_count(struct rte_mempool *pool, long long end)
{
    while (time_msec() < end) {
        struct ef_store_core_stats stats;
        unsigned lcore = random_range(RTE_MAX_LCORE);

        if (ef_store_get_core(pool, lcore, &stats)) {
            EF_CHECK(stats.fill <= EF_STORE_MAX);
            ef_store_add_core(pool, lcore, SOCKET_ID_ANY,
                              random_range(2) ? SIZE : random_range(600));
        }
        EF_CHECK(rte_mempool_avail_count(pool) <= N_BUFS);
        ef_store_n_puts(pool);
    }
}

EF_TEST(each_buffer_has_one_owner)
{
    static const enum role roles[N_THREADS] = {
        TAKER, FREER, TAKER, FREER, SWINGER, SWINGER, STRANGER, STRANGER
    };
    static struct worker workers[N_THREADS];
    pthread_t threads[N_THREADS];
    struct rte_mempool *pool;

    EF_REQUIRE(fx_store_start());
    fx_be_lcore(LCORE_ID_ANY);
    pool = fx_store_pool(N_BUFS, EF_STORE_FRONT);
    atomic_store_relaxed(&must_stop, false);
    for (int i = 0; i < N_THREADS; i++) {
        start(&workers[i], pool, roles[i], 0, &threads[i]);
    }
    resize_and_count(pool, time_msec() + 1000 * ef_test_seconds(2));
    atomic_store_relaxed(&must_stop, true);
    for (int i = 0; i < N_THREADS; i++) {
        xpthread_join(threads[i], NULL);
    }
    drain(workers);
    check_all_home(pool);
    rte_mempool_free(pool);
}

/* 'n' threads of these roles; no one else. */
static void
run_facts(struct worker *workers, int n, enum role even, enum role odd)
{
    struct rte_mempool *pool;
    pthread_t threads[N_THREADS];

    fx_be_lcore(LCORE_ID_ANY);
    pool = fx_store_pool(N_BUFS, EF_STORE_FRONT);
    for (int i = 0; i < n; i++) {
        start(&workers[i], pool, i % 2 ? odd : even, 20000, &threads[i]);
    }
    for (int i = 0; i < n; i++) {
        xpthread_join(threads[i], NULL);
    }
    check_all_home(pool);
    rte_mempool_free(pool);
}

EF_TEST(symmetric_threads_make_no_trip)
{
    static struct worker workers[N_THREADS];

    EF_REQUIRE(fx_store_start());
    run_facts(workers, 6, SWINGER, SWINGER);
    for (int i = 0; i < 6; i++) {
        const struct worker *w = &workers[i];

        EF_CHECK_EQ(w->after.n_refills, w->before.n_refills);
        EF_CHECK_EQ(w->after.n_flushes, w->before.n_flushes);
        EF_CHECK_EQ(w->after.n_empty, 0u);
    }
}

EF_TEST(pairs_make_a_trip_for_each_bulk)
{
    static struct worker workers[N_THREADS];

    EF_REQUIRE(fx_store_start());
    run_facts(workers, 6, TAKER, FREER);
    for (int i = 0; i < 6; i++) {
        const struct ef_store_core_stats *a = &workers[i].before;
        const struct ef_store_core_stats *b = &workers[i].after;
        uint64_t n_trips = (b->n_refills - a->n_refills
                            + b->n_flushes - a->n_flushes
                            + b->n_empty - a->n_empty);
        uint64_t n_bufs = (b->n_refill_bufs - a->n_refill_bufs
                           + b->n_flush_bufs - a->n_flush_bufs);

        EF_CHECK(n_trips > 0);
        EF_CHECK_EQ(n_bufs, n_trips * EF_STORE_BULK);
    }
}
