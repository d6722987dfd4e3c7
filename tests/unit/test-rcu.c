/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of rcu/epoch.h, registry.c, deferral.c, reclaimer.c and ovs-rcu.c:
 * what a grace period waits for, and when and in which order postponed calls
 * run. */

#include <config.h>

#include "rcu/rcu.h"

#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "ef-test.h"
#include "rcu-fixture.h"
#include "rcu/reclaimer.h"

/* More than two of the largest chunks. */
#define N_MANY 1000

/* --- What postponed calls leave behind ----------------------------------- */

/* Calls run one at a time, so they alone write these. */
static atomic_uint n_run = ATOMIC_VAR_INIT(0);
static unsigned order[N_MANY];

static unsigned
get_n_run(void)
{
    unsigned n;

    /* Acquire: pairs with the release of set_n_run(), as for 'order'. */
    atomic_read_explicit(&n_run, &n, memory_order_acquire);
    return n;
}

static void
set_n_run(unsigned n)
{
    atomic_store_explicit(&n_run, n, memory_order_release);
}

static void
note_run(void *number)
{
    unsigned i = get_n_run();

    if (i < N_MANY) {
        order[i] = (uintptr_t) number;
    }
    set_n_run(i + 1);
}

static void
postpone_number(unsigned number)
{
    ovsrcu_postpone__(note_run, (void *) (uintptr_t) number);
}

static void
postpone_step(void *n_)
{
    unsigned *n = n_;

    for (unsigned i = 0; i < *n; i++) {
        postpone_number(i);
    }
}

static void
start_over(void)
{
    ovsrcu_barrier();
    set_n_run(0);
}

static void
check_order(unsigned n)
{
    EF_CHECK_EQ(get_n_run(), n);
    for (unsigned i = 0; i < MIN(n, N_MANY); i++) {
        EF_REQUIRE_EQ(order[i], i);
    }
}

/* --- One thread: before any other was created ---------------------------- */

EF_TEST(single_thread_runs_its_own)
{
    EF_REQUIRE(single_threaded());
    set_n_run(0);
    postpone_number(0);
    postpone_number(1);
    EF_CHECK_EQ(get_n_run(), 0);
    ovsrcu_quiesce();
    check_order(2);
    postpone_number(2);
    ovsrcu_synchronize();
    ovsrcu_barrier();
    check_order(3);
    postpone_number(3);
    ovsrcu_quiesce_start();
    check_order(4);
    EF_CHECK(ovsrcu_is_quiescent());
    ovsrcu_quiesce_end();
    EF_CHECK(!ovsrcu_is_quiescent());
    EF_CHECK_EQ(rcu_all_pending(), 0);
}

static void
nested_call(void *depth_)
{
    uintptr_t depth = (uintptr_t) depth_;

    set_n_run(get_n_run() + 1);
    if (depth) {
        ovsrcu_postpone__(nested_call, (void *) (depth - 1));
    }
}

static void *
postpone_and_stay(void *aux OVS_UNUSED)
{
    for (int i = 0; i < 20; i++) {
        postpone_number(i);
    }
    ovsrcu_postpone__(nested_call, (void *) 3);
    ovsrcu_quiesce_start();
    pause();
    return NULL;
}

/* In a child process with threads: whatever is postponed runs, that of other
 * threads and that of calls too. */
static int
child_exit_status(bool with_thread)
{
    set_n_run(0);
    if (with_thread) {
        pthread_t thread = ovs_thread_create("other", postpone_and_stay, NULL);

        pthread_detach(thread);
        if (!rcu_wait_until(get_n_run() == 24)) {
            return 1;
        }
    }
    for (int i = 0; i < 20; i++) {
        postpone_number(i);
    }
    ovsrcu_postpone__(nested_call, (void *) 3);
    ovsrcu_exit();
    return get_n_run() == (with_thread ? 48 : 24) ? 0 : 2;
}

static void
check_child(bool with_thread)
{
    int status;
    pid_t pid;

    EF_REQUIRE(single_threaded());
    fflush(stdout);
    pid = fork();
    if (!pid) {
        alarm(60);
        _exit(child_exit_status(with_thread));
    }
    EF_REQUIRE_EQ(waitpid(pid, &status, 0), pid);
    EF_CHECK(WIFEXITED(status));
    EF_CHECK_EQ(WEXITSTATUS(status), 0);
}

