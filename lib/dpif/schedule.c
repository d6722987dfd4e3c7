/* SPDX-License-Identifier: Apache-2.0 */

/* Takes stock of a datapath's rx queues and PMDs for sched/plan.h, and writes
 * the plan back.  Called by the main thread: dpif/reconfigure.c carries plans
 * out, dpif/alb.c compares them. */

#include <config.h>

#include "dpif/schedule.h"

#include "dpif/pmd-set.h"
#include "netdev.h"
#include "ovs-numa.h"

static void
add_pmds(struct ef_sched *sched, const struct ef_datapath *dp)
{
    struct ef_pmd **pmds;
    size_t n;

    pmds = ef_datapath_sorted_pmds(dp, &n);
    sched->pmds = xcalloc(n, sizeof *sched->pmds);
    for (size_t i = 0; i < n; i++) {
        if (ef_pmd_is_thread(pmds[i])) {
            sched->pmds[sched->n_pmds++] = (struct ef_sched_pmd) {
                .core_id = pmds[i]->core_id,
                .numa_id = pmds[i]->numa_id,
                .interval_cycles = ef_pmd_load_interval_cycles(&pmds[i]->load),
            };
        }
    }
    free(pmds);
}

static void
add_rxqs(struct ef_sched *sched, struct ef_port *port)
{
    size_t n = sched->n_rxqs + port->n_rxq;
    int numa_id = netdev_get_numa_id(port->netdev);

    sched->rxqs = xrealloc(sched->rxqs, n * sizeof *sched->rxqs);
    for (unsigned i = 0; i < port->n_rxq; i++) {
        struct ef_rxq *rxq = &port->rxqs[i];

        sched->rxqs[sched->n_rxqs++] = (struct ef_sched_rxq) {
            .port_name = netdev_rxq_get_name(rxq->rx),
            .port_no = odp_to_u32(port->port_no),
            .queue_id = netdev_rxq_get_queue_id(rxq->rx),
            .numa_id = numa_id,
            .pinned_core = rxq->pinned_core,
            .cycles = (sched->algorithm == EF_SCHED_ROUNDROBIN ? 0
                       : ef_load_sum(&rxq->load, EF_LOAD_INTERVALS)),
            .aux = rxq,
            .pmd = -1,
        };
    }
}

void
ef_schedule_init(struct ef_sched *sched, struct ef_datapath *dp)
{
    struct ef_port *port;

    *sched = (struct ef_sched) {
        .algorithm = dp->sched_algorithm,
        .isolate = dp->sched_isolate,
    };
    add_pmds(sched, dp);
    EF_PORT_FOR_EACH (port, &dp->ports) {
        if (netdev_is_pmd(port->netdev)) {
            add_rxqs(sched, port);
        }
    }
}

static int
find_core(const struct ef_sched *sched, unsigned core_id)
{
    for (size_t i = 0; i < sched->n_pmds; i++) {
        if (sched->pmds[i].core_id == core_id) {
            return i;
        }
    }
    return -1;
}

void
ef_schedule_init_current(struct ef_sched *sched, struct ef_datapath *dp)
{
    ef_schedule_init(sched, dp);
    for (size_t i = 0; i < sched->n_rxqs; i++) {
        struct ef_sched_rxq *rxq = &sched->rxqs[i];
        const struct ef_rxq *real = rxq->aux;
        struct ef_sched_pmd *pmd;

        rxq->pmd = find_core(sched, real->core_id);
        if (rxq->pmd < 0) {
            rxq->outcome = EF_SCHED_UNPOLLED;
            continue;
        }
        pmd = &sched->pmds[rxq->pmd];
        pmd->n_rxqs++;
        pmd->cycles += rxq->cycles;
        if (rxq->pinned_core == pmd->core_id) {
            rxq->outcome = EF_SCHED_PINNED;
            pmd->isolated |= sched->isolate;
        } else {
            rxq->outcome = (rxq->numa_id == pmd->numa_id
                            ? EF_SCHED_ASSIGNED : EF_SCHED_CROSS_NUMA);
        }
    }
}

void
ef_schedule(struct ef_datapath *dp)
{
    struct ef_sched sched;

    ef_schedule_init(&sched, dp);
    ef_sched_plan(&sched);
    ef_sched_log(&sched, VLL_INFO);

    for (size_t i = 0; i < sched.n_rxqs; i++) {
        const struct ef_sched_rxq *rxq = &sched.rxqs[i];
        struct ef_rxq *real = rxq->aux;

        real->core_id = (rxq->pmd >= 0 ? sched.pmds[rxq->pmd].core_id
                         : OVS_CORE_UNSPEC);
    }
    for (size_t i = 0; i < sched.n_pmds; i++) {
        struct ef_pmd *pmd = ef_datapath_get_pmd(dp, sched.pmds[i].core_id);

        if (pmd) {
            pmd->isolated = sched.pmds[i].isolated;
            ef_pmd_unref(pmd);
        }
    }
    ef_sched_uninit(&sched);
}
