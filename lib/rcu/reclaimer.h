/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_RCU_RECLAIMER_H
#define EF_RCU_RECLAIMER_H 1

/* The thread that runs postponed calls.
 *
 * It takes what producers have given away, begins a grace period for it, and
 * runs the calls when that is over; meanwhile it takes what came after, for
 * the next period.  It runs calls in slices: EF_RCU_SLICE_US, and at most the
 * one call that was under way then.  Between slices it is offline, so nobody
 * who waits for a grace period waits longer for it than that.
 *
 * It is created when it is first wanted, since the process must have one
 * thread until it has become a daemon.  Before, ef_rcu_run_all() takes its
 * place; after ef_rcu_reclaimer_stop(), too. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EF_RCU_SLICE_US 500

/* Any thread but PMDs.  Creates the thread unless it exists or was stopped;
 * not before the process has other threads. */
void ef_rcu_reclaimer_start(void);

/* Ends it for good.  The caller is offline. */
void ef_rcu_reclaimer_stop(void);

/* Runs all calls that were given away and all that wait.  There is no
 * reclaimer.  If there are any, returns true, and between taking and running
 * them calls 'wait', which makes sure that nobody can hold what they free;
 * NULL if nobody can. */
bool ef_rcu_run_all(void (*wait)(void));

/* --- Any thread ---------------------------------------------------------- */

struct ef_rcu_reclaimer_stats {
    uint64_t n_periods;         /* Grace periods that calls waited for. */
    uint64_t n_chunks;          /* Chunks of calls that they covered. */
    uint64_t n_slices;
    uint64_t busy_us;           /* Time in slices. */
    uint64_t max_slice_us;
    long long oldest_us;        /* When the first call that waits was
                                 * postponed; 0 if none waits. */
};
void ef_rcu_get_reclaimer_stats(struct ef_rcu_reclaimer_stats *);

#endif /* rcu/reclaimer.h */
