/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of stats/histogram.c: where values fall, and percentiles against
 * a sorted array of the values. */

#include <config.h>

#include "stats/histogram.h"

#include <math.h>

#include "ef-test.h"

#define N_VALUES 5000
#define LIMIT (UINT64_C(1) << EF_HISTOGRAM_MAX_BITS)

/* The upper bound of the bucket of 'value', as a percentile shows it: a
 * larger value beside it keeps the maximum out of the way. */
static uint64_t
bound_of(uint64_t value)
{
    static struct ef_histogram h;

    ef_histogram_clear(&h);
    ef_histogram_add(&h, value);
    ef_histogram_add(&h, UINT64_MAX);
    return ef_histogram_percentile(&h, 50);
}

EF_TEST(small_values_have_a_bucket_each)
{
    for (uint64_t value = 0; value < 32; value++) {
        EF_CHECK_EQ(bound_of(value), value);
    }
    EF_CHECK_EQ(bound_of(32), 33);
    EF_CHECK_EQ(bound_of(33), 33);
    EF_CHECK_EQ(bound_of(34), 35);
}

/* A bound is never below the value, by at most 1/16 above, falls into the
 * bucket itself, and the next value is in the next bucket. */
EF_TEST(bounds_of_buckets)
{
    for (unsigned bits = 5; bits < EF_HISTOGRAM_MAX_BITS; bits++) {
        uint64_t low = UINT64_C(1) << bits;
        uint64_t value = low;
        unsigned n = 0;

        while (value < 2 * low) {
            uint64_t bound = bound_of(value);

            EF_REQUIRE(bound >= value);
            EF_CHECK(bound - value <= value / 16);
            EF_CHECK_EQ(bound_of(bound), bound);
            value = bound + 1;
            n++;
        }
        EF_CHECK_EQ(value, 2 * low);
        EF_CHECK_EQ(n, 1 << EF_HISTOGRAM_SUB_BITS);
    }
}

EF_TEST(values_beyond_the_last_bucket)
{
    struct ef_histogram h = EF_HISTOGRAM_INIT;

    EF_CHECK_EQ(bound_of(LIMIT - 1), LIMIT - 1);
    EF_CHECK_EQ(bound_of(LIMIT), LIMIT - 1);
    ef_histogram_add(&h, LIMIT + 5);
    ef_histogram_add(&h, UINT64_MAX);
    EF_CHECK_EQ(ef_counter_get(&h.n), 2);
    EF_CHECK_EQ(ef_counter_get(&h.max), UINT64_MAX);
    EF_CHECK_EQ(ef_counter_get(&h.buckets[EF_HISTOGRAM_N_BUCKETS - 1]), 2);
}

static int
compare_values(const void *a_, const void *b_)
{
    const uint64_t *a = a_, *b = b_;

    return *a < *b ? -1 : *a > *b;
}

/* Values of all orders of magnitude. */
static uint64_t
random_value(void)
{
    uint64_t value = (uint64_t) random_uint32() << 32 | random_uint32();

    return value >> (64 - EF_HISTOGRAM_MAX_BITS
                     + random_range(EF_HISTOGRAM_MAX_BITS));
}

static void
check_percentiles(const struct ef_histogram *h, const uint64_t *sorted,
                  size_t n)
{
    static const double percents[] = {
        0.01, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 100
    };

    for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
        size_t rank = MAX(ceil(n * percents[i] / 100.0), 1);
        uint64_t exact = sorted[rank - 1];
        uint64_t found = ef_histogram_percentile(h, percents[i]);

        EF_CHECK(found >= exact && found - exact <= exact / 16);
        EF_CHECK(found <= sorted[n - 1]);
    }
    EF_CHECK_EQ(ef_histogram_percentile(h, 100), sorted[n - 1]);
}

EF_TEST(percentiles_of_random_values)
{
    static uint64_t values[N_VALUES];
    struct ef_histogram h = EF_HISTOGRAM_INIT;

    for (size_t n = 1; n <= N_VALUES; n = n * 3 + 1) {
        ef_histogram_clear(&h);
        for (size_t i = 0; i < n; i++) {
            values[i] = random_value();
            ef_histogram_add(&h, values[i]);
        }
        qsort(values, n, sizeof values[0], compare_values);
        EF_CHECK_EQ(ef_counter_get(&h.n), n);
        EF_CHECK_EQ(ef_counter_get(&h.max), values[n - 1]);
        check_percentiles(&h, values, n);
    }
}

EF_TEST(empty_and_cleared)
{
    struct ef_histogram h = EF_HISTOGRAM_INIT;

    EF_CHECK_EQ(ef_histogram_percentile(&h, 50), 0);
    EF_CHECK_EQ(ef_histogram_percentile(&h, 100), 0);
    ef_histogram_add(&h, 1000);
    EF_CHECK_EQ(ef_histogram_percentile(&h, 50), 1000);
    ef_histogram_clear(&h);
    EF_CHECK_EQ(ef_histogram_percentile(&h, 100), 0);
    EF_CHECK_EQ(ef_counter_get(&h.max), 0);
    EF_CHECK_EQ(ef_counter_get(&h.n), 0);
    ef_histogram_add(&h, 3);
    EF_CHECK_EQ(ef_histogram_percentile(&h, 100), 3);
}

/* A value that nobody counted. */
EF_TEST_MUST_FAIL(planted)
{
    uint64_t values[] = { 10, 20, 40 };
    struct ef_histogram h = EF_HISTOGRAM_INIT;

    ef_histogram_add(&h, 10);
    ef_histogram_add(&h, 20);
    check_percentiles(&h, values, ARRAY_SIZE(values));
}
