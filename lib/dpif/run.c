/* SPDX-License-Identifier: Apache-2.0 */

/* The main thread's share of the work: ports that cannot be polled,
 * reconfigurations, load balancing, tunnel tables.  Called by the bridge
 * loop. */

#include <config.h>

#include "dpif/ops.h"

#include "core/core-claim.h"
#include "dpdk/mempool.h"
#include "dpdk/tx-facts.h"
#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "dpif/reconfigure.h"
#include "netdev.h"
#include "pmd/poll.h"
#include "seq.h"
#include "timeval.h"
#include "tnl-neigh-cache.h"
#include "tnl-ports.h"

/* Receives a batch from each queue of 'port'.  Returns true if there was
 * anything. */
static bool
poll_port(struct ef_pmd *pmd, const struct ef_port *port)
{
    bool received = false;

    ef_pmd_set_emc(pmd, port->emc_enabled);
    for (unsigned i = 0; i < port->n_rxq; i++) {
        struct ef_rxq *rxq = &port->rxqs[i];

        if (netdev_rxq_enabled(rxq->rx)
            && ef_pmd_poll_rxq(pmd, rxq, port->port_no)) {
            received = true;
        }
    }
    return received;
}

static void
poll_ports(struct ef_datapath *dp, struct ef_pmd *pmd)
{
    bool received = false;
    struct ef_port *port;

    ovs_mutex_lock(&dp->env.non_pmd_mutex);
    atomic_read_relaxed(&dp->env.params.smc_enable, &pmd->smc_enable);
    EF_PORT_FOR_EACH (port, &dp->ports) {
        if (!netdev_is_pmd(port->netdev) && poll_port(pmd, port)) {
            received = true;
        }
    }
    if (!received) {
        /* Nobody looked at the clock, nothing flushed output that is due. */
        pmd->act.now_us = time_usec();
        ef_output_flush(&pmd->output, pmd->act.now_us, false);
    }
    ef_output_xps_expire(&pmd->output, pmd->act.now_us);
    ef_output_idle(&pmd->output, pmd->act.now_us);
    ef_emc_sweep(&pmd->emc);
    ovs_mutex_unlock(&dp->env.non_pmd_mutex);
}

bool
ef_dpif_run(struct dpif *dpif)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_pmd *pmd;
    uint64_t tnl_seq;

    ovs_rwlock_rdlock(&dp->ports.rwlock);
    pmd = ef_datapath_get_pmd(dp, EF_NON_PMD_CORE);
    if (pmd) {
        poll_ports(dp, pmd);
        ef_pmd_unref(pmd);
    }
    ef_datapath_run_alb(dp, time_msec());
    ovs_rwlock_unlock(&dp->ports.rwlock);

    if (ef_datapath_needs_reconfigure(dp)) {
        ovs_rwlock_wrlock(&dp->ports.rwlock);
        ef_datapath_reconfigure(dp);
        ovs_rwlock_unlock(&dp->ports.rwlock);
    }

    ef_tx_alarm_run(time_msec());
    ef_mempool_run();
    ef_core_claims_apply();
    tnl_neigh_cache_run();
    tnl_port_map_run();

    /* Flows that depend on tunnel ports have to be looked at again. */
    tnl_seq = seq_read(tnl_conf_seq);
    if (dp->last_tnl_conf_seq == tnl_seq) {
        return false;
    }
    dp->last_tnl_conf_seq = tnl_seq;
    return true;
}

void
ef_dpif_wait(struct dpif *dpif)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_port *port;

    ovs_rwlock_rdlock(&dp->ports.rwlock);
    EF_PORT_FOR_EACH (port, &dp->ports) {
        netdev_wait_reconf_required(port->netdev);
        for (unsigned i = 0; !netdev_is_pmd(port->netdev) && i < port->n_rxq;
             i++) {
            netdev_rxq_wait(port->rxqs[i].rx);
        }
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);
    ef_tx_alarm_wait();
    ef_mempool_wait();
    ef_core_claims_wait();
    seq_wait(tnl_conf_seq, dp->last_tnl_conf_seq);
}
