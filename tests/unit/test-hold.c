/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of output/hold.c: each part of the rule by itself.  Whether the
 * rule is a good one is for tests/sim/sim-hold.c. */

#include <config.h>

#include "output/hold.h"

#include "ef-test.h"
#include "util.h"

#define TARGET 50000
#define LIMIT 32
#define GAP 1000                /* Between arrivals of 'steady'. */
#define LONG_BEHIND UINT32_MAX

/* A port that has got 'n' packets each GAP ticks, the last 'now'; its batch
 * is of 'now' if 'empty'. */
static uint64_t
steady(struct ef_hold *hold, uint32_t n, bool empty)
{
    uint64_t now = 1000000;

    ef_hold_init(hold, TARGET, LIMIT);
    for (int i = 0; i < 100; i++) {
        now += GAP;
        ef_hold_arrived(hold, now, n, empty && i == 99);
    }
    return now;
}

EF_TEST(waits_for_what_is_expected)
{
    struct ef_hold hold;
    uint64_t now = steady(&hold, 1, true);

    EF_CHECK(ef_hold_waits(&hold, now, 1, LONG_BEHIND));
    EF_CHECK(ef_hold_waits(&hold, now, LIMIT - 1, LONG_BEHIND));
    EF_CHECK(!ef_hold_waits(&hold, now, LIMIT, LONG_BEHIND));
}

EF_TEST(nothing_is_known_at_first)
{
    struct ef_hold hold;

    ef_hold_init(&hold, TARGET, LIMIT);
    ef_hold_arrived(&hold, 1000000, 1, true);
    EF_CHECK(!ef_hold_waits(&hold, 1000000, 1, LONG_BEHIND));
    EF_CHECK(!ef_hold_waits(&hold, 1000001, 1, LONG_BEHIND));
    ef_hold_arrived(&hold, 1000100, 1, false);
    EF_CHECK(ef_hold_waits(&hold, 1000100, 2, LONG_BEHIND));
}

EF_TEST(never_past_the_deadline)
{
    struct ef_hold hold;
    uint64_t first = steady(&hold, 1, true);

    for (uint64_t now = first + GAP; now < first + 2 * TARGET; now += GAP) {
        ef_hold_arrived(&hold, now, 1, false);
        if (now >= first + TARGET) {
            EF_CHECK(!ef_hold_waits(&hold, now, 2, LONG_BEHIND));
        }
    }
}

EF_TEST(target_0_and_limit_1_send_at_once)
{
    struct ef_hold hold;

    ef_hold_init(&hold, 0, LIMIT);
    for (int i = 0; i < 20; i++) {
        ef_hold_arrived(&hold, 100 + i, 1, true);
        EF_CHECK(!ef_hold_waits(&hold, 100 + i, 1, LONG_BEHIND));
    }
    ef_hold_init(&hold, TARGET, 1);
    for (int i = 0; i < 20; i++) {
        ef_hold_arrived(&hold, 100 + i, 1, true);
        EF_CHECK(!ef_hold_waits(&hold, 100 + i, 1, LONG_BEHIND));
    }
}

EF_TEST(traffic_stops)
{
    struct ef_hold hold;
    uint64_t now = steady(&hold, 1, true);

    EF_CHECK(ef_hold_waits(&hold, now + 4 * GAP, 1, LONG_BEHIND));
    EF_CHECK(!ef_hold_waits(&hold, now + 9 * GAP, 1, LONG_BEHIND));
}

EF_TEST(after_a_pause)
{
    struct ef_hold hold;
    uint64_t now = steady(&hold, 4, true) + TARGET + 1;

    ef_hold_arrived(&hold, now, 4, true);
    EF_CHECK(!ef_hold_waits(&hold, now, 4, LONG_BEHIND));
    /* More packets of the same receive batch are no second arrival. */
    ef_hold_arrived(&hold, now, 4, false);
    EF_CHECK(!ef_hold_waits(&hold, now, 8, LONG_BEHIND));
    ef_hold_arrived(&hold, now + GAP, 4, false);
    EF_CHECK(ef_hold_waits(&hold, now + GAP, 12, LONG_BEHIND));
}

