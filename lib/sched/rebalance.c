/* SPDX-License-Identifier: Apache-2.0 */

/* Decides whether automatic load balancing is worth a reconfiguration.
 *
 * Called by dpif/ from its run callback, on the main thread.  Compares plans
 * and logs its reasons at debug level; carries nothing out. */

#include <config.h>

#include "sched/rebalance.h"

#include <inttypes.h>

#include "core/log.h"
#include "port/rxq.h"
#include "util.h"

bool
ef_alb_is_due(struct ef_alb *alb, long long now_ms)
{
    bool due;

    if (!alb->enabled) {
        return false;
    }
    due = alb->last_check_ms
          && now_ms - alb->last_check_ms > (long long) alb->interval_ms;
    if (due || !alb->last_check_ms) {
        alb->last_check_ms = now_ms;
    }
    return due;
}

/* Two PMDs that take any queue, and one with a queue to give away. */
static bool
can_move_queues(const struct ef_sched *current)
{
    size_t n_open = 0;
    bool has_spare = false;

    for (size_t i = 0; i < current->n_pmds; i++) {
        const struct ef_sched_pmd *pmd = &current->pmds[i];

        if (!pmd->isolated) {
            n_open++;
            has_spare |= pmd->n_rxqs > 1;
        }
    }
    return n_open > 1 && has_spare;
}

bool
ef_alb_is_worthwhile(struct ef_alb *alb, const struct ef_sched *current)
{
    if (!alb->recheck_config) {
        if (!alb->worthwhile) {
            VLOG_DBG("PMD auto load balance nothing to do, "
                     "no configuration changes since last check.");
        }
        return alb->worthwhile;
    }

    alb->recheck_config = false;
    alb->worthwhile = false;
    if (current->algorithm == EF_SCHED_ROUNDROBIN) {
        VLOG_DBG("PMD auto load balance nothing to do, "
                 "pmd-rxq-assign=roundrobin assignment type configured.");
    } else if (!can_move_queues(current)) {
        VLOG_DBG("PMD auto load balance nothing to do, "
                 "not enough non-isolated PMDs or RxQs.");
    } else {
        alb->worthwhile = true;
    }
    return alb->worthwhile;
}

/* Whether 'pmds[i]' is the first one of its NUMA node. */
static bool
opens_node(const struct ef_sched *sched, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (sched->pmds[j].numa_id == sched->pmds[i].numa_id) {
            return false;
        }
    }
    return true;
}

static size_t
count_nodes(const struct ef_sched *sched)
{
    size_t n = 0;

    for (size_t i = 0; i < sched->n_pmds; i++) {
        n += opens_node(sched, i);
    }
    return n;
}

static bool
crosses_numa(const struct ef_sched *sched)
{
    for (size_t i = 0; i < sched->n_rxqs; i++) {
        if (sched->rxqs[i].outcome == EF_SCHED_CROSS_NUMA) {
            return true;
        }
    }
    return false;
}

/* Load in percent of all cycles; 0 if it was not measured yet. */
static uint64_t
load_percent(const struct ef_sched_pmd *pmd)
{
    uint64_t total = pmd->interval_cycles * EF_LOAD_INTERVALS;

    return total ? pmd->cycles * 100 / total : 0;
}

/* Variance of the load of a node's PMDs, those that take any queue. */
static uint64_t
node_variance(const struct ef_sched *sched, int numa_id)
{
    uint64_t *loads = xmalloc(sched->n_pmds * sizeof *loads);
    uint64_t variance;
    size_t n = 0;

    for (size_t i = 0; i < sched->n_pmds; i++) {
        const struct ef_sched_pmd *pmd = &sched->pmds[i];

        if (pmd->numa_id == numa_id && !pmd->isolated) {
            loads[n++] = load_percent(pmd);
        }
    }
    variance = ef_variance(loads, n);
    free(loads);
    return variance;
}

/* Returns by how many percent the variance of a node's load falls. */
static uint64_t
node_improvement(const struct ef_sched *current,
                 const struct ef_sched *planned, int numa_id)
{
    uint64_t now = node_variance(current, numa_id);
    uint64_t then = node_variance(planned, numa_id);
    uint64_t improvement = then < now ? (now - then) * 100 / now : 0;

    VLOG_DBG("Numa node %d. Current variance %"PRIu64" Estimated variance "
             "%"PRIu64". Variance improvement %"PRIu64"%%.",
             numa_id, now, then, improvement);
    return improvement;
}

bool
ef_alb_improves(const struct ef_alb *alb, const struct ef_sched *current,
                const struct ef_sched *planned)
{
    bool met = false;

    /* What a queue costs on another node is not what it cost here. */
    if (crosses_numa(planned) && count_nodes(planned) > 1) {
        VLOG_DBG("PMD auto load balance detected cross-numa polling with "
                 "multiple numa nodes. Unable to accurately estimate.");
        return false;
    }

    for (size_t i = 0; i < current->n_pmds; i++) {
        if (opens_node(current, i)
            && node_improvement(current, planned, current->pmds[i].numa_id)
               >= alb->improvement_threshold) {
            met = true;
        }
    }
    VLOG_DBG("PMD load variance improvement threshold %u%% is %s.",
             alb->improvement_threshold, met ? "met" : "not met");
    return met;
}

uint64_t
ef_variance(const uint64_t values[], size_t n)
{
    uint64_t sum = 0;
    uint64_t squares = 0;
    uint64_t mean;

    if (!n) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    mean = sum / n;
    for (size_t i = 0; i < n; i++) {
        uint64_t distance = (values[i] > mean
                             ? values[i] - mean : mean - values[i]);

        squares += distance * distance;
    }
    return squares / n;
}
