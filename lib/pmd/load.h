/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_LOAD_H
#define EF_PMD_LOAD_H 1

/* How busy a PMD is, in intervals of EF_LOAD_INTERVAL_US.
 *
 * Input to the plan of rx queues, to automatic load balancing and to
 * pmd-rxq-show.  The owner writes; others read, relaxed. */

#include <stdbool.h>
#include <stdint.h>

#include "ovs-atomic.h"
#include "port/rxq.h"
#include "stats/pmd-perf.h"

struct ef_pmd_load {
    /* Owner. */
    long long next_store_us;    /* End of the current interval. */
    uint64_t interval_start_tsc;        /* 0: not known. */
    uint64_t idle, busy, slept; /* Counters when the interval began. */

    /* Owner writes, any thread reads. */
    struct ef_load busy_load;   /* Busy cycles; only the ring is used. */
    atomic_ullong interval_cycles;      /* All cycles of the last interval; 0
                                         * if not known. */
    atomic_count n_overloaded;  /* Intervals in a row over the threshold. */
};

void ef_pmd_load_init(struct ef_pmd_load *, long long now_us);

/* Owner, when its queues changed: forgets everything measured.  The queues'
 * own loads are the caller's to reset.  The interval at hand ends as planned
 * but does not count, since it is part old queues, part new ones. */
void ef_pmd_load_reset(struct ef_pmd_load *);

/* Owner, at the end of an interval ('now_us' after 'next_store_us'): stores
 * the interval of the PMD and of the 'n' queues it polls, starts the next.
 * A busy share of 'threshold' percent or more makes the PMD count as
 * overloaded, less starts the count again; with 'threshold' over 100 (load
 * balancing is off, or the PMD is isolated) the count stays 0. */
void ef_pmd_load_store(struct ef_pmd_load *, struct pmd_perf_stats *,
                       struct ef_rxq *const rxqs[], size_t n,
                       unsigned threshold, long long now_us);

/* Any thread: all cycles of one interval, or 0 if not known. */
uint64_t ef_pmd_load_interval_cycles(const struct ef_pmd_load *);

#endif /* pmd/load.h */
