/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_PMD_STATS_SHOW_H
#define EF_SHOW_PMD_STATS_SHOW_H 1

/* dpif-netdev/pmd-stats-show: how packets and cycles were spent.
 *
 * The lines are a contract with programs that parse them, some by
 * position: none may change, go, or come between others.  Cycles appear only
 * when an iteration was counted, averages per packet only when a packet was
 * received.
 *
 * Threads: any; counters are read relaxed, so the sums of lines may be off by
 * a batch. */

struct ds;
struct ef_pmd;

void ef_show_pmd_stats(struct ds *, const struct ef_pmd *);

#endif /* show/pmd-stats-show.h */
