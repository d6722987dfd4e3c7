/* SPDX-License-Identifier: Apache-2.0 */

/* Reconfiguration: PMD threads, devices, assignment of queues.  Called by the
 * main thread whenever ports, devices or settings changed.
 *
 * A device may be set up only while no instance uses it and a queue may have
 * one owner only, so instances are reloaded up to three times: without the
 * ports that will be set up or freed, without the queues that will move, and
 * with everything that is new. */

#include <config.h>

#include "dpif/reconfigure.h"

#include "core/log.h"
#include "dpif-netdev.h"
#include "dpif/pmd-set.h"
#include "dpif/schedule.h"
#include "netdev.h"
#include "ovs-numa.h"
#include "seq.h"

void
ef_datapath_request_reconfigure(struct ef_datapath *dp)
{
    seq_change(dp->reconfigure_seq);
}

bool
ef_datapath_needs_reconfigure(const struct ef_datapath *dp)
{
    return seq_read(dp->reconfigure_seq) != dp->last_reconfigure_seq
           || ef_port_table_has_pending(&dp->ports);
}

/* Reloads the instances that need it, all at the same time. */
static void
reload_pmds(struct ef_datapath *dp)
{
    struct ef_pmd *pmd;

    EF_PMD_FOR_EACH (pmd, dp) {
        if (!pmd->reload.needed) {
            continue;
        }
        if (ef_pmd_is_thread(pmd)) {
            ef_reload_request(&pmd->reload);
        } else {
            ovs_mutex_lock(&dp->env.non_pmd_mutex);
            ovs_mutex_lock(&pmd->reload.mutex);
            ef_output_set_ports(&pmd->output, pmd->reload.ports,
                                pmd->reload.n_ports, pmd->act.now_us);
            ovs_mutex_unlock(&pmd->reload.mutex);
            ovs_mutex_unlock(&dp->env.non_pmd_mutex);
            pmd->reload.needed = false;
        }
    }
    EF_PMD_FOR_EACH (pmd, dp) {
        if (pmd->reload.needed) {
            ef_reload_wait(&pmd->reload, pmd->core_id);
            pmd->reload.needed = false;
        }
    }
}

/* PMD threads. */

/* The cores that should have a PMD: none as long as nothing needs one. */
static struct ovs_numa_dump *
wanted_cores(const struct ef_datapath *dp)
{
    if (!ef_port_table_has_pmd_port(&dp->ports)) {
        return ovs_numa_dump_n_cores_per_numa(0);
    } else if (dp->pmd_cpu_mask && dp->pmd_cpu_mask[0]) {
        return ovs_numa_dump_cores_with_cmask(dp->pmd_cpu_mask);
    } else {
        return ovs_numa_dump_n_cores_per_numa(NR_PMD_THREADS);
    }
}

/* Removes PMDs that are not wanted.  Returns whether there were any. */
static bool
remove_pmds(struct ef_datapath *dp, const struct ovs_numa_dump *cores)
{
    struct ef_pmd **pmds;
    bool removed = false;
    size_t n;

    pmds = ef_datapath_sorted_pmds(dp, &n);
    for (size_t i = 0; i < n; i++) {
        struct ef_pmd *pmd = pmds[i];

        if (ef_pmd_is_thread(pmd)
            && !ovs_numa_dump_contains_core(cores, pmd->numa_id,
                                            pmd->core_id)) {
            VLOG_INFO("PMD thread on numa_id: %d, core id: %2d destroyed.",
                      pmd->numa_id, pmd->core_id);
            ef_datapath_del_pmd(dp, pmd);
            removed = true;
        }
    }
    free(pmds);
    return removed;
}

/* Static tx queue numbers have to stay below the number of instances: where
 * some instances went, the others take the lowest free numbers. */
static void
renumber_txqs(struct ef_datapath *dp)
{
    struct ef_pmd *pmd;

    EF_PMD_FOR_EACH (pmd, dp) {
        if (ef_pmd_is_thread(pmd)) {
            atomic_store_relaxed(&pmd->reload.new_txq, true);
            pmd->reload.needed = true;
        }
    }
    reload_pmds(dp);
}

static bool
add_pmds(struct ef_datapath *dp, const struct ovs_numa_dump *cores)
{
    struct ovs_numa_info_core *core;
    bool added = false;

    FOR_EACH_CORE_ON_DUMP (core, cores) {
        struct ef_pmd *pmd = ef_datapath_get_pmd(dp, core->core_id);

        if (pmd) {
            ef_pmd_unref(pmd);
        } else {
            pmd = ef_datapath_add_pmd(dp, core->core_id, core->numa_id);
            VLOG_INFO("PMD thread on numa_id: %d, core id: %2d created.",
                      pmd->numa_id, pmd->core_id);
            added = true;
        }
    }
    return added;
}

static void
adjust_pmds(struct ef_datapath *dp)
{
    struct ovs_numa_dump *cores = wanted_cores(dp);
    struct ovs_numa_info_numa *numa;
    bool fewer, removed, added;

    fewer = ovs_numa_dump_count(cores) < cmap_count(&dp->pmds) - 1;
    removed = remove_pmds(dp, cores);
    if (fewer) {
        renumber_txqs(dp);
    }
    added = add_pmds(dp, cores);
    if (removed || added) {
        FOR_EACH_NUMA_ON_DUMP (numa, cores) {
            VLOG_INFO("There are %"PRIuSIZE" pmd threads on numa node %d",
                      numa->n_cores, numa->numa_id);
        }
    }
    ovs_numa_dump_destroy(cores);
}

/* Ports. */

