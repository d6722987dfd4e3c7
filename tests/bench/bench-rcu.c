/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark of lib/rcu: what readers pay, how long grace periods take, how
 * fast postponed calls run, and what happens when a reader is held.
 *
 *     bench-rcu                      all of it, about a minute
 *     bench-rcu SECTION [NUMBER]     one: read, read-changing, grace, reclaim,
 *                                    wake, held
 *
 * "bench-rcu-peer" is the same program on the package's ovs-rcu, with readers
 * that pass quiescent states as its PMD threads do.  Each measurement is a
 * process of its own.  Readers have the last processors, all others the first.
 */

#include <config.h>

#include "ovs-rcu.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "openvswitch/vlog.h"
#include "ovs-thread.h"
#include "util.h"

#ifndef BENCH_RCU_PEER
#include "rcu/call-stats.h"
#include "rcu/deferral.h"
#include "rcu/rcu.h"
#include "rcu/reclaimer.h"
#endif

/* Work of a reader between two quiescent states, if it passes one after each
 * batch. */
#define BATCH_NS 5000
/* Calls that a producer postpones between two quiescent states. */
#define BURST 100
#define N_READ 20000000
#define N_RECLAIM 2000000
#define N_WAKES 1000
#define GRACE_S 4
#define HOLD_S 4
#define OBJECT_SIZE 192

static uint64_t
now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

static char *
new_object(void)
{
    return xmalloc(OBJECT_SIZE);
}

static void
sleep_ms(unsigned ms)
{
    struct timespec duration = { ms / 1000, ms % 1000 * 1000000L };

    nanosleep(&duration, NULL);
}

static void
move_to_cpu(int cpu)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

/* --- What differs -------------------------------------------------------- */

#ifdef BENCH_RCU_PEER
/* Loops over all queues between two quiescent states. */
#define PEER_LOOPS 1024

struct self {
    unsigned n_batches;
};

static void
self_init(struct self *self)
{
    self->n_batches = 0;
}

static void
pass_batch(struct self *self, unsigned n_queues)
{
    if (++self->n_batches >= PEER_LOOPS * n_queues
        && !ovsrcu_try_quiesce()) {
        self->n_batches = 0;
    }
}

static void
change_epoch(void)
{
}

static void
tell_rcu(void)
{
}
#else
struct self {
    struct ef_rcu_thread *thread;
};

static void
self_init(struct self *self)
{
    ef_rcu_set_pmd();
    self->thread = ef_rcu_self();
}

static inline void
pass_batch(struct self *self, unsigned n_queues OVS_UNUSED)
{
    ef_rcu_quiesce_batch(self->thread);
}

static void
change_epoch(void)
{
    ef_rcu_epoch_advance();
}

static void
tell_rcu(void)
{
    struct ef_rcu_reclaimer_stats reclaimer;
    struct ef_rcu_thread_info *threads;
    struct ef_rcu_grace_stats grace;
    struct ef_rcu_pending pending;
    size_t n;

    ef_rcu_get_grace_stats(&grace);
    printf("    periods %"PRIu64": p50 %"PRIu64" p99 %"PRIu64" max %"PRIu64
           " us; until PMDs passed: p50 %"PRIu64" p99 %"PRIu64" max %"PRIu64
           " us; late reports %"PRIu64"\n",
           grace.n, grace.p50_us, grace.p99_us, grace.max_us,
           grace.pmd_p50_us, grace.pmd_p99_us, grace.pmd_max_us,
           grace.n_stalls);

    ef_rcu_get_reclaimer_stats(&reclaimer);
    ef_rcu_get_pending(&pending);
    printf("    reclaimer: %"PRIu64" chunks in %"PRIu64" periods, %"PRIu64
           " slices, mean %"PRIu64" max %"PRIu64" us; most pending %"PRIu64
           " calls, %"PRIu64" kB\n",
           reclaimer.n_chunks, reclaimer.n_periods, reclaimer.n_slices,
           reclaimer.busy_us / MAX(reclaimer.n_slices, 1),
           reclaimer.max_slice_us, pending.max_n, pending.max_bytes / 1000);

    n = ef_rcu_get_threads(&threads);
    for (size_t i = 0; i < n; i++) {
        const struct ef_rcu_thread_info *t = &threads[i];

        if (t->n_paced || t->delays.n_stalls) {
            printf("    %s: slowed %"PRIu64" times, %"PRIu64" ms in all; "
                   "reported as late %"PRIu64" times\n", t->name,
                   t->n_paced, t->paced_us / 1000, t->delays.n_stalls);
        }
    }
    free(threads);
}
#endif

/* --- Readers ------------------------------------------------------------- */

struct reader {
    pthread_t thread;
    int cpu;
    unsigned n_queues;
    atomic_int tid;
    atomic_bool stop;
};

static void *
reader_main(void *reader_)
{
    struct reader *reader = reader_;
    struct self self;
    bool stop = false;

    move_to_cpu(reader->cpu);
    self_init(&self);
    ovsrcu_quiesce_end();
    atomic_store(&reader->tid, syscall(SYS_gettid));
    while (!stop) {
        uint64_t until_ns = now_ns() + BATCH_NS;

        while (now_ns() < until_ns) {
            continue;
        }
        pass_batch(&self, reader->n_queues);
        atomic_read_relaxed(&reader->stop, &stop);
    }
    return NULL;
}

