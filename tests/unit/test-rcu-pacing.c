/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of rcu/pacing.c: which threads wait for the reclaimer in their
 * quiescent states, how long, and how that is counted.
 *
 * An actor that is late keeps the reclaimer from running anything, so pending
 * calls stay pending. */

#include <config.h>

#include "rcu/pacing.h"

#include "core/clock.h"
#include "ef-test.h"
#include "rcu-fixture.h"
#include "rcu/rcu.h"

#define LIMIT 10
#define N_ROUNDS 5

struct fixture {
    struct rcu_actor *late;     /* Keeps what 'filler' has postponed. */
    struct rcu_actor *filler;
    struct rcu_actor *paced;    /* The thread of interest. */
    struct ef_rcu_thread_info info;     /* Of 'paced', at the last look. */
};

static void
nothing(void *aux OVS_UNUSED)
{
}

static void
postpone_one_step(void *aux OVS_UNUSED)
{
    ovsrcu_postpone__(nothing, NULL);
}

static void
fill_step(void *n_)
{
    const unsigned *n = n_;

    for (unsigned i = 0; i < *n; i++) {
        ovsrcu_postpone__(nothing, NULL);
    }
    ef_rcu_no_wait_begin();
    ovsrcu_quiesce_start();
    ef_rcu_no_wait_end();
}

static void
look(struct fixture *f)
{
    EF_CHECK(rcu_thread_info(f->paced->tid, &f->info));
}

/* 'n' calls are pending, and will be until fixture_end(). */
static void
fixture_start(struct fixture *f, unsigned n)
{
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
    ef_rcu_set_max_pending(LIMIT);
    f->late = rcu_actor_start("late");
    f->filler = rcu_actor_start("filler");
    f->paced = rcu_actor_start("paced");
    rcu_actor_do(f->filler, fill_step, &n);
    EF_CHECK_EQ(rcu_all_pending(), n);
    look(f);
    EF_CHECK_EQ(f->info.n_paced, 0);
}

static void
fixture_end(struct fixture *f)
{
    rcu_actor_do(f->late, rcu_offline_step, NULL);
    rcu_actor_end(f->late);
    rcu_actor_end(f->filler);
    rcu_actor_end(f->paced);
    ef_rcu_set_max_pending(EF_RCU_MAX_PENDING_DEFAULT);
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
}

/* Whether the actor waited in 'step' after it had postponed a call. */
static bool
waits_in(struct fixture *f, void (*step)(void *))
{
    uint64_t n;

    look(f);
    n = f->info.n_paced;
    rcu_actor_do(f->paced, postpone_one_step, NULL);
    rcu_actor_do(f->paced, step, NULL);
    look(f);
    return f->info.n_paced == n + 1;
}

static void
try_quiesce_step(void *aux OVS_UNUSED)
{
    ovsrcu_try_quiesce();
}

static void
no_wait_step(void *aux OVS_UNUSED)
{
    ef_rcu_no_wait_begin();
    ef_rcu_no_wait_begin();
    ovsrcu_quiesce();
    ef_rcu_no_wait_end();
    ovsrcu_quiesce();
    ovsrcu_quiesce_start();
    ovsrcu_quiesce_end();
    ef_rcu_no_wait_end();
}

static void
set_role_step(void *role)
{
    ef_rcu_set_role(*(enum ef_rcu_role *) role);
}

EF_TEST(producer_waits_above_the_limit)
{
    struct fixture f;

    ovsrcu_quiesce_start();
    fixture_start(&f, LIMIT + 1);
    EF_CHECK(waits_in(&f, rcu_quiesce_step));
    EF_CHECK(waits_in(&f, try_quiesce_step));
    EF_CHECK(waits_in(&f, rcu_offline_step));
    rcu_actor_do(f.paced, rcu_online_step, NULL);
    EF_CHECK_EQ(f.info.n_paced, 3);

    /* Not again unless it has postponed. */
    rcu_actor_do(f.paced, rcu_quiesce_step, NULL);
    rcu_actor_do(f.paced, rcu_offline_step, NULL);
    look(&f);
    EF_CHECK_EQ(f.info.n_paced, 3);
    fixture_end(&f);
}

EF_TEST(nobody_waits_up_to_the_limit)
{
    struct fixture f;

    ovsrcu_quiesce_start();
    fixture_start(&f, LIMIT - 2);
    EF_CHECK(!waits_in(&f, rcu_quiesce_step));
    EF_CHECK(!waits_in(&f, rcu_quiesce_step));
    EF_CHECK_EQ(rcu_all_pending(), LIMIT);
    EF_CHECK(waits_in(&f, rcu_quiesce_step));
    fixture_end(&f);
}

/* The sum is the kernel's business, too: of several waits, the shortest is
 * judged. */
