/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of pmd/load.c: what an interval stores, and when a PMD counts as
 * overloaded. */

#include <config.h>

#include "pmd/load.h"

#include "ef-test.h"
#include "util.h"

#define OFF 101                 /* A threshold that means "do not count". */

struct fixture {
    struct ef_pmd_load load;
    struct pmd_perf_stats perf;
    struct ef_rxq rxq;
    struct ef_rxq *rxqs[1];
};

static struct fixture *
fixture_create(void)
{
    struct fixture *f = xzalloc(sizeof *f);

    f->rxqs[0] = &f->rxq;
    ef_load_reset(&f->rxq.load);
    ef_pmd_load_init(&f->load, 1000);
    return f;
}

/* One more interval with so many cycles spent. */
static void
store(struct fixture *f, int idle, int busy, int slept, unsigned threshold)
{
    pmd_perf_update_counter(&f->perf, PMD_CYCLES_ITER_IDLE, idle);
    pmd_perf_update_counter(&f->perf, PMD_CYCLES_ITER_BUSY, busy);
    pmd_perf_update_counter(&f->perf, PMD_CYCLES_SLEEP, slept);
    ef_pmd_load_store(&f->load, &f->perf, f->rxqs, 1, threshold,
                      f->load.next_store_us + 5);
}

static unsigned
n_overloaded(struct fixture *f)
{
    return atomic_count_get(&f->load.n_overloaded);
}

EF_TEST(next_interval)
{
    struct fixture *f = fixture_create();

    EF_CHECK_EQ(f->load.next_store_us, 1000 + EF_LOAD_INTERVAL_US);
    store(f, 1, 1, 0, OFF);
    EF_CHECK_EQ(f->load.next_store_us, 1005 + 2 * EF_LOAD_INTERVAL_US);
    free(f);
}

EF_TEST(first_interval_is_not_measured)
{
    struct fixture *f = fixture_create();

    ef_load_add(&f->rxq.load, 70);
    store(f, 10, 90, 0, 50);
    EF_CHECK_EQ(ef_pmd_load_interval_cycles(&f->load), 0);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, EF_LOAD_INTERVALS), 0);
    EF_CHECK_EQ(n_overloaded(f), 0);
    /* The queue knows when it was counted anew. */
    EF_CHECK_EQ(ef_load_sum(&f->rxq.load, 1), 70);

    store(f, 10, 90, 0, 50);
    EF_CHECK(ef_pmd_load_interval_cycles(&f->load) > 0);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, EF_LOAD_INTERVALS), 90);
    EF_CHECK_EQ(n_overloaded(f), 1);
    free(f);
}

EF_TEST(each_interval_has_its_own_cycles)
{
    struct fixture *f = fixture_create();

    store(f, 0, 1, 0, OFF);
    ef_load_add(&f->rxq.load, 20);
    store(f, 70, 30, 0, OFF);
    ef_load_add(&f->rxq.load, 35);
    store(f, 60, 40, 0, OFF);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, 1), 40);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, 2), 70);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, EF_LOAD_INTERVALS), 70);
    EF_CHECK_EQ(ef_load_sum(&f->rxq.load, 1), 35);
    EF_CHECK_EQ(ef_load_sum(&f->rxq.load, EF_LOAD_INTERVALS), 55);
    free(f);
}

EF_TEST(overload_counts_intervals_in_a_row)
{
    static const struct {
        int idle, busy, slept;
        unsigned threshold;
        unsigned n;
    } steps[] = {
        { 5, 95, 0, 95, 1 },
        { 0, 100, 0, 95, 2 },
        { 1, 99, 0, 95, 3 },
        { 6, 94, 0, 95, 0 },            /* Under the threshold. */
        { 5, 95, 0, 95, 1 },
        { 0, 95, 5, 95, 2 },
        { 0, 95, 6, 95, 0 },            /* Sleep is time, too. */
        { 0, 0, 0, 95, 0 },
        { 100, 0, 0, 0, 1 },            /* Idle meets a threshold of 0. */
        { 0, 0, 0, 0, 2 },
        { 0, 100, 0, 100, 3 },
        { 0, 100, 0, OFF, 0 },          /* Switched off. */
        { 0, 100, 0, 100, 1 },
    };
    struct fixture *f = fixture_create();

    store(f, 0, 0, 0, OFF);
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        store(f, steps[i].idle, steps[i].busy, steps[i].slept,
              steps[i].threshold);
        EF_CHECK_EQ(n_overloaded(f), steps[i].n);
    }
    free(f);
}

EF_TEST(reset_forgets)
{
    struct fixture *f = fixture_create();

    store(f, 0, 1, 0, 0);
    store(f, 0, 50, 0, 0);
    ef_pmd_load_reset(&f->load);
    EF_CHECK_EQ(ef_pmd_load_interval_cycles(&f->load), 0);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, EF_LOAD_INTERVALS), 0);
    EF_CHECK_EQ(n_overloaded(f), 0);

    /* Part old queues, part new ones: not counted. */
    store(f, 0, 50, 0, 0);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, EF_LOAD_INTERVALS), 0);
    EF_CHECK_EQ(n_overloaded(f), 0);
    store(f, 0, 30, 0, 0);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, EF_LOAD_INTERVALS), 30);
    EF_CHECK_EQ(n_overloaded(f), 1);
    free(f);
}

/* Counters that went back say nothing about the interval. */
EF_TEST(counters_that_went_back)
{
    struct fixture *f = fixture_create();

    store(f, 100, 100, 100, 0);
    store(f, 100, 100, 100, 0);
    EF_CHECK_EQ(n_overloaded(f), 1);
    store(f, 0, -150, 0, 0);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, 1), 0);
    store(f, 10, 20, 0, 0);
    EF_CHECK_EQ(ef_load_sum(&f->load.busy_load, 1), 20);
    free(f);
}

/* A queue whose cycles went unnoticed. */
EF_TEST_MUST_FAIL(queue_left_out)
{
    struct fixture *f = fixture_create();

    ef_load_add(&f->rxq.load, 20);
    ef_pmd_load_store(&f->load, &f->perf, f->rxqs, 0, OFF, 1);
    EF_CHECK_EQ(ef_load_sum(&f->rxq.load, 1), 20);
    free(f);
}