static void
start_readers(struct reader *readers, int n, unsigned n_queues)
{
    for (int i = 0; i < n; i++) {
        struct reader *reader = &readers[i];
        int tid = 0;

        reader->cpu = count_cpu_cores() - 1 - i;
        reader->n_queues = n_queues;
        atomic_init(&reader->tid, 0);
        atomic_init(&reader->stop, false);
        reader->thread = ovs_thread_create("pmd-", reader_main, reader);
        while (!tid) {
            sleep_ms(1);
            atomic_read(&reader->tid, &tid);
        }
    }
}

static void
stop_readers(struct reader *readers, int n)
{
    for (int i = 0; i < n; i++) {
        atomic_store(&readers[i].stop, true);
        ovsrcu_quiesce_start();
        xpthread_join(readers[i].thread, NULL);
        ovsrcu_quiesce_end();
    }
}

/* Busy readers: a processor each, but for the first. */
static int
n_readers(void)
{
    int n = count_cpu_cores() - 1;

    return MIN(MAX(n, 1), 8);
}

/* --- Sections ------------------------------------------------------------ */

static void *
idle_main(void *arg OVS_UNUSED)
{
    ovsrcu_quiesce_start();
    sleep_ms(1000 * 1000);
    return NULL;
}

/* A process with one thread takes shortcuts. */
static void
be_multithreaded(void)
{
    ovs_thread_create("idle", idle_main, NULL);
}

static void
read_side(unsigned n, bool changing)
{
    struct self self;
    uint64_t ns;

    be_multithreaded();
    self_init(&self);
    ovsrcu_quiesce_end();
    ns = now_ns();
    if (changing) {
        for (unsigned i = 0; i < n; i++) {
            change_epoch();
            pass_batch(&self, 1);
        }
    } else {
        for (unsigned i = 0; i < n; i++) {
            pass_batch(&self, 1);
        }
    }
    ns = now_ns() - ns;
    printf("read side%s: %.2f ns a batch\n",
           changing ? ", epoch changed by this thread before each batch" : "",
           (double) ns / n);
}

static int
compare_u64(const void *a_, const void *b_)
{
    const uint64_t *a = a_;
    const uint64_t *b = b_;

    return *a < *b ? -1 : *a > *b;
}

static void
tell_durations(const char *what, uint64_t *ns, size_t n)
{
    if (!n) {
        printf("%s: none\n", what);
        return;
    }
    qsort(ns, n, sizeof *ns, compare_u64);
    printf("%s: %"PRIuSIZE" times, p50 %.0f p99 %.0f max %.0f us\n", what, n,
           ns[n / 2] / 1e3, ns[n * 99 / 100] / 1e3, ns[n - 1] / 1e3);
}

static void
grace_periods(unsigned n_queues)
{
    enum { MAX_PERIODS = 100000 };
    uint64_t *ns = xmalloc(MAX_PERIODS * sizeof *ns);
    uint64_t until_ns = now_ns() + GRACE_S * UINT64_C(1000000000);
    struct reader readers[8];
    char title[80];
    size_t n = 0;

    start_readers(readers, n_readers(), n_queues);
    while (now_ns() < until_ns && n < MAX_PERIODS) {
        uint64_t began_ns = now_ns();

        ovsrcu_synchronize();
        ns[n++] = now_ns() - began_ns;
    }
    stop_readers(readers, n_readers());

    snprintf(title, sizeof title, "grace period, %d readers, %u queues of %d "
             "us", n_readers(), n_queues, BATCH_NS / 1000);
    tell_durations(title, ns, n);
    tell_rcu();
    free(ns);
}

static void
do_little(void *counter_)
{
    uint64_t *counter = counter_;

    ++*counter;
}

static void
reclaim(unsigned n, bool with_free)
{
    uint64_t began_ns, postponed_ns, all_ns;
    struct reader readers[8];
    uint64_t counter = 0;

    start_readers(readers, n_readers(), 8);
    began_ns = now_ns();
    for (unsigned i = 0; i < n; i++) {
        if (with_free) {
            ovsrcu_postpone(free, new_object());
        } else {
            ovsrcu_postpone(do_little, &counter);
        }
        if (i % BURST == BURST - 1) {
            ovsrcu_quiesce();
        }
    }
    postponed_ns = now_ns() - began_ns;
    ovsrcu_barrier();
    all_ns = now_ns() - began_ns;
    stop_readers(readers, n_readers());

    printf("%s: %u calls, postponed in %.0f ms, run after %.0f ms: %.2f M/s\n",
           with_free ? "free()" : "another function", n, postponed_ns / 1e6,
           all_ns / 1e6, n / (all_ns / 1e3));
    tell_rcu();
}

static void
store_now(void *when_)
{
    atomic_uint64_t *when = when_;

    atomic_store(when, now_ns());
}