EF_TEST(exit_runs_everything)
{
    check_child(false);
    check_child(true);
}

/* --- Grace periods: who is waited for ------------------------------------ */

EF_TEST(grace_waits_for_online_threads)
{
    struct rcu_actor *a = rcu_actor_start("a");
    struct rcu_actor *b = rcu_actor_start("b");
    struct ef_rcu_grace grace;

    ovsrcu_quiesce_start();
    ef_rcu_grace_begin(&grace);
    EF_CHECK(!ef_rcu_grace_is_over(&grace));
    EF_CHECK(grace.late_tid == a->tid || grace.late_tid == b->tid);
    rcu_actor_do(a, rcu_quiesce_step, NULL);
    EF_CHECK(!ef_rcu_grace_is_over(&grace));
    EF_CHECK_EQ(grace.late_tid, b->tid);
    EF_CHECK(grace.late_name[0] == 'b');        /* And a number. */
    EF_CHECK_EQ(grace.late_role, EF_RCU_CONTROL);
    rcu_actor_do(b, rcu_quiesce_step, NULL);
    EF_CHECK(ef_rcu_grace_is_over(&grace));
    ovsrcu_quiesce_end();
    rcu_actor_end(a);
    rcu_actor_end(b);
}

/* A quiescent state before it began is not enough; one that comes back while
 * it is under way has seen its target. */
EF_TEST(grace_and_offline_threads)
{
    struct rcu_actor *a = rcu_actor_start("a");
    struct ef_rcu_grace first, second;

    ovsrcu_quiesce_start();
    rcu_actor_do(a, rcu_quiesce_step, NULL);
    ef_rcu_grace_begin(&first);
    EF_CHECK(!ef_rcu_grace_is_over(&first));
    rcu_actor_do(a, rcu_offline_step, NULL);
    EF_CHECK(ef_rcu_grace_is_over(&first));

    ef_rcu_grace_begin(&first);
    rcu_actor_do(a, rcu_online_step, NULL);
    EF_CHECK(ef_rcu_grace_is_over(&first));
    ef_rcu_grace_begin(&second);
    EF_CHECK(!ef_rcu_grace_is_over(&second));
    EF_CHECK(second.target > first.target);
    rcu_actor_do(a, rcu_online_step, NULL);     /* It is: no new state. */
    EF_CHECK(!ef_rcu_grace_is_over(&second));
    rcu_actor_do(a, rcu_quiesce_step, NULL);
    EF_CHECK(ef_rcu_grace_is_over(&second));
    ovsrcu_quiesce_end();
    rcu_actor_end(a);
}

static bool
starts_late(pid_t tid)
{
    struct ef_rcu_grace grace;

    ef_rcu_grace_begin(&grace);
    return !ef_rcu_grace_is_over(&grace) && grace.late_tid == tid;
}

EF_TEST(threads_come_and_go)
{
    struct ef_rcu_thread_info *infos, info;
    struct rcu_actor *a;
    size_t n_before;
    pid_t tid;

    start_over();               /* There is a reclaimer, now. */
    n_before = ef_rcu_get_threads(&infos);
    free(infos);
    ovsrcu_quiesce_start();
    for (int i = 0; i < 50; i++) {
        a = rcu_actor_start("comer");
        tid = a->tid;
        EF_CHECK(starts_late(tid));
        EF_REQUIRE(rcu_thread_info(tid, &info));
        EF_CHECK(!info.is_offline);
        EF_CHECK(!strncmp(info.name, "comer", 5));
        rcu_actor_end(a);
        EF_CHECK(!starts_late(tid));
        EF_CHECK(!rcu_thread_info(tid, &info));
    }
    ovsrcu_quiesce_end();
    EF_CHECK_EQ(ef_rcu_get_threads(&infos), n_before);
    free(infos);
}

static void
set_pmd_step(void *aux OVS_UNUSED)
{
    ef_rcu_set_pmd();
}

