/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of sched/rebalance.c: when is a check due, can it find anything,
 * is the plan better. */

#include <config.h>

#include "sched/rebalance.h"

#include "ef-test.h"
#include "port/rxq.h"
#include "util.h"

EF_TEST(variance)
{
    static const struct {
        uint64_t values[4];
        size_t n;
        uint64_t variance;
    } cases[] = {
        { { 0 }, 0, 0 },
        { { 7 }, 1, 0 },
        { { 0, 0, 0, 0 }, 4, 0 },
        { { 50, 50 }, 2, 0 },
        { { 0, 100 }, 2, 2500 },
        { { 100, 0 }, 2, 2500 },
        { { 1, 2, 3, 4 }, 4, 1 },       /* Mean 2; (1 + 0 + 1 + 4) / 4. */
        { { 90, 10, 10, 10 }, 4, 1200 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        EF_CHECK_EQ(ef_variance(cases[i].values, cases[i].n),
                    cases[i].variance);
    }
}

EF_TEST(due_after_the_interval)
{
    struct ef_alb alb = { .enabled = true, .interval_ms = 60000 };

    EF_CHECK(!ef_alb_is_due(&alb, 1000));       /* Starts the first. */
    EF_CHECK(!ef_alb_is_due(&alb, 61000));
    EF_CHECK(ef_alb_is_due(&alb, 61001));
    EF_CHECK(!ef_alb_is_due(&alb, 61002));
    EF_CHECK(!ef_alb_is_due(&alb, 121001));
    EF_CHECK(ef_alb_is_due(&alb, 121002));
}

EF_TEST(never_due_when_disabled)
{
    struct ef_alb alb = { .interval_ms = 1 };

    EF_CHECK(!ef_alb_is_due(&alb, 1000));
    EF_CHECK(!ef_alb_is_due(&alb, 2000));
    alb.enabled = true;
    EF_CHECK(!ef_alb_is_due(&alb, 3000));
    EF_CHECK(ef_alb_is_due(&alb, 3002));
}

static bool
is_worthwhile(enum ef_sched_algorithm algorithm, struct ef_sched_pmd *pmds,
              size_t n)
{
    struct ef_alb alb = { .recheck_config = true };
    struct ef_sched current = {
        .algorithm = algorithm, .pmds = pmds, .n_pmds = n,
    };
    bool worthwhile = ef_alb_is_worthwhile(&alb, &current);

    EF_CHECK(!alb.recheck_config);
    EF_CHECK_EQ(alb.worthwhile, worthwhile);
    return worthwhile;
}

EF_TEST(worthwhile_configurations)
{
    struct ef_sched_pmd pmds[] = {
        { .core_id = 0, .n_rxqs = 1 },
        { .core_id = 1, .n_rxqs = 2 },
        { .core_id = 2, .n_rxqs = 9, .isolated = true },
    };

    EF_CHECK(is_worthwhile(EF_SCHED_CYCLES, pmds, 2));
    EF_CHECK(is_worthwhile(EF_SCHED_GROUP, pmds, 3));
    EF_CHECK(!is_worthwhile(EF_SCHED_ROUNDROBIN, pmds, 2));
    EF_CHECK(!is_worthwhile(EF_SCHED_CYCLES, pmds, 0));
    EF_CHECK(!is_worthwhile(EF_SCHED_CYCLES, pmds, 1));
    EF_CHECK(!is_worthwhile(EF_SCHED_CYCLES, pmds + 1, 2));

    pmds[1].n_rxqs = 1;
    EF_CHECK(!is_worthwhile(EF_SCHED_CYCLES, pmds, 3));
    pmds[0].n_rxqs = 2;
    EF_CHECK(is_worthwhile(EF_SCHED_CYCLES, pmds, 2));
}

EF_TEST(worthwhile_answer_is_kept)
{
    struct ef_sched_pmd pmds[] = { { .n_rxqs = 2 }, { .n_rxqs = 2 } };
    struct ef_sched current = {
        .algorithm = EF_SCHED_GROUP, .pmds = pmds, .n_pmds = 2,
    };
    struct ef_alb alb = { .recheck_config = true };

    EF_CHECK(ef_alb_is_worthwhile(&alb, &current));
    current.n_pmds = 1;
    EF_CHECK(ef_alb_is_worthwhile(&alb, &current));
    alb.recheck_config = true;
    EF_CHECK(!ef_alb_is_worthwhile(&alb, &current));
    current.n_pmds = 2;
    EF_CHECK(!ef_alb_is_worthwhile(&alb, &current));
}

/* A PMD that is busy 'percent' of its time. */
static struct ef_sched_pmd
loaded(int numa_id, uint64_t percent)
{
    return (struct ef_sched_pmd) {
        .numa_id = numa_id,
        .interval_cycles = 1000,
        .cycles = percent * 10 * EF_LOAD_INTERVALS,
    };
}

static bool
improves(uint8_t threshold, struct ef_sched_pmd current[],
         struct ef_sched_pmd planned[], size_t n,
         enum ef_sched_outcome outcome)
{
    struct ef_alb alb = { .improvement_threshold = threshold };
    struct ef_sched_rxq rxq = { .outcome = outcome };
    struct ef_sched now = { .pmds = current, .n_pmds = n };
    struct ef_sched then = {
        .pmds = planned, .n_pmds = n, .rxqs = &rxq, .n_rxqs = 1,
    };

    return ef_alb_improves(&alb, &now, &then);
}

EF_TEST(improvement_meets_threshold)
{
    /* Variance 400 and 100: 75 % better. */
    struct ef_sched_pmd now[] = { loaded(0, 90), loaded(0, 50) };
    struct ef_sched_pmd then[] = { loaded(0, 80), loaded(0, 60) };

    EF_CHECK(improves(25, now, then, 2, EF_SCHED_ASSIGNED));
    EF_CHECK(improves(75, now, then, 2, EF_SCHED_ASSIGNED));
    EF_CHECK(!improves(76, now, then, 2, EF_SCHED_ASSIGNED));

    /* The other way round it is worse; no better is 0 % better. */
    EF_CHECK(!improves(1, then, now, 2, EF_SCHED_ASSIGNED));
    EF_CHECK(improves(0, then, now, 2, EF_SCHED_ASSIGNED));
    EF_CHECK(!improves(1, now, now, 2, EF_SCHED_ASSIGNED));
}

/* Load that the plan does not see. */
EF_TEST_MUST_FAIL(improvement_with_wrong_load)
{
    struct ef_sched_pmd now[] = { loaded(0, 90), loaded(0, 50) };
    struct ef_sched_pmd then[] = { loaded(0, 80), loaded(0, 60) };

    then[0].cycles *= 2;
    EF_CHECK(improves(25, now, then, 2, EF_SCHED_ASSIGNED));
}

EF_TEST(improvement_on_one_node_is_enough)
{
    struct ef_sched_pmd now[] = {
        loaded(0, 50), loaded(1, 90), loaded(0, 50), loaded(1, 10),
    };
    struct ef_sched_pmd then[] = {
        loaded(0, 50), loaded(1, 50), loaded(0, 50), loaded(1, 50),
    };

    EF_CHECK(improves(100, now, then, 4, EF_SCHED_ASSIGNED));
    /* Nodes are not mixed: this moves load between them only. */
    then[0] = loaded(0, 70);
    then[2] = loaded(0, 70);
    then[1] = loaded(1, 70);
    then[3] = loaded(1, 30);
    now[1] = loaded(1, 70);
    now[3] = loaded(1, 30);
    EF_CHECK(!improves(1, now, then, 4, EF_SCHED_ASSIGNED));
}

EF_TEST(isolated_pmds_do_not_count)
{
    struct ef_sched_pmd now[] = { loaded(0, 90), loaded(0, 10) };
    struct ef_sched_pmd then[] = { loaded(0, 50), loaded(0, 50) };

    now[0].isolated = then[0].isolated = true;
    EF_CHECK(!improves(1, now, then, 2, EF_SCHED_ASSIGNED));
}

EF_TEST(unmeasured_pmds_are_idle)
{
    struct ef_sched_pmd now[] = { loaded(0, 90), loaded(0, 10) };
    struct ef_sched_pmd then[] = { loaded(0, 50), loaded(0, 50) };

    now[0].interval_cycles = now[1].interval_cycles = 0;
    EF_CHECK(!improves(1, now, then, 2, EF_SCHED_ASSIGNED));
}

EF_TEST(cross_numa_cannot_be_estimated)
{
    struct ef_sched_pmd now[] = { loaded(0, 90), loaded(0, 10) };
    struct ef_sched_pmd then[] = { loaded(0, 50), loaded(0, 50) };
    struct ef_sched_pmd now2[] = { now[0], now[1], loaded(1, 0) };
    struct ef_sched_pmd then2[] = { then[0], then[1], loaded(1, 0) };

    /* With one node there is nowhere else to go. */
    EF_CHECK(improves(25, now, then, 2, EF_SCHED_CROSS_NUMA));
    EF_CHECK(!improves(0, now2, then2, 3, EF_SCHED_CROSS_NUMA));
    /* A pinned queue stays wherever it is. */
    EF_CHECK(improves(25, now2, then2, 3, EF_SCHED_PINNED));
}
