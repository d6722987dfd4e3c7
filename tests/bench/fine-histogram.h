/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_FINE_HISTOGRAM_H
#define BENCH_FINE_HISTOGRAM_H 1

/* Counts of values in buckets that are at most 1/128 wide.
 *
 * stats/histogram.h has buckets of 1/16, too wide to tell medians apart that
 * may differ by 5 %.  Values below 256 have a bucket each; above, each power
 * of two is cut into 128.  The last bucket takes what is 2**40 or more. */

#include <stdint.h>

#define FINE_SUB_BITS 7
#define FINE_MAX_BITS 40
#define FINE_N_BUCKETS \
    ((FINE_MAX_BITS - FINE_SUB_BITS + 1) << FINE_SUB_BITS)

struct fine_histogram {
    uint64_t n;
    uint64_t max;
    uint64_t buckets[FINE_N_BUCKETS];
};

static inline unsigned int
fine_histogram_bucket(uint64_t value)
{
    int shift;

    if (value >> FINE_MAX_BITS) {
        return FINE_N_BUCKETS - 1;
    }
    if (value < 1 << (FINE_SUB_BITS + 1)) {
        return value;
    }
    shift = 63 - __builtin_clzll(value) - FINE_SUB_BITS;
    return (shift << FINE_SUB_BITS) + (value >> shift);
}

/* The largest value that is counted in 'bucket'. */
static inline uint64_t
fine_histogram_bound(unsigned int bucket)
{
    unsigned int shift = bucket >> FINE_SUB_BITS;

    if (shift < 2) {
        return bucket;
    }
    shift--;
    return ((uint64_t) (bucket - (shift << FINE_SUB_BITS) + 1) << shift) - 1;
}

static inline void
fine_histogram_add(struct fine_histogram *h, uint64_t value)
{
    h->n++;
    h->max = value > h->max ? value : h->max;
    h->buckets[fine_histogram_bucket(value)]++;
}

/* The bound of the first bucket at which 'permille' of the values are reached,
 * no more than the maximum.  0 if there are none. */
static inline uint64_t
fine_histogram_permille(const struct fine_histogram *h, unsigned int permille)
{
    uint64_t rank = (h->n * permille + 999) / 1000, n = 0;

    for (unsigned int i = 0; i < FINE_N_BUCKETS - 1 && h->n; i++) {
        n += h->buckets[i];
        if (n >= rank) {
            uint64_t bound = fine_histogram_bound(i);

            return bound < h->max ? bound : h->max;
        }
    }
    return h->max;
}

#endif /* fine-histogram.h */
