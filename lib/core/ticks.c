/* SPDX-License-Identifier: Apache-2.0 */

/* Frequency of the time stamp counter.  Called by the main thread when the
 * first data path is made; read when settings in microseconds are taken
 * over. */

#include <config.h>

#include "core/ticks.h"

#include "core/clock.h"
#include "ovs-atomic.h"
#include "util.h"

#define CALIBRATION_NS UINT64_C(10000000)

static atomic_uint64_t per_us = 1000;

/* Returns ticks per second, as the clock of the kernel goes. */
static uint64_t
measure_hz(void)
{
    uint64_t start_ns = ef_clock_ns();
    uint64_t start = ef_ticks_now();
    uint64_t ns;

    /* A sleep would do but for a guest that is moved meanwhile; nobody has
     * packets yet. */
    do {
        ns = ef_clock_ns() - start_ns;
    } while (ns < CALIBRATION_NS);
    return (ef_ticks_now() - start) * UINT64_C(1000000000) / ns;
}

void
ef_ticks_calibrate(void)
{
    uint64_t hz = rte_get_tsc_hz();

    if (!hz) {
        hz = measure_hz();
    }
    atomic_store_relaxed(&per_us, MAX(hz / 1000000, 1));
}

uint64_t
ef_ticks_per_us(void)
{
    uint64_t n;

    atomic_read_relaxed(&per_us, &n);
    return n;
}
