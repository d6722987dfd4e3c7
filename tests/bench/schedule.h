/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_SCHEDULE_H
#define BENCH_SCHEDULE_H 1

/* When the frames of an open loop are meant to depart.
 *
 * The next departure does not depend on what became of the last one, so a
 * switch that stalls meets all that would have come meanwhile, and its delay
 * is counted.  Time is in cycles after the start, with 16 bits of fraction.
 *
 *     struct schedule s;
 *
 *     schedule_init(&s, hz, rate, poisson, seed);
 *     while (schedule_next(&s) <= cycles_since_start) {
 *         ...send...
 *         schedule_advance(&s);
 *     }
 *
 * Integers only; 'rate' times the number of frames does not drift. */

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_BITS 16

struct schedule {
    uint64_t next;              /* In 1/65536 cycles. */
    uint64_t mean;              /* Whole part of the mean gap, likewise. */
    uint64_t rest, error, rate; /* What division left over, and its sum. */
    uint64_t random;            /* 0: constant gaps. */
};

static inline void
schedule_init(struct schedule *s, uint64_t hz, uint64_t rate, bool poisson,
              uint64_t seed)
{
    *s = (struct schedule) {
        .mean = (hz << SCHEDULE_BITS) / rate,
        .rest = (hz << SCHEDULE_BITS) % rate,
        .rate = rate,
        .random = poisson ? seed | 1 : 0,
    };
}

static inline uint64_t
schedule_next(const struct schedule *s)
{
    return s->next >> SCHEDULE_BITS;
}

/* A 64-bit xorshift with a multiplied output (Marsaglia, Vigna); 'state' must
 * not be 0. */
static inline uint64_t
schedule_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* -ln(u / 2**64) in 1/65536, for 'u' not 0.  The logarithm's fraction is
 * found a bit at a time, by squaring the mantissa. */
static inline uint64_t
schedule_minus_ln(uint64_t u)
{
    int shift = __builtin_clzll(u);
    uint64_t mantissa = u << shift >> 32;       /* 2**31 to 2**32 - 1. */
    uint64_t log2 = 63 - shift;

    for (int i = 0; i < SCHEDULE_BITS; i++) {
        mantissa = mantissa * mantissa >> 31;
        log2 <<= 1;
        if (mantissa >> 32) {
            mantissa >>= 1;
            log2 |= 1;
        }
    }
    /* 45426 is ln(2) in 1/65536. */
    return ((UINT64_C(64) << SCHEDULE_BITS) - log2) * 45426 >> SCHEDULE_BITS;
}

static inline void
schedule_advance(struct schedule *s)
{
    if (s->random) {
        uint64_t u = schedule_random(&s->random);

        s->next += (unsigned __int128) s->mean * schedule_minus_ln(u ? u : 1)
                   >> SCHEDULE_BITS;
        return;
    }
    s->next += s->mean;
    s->error += s->rest;
    if (s->error >= s->rate) {
        s->error -= s->rate;
        s->next++;
    }
}

#endif /* schedule.h */
