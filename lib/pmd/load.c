/* SPDX-License-Identifier: Apache-2.0 */

/* Measures how busy a PMD and its rx queues are, interval by interval.
 *
 * The PMD thread writes, once every EF_LOAD_INTERVAL_US; the main thread
 * reads for the plan, for load balancing and for show commands.  All shared
 * members are relaxed: a reader may see an interval late, never half a
 * number. */

#include <config.h>

#include "pmd/load.h"

static uint64_t
counter(struct pmd_perf_stats *perf, enum pmd_stat_type type)
{
    uint64_t n;

    atomic_read_relaxed(&perf->counters.n[type], &n);
    return n;
}

void
ef_pmd_load_init(struct ef_pmd_load *load, long long now_us)
{
    load->next_store_us = now_us + EF_LOAD_INTERVAL_US;
    load->idle = load->busy = load->slept = 0;
    ef_pmd_load_reset(load);
}

/* The interval at hand stays as long as it is, but since nobody knows when
 * the new queues joined it, ef_pmd_load_store() does not count it. */
void
ef_pmd_load_reset(struct ef_pmd_load *load)
{
    load->interval_start_tsc = 0;
    ef_load_reset(&load->busy_load);
    atomic_store_relaxed(&load->interval_cycles, 0);
    atomic_count_set(&load->n_overloaded, 0);
}

static void
count_overload(struct ef_pmd_load *load, uint64_t busy, uint64_t total,
               unsigned threshold)
{
    uint64_t percent = total ? busy * 100 / total : 0;

    if (percent >= threshold) {
        atomic_count_inc(&load->n_overloaded);
    } else {
        atomic_count_set(&load->n_overloaded, 0);
    }
}

/* Returns the busy cycles since the interval began. */
static uint64_t
measure_pmd(struct ef_pmd_load *load, struct pmd_perf_stats *perf,
            unsigned threshold)
{
    uint64_t idle = counter(perf, PMD_CYCLES_ITER_IDLE);
    uint64_t busy = counter(perf, PMD_CYCLES_ITER_BUSY);
    uint64_t slept = counter(perf, PMD_CYCLES_SLEEP);
    uint64_t busy_since = 0;

    /* Smaller if somebody initialized the counters since. */
    if (load->interval_start_tsc
        && idle >= load->idle && busy >= load->busy && slept >= load->slept) {
        busy_since = busy - load->busy;
        count_overload(load, busy_since,
                       busy_since + (idle - load->idle)
                       + (slept - load->slept), threshold);
    }
    load->idle = idle;
    load->busy = busy;
    load->slept = slept;
    return busy_since;
}

void
ef_pmd_load_store(struct ef_pmd_load *load, struct pmd_perf_stats *perf,
                  struct ef_rxq *const rxqs[], size_t n, unsigned threshold,
                  long long now_us)
{
    uint64_t busy = measure_pmd(load, perf, threshold);
    uint64_t now_tsc = cycles_counter_update(perf);

    for (size_t i = 0; i < n; i++) {
        ef_load_store_interval(&rxqs[i]->load);
    }
    ef_load_store(&load->busy_load, busy);
    if (load->interval_start_tsc) {
        atomic_store_relaxed(&load->interval_cycles,
                             now_tsc - load->interval_start_tsc);
    }
    load->interval_start_tsc = now_tsc;
    load->next_store_us = now_us + EF_LOAD_INTERVAL_US;
}

uint64_t
ef_pmd_load_interval_cycles(const struct ef_pmd_load *load)
{
    unsigned long long cycles;

    atomic_read_relaxed(CONST_CAST(atomic_ullong *, &load->interval_cycles),
                        &cycles);
    return cycles;
}