static void
quiesce_batch_step(void *aux OVS_UNUSED)
{
    ef_rcu_quiesce_batch(ef_rcu_self());
}

EF_TEST(pmds)
{
    struct ef_rcu_grace_stats before, after;
    struct ef_rcu_grace grace;
    struct ef_rcu_thread_info info;
    struct rcu_actor *a;
    unsigned one = 1;

    start_over();
    a = rcu_actor_start("a");
    EF_CHECK(!ef_rcu_has_pmds());
    rcu_actor_do(a, set_pmd_step, NULL);
    EF_CHECK(ef_rcu_has_pmds());
    EF_REQUIRE(rcu_thread_info(a->tid, &info));
    EF_CHECK_EQ(info.role, EF_RCU_PMD);

    ovsrcu_quiesce_start();
    ef_rcu_get_grace_stats(&before);
    ef_rcu_grace_begin(&grace);
    EF_CHECK(!ef_rcu_grace_is_over(&grace));
    EF_CHECK_EQ(grace.late_role, EF_RCU_PMD);
    rcu_actor_do(a, quiesce_batch_step, NULL);
    EF_CHECK(ef_rcu_grace_is_over(&grace));
    ef_rcu_get_grace_stats(&after);
    /* The reclaimer may have had one of its own. */
    EF_CHECK(after.pmd_n > before.pmd_n);
    ovsrcu_quiesce_end();

    rcu_actor_do(a, postpone_step, &one);
    rcu_actor_do(a, quiesce_batch_step, NULL);
    rcu_actor_do(a, rcu_offline_step, NULL);
    EF_CHECK(rcu_wait_until(get_n_run() == 1));
    rcu_actor_end(a);
    EF_CHECK(!ef_rcu_has_pmds());
}

/* --- When postponed calls run -------------------------------------------- */

EF_TEST(calls_wait_for_readers)
{
    struct rcu_actor *a = rcu_actor_start("a");

    rcu_actor_do(a, rcu_offline_step, NULL);
    start_over();
    rcu_actor_do(a, rcu_online_step, NULL);
    postpone_number(0);
    ovsrcu_quiesce_start();
    rcu_sleep_ms(20);
    EF_CHECK_EQ(get_n_run(), 0);
    EF_CHECK_EQ(rcu_all_pending(), 1);
    ovsrcu_quiesce_end();
    rcu_actor_do(a, rcu_quiesce_step, NULL);
    EF_CHECK(rcu_wait_until(get_n_run() == 1));
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
    rcu_actor_end(a);
}

/* "ovs-rcu.h": "ovsrcu_postpone(free, old); ovsrcu_set(p, new);" is right.
 * However many calls there are, none runs before its thread is quiescent, and
 * none is given away, for its grace period must not begin before. */
EF_TEST(full_chunks_wait_for_their_thread)
{
    struct rcu_actor *a = rcu_actor_start("a");
    struct ef_rcu_thread_info info;
    unsigned n = N_MANY;

    rcu_actor_do(a, rcu_offline_step, NULL);
    start_over();
    rcu_actor_do(a, rcu_online_step, NULL);
    rcu_actor_do(a, postpone_step, &n);
    EF_CHECK_EQ(rcu_all_pending(), 0);
    EF_CHECK(!ef_rcu_has_chunks());
    EF_REQUIRE(rcu_thread_info(a->tid, &info));
    EF_CHECK_EQ(info.n_deferred, n);
    rcu_actor_do(a, rcu_quiesce_step, NULL);
    EF_REQUIRE(rcu_thread_info(a->tid, &info));
    EF_CHECK_EQ(info.n_deferred, 0);
    rcu_actor_do(a, rcu_offline_step, NULL);
    EF_CHECK(rcu_wait_until(get_n_run() == n));
    check_order(n);
    rcu_actor_end(a);
}

/* Around the capacities of chunks, small ones and large ones. */
EF_TEST(order_over_chunk_borders)
{
    static const unsigned counts[] = {
        1, 13, 14, 15, 28, 265, 266, 267, 518, 519, N_MANY
    };

    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        unsigned n = counts[i];

        start_over();
        postpone_step(&n);
        ovsrcu_barrier();
        check_order(n);
    }

    /* Many flushes while earlier calls wait. */
    start_over();
    for (unsigned i = 0; i < N_MANY; i++) {
        postpone_number(i);
        if (!(i % 7)) {
            ovsrcu_quiesce();
        }
    }
    ovsrcu_barrier();
    check_order(N_MANY);
}

