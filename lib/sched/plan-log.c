/* SPDX-License-Identifier: Apache-2.0 */

/* Tells the operator how rx queues were assigned.
 *
 * Called by dpif/ after ef_sched_plan(), on the main thread.  Operators and
 * test suites search for these sentences: their text must not change. */

#include <config.h>

#include "sched/plan.h"

#include <inttypes.h>

#include "core/log.h"
#include "openvswitch/dynamic-string.h"

/* Bad news at the level of a plan: a dry run must not alarm anybody. */
static enum vlog_level
alarm_level(enum vlog_level level)
{
    return level == VLL_DBG ? VLL_DBG : VLL_WARN;
}

/* " (measured processing cycles N)", or nothing where no cycles counted. */
static const char *
cost_text(const struct ef_sched *sched, const struct ef_sched_rxq *rxq,
          struct ds *ds)
{
    ds_clear(ds);
    if (sched->algorithm != EF_SCHED_ROUNDROBIN) {
        ds_put_format(ds, " (measured processing cycles %"PRIu64")",
                      rxq->cycles);
    }
    return ds_cstr(ds);
}

static void
log_pinning(const struct ef_sched *sched, const struct ef_sched_rxq *rxq,
            enum vlog_level level, struct ds *ds)
{
    if (rxq->outcome == EF_SCHED_PINNED) {
        const struct ef_sched_pmd *pmd = &sched->pmds[rxq->pmd];

        VLOG(level, "Core %2u on numa node %d is pinned with port '%s' "
             "rx queue %d%s", pmd->core_id, pmd->numa_id, rxq->port_name,
             rxq->queue_id, cost_text(sched, rxq, ds));
    } else if (rxq->pin_failed) {
        VLOG(alarm_level(level), "Core %2u cannot be pinned with port '%s' "
             "rx queue %d. Use pmd-cpu-mask to enable a pmd on core %u. "
             "An alternative core will be assigned.", rxq->pinned_core,
             rxq->port_name, rxq->queue_id, rxq->pinned_core);
    }
}

static void
log_placing(const struct ef_sched *sched, const struct ef_sched_rxq *rxq,
            enum vlog_level level, struct ds *ds)
{
    const char *cost = cost_text(sched, rxq, ds);
    const struct ef_sched_pmd *pmd;

    if (rxq->outcome == EF_SCHED_UNPOLLED) {
        VLOG(alarm_level(level), "No non-isolated pmd on any numa available "
             "for port '%s' rx queue %d%s. This rx queue will not be polled.",
             rxq->port_name, rxq->queue_id, cost);
        return;
    }

    pmd = &sched->pmds[rxq->pmd];
    if (rxq->outcome == EF_SCHED_CROSS_NUMA) {
        VLOG(level, "There's no available (non-isolated) pmd thread on numa "
             "node %d. Port '%s' rx queue %d will be assigned to a pmd on "
             "numa node %d. This may lead to reduced performance.",
             rxq->numa_id, rxq->port_name, rxq->queue_id, pmd->numa_id);
    }
    VLOG(level, "Core %2u on numa node %d assigned port '%s' rx queue %d%s.",
         pmd->core_id, pmd->numa_id, rxq->port_name, rxq->queue_id, cost);
}

void
ef_sched_log(const struct ef_sched *sched, enum vlog_level level)
{
    struct ds ds = DS_EMPTY_INITIALIZER;

    for (size_t i = 0; i < sched->n_rxqs; i++) {
        log_pinning(sched, &sched->rxqs[i], level, &ds);
    }
    if (sched->n_order && level != VLL_DBG) {
        VLOG(level, "Performing pmd to rx queue assignment using %s "
             "algorithm.", ef_sched_algorithm_name(sched->algorithm));
    }
    for (size_t i = 0; i < sched->n_order; i++) {
        log_placing(sched, &sched->rxqs[sched->order[i]], level, &ds);
    }
    ds_destroy(&ds);
}
