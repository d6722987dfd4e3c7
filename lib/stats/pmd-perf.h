/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_STATS_PMD_PERF_H
#define EF_STATS_PMD_PERF_H 1

/* Counters, cycle timers and histograms of a PMD.
 *
 * The package's dpif-netdev-perf serves as it is: the text of
 * pmd-perf-show and the log of suspicious iterations are its own, and
 * programs parse them.  This header is the only place that names it. */

#include "ovs-thread.h"
#include "dpif-netdev-perf.h"

#endif /* stats/pmd-perf.h */
