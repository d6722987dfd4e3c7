/* SPDX-License-Identifier: Apache-2.0 */

/* Interface:options of type=dpdk: which device the port has, which options it
 * takes, and what it says of them.
 *
 * The bridge deletes a port whose set_config fails and, on EAGAIN as well,
 * creates it anew at once.  So a port that has a device only fails to be
 * moved to another device; everything else is refused and the port goes on.
 *
 * Main thread. */

#include <config.h>

#include "dpdk/ethdev.h"

#include "core/settings.h"
#include "dpdk/devargs.h"
#include "dpdk/log.h"
#include "dpdk/rx-burst.h"
#include "netdev-offload.h"
#include "smap.h"

static bool
has_device(const struct ef_ethdev *ef)
{
    return ef->port_id != EF_ETHDEV_NONE;
}

static bool
is_representor(const struct ef_ethdev *ef)
{
    return ef_ethdev_dev_flags(ef->port_id) & RTE_ETH_DEV_REPRESENTOR;
}

static void
add_queues(const struct ef_ethdev *ef, struct smap *config)
{
    const struct ef_dpdk_dev *dev = &ef->dev;

    smap_add_format(config, "requested_rx_queues", "%d", ef->want.n_rxq);
    smap_add_format(config, "configured_rx_queues", "%d", dev->up.n_rxq);
    smap_add_format(config, "requested_tx_queues", "%d", dev->want.n_txq);
    smap_add_format(config, "configured_tx_queues", "%d", dev->up.n_txq);
    smap_add_format(config, "requested_rxq_descriptors", "%d",
                    dev->want.rxq_size);
    smap_add_format(config, "configured_rxq_descriptors", "%d",
                    dev->rxq_size);
    smap_add_format(config, "requested_txq_descriptors", "%d",
                    dev->want.txq_size);
    smap_add_format(config, "configured_txq_descriptors", "%d",
                    dev->txq_size);
}

static void
add_thresh(struct smap *config, const char *option, int requested,
           enum ef_tx_thresh_source source, int configured)
{
    char *key = xasprintf("requested_%s", option);

    if (requested == EF_TX_THRESH_DRIVER) {
        smap_add_nocopy(config, key, xstrdup("driver"));
    } else {
        smap_add_nocopy(config, key, xasprintf("%d", requested));
    }
    key = xasprintf("configured_%s", option);
    if (source == EF_TX_THRESH_NOT_REPORTED) {
        smap_add_nocopy(config, key, xstrdup("not-reported"));
    } else {
        smap_add_nocopy(config, key, xasprintf("%d", configured));
    }
}

static void
add_bool(struct smap *config, const char *key, bool value)
{
    smap_add(config, key, value ? "true" : "false");
}

int
ef_ethdev_get_config(const struct netdev *netdev, struct smap *config)
{
    struct ef_ethdev *ef = ef_ethdev_cast(netdev);

    ovs_mutex_lock(&ef->dev.mutex);
    add_queues(ef, config);
    add_thresh(config, "tx_free_thresh", ef->want.tx_free_thresh,
               ef->thresh.free_source, ef->thresh.free_thresh);
    add_thresh(config, "tx_rs_thresh", ef->want.tx_rs_thresh,
               ef->thresh.rs_source, ef->thresh.rs_thresh);
    smap_add_format(config, "mtu", "%d", ef->dev.mtu);
    add_bool(config, "rx_csum_offload", ef->rx_csum_offload);
    add_bool(config, "tx_tso_offload",
             ef->tx_offloads & RTE_ETH_TX_OFFLOAD_TCP_TSO);
    add_bool(config, "lsc_interrupt_mode", ef->is.lsc_interrupt);
    if (is_representor(ef)) {
        struct eth_addr mac = (eth_addr_is_zero(ef->want.vf_mac)
                               ? ef->dev.hwaddr : ef->want.vf_mac);

        smap_add_format(config, "dpdk-vf-mac", ETH_ADDR_FMT,
                        ETH_ADDR_ARGS(mac));
    }
    ovs_mutex_unlock(&ef->dev.mutex);
    return 0;
}

/* Options. */

struct parse_aux {
    struct ef_ethdev *ef;
    char *error;                /* For a port without a device. */
};

