/* SPDX-License-Identifier: Apache-2.0 */

/* The class of type=dpdk: construction, destruction, and where each callback
 * is (see netdev-provider.h for what they do).
 *
 * Construction and destruction are called by the main thread, with the
 * package's lock of all netdevs. */

#include <config.h>

#include "dpdk/ethdev.h"

static int
class_init(void)
{
    ef_ethdev_reset_init();
    ef_link_watch_start();
    ef_ethdev_commands_init();
    return 0;
}

static struct netdev *
alloc(void)
{
    struct ef_ethdev *ef = xzalloc_cacheline(sizeof *ef);

    return &ef->dev.up;
}

static void
dealloc(struct netdev *netdev)
{
    free_cacheline(ef_ethdev_cast(netdev));
}

static int
construct(struct netdev *netdev)
{
    struct ef_ethdev *ef = ef_ethdev_cast(netdev);

    ef->port_id = EF_ETHDEV_NONE;
    ef_ethdev_options_init(&ef->want);
    /* The node is not known before there is a device. */
    ef_dpdk_dev_init(&ef->dev, EF_DPDK_ETH, -1);
    return 0;
}

/* Needs ef_dpdk_dev_list_mutex and dev.mutex. */
static void
release_device(struct ef_ethdev *ef)
{
    uint16_t port_id = ef->port_id;

    if (port_id == EF_ETHDEV_NONE) {
        return;
    }
    ef_ethdev_stop(ef);
    ef_xstats_clear(&ef->xstats);
    if (ef->attached) {
        ef_ethdev_detach(port_id, ef->devargs);
    }
    /* After the device is closed, so that a late wish to be reset does not
     * wait for the next one with this number. */
    ef_ethdev_reset_watch(port_id, NULL);
    ef->port_id = EF_ETHDEV_NONE;
    ef->attached = false;
}

static void
destruct(struct netdev *netdev)
{
    struct ef_ethdev *ef = ef_ethdev_cast(netdev);

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    ovs_mutex_lock(&ef->dev.mutex);
    release_device(ef);
    ovs_mutex_unlock(&ef->dev.mutex);
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);

    free(ef->devargs);
    /* After the device let go of its buffers. */
    ef_dpdk_dev_uninit(&ef->dev);
}

const struct netdev_class ef_ethdev_class = {
    .type = "dpdk",
    .is_pmd = true,
    EF_DPDK_DEV_CALLBACKS,

    .init = class_init,
    .alloc = alloc,
    .construct = construct,
    .destruct = destruct,
    .dealloc = dealloc,

    .get_config = ef_ethdev_get_config,
    .set_config = ef_ethdev_set_config,
    .reconfigure = ef_ethdev_reconfigure,
    .set_tx_multiq = ef_dpdk_set_tx_multiq,
    .set_etheraddr = ef_ethdev_set_etheraddr,
    .update_flags = ef_ethdev_update_flags,

    .rxq_alloc = ef_ethdev_rxq_alloc,
    .rxq_construct = ef_ethdev_rxq_construct,
    .rxq_destruct = ef_ethdev_rxq_destruct,
    .rxq_dealloc = ef_ethdev_rxq_dealloc,
    .rxq_recv = ef_ethdev_rxq_recv,
    .send = ef_ethdev_send,

    .get_stats = ef_ethdev_get_stats,
    .get_custom_stats = ef_ethdev_get_custom_stats,
    .get_status = ef_ethdev_get_status,
    .get_features = ef_ethdev_get_features,
    EF_NETDEV_SPEED(ef_ethdev_get_speed)
    .get_carrier = ef_ethdev_get_carrier,
};
