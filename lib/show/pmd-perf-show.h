/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_PMD_PERF_SHOW_H
#define EF_SHOW_PMD_PERF_SHOW_H 1

/* dpif-netdev/pmd-perf-show: rates, histograms, history of iterations.
 *
 * Histograms and history appear only with pmd-perf-metrics=true.  Prints
 * nothing for the instance without a thread.
 *
 * Threads: main.  Keeps the PMD's metrics from being cleared meanwhile. */

struct ds;
struct ef_pmd;
struct pmd_perf_params;

void ef_show_pmd_perf(struct ds *, struct ef_pmd *,
                      const struct pmd_perf_params *);

#endif /* show/pmd-perf-show.h */