/* From a lone postponement to its call. */
static void
wake(void)
{
    uint64_t ns[N_WAKES];
    struct reader readers[8];

    start_readers(readers, n_readers(), 8);
    for (int i = 0; i < N_WAKES; i++) {
        uint64_t began_ns = now_ns();
        atomic_uint64_t when;
        uint64_t ran_ns = 0;

        atomic_init(&when, 0);
        ovsrcu_postpone(store_now, &when);
        ovsrcu_quiesce_start();
        while (!ran_ns) {
            sleep_ms(1);
            atomic_read(&when, &ran_ns);
        }
        ovsrcu_quiesce_end();
        ns[i] = ran_ns - began_ns;
    }
    stop_readers(readers, n_readers());
    tell_durations("from postponing one call to its run", ns, N_WAKES);
    tell_rcu();
}

/* --- A reader that a debugger holds -------------------------------------- */

/* Produces for 'seconds'. */
static void
produce(unsigned seconds, const char *when)
{
    uint64_t until_ns = now_ns() + seconds * UINT64_C(1000000000);
    unsigned n = 0;

    while (now_ns() < until_ns) {
        for (int i = 0; i < BURST; i++) {
            ovsrcu_postpone(free, new_object());
        }
        ovsrcu_quiesce();
        n += BURST;
    }
    printf("  %s: %u calls/s postponed\n", when, n / seconds);
    fflush(stdout);
}

/* Tells the parent, which holds and frees the reader, when to. */
static void
held_child(int to_parent, int from_parent)
{
    struct reader reader;
    int tid;
    char c = 0;

    start_readers(&reader, 1, 8);
    produce(1, "before");
    tell_rcu();
    atomic_read(&reader.tid, &tid);
    ignore(write(to_parent, &tid, sizeof tid));
    ignore(read(from_parent, &c, 1));
    produce(HOLD_S, "held");
    tell_rcu();
    ignore(write(to_parent, &tid, sizeof tid));
    ignore(read(from_parent, &c, 1));
    produce(1, "after");
    ovsrcu_barrier();
    tell_rcu();
    stop_readers(&reader, 1);
}

static void
held(void)
{
    int up[2], down[2];
    int status, tid;
    pid_t child;

    printf("a reader is held for %d s\n", HOLD_S);
    fflush(stdout);
    if (pipe(up) || pipe(down)) {
        ovs_fatal(errno, "pipe");
    }
    child = fork();
    if (!child) {
        vlog_set_levels(NULL, VLF_CONSOLE, VLL_INFO);
        held_child(up[1], down[0]);
        exit(EXIT_SUCCESS);
    }
    if (read(up[0], &tid, sizeof tid) != sizeof tid
        || ptrace(PTRACE_SEIZE, tid, NULL, NULL)
        || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL)
        || waitpid(tid, &status, __WALL) != tid) {
        ovs_error(errno, "cannot hold a thread (ptrace)");
        _exit(EXIT_FAILURE);
    }
    ignore(write(down[1], "", 1));
    ignore(read(up[0], &tid, sizeof tid));
    ptrace(PTRACE_DETACH, tid, NULL, NULL);
    ignore(write(down[1], "", 1));
    waitpid(child, &status, 0);
}

/* --- All of them --------------------------------------------------------- */

/* Returns false if there is no such section. */
static bool
run_section(const char *name, unsigned number)
{
    if (!strcmp(name, "read")) {
        read_side(number ? number : N_READ, false);
    } else if (!strcmp(name, "read-changing")) {
        read_side(number ? number : N_READ, true);
    } else if (!strcmp(name, "grace")) {
        grace_periods(number ? number : 8);
    } else if (!strcmp(name, "reclaim")) {
        reclaim(number ? number : N_RECLAIM, true);
    } else if (!strcmp(name, "reclaim-other")) {
        reclaim(number ? number : N_RECLAIM, false);
    } else if (!strcmp(name, "wake")) {
        wake();
    } else if (!strcmp(name, "held")) {
        held();
    } else {
        return false;
    }
    return true;
}

static void
run_apart(const char *name, unsigned number)
{
    int status;
    pid_t child = fork();

    if (!child) {
        run_section(name, number);
        fflush(stdout);
        _exit(EXIT_SUCCESS);
    }
    waitpid(child, &status, 0);
}

int
main(int argc, char *argv[])
{
    static const struct {
        const char *name;
        unsigned number;
    } all[] = {
        { "read", 0 }, { "read-changing", 0 },
        { "grace", 1 }, { "grace", 8 }, { "grace", 200 },
        { "reclaim", 0 }, { "reclaim-other", 0 }, { "wake", 0 }, { "held", 0 },
    };

    set_program_name(argv[0]);
    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    vlog_set_levels(NULL, VLF_SYSLOG, VLL_OFF);
    move_to_cpu(0);
    if (argc > 1) {
        if (!run_section(argv[1], argc > 2 ? strtoul(argv[2], NULL, 10) : 0)) {
            ovs_fatal(0, "%s: no such section", argv[1]);
        }
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        run_apart(all[i].name, all[i].number);
    }
    return EXIT_SUCCESS;
}
