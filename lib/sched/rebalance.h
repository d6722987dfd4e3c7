/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SCHED_REBALANCE_H
#define EF_SCHED_REBALANCE_H 1

/* Automatic load balancing: when is a new plan worth a reconfiguration.
 *
 * Every 'interval_ms' the main thread asks ef_alb_is_due().  If a PMD was
 * overloaded throughout and the configuration lends itself to it, it makes a
 * plan without carrying it out and compares, for each NUMA node, the variance
 * of the PMDs' load in percent.
 *
 * Threads: main only. */

#include <stdbool.h>
#include <stdint.h>

#include "sched/plan.h"

#define EF_ALB_INTERVAL_MIN_DEFAULT 1           /* Minutes. */
#define EF_ALB_INTERVAL_MIN_MAX 20000           /* Minutes. */
#define EF_ALB_IMPROVEMENT_DEFAULT 25           /* Percent. */
#define EF_ALB_LOAD_DEFAULT 95                  /* Percent. */

struct ef_alb {
    bool enabled;
    uint64_t interval_ms;
    uint8_t improvement_threshold;      /* Percent. */
    uint8_t load_threshold;             /* Percent. */

    long long last_check_ms;    /* 0: not yet. */
    bool recheck_config;        /* Reconfigured since 'worthwhile' was set. */
    bool worthwhile;            /* The configuration lends itself. */
};

/* Returns whether the interval is over at 'now_ms', and starts the next. */
bool ef_alb_is_due(struct ef_alb *, long long now_ms);

/* Whether a dry run could find anything: not roundrobin, two PMDs that are
 * not isolated, one of them with two queues. 'current' has the assignment in
 * force in its "out" members. Keeps the answer until 'recheck_config'. */
bool ef_alb_is_worthwhile(struct ef_alb *, const struct ef_sched *current);

/* Compares the assignment in force with a plan for the same queues and
 * PMDs.  Returns true if the variance of load falls by 'improvement_threshold'
 * percent on some node, isolated PMDs apart; false if there are several nodes
 * with PMDs and the plan has queues that leave theirs, since nobody knows what
 * they will cost there.  Logs its reasons at debug level. */
bool ef_alb_improves(const struct ef_alb *, const struct ef_sched *current,
                     const struct ef_sched *planned);

/* Variance of 'n' values, integer arithmetic; 0 if 'n' is 0. */
uint64_t ef_variance(const uint64_t values[], size_t n);

#endif /* sched/rebalance.h */