EF_TEST(order_of_free_among_others)
{
    start_over();
    for (unsigned i = 0; i < 100; i++) {
        for (unsigned j = 0; j < i % 40; j++) {
            ovsrcu_postpone__(free, xmalloc(1 + j));
        }
        postpone_number(i);
    }
    ovsrcu_barrier();
    check_order(100);
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
}

EF_TEST(bytes_of_free)
{
    struct rcu_actor *a = rcu_actor_start("a");
    struct ef_rcu_pending pending;

    rcu_actor_do(a, rcu_offline_step, NULL);
    start_over();
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
    rcu_actor_do(a, rcu_online_step, NULL);
    for (int i = 0; i < 10; i++) {
        ovsrcu_postpone__(free, xmalloc(1000));
    }
    ovsrcu_quiesce();
    ef_rcu_get_pending(&pending);
    EF_CHECK(pending.bytes >= 10000 && pending.bytes < 12000);
    EF_CHECK(pending.max_bytes >= pending.bytes);
    EF_CHECK_EQ(pending.n[EF_RCU_CONTROL], 10);
    EF_CHECK(pending.max_n >= 10);
    rcu_actor_do(a, rcu_offline_step, NULL);
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
    ef_rcu_get_pending(&pending);
    EF_CHECK_EQ(pending.bytes, 0);
    rcu_actor_end(a);
}

EF_TEST(offline_thread_postpones)
{
    struct rcu_actor *a = rcu_actor_start("a");
    struct ef_rcu_thread_info info;
    unsigned n = 3;

    rcu_actor_do(a, rcu_offline_step, NULL);
    start_over();
    rcu_actor_do(a, postpone_step, &n);
    /* It may unlink yet what it has postponed. */
    EF_REQUIRE(rcu_thread_info(a->tid, &info));
    EF_CHECK(!info.is_offline);
    EF_CHECK_EQ(info.n_deferred, n);
    EF_CHECK_EQ(get_n_run(), 0);
    rcu_actor_do(a, rcu_offline_step, NULL);
    EF_CHECK(rcu_wait_until(get_n_run() == n));
    check_order(n);
    rcu_actor_end(a);
}

EF_TEST(thread_that_ends_leaves_its_calls)
{
    unsigned n = 30;
    struct rcu_actor *a;

    start_over();
    a = rcu_actor_start("a");
    rcu_actor_do(a, postpone_step, &n);
    EF_CHECK_EQ(get_n_run(), 0);
    rcu_actor_end(a);
    EF_CHECK(rcu_wait_until(get_n_run() == n));
    check_order(n);
}

EF_TEST(nested_postponement)
{
    start_over();
    ovsrcu_postpone__(nested_call, (void *) 20);
    EF_CHECK(rcu_wait_until(get_n_run() == 21));
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
}

/* --- Waits of the caller ------------------------------------------------- */

static void
barrier_step(void *n_before)
{
    ovsrcu_barrier();
    *(unsigned *) n_before = get_n_run();
}

static void
synchronize_step(void *aux OVS_UNUSED)
{
    ovsrcu_synchronize();
}

EF_TEST(synchronize_waits)
{
    struct rcu_actor *a = rcu_actor_start("a");
    struct rcu_actor *waiter = rcu_actor_start("waiter");

    ovsrcu_quiesce_start();
    rcu_actor_begin(waiter, synchronize_step, NULL);
    rcu_sleep_ms(20);
    EF_CHECK(!rcu_actor_is_done(waiter));
    rcu_actor_do(a, rcu_quiesce_step, NULL);
    rcu_actor_finish(waiter);
    ovsrcu_quiesce_end();
    rcu_actor_end(a);
    rcu_actor_end(waiter);
}