static bool
keep_port(const struct ef_port *port, void *dp_)
{
    const struct ef_datapath *dp = dp_;

    return ef_port_table_contains(&dp->ports, port) && !port->is_stale;
}

static bool
keep_rxq_of_port(const struct ef_rxq *rxq, void *dp_)
{
    return keep_port(rxq->port, dp_);
}

/* Takes all ports out of use that are gone or have to be set up. */
static void
retire_stale_ports(struct ef_datapath *dp)
{
    struct ef_pmd *pmd;

    EF_PMD_FOR_EACH (pmd, dp) {
        ef_reload_filter_rxqs(&pmd->reload, keep_rxq_of_port, dp);
        ef_reload_filter_ports(&pmd->reload, keep_port, dp);
    }
    reload_pmds(dp);
}

static void
reconfigure_ports(struct ef_datapath *dp, unsigned n_threads)
{
    struct ef_port *port;

    EF_PORT_FOR_EACH_SAFE (port, &dp->ports) {
        if (!port->is_stale) {
            continue;
        }
        /* Opening the rx queues of a kernel device anew loses what waits in
         * them: a new rule for the choice of tx queues is no reason to. */
        if (ef_port_needs_setup(port) && ef_port_reconfigure(port)) {
            ef_port_table_remove(&dp->ports, port);
            ef_port_destroy(port);
        } else {
            ef_port_set_txq_mode(port, n_threads);
            port->is_stale = false;
        }
    }
}

static void
adjust_ports(struct ef_datapath *dp)
{
    unsigned n_threads = cmap_count(&dp->pmds);
    struct ef_port *port;

    EF_PORT_FOR_EACH (port, &dp->ports) {
        netdev_set_tx_multiq(port->netdev, n_threads);
    }
    /* Whether a device wants to be set up can change at any time; the answer
     * of now is the one that counts. */
    EF_PORT_FOR_EACH (port, &dp->ports) {
        port->is_stale = ef_port_is_stale(port, n_threads);
    }
    retire_stale_ports(dp);
    reconfigure_ports(dp, n_threads);
}

/* Queues. */

static bool
keep_planned_rxq(const struct ef_rxq *rxq, void *pmd_)
{
    const struct ef_pmd *pmd = pmd_;

    return rxq->core_id == pmd->core_id;
}

/* Collects the queues planned for 'pmd'.  The caller frees the result. */
static struct ef_rxq **
planned_rxqs(const struct ef_datapath *dp, const struct ef_pmd *pmd,
             size_t *n)
{
    struct ef_rxq **rxqs = NULL;
    size_t allocated = 0;
    struct ef_port *port;

    *n = 0;
    EF_PORT_FOR_EACH (port, &dp->ports) {
        for (unsigned i = 0; netdev_is_pmd(port->netdev) && i < port->n_rxq;
             i++) {
            if (port->rxqs[i].core_id == pmd->core_id) {
                if (*n >= allocated) {
                    rxqs = x2nrealloc(rxqs, &allocated, sizeof *rxqs);
                }
                rxqs[(*n)++] = &port->rxqs[i];
            }
        }
    }
    return rxqs;
}

/* Takes away the queues that move to other PMDs.  A PMD that has none left
 * but will get some need not go to sleep in between. */
static void
retire_moving_rxqs(struct ef_datapath *dp)
{
    struct ef_pmd *pmd;

    EF_PMD_FOR_EACH (pmd, dp) {
        size_t n_planned;

        if (!ef_pmd_is_thread(pmd)) {
            continue;
        }
        ef_reload_filter_rxqs(&pmd->reload, keep_planned_rxq, pmd);
        if (pmd->reload.needed && !ef_reload_n_rxqs(&pmd->reload)) {
            free(planned_rxqs(dp, pmd, &n_planned));
            if (n_planned) {
                atomic_store_relaxed(&pmd->reload.busy_wait, true);
            }
        }
    }
    reload_pmds(dp);
}

/* Gives an instance every port to send to, and all bonds. */
static void
offer_outputs(struct ef_datapath *dp, struct ef_pmd *pmd)
{
    size_t n_ports = hmap_count(&dp->ports.ports);
    struct ef_port **ports = xcalloc(n_ports, sizeof *ports);
    struct ef_port *port;
    struct ef_bond *bond;
    size_t n = 0;

    EF_PORT_FOR_EACH (port, &dp->ports) {
        ports[n++] = port;
    }
    ef_reload_set_ports(&pmd->reload, ports, n);
    free(ports);

    EF_BOND_FOR_EACH (bond, &dp->bonds) {
        ef_bond_add_missing(&pmd->bonds, bond);
    }
}

static void
offer_rxqs_and_outputs(struct ef_datapath *dp)
{
    struct ef_pmd *pmd;

    EF_PMD_FOR_EACH (pmd, dp) {
        size_t n = 0;

        if (ef_pmd_is_thread(pmd)) {
            struct ef_rxq **rxqs = planned_rxqs(dp, pmd, &n);

            ef_reload_set_rxqs(&pmd->reload, rxqs, n);
            free(rxqs);
        }
        if (n || !ef_pmd_is_thread(pmd)) {
            offer_outputs(dp, pmd);
        }
    }
    reload_pmds(dp);
}

void
ef_datapath_reconfigure(struct ef_datapath *dp)
{
    dp->last_reconfigure_seq = seq_read(dp->reconfigure_seq);

    adjust_pmds(dp);
    adjust_ports(dp);
    ef_schedule(dp);
    retire_moving_rxqs(dp);
    offer_rxqs_and_outputs(dp);
    dp->alb.recheck_config = true;
}
