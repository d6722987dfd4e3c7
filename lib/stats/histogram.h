/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_STATS_HISTOGRAM_H
#define EF_STATS_HISTOGRAM_H 1

/* Counts of values, in buckets whose width grows with the value.
 *
 * Values below 16 have a bucket each; above, each power of two is cut into 16,
 * so that a bucket's bounds differ by at most 1/16.  The scheme is that of
 * HdrHistogram (http://hdrhistogram.org).  Values beyond the last bucket count
 * in it; the maximum is kept exactly.
 *
 *     struct ef_histogram h = EF_HISTOGRAM_INIT;
 *
 *     ef_histogram_add(&h, duration_us);
 *     p99_us = ef_histogram_percentile(&h, 99.0);
 *
 * Threads: one writer.  Readers may run beside it and then see a histogram of
 * some moment around the call, a value more or less. */

#include <stdint.h>

#include "core/counter.h"

#define EF_HISTOGRAM_SUB_BITS 4
#define EF_HISTOGRAM_MAX_BITS 36    /* Values up to 2**36 - 1. */
#define EF_HISTOGRAM_N_BUCKETS \
    ((EF_HISTOGRAM_MAX_BITS - EF_HISTOGRAM_SUB_BITS + 1) \
     << EF_HISTOGRAM_SUB_BITS)

struct ef_histogram {
    atomic_ullong n;
    atomic_ullong max;
    atomic_ullong buckets[EF_HISTOGRAM_N_BUCKETS];
};
#define EF_HISTOGRAM_INIT { .n = 0 }

/* The writer. */
void ef_histogram_add(struct ef_histogram *, uint64_t value);
void ef_histogram_clear(struct ef_histogram *);

/* Adds what 'from' has, whose writer may be at it, to 'to', of which the
 * caller is the writer. */
void ef_histogram_merge(struct ef_histogram *to,
                        const struct ef_histogram *from);

/* Any thread. */

/* The smallest value so that at least 'percent' of all values, more than 0 and
 * at most 100, are not above its bucket's upper bound, which is returned; no
 * more than the maximum.  0 if there are no values. */
uint64_t ef_histogram_percentile(const struct ef_histogram *, double percent);

#endif /* stats/histogram.h */