/* It covers what other threads have not given away yet. */
EF_TEST(barrier_waits_for_all_calls)
{
    struct rcu_actor *a = rcu_actor_start("a");
    struct rcu_actor *waiter = rcu_actor_start("waiter");
    unsigned n = N_MANY;
    unsigned n_before = 0;

    rcu_actor_do(a, rcu_offline_step, NULL);
    rcu_actor_do(waiter, rcu_offline_step, NULL);
    start_over();
    rcu_actor_do(a, rcu_online_step, NULL);
    rcu_actor_do(a, postpone_step, &n);
    ovsrcu_quiesce_start();
    rcu_actor_begin(waiter, barrier_step, &n_before);
    rcu_sleep_ms(20);
    EF_CHECK(!rcu_actor_is_done(waiter));
    EF_CHECK_EQ(get_n_run(), 0);
    rcu_actor_do(a, rcu_offline_step, NULL);
    rcu_actor_finish(waiter);
    EF_CHECK_EQ(n_before, n);
    ovsrcu_quiesce_end();
    rcu_actor_end(a);
    rcu_actor_end(waiter);
}

static void
try_step(void *result)
{
    *(int *) result = ovsrcu_try_quiesce();
}

static void
is_quiescent_step(void *result)
{
    *(int *) result = ovsrcu_is_quiescent();
}

EF_TEST(questions)
{
    struct rcu_actor *a = rcu_actor_start("a");
    struct ef_rcu_grace grace;
    int result = -1;

    ovsrcu_quiesce_start();
    ef_rcu_grace_begin(&grace);
    rcu_actor_do(a, try_step, &result);
    EF_CHECK_EQ(result, 0);
    EF_CHECK(ef_rcu_grace_is_over(&grace));
    rcu_actor_do(a, is_quiescent_step, &result);
    EF_CHECK_EQ(result, 0);
    rcu_actor_do(a, rcu_offline_step, NULL);
    rcu_actor_do(a, is_quiescent_step, &result);
    EF_CHECK_EQ(result, 1);
    rcu_actor_do(a, synchronize_step, NULL);
    rcu_actor_do(a, is_quiescent_step, &result);
    EF_CHECK_EQ(result, 0);
    ovsrcu_quiesce_end();
    rcu_actor_end(a);
}

/* --- The reclaimer ------------------------------------------------------- */

static void
dawdle(void *aux OVS_UNUSED)
{
    long long end_us = ef_clock_us() + 100;

    while (ef_clock_us() < end_us) {
        continue;
    }
    set_n_run(get_n_run() + 1);
}

/* 1,000 calls of 100 us: others' grace periods do not wait for them all. */
EF_TEST(slices_let_others_pass)
{
    struct ef_rcu_reclaimer_stats before, after;
    struct ef_rcu_grace grace;
    unsigned n_then;

    start_over();
    ef_rcu_get_reclaimer_stats(&before);
    for (int i = 0; i < 1000; i++) {
        ovsrcu_postpone__(dawdle, NULL);
    }
    ovsrcu_quiesce_start();
    EF_CHECK(rcu_wait_until(get_n_run() > 0));
    ovsrcu_quiesce_start();
    ef_rcu_grace_begin(&grace);
    while (!ef_rcu_grace_is_over(&grace)) {
        xnanosleep_no_quiesce(10000);
    }
    n_then = get_n_run();
    EF_CHECK(n_then < 1000);
    ovsrcu_quiesce_end();
    ovsrcu_barrier();
    ef_rcu_get_reclaimer_stats(&after);
    EF_CHECK_EQ(get_n_run(), 1000);
    EF_CHECK(after.n_slices - before.n_slices >= 100);
    EF_CHECK(after.n_periods > before.n_periods);
    /* The last slice is accounted for when its calls have run; whole
     * microseconds are counted. */
    EF_CHECK(rcu_wait_until((ef_rcu_get_reclaimer_stats(&after),
                             !after.oldest_us
                             && (after.busy_us - before.busy_us
                                 >= 1000 * 90))));
}

/* A call that is taken for one that has run. */
EF_TEST_MUST_FAIL(planted)
{
    start_over();
    postpone_number(0);
    postpone_number(2);
    postpone_number(1);
    ovsrcu_barrier();
    check_order(3);
}
