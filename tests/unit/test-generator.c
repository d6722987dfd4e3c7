/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of the load generator (tests/bench/generator.c). */

#include <config.h>

#include "../bench/fine-histogram.h"
#include "../bench/schedule.h"
#include "ef-test.h"

#define HZ UINT64_C(2500000007)         /* No rate below divides it. */

EF_TEST(constant_rate_does_not_drift)
{
    static const uint64_t rates[] = { 1, 999983, 3000000, 14880952 };

    for (int i = 0; i < ARRAY_SIZE(rates); i++) {
        struct schedule s;

        schedule_init(&s, HZ, rates[i], false, 1);
        EF_CHECK_EQ(schedule_next(&s), 0);
        for (uint64_t j = 0; j < rates[i]; j++) {
            schedule_advance(&s);
        }
        EF_CHECK_EQ(schedule_next(&s), HZ);
    }
}

EF_TEST(logarithm)
{
    EF_CHECK_EQ(schedule_minus_ln(UINT64_C(1) << 63), 45426);
    EF_CHECK(schedule_minus_ln(UINT64_MAX) <= 1);
    EF_CHECK_EQ(schedule_minus_ln(1), 64 * 45426);
    /* -ln(0.1) is 2.302585. */
    EF_CHECK(llabs((long long) schedule_minus_ln(UINT64_MAX / 10)
                   - 150902) <= 4);
}

/* Of exponential gaps 1 - 1/e are below the mean, and the mean of squares is
 * twice the square of the mean. */
static void
check_poisson(bool poisson)
{
    enum { N = 1000000, MEAN = 2500 };
    uint64_t last = 0, below = 0, squares = 0;
    struct schedule s;

    schedule_init(&s, N * (uint64_t) MEAN, N, poisson, 12345);
    for (int i = 0; i < N; i++) {
        uint64_t gap;

        schedule_advance(&s);
        gap = schedule_next(&s) - last;
        last = schedule_next(&s);
        below += gap < MEAN;
        squares += gap * gap;
    }
    EF_CHECK(llabs((long long) (last / N) - MEAN) < MEAN / 100);
    EF_CHECK(llabs((long long) below - 632121) < 5000);
    EF_CHECK(llabs((long long) (squares / N) - 2 * MEAN * MEAN)
             < MEAN * MEAN / 20);
}

EF_TEST(poisson_gaps_are_exponential)
{
    check_poisson(true);
}

EF_TEST_MUST_FAIL(constant_gaps_are_not)
{
    check_poisson(false);
}

EF_TEST(buckets_join_without_a_gap)
{
    for (unsigned int i = 0; i + 1 < FINE_N_BUCKETS; i++) {
        uint64_t bound = fine_histogram_bound(i);

        EF_CHECK_EQ(fine_histogram_bucket(bound), i);
        EF_CHECK_EQ(fine_histogram_bucket(bound + 1), i + 1);
    }
    EF_CHECK_EQ(fine_histogram_bucket(UINT64_MAX), FINE_N_BUCKETS - 1);
}

/* 1 to 10,000 in steps of 'step' have a permille of which we know all. */
static void
check_percentiles(int step)
{
    static const unsigned int permilles[] = { 1, 500, 900, 990, 999, 1000 };
    static struct fine_histogram h;

    memset(&h, 0, sizeof h);
    EF_CHECK_EQ(fine_histogram_permille(&h, 500), 0);
    for (int i = 1; i <= 10000; i += step) {
        fine_histogram_add(&h, i);
    }
    for (int i = 0; i < ARRAY_SIZE(permilles); i++) {
        uint64_t exact = 10 * permilles[i];
        uint64_t found = fine_histogram_permille(&h, permilles[i]);

        EF_CHECK(found >= exact && found <= exact + exact / 128);
    }
    EF_CHECK_EQ(h.max, 10000);
}

EF_TEST(percentiles_are_within_a_bucket)
{
    check_percentiles(1);
}

EF_TEST_MUST_FAIL(planted_missing_values)
{
    check_percentiles(7000);
}
