/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark of the buffer store (dpdk/buffer-store.h) against DPDK's ring.
 *
 *     bench-mempool              both, about a minute
 *     bench-mempool trips        16 threads: trips to what all share, buffers
 *                                of a trip, failed compare-and-swaps
 *     bench-mempool cost         one thread: cycles for each buffer
 *
 * Threads outnumber the cores of a small machine, which then preempts them in
 * the middle of things: counts tell, times do not.  DPDK's ring then comes
 * close to standing still, since each thread waits for those before it to
 * finish; so a run ends after some seconds, and counts are told for a million
 * buffers taken, too. */

#include <config.h>

#include "counted-ring.h"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>

#include "dpdk/buffer-store.h"
#include "ovs-thread.h"
#include "random.h"
#include "util.h"

#define N_THREADS 16
#define BURST 32
#define STORE_SIZE 2048
#define N_BUFS 131071
#define RING_SIZE 1024
#define MAX_HELD 1024

#define N_WARM_UP 4000          /* Bursts of each thread. */
#define N_ROUNDS 100000
#define MAX_S 2                 /* Seconds, of each of the two at most. */

#define N_REPEATS 200
#define COST_BUFS 100000        /* Of each repetition. */

enum pattern {
    SYMMETRIC,                  /* Takes a burst and frees it. */
    SWINGING,                   /* Holds 0 to MAX_HELD at random. */
    PAIRS,                      /* Odd threads free what even ones take. */
};

struct worker {
    struct rte_mempool *pool;
    enum pattern pattern;
    unsigned index;
    struct rte_ring *ring;      /* Of a pair. */
    void *held[MAX_HELD];
    unsigned n_held;
    uint64_t deadline;          /* Cycles. */
    uint64_t n_taken;           /* This and the rest: after warm-up. */
    struct counted_trips trips;
};

static struct ovs_barrier barrier;

static struct rte_mempool *
make_pool(const char *ops, unsigned front)
{
    static int n_pools;
    struct rte_mempool *pool;
    char name[16];

    snprintf(name, sizeof name, "bench%d", n_pools++);
    pool = rte_mempool_create_empty(name, N_BUFS, 64, front, 0, SOCKET_ID_ANY,
                                    0);
    if (!pool || rte_mempool_set_ops_byname(pool, ops, NULL)
        || rte_mempool_populate_default(pool) != N_BUFS) {
        ovs_fatal(rte_errno, "no pool");
    }
    return pool;
}

/* Trips. */

static void
read_trips(const struct rte_mempool *pool, struct counted_trips *trips)
{
    struct ef_store_core_stats stats;

    if (!ef_store_get_core(pool, rte_lcore_id(), &stats)) {
        *trips = *counted_mine();
        return;
    }
    trips->n_gets = stats.n_refills + stats.n_empty;
    trips->n_puts = stats.n_flushes;
    trips->n_bufs_got = stats.n_refill_bufs;
    trips->n_bufs_put = stats.n_flush_bufs;
    trips->n_retries = stats.n_retries;
}

static bool
is_late(const struct worker *w)
{
    return rte_rdtsc() >= w->deadline;
}

/* These return false if time ran out. */

static bool
take(struct worker *w)
{
    while (rte_mempool_get_bulk(w->pool, &w->held[w->n_held], BURST)) {
        if (is_late(w)) {
            return false;
        }
        sched_yield();
    }
    w->n_held += BURST;
    w->n_taken += BURST;
    return true;
}

static void
give(struct worker *w)
{
    w->n_held -= BURST;
    rte_mempool_put_bulk(w->pool, &w->held[w->n_held], BURST);
}

static bool
hand_over(struct worker *w)
{
    w->n_held -= BURST;
    while (!rte_ring_sp_enqueue_bulk(w->ring, &w->held[w->n_held], BURST,
                                     NULL)) {
        if (is_late(w)) {
            w->n_held += BURST;
            return false;
        }
        sched_yield();
    }
    return true;
}

static bool
receive(struct worker *w)
{
    while (!rte_ring_sc_dequeue_bulk(w->ring, &w->held[w->n_held], BURST,
                                     NULL)) {
        if (is_late(w)) {
            return false;
        }
        sched_yield();
    }
    w->n_held += BURST;
    return true;
}

static bool
work(struct worker *w)
{
    bool ok;

    if (w->pattern == PAIRS && !(w->index % 2)) {
        return take(w) && hand_over(w);
    } else if (w->pattern == SWINGING) {
        if (!w->n_held || (w->n_held < MAX_HELD && random_range(2))) {
            return take(w);
        }
        ok = true;
    } else {
        ok = w->pattern == PAIRS ? receive(w) : take(w);
    }
    if (ok) {
        give(w);
    }
    return ok;
}