/* Notes for "evenflow/config-show" that 'value' is in force, NULL: the
 * default. */
static void
note(const struct ef_ethdev *ef, const char *key, const char *value)
{
    char *scope = ef_settings_interface(netdev_get_name(&ef->dev.up));

    ef_settings_accept(scope, key, value);
    free(scope);
}

static bool
on_option(const char *key, const char *value, const char *rule, void *aux_)
{
    struct parse_aux *aux = aux_;

    if (!rule) {
        note(aux->ef, key, value);
    } else if (has_device(aux->ef)) {
        ef_dpdk_dev_refuse(&aux->ef->dev, key, value, "%s", rule);
    } else {
        aux->error = xasprintf("'%s=%s': %s", key, value, rule);
        return false;
    }
    return true;
}

/* The default is in force. */
static void
refuse_for_device(struct ef_ethdev *ef, const struct smap *options,
                  const char *key, const char *rule)
{
    note(ef, key, NULL);
    ef_dpdk_dev_refuse(&ef->dev, key, smap_get_def(options, key, ""), "%s",
                       rule);
}

/* What a value means can be right, and yet not be for this device or switch.
 * The port works without, so it is refused on a new port as well. */
static void
check_device(struct ef_ethdev *ef, const struct smap *options,
             struct ef_ethdev_request *new)
{
    if (new->lsc_interrupt
        && !(ef_ethdev_dev_flags(ef->port_id) & RTE_ETH_DEV_INTR_LSC)) {
        refuse_for_device(ef, options, "dpdk-lsc-interrupt",
                          "the device cannot interrupt when its link changes");
        new->lsc_interrupt = false;
    }
    if (!eth_addr_is_zero(new->vf_mac) && !is_representor(ef)) {
        refuse_for_device(ef, options, "dpdk-vf-mac",
                          "is only supported for VF representors");
        new->vf_mac = eth_addr_zero;
    }
    if (new->steer_lacp && netdev_is_flow_api_enabled()) {
        /* Its rules would send LACP elsewhere, or the device run out. */
        refuse_for_device(ef, options, "rx-steering",
                          "cannot be used together with "
                          "other_config:hw-offload");
        new->steer_lacp = false;
    }
}

static void
take_options(struct ef_ethdev *ef, const struct ef_ethdev_request *new)
{
    struct ef_ethdev_request old = ef->want;
    struct ef_dpdk_dev *dev = &ef->dev;

    ef->want = *new;
    dev->want.n_rxq = ef_steering_n_rxq(ef, new->n_rxq);
    dev->want.rxq_size = new->rxq_size;
    dev->want.txq_size = new->txq_size;
    ef_rx_burst_set(&dev->up, new->rx_burst);

    if (ef_ethdev_options_need_setup(&old, new)) {
        netdev_request_reconfigure(&dev->up);
    }
    /* A port that does not run will get it when it starts. */
    if (ef->is_started
        && (old.rx_flow_ctrl != new->rx_flow_ctrl
            || old.tx_flow_ctrl != new->tx_flow_ctrl
            || old.flow_ctrl_autoneg != new->flow_ctrl_autoneg
            || old.flow_ctrl_asked != new->flow_ctrl_asked)) {
        ef_ethdev_flow_ctrl_set(ef);
    }
}

/* Device.  All need ef_dpdk_dev_list_mutex and dev.mutex. */

static void
set_devargs(struct ef_ethdev *ef, const char *devargs)
{
    free(ef->devargs);
    ef->devargs = xstrdup(devargs);
    note(ef, "dpdk-devargs", devargs);
}

static int
take_device(struct ef_ethdev *ef, const char *devargs, char **errp)
{
    struct netdev *netdev = &ef->dev.up;
    struct ef_ethdev *user;
    uint16_t port_id;
    int socket_id;
    int error;

    error = ef_ethdev_attach(devargs, &port_id, &ef->attached, errp);
    if (error) {
        return error;
    }
    user = ef_ethdev_by_port_id(port_id);
    if (user) {
        ef->attached = false;
        *errp = xasprintf("'%s' is trying to use device '%s' "
                          "which is already in use by '%s'",
                          netdev_get_name(netdev), devargs,
                          netdev_get_name(&user->dev.up));
        return EADDRINUSE;
    }

    socket_id = rte_eth_dev_socket_id(port_id);
    ef->dev.want.socket_id = MAX(socket_id, 0);
    ef->port_id = port_id;
    set_devargs(ef, devargs);
    /* From now on a reset asks for a reconfiguration; the one below sees to
     * a reset that was asked for before. */
    ef_ethdev_reset_watch(port_id, netdev);
    netdev_request_reconfigure(netdev);
    return 0;
}

