/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of core/core-claim.c: who moves when PMDs claim cores. */

#include <config.h>

#include "core/core-claim.h"

#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ef-test.h"
#include "ovs-thread.h"
#include "util.h"

/* A thread that runs where it is told and, if it 'claims', claims that core
 * until it is told to end. */
struct runner {
    cpu_set_t set;
    bool claims;
    pid_t tid;
    sem_t ready, end;
    pthread_t thread;
};

static cpu_set_t all;

static void *
runner_main(void *runner_)
{
    struct runner *runner = runner_;

    runner->tid = syscall(SYS_gettid);
    sched_setaffinity(0, sizeof runner->set, &runner->set);
    if (runner->claims) {
        ef_core_claim();
    }
    sem_post(&runner->ready);
    while (sem_wait(&runner->end)) {
        continue;
    }
    ef_core_release();
    return NULL;
}

static struct runner *
start(const cpu_set_t *set, bool claims)
{
    struct runner *runner = xzalloc(sizeof *runner);

    runner->set = *set;
    runner->claims = claims;
    sem_init(&runner->ready, 0, 0);
    sem_init(&runner->end, 0, 0);
    runner->thread = ovs_thread_create("runner", runner_main, runner);
    while (sem_wait(&runner->ready)) {
        continue;
    }
    return runner;
}

static void
end(struct runner *runner)
{
    sem_post(&runner->end);
    xpthread_join(runner->thread, NULL);
    sem_destroy(&runner->ready);
    sem_destroy(&runner->end);
    free(runner);
}

/* The n-th processor of 'all', alone. */
static cpu_set_t
nth(int n)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all) && !n--) {
            CPU_SET(cpu, &set);
        }
    }
    return set;
}

static bool
runs_on(pid_t tid, const cpu_set_t *set)
{
    cpu_set_t now;

    return !sched_getaffinity(tid, sizeof now, &now) && CPU_EQUAL(&now, set);
}

/* Returns false if nobody could move. */
static bool
set_up(void)
{
    if (!CPU_COUNT(&all)) {
        sched_getaffinity(0, sizeof all, &all);
        ef_core_claims_init();
    }
    return CPU_COUNT(&all) > 1;
}

EF_TEST(others_leave_a_claimed_core)
{
    struct runner *pmd, *free_one, *placed;
    cpu_set_t first, rest;

    if (!set_up()) {
        EF_TEST_SKIP("there is one core");
    }
    first = nth(0);
    CPU_XOR(&rest, &all, &first);
    free_one = start(&all, false);
    placed = start(&first, false);
    pmd = start(&first, true);

    EF_CHECK(runs_on(free_one->tid, &all));
    ef_core_claims_apply();
    EF_CHECK(runs_on(0, &rest));
    EF_CHECK(runs_on(free_one->tid, &rest));
    EF_CHECK(runs_on(placed->tid, &first));
    EF_CHECK(runs_on(pmd->tid, &first));

    end(pmd);
    ef_core_claims_apply();
    EF_CHECK(runs_on(0, &all));
    EF_CHECK(runs_on(free_one->tid, &all));
    EF_CHECK(runs_on(placed->tid, &first));
    end(free_one);
    end(placed);
}

EF_TEST(nobody_moves_when_all_are_claimed)
{
    struct runner *pmds[CPU_SETSIZE];
    int n = 0;

    if (!set_up()) {
        EF_TEST_SKIP("there is one core");
    }
    while (n < CPU_COUNT(&all)) {
        cpu_set_t set = nth(n);

        pmds[n++] = start(&set, true);
        ef_core_claims_apply();
    }
    EF_CHECK(runs_on(0, &all));
    for (int i = 0; i < n; i++) {
        cpu_set_t set = nth(i);

        EF_CHECK(runs_on(pmds[i]->tid, &set));
    }
    while (n) {
        end(pmds[--n]);
    }
    ef_core_claims_apply();
    EF_CHECK(runs_on(0, &all));
}

EF_TEST(who_may_run_anywhere_claims_nothing)
{
    struct runner *pmd;

    if (!set_up()) {
        EF_TEST_SKIP("there is one core");
    }
    pmd = start(&all, true);
    ef_core_claims_apply();
    EF_CHECK(runs_on(0, &all));
    end(pmd);
}

EF_TEST_MUST_FAIL(others_stay)
{
    struct runner *pmd;
    cpu_set_t first;

    if (!set_up()) {
        EF_TEST_SKIP("there is one core");
    }
    first = nth(0);
    pmd = start(&first, true);
    ef_core_claims_apply();
    EF_CHECK(runs_on(0, &all));
    end(pmd);
    ef_core_claims_apply();
}