static void
work_rounds(struct worker *w, int n)
{
    w->deadline = rte_rdtsc() + MAX_S * rte_get_tsc_hz();
    for (int i = 0; i < n && !is_late(w) && work(w); i++) {
        continue;
    }
}

static void
add_store(struct rte_mempool *pool)
{
    static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;

    if (ef_store_is_ours(pool)) {
        ovs_mutex_lock(&mutex);
        if (ef_store_add_core(pool, rte_lcore_id(), SOCKET_ID_ANY,
                              STORE_SIZE)) {
            ovs_fatal(0, "no store");
        }
        ovs_mutex_unlock(&mutex);
    }
}

static void *
worker_main(void *w_)
{
    struct worker *w = w_;
    struct counted_trips before, after;

    if (rte_thread_register()) {
        ovs_fatal(rte_errno, "no lcore");
    }
    add_store(w->pool);
    work_rounds(w, N_WARM_UP);
    ovs_barrier_block(&barrier);
    read_trips(w->pool, &before);
    w->n_taken = 0;
    work_rounds(w, N_ROUNDS);
    read_trips(w->pool, &after);
    w->trips.n_gets = after.n_gets - before.n_gets;
    w->trips.n_puts = after.n_puts - before.n_puts;
    w->trips.n_bufs_got = after.n_bufs_got - before.n_bufs_got;
    w->trips.n_bufs_put = after.n_bufs_put - before.n_bufs_put;
    w->trips.n_retries = after.n_retries - before.n_retries;
    if (w->n_held) {
        rte_mempool_put_bulk(w->pool, w->held, w->n_held);
    }
    rte_thread_unregister();
    return NULL;
}

static struct rte_ring *
make_ring(int i)
{
    struct rte_ring *ring;
    char name[16];

    snprintf(name, sizeof name, "pair%d", i);
    ring = rte_ring_create(name, RING_SIZE, SOCKET_ID_ANY,
                           RING_F_SP_ENQ | RING_F_SC_DEQ);
    if (!ring) {
        ovs_fatal(rte_errno, "no ring");
    }
    return ring;
}

static void
add_trips(struct counted_trips *sum, const struct counted_trips *trips)
{
    sum->n_gets += trips->n_gets;
    sum->n_puts += trips->n_puts;
    sum->n_bufs_got += trips->n_bufs_got;
    sum->n_bufs_put += trips->n_bufs_put;
    sum->n_retries += trips->n_retries;
}

static void
print_trips(const char *ops, unsigned front, uint64_t n_taken,
            const struct counted_trips *t)
{
    double m_taken = MAX(n_taken, 1) / 1e6;

    printf("  %-18s %4u %7.2f %8"PRIu64" %6.1f %8"PRIu64" %6.1f %8"PRIu64
           " %9.1f %9.1f\n", ops, front, m_taken,
           t->n_gets, t->n_gets ? (double) t->n_bufs_got / t->n_gets : 0,
           t->n_puts, t->n_puts ? (double) t->n_bufs_put / t->n_puts : 0,
           t->n_retries, (t->n_gets + t->n_puts) / m_taken,
           t->n_retries / m_taken);
    fflush(stdout);
}

static void
run_pattern(enum pattern pattern, const char *ops, unsigned front)
{
    struct worker *workers = xcalloc(N_THREADS, sizeof *workers);
    struct counted_trips sum = { .n_gets = 0 };
    struct rte_mempool *pool = make_pool(ops, front);
    uint64_t n_taken = 0;
    pthread_t threads[N_THREADS];

    ovs_barrier_init(&barrier, N_THREADS);
    for (int i = 0; i < N_THREADS; i++) {
        struct worker *w = &workers[i];

        w->pool = pool;
        w->pattern = pattern;
        w->index = i;
        w->ring = i % 2 ? workers[i - 1].ring : make_ring(i);
        threads[i] = ovs_thread_create("worker", worker_main, w);
    }
    for (int i = 0; i < N_THREADS; i++) {
        xpthread_join(threads[i], NULL);
        add_trips(&sum, &workers[i].trips);
        n_taken += workers[i].n_taken;
    }
    for (int i = 0; i < N_THREADS; i += 2) {
        rte_ring_free(workers[i].ring);
    }
    ovs_barrier_destroy(&barrier);
    print_trips(ops, front, n_taken, &sum);
    rte_mempool_free(pool);
    free(workers);
}

