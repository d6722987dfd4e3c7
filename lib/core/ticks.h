/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_TICKS_H
#define EF_CORE_TICKS_H 1

/* Ticks of the processor's time stamp counter, in which PMDs measure: all
 * processors count alike, and to read it costs 20 to 40 cycles.
 *
 * Threads: ef_ticks_calibrate() the main thread, before the first PMD; the
 * others any. */

#include <stdint.h>

#include <rte_cycles.h>

static inline uint64_t
ef_ticks_now(void)
{
    return rte_get_tsc_cycles();
}

/* Takes the frequency from EAL if it is up, else measures for 10 ms. */
void ef_ticks_calibrate(void);

/* At least 1; of a 1 GHz counter before ef_ticks_calibrate(). */
uint64_t ef_ticks_per_us(void);

#endif /* core/ticks.h */