/* The user wants another device.  Returns EAGAIN if the port shall be created
 * anew; that is not undone if the new device turns out to be no good, so it
 * is tried while the port still has the old one. */
static int
change_device(struct ef_ethdev *ef, const char *devargs)
{
    struct ef_ethdev *user;
    char *message = NULL;
    uint16_t port_id;
    bool attached;

    if (ef_devargs_is_same_name(ef->devargs, devargs)) {
        /* Other arguments need the device detached first. */
        return EAGAIN;
    }
    if (ef_ethdev_attach(devargs, &port_id, &attached, &message)) {
        ef_dpdk_dev_refuse(&ef->dev, "dpdk-devargs", devargs, "%s", message);
        free(message);
        return 0;
    }
    if (port_id == ef->port_id) {
        /* The same one by another name. */
        set_devargs(ef, devargs);
        return 0;
    }
    user = ef_ethdev_by_port_id(port_id);
    if (user) {
        ef_dpdk_dev_refuse(&ef->dev, "dpdk-devargs", devargs,
                           "the device is already in use by '%s'",
                           netdev_get_name(&user->dev.up));
        return 0;
    }
    return EAGAIN;
}

static int
set_device(struct ef_ethdev *ef, const struct smap *options, char **errp)
{
    const char *devargs = smap_get(options, "dpdk-devargs");

    if (!devargs || !devargs[0]) {
        if (has_device(ef)) {
            ef_dpdk_dev_refuse(&ef->dev, "dpdk-devargs", "",
                               "must name a device");
            return 0;
        }
        *errp = xasprintf("'%s' is missing 'options:dpdk-devargs'. "
                          "The old 'dpdk<port_id>' names are not supported",
                          netdev_get_name(&ef->dev.up));
        return EINVAL;
    } else if (!has_device(ef)) {
        return take_device(ef, devargs, errp);
    } else if (!rte_eth_dev_is_valid_port(ef->port_id)) {
        /* Pulled out.  Perhaps it is back, as another port of DPDK. */
        return EAGAIN;
    } else if (strcmp(devargs, ef->devargs)) {
        return change_device(ef, devargs);
    }
    note(ef, "dpdk-devargs", devargs);
    return 0;
}

int
ef_ethdev_set_config(struct netdev *netdev, const struct smap *options,
                     char **errp)
{
    struct ef_ethdev *ef = ef_ethdev_cast(netdev);
    struct parse_aux aux = { .ef = ef };
    struct ef_ethdev_request new;
    char *error_before;
    int error;

    /* Attaching, which can fail, comes after everything else that can, so
     * that no device is left attached for a port that is not created. */
    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    ovs_mutex_lock(&ef->dev.mutex);
    error_before = nullable_xstrdup(ef->dev.config_error);
    ef_dpdk_dev_accept(&ef->dev);
    ef_ethdev_options_parse(options, &ef->want, &new, on_option, &aux);
    if (!aux.error) {
        aux.error = ef_ethdev_thresh_check(ef, options, &new);
    }
    error = aux.error ? EINVAL
            : ef_dpdk_dev_set_pool_options(&ef->dev, options, has_device(ef),
                                           &aux.error);
    if (!error) {
        error = set_device(ef, options, &aux.error);
    }
    if (!error) {
        check_device(ef, options, &new);
        take_options(ef, &new);
    }
    if (!nullable_string_is_equal(error_before, ef->dev.config_error)) {
        /* Makes the bridge read the status again. */
        netdev_change_seq_changed(netdev);
    }
    free(error_before);
    ovs_mutex_unlock(&ef->dev.mutex);
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);

    if (aux.error) {
        VLOG_WARN("%s", aux.error);
        if (errp) {
            *errp = aux.error;
        } else {
            free(aux.error);
        }
    }
    return error;
}