/* As many packets in one call or in several. */
EF_TEST(packets_of_a_receive_batch)
{
    struct ef_hold a, b;

    ef_hold_init(&a, TARGET, LIMIT);
    ef_hold_init(&b, TARGET, LIMIT);
    for (uint64_t now = GAP; now < 50 * GAP; now += GAP) {
        ef_hold_arrived(&a, now, 3, true);
        for (int i = 0; i < 3; i++) {
            ef_hold_arrived(&b, now, 1, !i);
        }
    }
    EF_CHECK_MEM_EQ(&a, &b, sizeof a);
}

EF_TEST(no_company_in_the_rest)
{
    struct ef_hold hold;
    uint64_t now = steady(&hold, 1, false);

    hold.deadline = now + GAP / 4;
    EF_CHECK(!ef_hold_waits(&hold, now, 1, LONG_BEHIND));
    hold.deadline = now + GAP;
    EF_CHECK(ef_hold_waits(&hold, now, 1, LONG_BEHIND));
}

/* Four packets per GAP: 16 more take 4 GAP, of 16 waiting packets each. */
EF_TEST(gain)
{
    struct ef_hold hold;
    uint64_t now = steady(&hold, 4, true);
    uint32_t cost = EF_HOLD_FACTOR * 16 * 4 * GAP;

    EF_CHECK(!ef_hold_waits(&hold, now, 16, 0));
    EF_CHECK(!ef_hold_waits(&hold, now, 16, cost / 10 * 8));
    EF_CHECK(ef_hold_waits(&hold, now, 16, cost / 10 * 12));

    /* No longer than the rest. */
    hold.deadline = now + GAP;
    EF_CHECK(!ef_hold_waits(&hold, now, 16, cost / 40 * 8));
    EF_CHECK(ef_hold_waits(&hold, now, 16, cost / 40 * 12));
}

EF_TEST(longest_target)
{
    struct ef_hold hold;
    uint64_t now = 1;

    ef_hold_init(&hold, UINT32_MAX, LIMIT);
    EF_CHECK_EQ(hold.target, EF_HOLD_TARGET_MAX);
    for (int i = 0; i < 100; i++) {
        now += EF_HOLD_TARGET_MAX;
        ef_hold_arrived(&hold, now, LIMIT, true);
    }
    EF_CHECK(hold.span <= 8 * EF_HOLD_TARGET_MAX);
    EF_CHECK(hold.span > 7 * EF_HOLD_TARGET_MAX);
    EF_CHECK(ef_hold_waits(&hold, now, 1, LONG_BEHIND));
    EF_CHECK(!ef_hold_waits(&hold, now + EF_HOLD_TARGET_MAX, 1, LONG_BEHIND));
}

EF_TEST(behind)
{
    static const struct {
        uint32_t ticks, n;
        bool held;
        uint32_t behind;
    } steps[] = {
        { 100, 32, false, 100 },
        { 100, 32, false, 200 },
        { 50, 31, false, 150 },         /* Kept up, so far. */
        { 50, 31, true, 150 },          /* Holding may be why. */
        { 50, 1, true, 150 },
        { 50, 31, false, 100 },
        { 10, 0, true, 20 },            /* Eightfold. */
        { 10, 32, true, 100 },
        { 10, 0, false, 20 },
        { 1000, 1, false, 0 },
        { 5000, 32, false, 1000 },      /* No more than the maximum. */
    };
    struct ef_hold_load load;
    uint64_t now = 77;

    ef_hold_load_init(&load, now, 1000);
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        now += steps[i].ticks;
        ef_hold_polled(&load, now, steps[i].n, 32, steps[i].held);
        EF_CHECK_EQ(load.behind, steps[i].behind);
    }
}

/* An estimate from before a pause. */
EF_TEST_MUST_FAIL(estimate_that_never_fades)
{
    struct ef_hold hold;
    uint64_t now = steady(&hold, 4, true) + 10 * GAP;

    hold.last = now;
    EF_CHECK(!ef_hold_waits(&hold, now, 4, LONG_BEHIND));
}
