/* SPDX-License-Identifier: Apache-2.0 */

/* Settings of a port: Interface:other_config as far as it concerns the
 * datapath.  Called by the main thread when a port appears and with every
 * change of the database; acts on what is different.  Changes take effect
 * with the next reconfiguration. */

#include <config.h>

#include "dpif/ops.h"

#include <errno.h>

#include "core/log.h"
#include "core/setting-parse.h"
#include "core/settings.h"
#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "dpif/reconfigure.h"
#include "dp-packet.h"
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
set_emc(struct ef_datapath *dp, struct ef_port *port, const char *scope,
        const struct smap *cfg)
{
    bool enabled = port->emc_enabled;
    struct ef_pmd *pmd;

    ef_setting_bool(scope, cfg, "emc-enable", true, &enabled);
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
set_affinity(struct ef_datapath *dp, struct ef_port *port, const char *scope,
             const struct smap *cfg)
{
    const char *list = smap_get(cfg, "pmd-rxq-affinity");
    int error;

    if (!netdev_is_pmd(port->netdev)) {
        return 0;
    }
    if (nullable_string_is_equal(list, port->affinity_list)) {
        ef_settings_accept(scope, "pmd-rxq-affinity", list);
        return 0;
    }
    error = ef_port_set_affinity(port, list);
    if (error) {
        ef_setting_refuse(scope, cfg, "pmd-rxq-affinity",
                          "must be a list of QUEUE:CORE, separated by commas");
    } else {
        ef_settings_accept(scope, "pmd-rxq-affinity", list);
        ef_datapath_request_reconfigure(dp);
    }
    return error;
}

static void
set_steering(struct ef_datapath *dp, struct ef_port *port, const char *scope,
             const struct smap *cfg)
{
    const char *mode = smap_get(cfg, "tx-steering");
    bool hash = nullable_string_is_equal(mode, "hash");

    if (mode && !hash && strcmp(mode, "thread")) {
        ef_setting_refuse(scope, cfg, "tx-steering",
                          "must be 'thread' or 'hash'");
        return;
    }
    ef_settings_accept(scope, "tx-steering", mode);
    if (hash != port->hash_requested) {
        port->hash_requested = hash;
        VLOG_INFO("%s: Tx packet steering mode has been set to '%s'.",
                  netdev_get_name(port->netdev), hash ? "hash" : "thread");
        ef_datapath_request_reconfigure(dp);
    }
}

/* In force from the next batch on, without a reconfiguration. */
static void
set_output(struct ef_port *port, const char *scope, const struct smap *cfg)
{
    uint32_t old_target_us, old_batch;
    unsigned long long target_us, batch;

    atomic_read_relaxed(&port->output.latency_target_us, &old_target_us);
    atomic_read_relaxed(&port->output.output_batch, &old_batch);
    target_us = old_target_us;
    batch = old_batch;
    ef_setting_number(scope, cfg, "latency-target", EF_LATENCY_TARGET_UNSET,
                      0, EF_LATENCY_TARGET_MAX, &target_us);
    ef_setting_number(scope, cfg, "output-batch", NETDEV_MAX_BURST,
                      1, NETDEV_MAX_BURST, &batch);
    if (target_us != old_target_us || batch != old_batch) {
        atomic_store_relaxed(&port->output.latency_target_us, target_us);
        atomic_store_relaxed(&port->output.output_batch, batch);
        ef_params_output_changed();
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
        char *scope = ef_settings_interface(netdev_get_name(port->netdev));

        set_emc(dp, port, scope, cfg);
        set_output(port, scope, cfg);
        error = set_affinity(dp, port, scope, cfg);
        if (!error) {
            set_steering(dp, port, scope, cfg);
        }
        free(scope);
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);
    return error;
}
