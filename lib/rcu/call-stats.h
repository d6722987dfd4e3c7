/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_RCU_CALL_STATS_H
#define EF_RCU_CALL_STATS_H 1

/* What postponed calls cost, by function.
 *
 * Threads: whoever runs postponed calls counts, one at a time; anybody
 * reads. */

#include <stddef.h>
#include <stdint.h>

/* Functions told apart; the package has about thirty. */
#define EF_RCU_N_FUNCTIONS 64

/* Counts 'n' calls that took 'ns' in all, the longest of them 'max_ns'. */
void ef_rcu_count_calls(void (*function)(void *), unsigned n, uint64_t ns,
                        uint64_t max_ns);

struct ef_rcu_function_stats {
    void (*function)(void *);   /* NULL: all that found no place. */
    uint64_t n;
    uint64_t total_ns;
    uint64_t max_ns;
};

/* Stores what is known into 'stats', longest call first, and returns the
 * number of functions. */
size_t ef_rcu_get_function_stats(
    struct ef_rcu_function_stats stats[EF_RCU_N_FUNCTIONS + 1]);

#endif /* rcu/call-stats.h */
