/* SPDX-License-Identifier: Apache-2.0 */

/* Histogram of values over many orders of magnitude.
 *
 * Its one writer may be any thread; show commands read it from the main
 * thread.  Nothing is allocated. */

#include <config.h>

#include "stats/histogram.h"

#include <math.h>

#include "util.h"

#define SUB_BITS EF_HISTOGRAM_SUB_BITS
#define N_SUB (1u << SUB_BITS)

static unsigned
bucket_of(uint64_t value)
{
    unsigned shift;

    if (value >> EF_HISTOGRAM_MAX_BITS) {
        return EF_HISTOGRAM_N_BUCKETS - 1;
    }
    if (value < N_SUB) {
        return value;
    }
    /* So that the shifted value has SUB_BITS + 1 bits, the highest one set. */
    shift = 63 - __builtin_clzll(value) - SUB_BITS;
    return (shift << SUB_BITS) + (value >> shift);
}

/* The largest value that falls into it. */
static uint64_t
upper_bound(unsigned bucket)
{
    unsigned shift;

    if (bucket < 2 * N_SUB) {
        return bucket;
    }
    shift = (bucket >> SUB_BITS) - 1;
    return (((uint64_t) (bucket & (N_SUB - 1)) + N_SUB + 1) << shift) - 1;
}

void
ef_histogram_add(struct ef_histogram *h, uint64_t value)
{
    ef_counter_add(&h->buckets[bucket_of(value)], 1);
    if (value > ef_counter_get(&h->max)) {
        ef_counter_set(&h->max, value);
    }
    ef_counter_add(&h->n, 1);
}

void
ef_histogram_clear(struct ef_histogram *h)
{
    ef_counter_set(&h->n, 0);
    ef_counter_set(&h->max, 0);
    for (unsigned i = 0; i < EF_HISTOGRAM_N_BUCKETS; i++) {
        ef_counter_set(&h->buckets[i], 0);
    }
}

/* The total is what was found in the buckets, so that percentiles fit. */
void
ef_histogram_merge(struct ef_histogram *to, const struct ef_histogram *from)
{
    unsigned long long n = 0;

    for (unsigned i = 0; i < EF_HISTOGRAM_N_BUCKETS; i++) {
        unsigned long long in_bucket = ef_counter_get(&from->buckets[i]);

        ef_counter_add(&to->buckets[i], in_bucket);
        n += in_bucket;
    }
    ef_counter_add(&to->n, n);
    ef_counter_set(&to->max, MAX(ef_counter_get(&to->max),
                                 ef_counter_get(&from->max)));
}

uint64_t
ef_histogram_percentile(const struct ef_histogram *h, double percent)
{
    uint64_t max = ef_counter_get(&h->max);
    uint64_t wanted = ceil(ef_counter_get(&h->n) * percent / 100.0);
    uint64_t n = 0;

    if (!wanted) {
        return 0;
    }
    for (unsigned i = 0; i < EF_HISTOGRAM_N_BUCKETS; i++) {
        n += ef_counter_get(&h->buckets[i]);
        if (n >= wanted) {
            return MIN(upper_bound(i), max);
        }
    }
    return max;
}
