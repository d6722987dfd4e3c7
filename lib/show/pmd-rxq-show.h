/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_PMD_RXQ_SHOW_H
#define EF_SHOW_PMD_RXQ_SHOW_H 1

/* dpif-netdev/pmd-rxq-show: which rx queues a PMD polls, and at what cost.
 *
 * The lines are a contract with programs that parse them.  Queues are sorted
 * by the name of the device, then by number.  A queue's usage is its share of
 * the PMD's cycles in the newest 'n_intervals' intervals (1 to
 * EF_LOAD_INTERVALS), the overhead what the PMD was busy with beside its
 * queues; "NOT AVAIL" before the PMD measured an interval.  Prints nothing
 * for the instance without a thread.
 *
 * Threads: main.  Takes the mutex of the PMD's lists, which no thread holds
 * for longer than it takes to copy them. */

struct ds;
struct ef_pmd;

void ef_show_pmd_rxqs(struct ds *, struct ef_pmd *, unsigned n_intervals);

#endif /* show/pmd-rxq-show.h */
