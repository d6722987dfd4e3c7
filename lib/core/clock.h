/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_CLOCK_H
#define EF_CORE_CLOCK_H 1

/* Time that goes on by itself: unlike time_msec() and its kind, which a test
 * suite may stop and warp.  For durations, not for what a test has to control.
 *
 * Threads: any. */

#include <stdint.h>
#include <time.h>

/* Since some moment before the process began. */
static inline uint64_t
ef_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

static inline long long
ef_clock_us(void)
{
    return ef_clock_ns() / 1000;
}

static inline long long
ef_clock_ms(void)
{
    return ef_clock_ns() / 1000000;
}

#endif /* core/clock.h */
