/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_ACTION_BUCKET_H
#define EF_ACTION_BUCKET_H 1

/* A token bucket: what one band of a meter lets through.
 *
 * The unit is a millionth of what rate and burst size count in, such that one
 * microsecond is worth exactly 'rate' units and nothing is ever rounded:
 *
 *     meter's rate    one unit     cost
 *     packets/s       1e-6 packet  EF_BUCKET_PACKET for each packet
 *     kbit/s          1e-3 bit     EF_BUCKET_BYTE for each byte
 *
 * A burst of 2**32 - 1 is less than 2**52 units, and all that a batch of
 * packets can cost less than 2**53: sums fit.
 *
 * Threads: whoever holds the meter's mutex. */

#include <stdbool.h>
#include <stdint.h>

#include "util.h"

#define EF_BUCKET_UNITS 1000000ULL
#define EF_BUCKET_PACKET EF_BUCKET_UNITS
#define EF_BUCKET_BYTE (8 * EF_BUCKET_UNITS / 1000)

struct ef_bucket {
    /* Constant. */
    uint32_t rate;              /* Units a microsecond; not 0. */
    uint64_t capacity;
    uint64_t fill_us;           /* Fills an empty bucket, rounded up. */

    uint64_t level;             /* At most 'capacity'. */
};

/* Starts full. */
static inline void
ef_bucket_init(struct ef_bucket *bucket, uint32_t rate, uint32_t burst)
{
    bucket->rate = rate;
    bucket->capacity = burst * EF_BUCKET_UNITS;
    bucket->fill_us = DIV_ROUND_UP(bucket->capacity, rate);
    bucket->level = bucket->capacity;
}

/* Any 'elapsed_us' is fine: the product is only computed for times that leave
 * an empty bucket less than full. */
static inline void
ef_bucket_refill(struct ef_bucket *bucket, uint64_t elapsed_us)
{
    if (elapsed_us >= bucket->fill_us) {
        bucket->level = bucket->capacity;
    } else {
        uint64_t level = bucket->level + elapsed_us * bucket->rate;

        bucket->level = MIN(level, bucket->capacity);
    }
}

/* Takes 'cost' if that much is there, else nothing.  Returns whether. */
static inline bool
ef_bucket_take(struct ef_bucket *bucket, uint64_t cost)
{
    if (bucket->level < cost) {
        return false;
    }
    bucket->level -= cost;
    return true;
}

#endif /* action/bucket.h */