static void
measure_trips(void)
{
    static const char *const names[] = {
        "each takes 32, frees 32",
        "each holds 0 to 1024, at random",
        "one takes 32, another frees them",
    };

    for (enum pattern p = SYMMETRIC; p <= PAIRS; p++) {
        printf("%d threads, %s (in millions):\n"
               "  handler           cache   taken  refills   bufs  flushes   "
               "bufs   failed   trips/M  failed/M\n", N_THREADS, names[p]);
        run_pattern(p, counted_ops.name, 0);
        run_pattern(p, counted_ops.name, 256);
        run_pattern(p, counted_ops.name, 512);
        run_pattern(p, EF_STORE_OPS, EF_STORE_FRONT);
    }
}

/* Cost. */

/* Takes 'n_bursts' bursts and frees them, one by one or in bursts. */
static inline void
cost_round(struct rte_mempool *pool, unsigned n_bursts, bool bulk)
{
    void *bufs[MAX_HELD];

    for (unsigned i = 0; i < n_bursts; i++) {
        if (rte_mempool_get_bulk(pool, bufs + i * BURST, BURST)) {
            ovs_fatal(0, "no buffers");
        }
    }
    for (unsigned i = 0; i < n_bursts; i++) {
        if (bulk) {
            rte_mempool_put_bulk(pool, bufs + i * BURST, BURST);
        } else {
            for (unsigned j = 0; j < BURST; j++) {
                rte_mempool_put(pool, bufs[i * BURST + j]);
            }
        }
    }
}

static double
measure_cycles(struct rte_mempool *pool, unsigned n_bursts, bool bulk)
{
    unsigned n_rounds = COST_BUFS / (n_bursts * BURST);
    uint64_t start = rte_rdtsc_precise();

    for (unsigned i = 0; i < n_rounds; i++) {
        cost_round(pool, n_bursts, bulk);
    }
    return ((double) (rte_rdtsc_precise() - start)
            / ((double) n_rounds * n_bursts * BURST));
}

struct candidate {
    const char *ops;
    unsigned front;
    struct rte_mempool *pool;
    double best[6];             /* Cycles of each column. */
};

/* Least of the repetitions, which take turns. */
static void
measure_cost(void)
{
    static const unsigned n_bursts[] = { 1, 8, 32 };
    struct candidate candidates[] = {
        { .ops = "ring_mp_mc", .front = 512 },
        { .ops = EF_STORE_OPS, .front = 0 },
        { .ops = EF_STORE_OPS, .front = 32 },
        { .ops = EF_STORE_OPS, .front = 64 },
        { .ops = EF_STORE_OPS, .front = 128 },
        { .ops = EF_STORE_OPS, .front = 256 },
        { .ops = EF_STORE_OPS, .front = 512 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(candidates); i++) {
        candidates[i].pool = make_pool(candidates[i].ops, candidates[i].front);
        add_store(candidates[i].pool);
    }
    for (int r = 0; r < N_REPEATS; r++) {
        for (size_t i = 0; i < ARRAY_SIZE(candidates); i++) {
            struct candidate *c = &candidates[i];

            for (int column = 0; column < 6; column++) {
                double cycles = measure_cycles(c->pool, n_bursts[column / 2],
                                               column % 2);

                c->best[column] = (r ? MIN(c->best[column], cycles)
                                   : cycles);
            }
        }
    }

    printf("One thread, cycles for each buffer (least of %d):\n"
           "  taken at once            32          256         1024\n"
           "  freed                1      32     1      32     1      32\n",
           N_REPEATS);
    for (size_t i = 0; i < ARRAY_SIZE(candidates); i++) {
        const struct candidate *c = &candidates[i];

        printf("  %-10s %5u", c->ops, c->front);
        for (int column = 0; column < 6; column++) {
            printf(" %6.2f", c->best[column]);
        }
        printf("\n");
        rte_mempool_free(c->pool);
    }
}

int
main(int argc, char *argv[])
{
    char *eal[] = { argv[0], "--no-huge", "--no-pci", "--no-telemetry", "-m",
                    "512", "--no-shconf", "--lcores", "0", "--log-level",
                    "lib.eal:error", NULL };
    const char *what = argc > 1 ? argv[1] : "";
    cpu_set_t cpus;

    set_program_name(argv[0]);
    sched_getaffinity(0, sizeof cpus, &cpus);
    if (rte_eal_init(ARRAY_SIZE(eal) - 1, eal) < 0
        || rte_mempool_register_ops(&counted_ops) < 0
        || ef_store_register()) {
        ovs_fatal(rte_errno, "DPDK does not start");
    }
    if (strcmp(what, "trips")) {
        measure_cost();
    }
    if (strcmp(what, "cost")) {
        /* DPDK has pinned this thread, whose place its threads inherit. */
        sched_setaffinity(0, sizeof cpus, &cpus);
        measure_trips();
    }
    return 0;
}