EF_TEST(at_most_5_ms)
{
    long long shortest_us = LLONG_MAX;
    struct fixture f;

    ovsrcu_quiesce_start();
    fixture_start(&f, LIMIT + 1);
    for (int i = 0; i < N_ROUNDS; i++) {
        uint64_t before_us = f.info.paced_us;
        long long began_us;

        rcu_actor_do(f.paced, postpone_one_step, NULL);
        began_us = ef_clock_us();
        rcu_actor_do(f.paced, rcu_quiesce_step, NULL);
        shortest_us = MIN(shortest_us, ef_clock_us() - began_us);
        look(&f);
        EF_CHECK(f.info.paced_us - before_us >= EF_RCU_PACE_MAX_US - 500);
    }
    EF_CHECK(shortest_us >= EF_RCU_PACE_MAX_US - 500);
    EF_CHECK(shortest_us <= EF_RCU_PACE_MAX_US + 1000);
    EF_CHECK_EQ(f.info.n_paced, N_ROUNDS);
    EF_CHECK(f.info.paced_us <= N_ROUNDS * 20000);
    fixture_end(&f);
}

/* It ends early when calls have run. */
EF_TEST(wait_ends_with_the_backlog)
{
    bool ended_early = false;
    struct fixture f;

    ovsrcu_quiesce_start();
    for (int i = 0; i < 20 && !ended_early; i++) {
        fixture_start(&f, LIMIT + 1);
        rcu_actor_do(f.paced, postpone_one_step, NULL);
        rcu_actor_begin(f.paced, rcu_quiesce_step, NULL);
        rcu_actor_do(f.late, rcu_offline_step, NULL);
        rcu_actor_finish(f.paced);
        look(&f);
        ended_early = (f.info.n_paced == 1
                       && f.info.paced_us < EF_RCU_PACE_MAX_US / 2);
        fixture_end(&f);
    }
    EF_CHECK(ended_early);
}

/* While it waits it is offline: it holds up nobody's grace period. */
EF_TEST(who_waits_is_offline)
{
    bool seen_offline = false;
    struct fixture f;

    ovsrcu_quiesce_start();
    fixture_start(&f, LIMIT + 1);
    for (int i = 0; i < 20 && !seen_offline; i++) {
        rcu_actor_do(f.paced, postpone_one_step, NULL);
        rcu_actor_begin(f.paced, rcu_quiesce_step, NULL);
        while (!rcu_actor_is_done(f.paced)) {
            look(&f);
            seen_offline |= f.info.is_offline;
            xnanosleep_no_quiesce(100000);
        }
        rcu_actor_finish(f.paced);
    }
    EF_CHECK(seen_offline);
    look(&f);
    EF_CHECK(!f.info.is_offline);
    fixture_end(&f);
}

EF_TEST(no_wait_regions)
{
    struct fixture f;

    ovsrcu_quiesce_start();
    fixture_start(&f, LIMIT + 1);
    EF_CHECK(!waits_in(&f, no_wait_step));
    EF_CHECK(waits_in(&f, rcu_quiesce_step));
    fixture_end(&f);
}

EF_TEST(pmds_and_the_reclaimer_do_not_wait)
{
    enum ef_rcu_role roles[] = { EF_RCU_PMD, EF_RCU_RECLAIMER };
    struct fixture f;

    ovsrcu_quiesce_start();
    fixture_start(&f, LIMIT + 1);
    for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
        rcu_actor_do(f.paced, set_role_step, &roles[i]);
        EF_CHECK(!waits_in(&f, rcu_quiesce_step));
        EF_CHECK(!waits_in(&f, rcu_offline_step));
        rcu_actor_do(f.paced, rcu_online_step, NULL);
    }
    fixture_end(&f);
}

/* What PMDs have postponed does not slow others. */
EF_TEST(calls_of_pmds_do_not_count)
{
    enum ef_rcu_role pmd = EF_RCU_PMD;
    unsigned n = 3 * LIMIT;
    struct fixture f;

    ovsrcu_quiesce_start();
    fixture_start(&f, LIMIT - 2);
    rcu_actor_do(f.filler, rcu_online_step, NULL);
    rcu_actor_do(f.filler, set_role_step, &pmd);
    rcu_actor_do(f.filler, fill_step, &n);
    EF_CHECK_EQ(rcu_all_pending(), n + LIMIT - 2);
    EF_CHECK_EQ(ef_rcu_n_pending(), LIMIT - 2);
    EF_CHECK(!waits_in(&f, rcu_quiesce_step));
    fixture_end(&f);
}

static void
synchronize_step(void *aux OVS_UNUSED)
{
    ovsrcu_synchronize();
}

static void
barrier_step(void *aux OVS_UNUSED)
{
    ovsrcu_barrier();
}

/* These wait for something else, and not for the limit on top. */
EF_TEST(synchronize_and_barrier_are_not_paced)
{
    struct fixture f;

    ovsrcu_quiesce_start();
    for (int i = 0; i < 2; i++) {
        fixture_start(&f, LIMIT + 1);
        rcu_actor_do(f.paced, postpone_one_step, NULL);
        rcu_actor_begin(f.paced, i ? barrier_step : synchronize_step, NULL);
        rcu_sleep_ms(10);
        EF_CHECK(!rcu_actor_is_done(f.paced));
        rcu_actor_do(f.late, rcu_offline_step, NULL);
        rcu_actor_finish(f.paced);
        look(&f);
        EF_CHECK_EQ(f.info.n_paced, 0);
        fixture_end(&f);
    }
}

/* A region that is not said to hold a lock. */
EF_TEST_MUST_FAIL(planted)
{
    struct fixture f;

    ovsrcu_quiesce_start();
    fixture_start(&f, LIMIT + 1);
    EF_CHECK(!waits_in(&f, rcu_quiesce_step));
    fixture_end(&f);
}
