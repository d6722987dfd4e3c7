/* SPDX-License-Identifier: Apache-2.0 */

/* Settings of a port: Interface:other_config as far as it concerns the
 * datapath.  Called by the main thread when a port appears and with every
 * change of the database; acts on what is different.  Changes take effect
 * with the next reconfiguration. */

#include <config.h>

#include "dpif/ops.h"

#include <errno.h>

#include "core/log.h"
#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "dpif/reconfigure.h"
#include "netdev.h"
#include "odp-util.h"
#include "openvswitch/dynamic-string.h"
#include "smap.h"
#include "util.h"

static bool
polls(struct ef_pmd *pmd, const struct ef_port *port)
{
    struct ef_reload *reload = &pmd->reload;
    bool found = false;

    ovs_mutex_lock(&reload->mutex);
    for (size_t i = 0; i < reload->n_rxqs && !found; i++) {
        found = reload->rxqs[i]->port == port;
    }
    ovs_mutex_unlock(&reload->mutex);
    return found;
}

static void
log_emc(const struct ef_datapath *dp, const struct ef_port *port)
{
    struct ds text = DS_EMPTY_INITIALIZER;
    uint32_t min;

    ds_put_format(&text, "%s: EMC has been %s.",
                  netdev_get_name(port->netdev),
                  port->emc_enabled ? "enabled" : "disabled");
    if (port->emc_enabled) {
        ds_put_cstr(&text, " Current insertion probability is ");
        atomic_read_relaxed(&CONST_CAST(struct ef_datapath *, dp)
                            ->env.params.emc_insert_min, &min);
        if (min) {
            uint32_t inv_prob = UINT32_MAX / min;

            ds_put_format(&text, "1/%"PRIu32" (~%.2f%%).", inv_prob,
                          100 / (float) inv_prob);
        } else {
            ds_put_cstr(&text, "zero.");
        }
    }
    VLOG_INFO("%s", ds_cstr(&text));
    ds_destroy(&text);
}

static void
set_emc(struct ef_datapath *dp, struct ef_port *port, bool enabled)
{
    struct ef_pmd *pmd;

    if (enabled == port->emc_enabled) {
        return;
    }
    port->emc_enabled = enabled;
    EF_PMD_FOR_EACH (pmd, dp) {
        if (polls(pmd, port)) {
            pmd->reload.needed = true;
        }
    }
    ef_datapath_request_reconfigure(dp);
    log_emc(dp, port);
}

static int
set_affinity(struct ef_datapath *dp, struct ef_port *port, const char *list)
{
    int error;

    if (!netdev_is_pmd(port->netdev)
        || nullable_string_is_equal(list, port->affinity_list)) {
        return 0;
    }
    error = ef_port_set_affinity(port, list);
    if (!error) {
        ef_datapath_request_reconfigure(dp);
    }
    return error;
}

static void
set_steering(struct ef_datapath *dp, struct ef_port *port, bool hash)
{
    if (hash != port->hash_requested) {
        port->hash_requested = hash;
        VLOG_INFO("%s: Tx packet steering mode has been set to '%s'.",
                  netdev_get_name(port->netdev), hash ? "hash" : "thread");
        ef_datapath_request_reconfigure(dp);
    }
}

int
ef_dpif_port_set_config(struct dpif *dpif, odp_port_t port_no,
                        const struct smap *cfg)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_port *port = NULL;
    int error;

    ovs_rwlock_wrlock(&dp->ports.rwlock);
    if (port_no == ODPP_NONE) {
        error = EINVAL;
    } else {
        port = ef_port_table_find(&dp->ports, port_no);
        error = port ? 0 : ENODEV;
    }
    if (port) {
        set_emc(dp, port, smap_get_bool(cfg, "emc-enable", true));
        error = set_affinity(dp, port, smap_get(cfg, "pmd-rxq-affinity"));
    }
    if (!error) {
        set_steering(dp, port, nullable_string_is_equal(
                         smap_get(cfg, "tx-steering"), "hash"));
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);
    return error;
}
