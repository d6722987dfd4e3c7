/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_RANDOM_H
#define EF_CORE_RANDOM_H 1

/* Random numbers for the packet path: three shifts, no call.
 *
 * Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003,
 * triple (13, 17, 5).  Good enough to throw dice for a cache, for nothing
 * else.  The state belongs to one thread and must not be 0. */

#include <stdint.h>

static inline uint32_t
ef_random_next(uint32_t *state)
{
    uint32_t x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

#endif /* core/random.h */
