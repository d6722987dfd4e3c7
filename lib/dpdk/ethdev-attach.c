/* SPDX-License-Identifier: Apache-2.0 */

/* options:dpdk-devargs -> DPDK's port number: finds the device among those
 * that DPDK has, or attaches it; and takes it away again.
 *
 * Main thread, with ef_dpdk_dev_list_mutex. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_errno.h>

#include "dpdk/devargs.h"
#include "dpdk/log.h"
#include "packets.h"

/* Whether this process attached the device that the port is of, by port
 * number.  Of a device with several ports, whoever takes the last one away
 * removes it, not only the one that happened to come first. */
static bool attached_by_us[RTE_MAX_ETHPORTS];

static uint16_t
find_by_mac(struct eth_addr mac)
{
    uint16_t port_id;

    RTE_ETH_FOREACH_DEV (port_id) {
        struct rte_ether_addr ea;

        if (!rte_eth_macaddr_get(port_id, &ea)
            && !memcmp(ea.addr_bytes, mac.ea, ETH_ADDR_LEN)) {
            return port_id;
        }
    }
    return EF_ETHDEV_NONE;
}

/* What DPDK does not refuse but stumble over; for it, the name of a bus is
 * followed by that of a device. */
static bool
is_digestible(const char *devargs)
{
    return ef_devargs_is_digestible(devargs)
           && !rte_bus_find_by_name(devargs);
}

uint16_t
ef_ethdev_find(const char *devargs)
{
    struct rte_dev_iterator it;
    struct eth_addr mac;
    uint16_t port_id;

    if (ef_devargs_is_by_mac(devargs)) {
        return ef_devargs_get_mac(devargs, &mac) ? find_by_mac(mac)
               : EF_ETHDEV_NONE;
    }
    if (!is_digestible(devargs) || rte_eth_iterator_init(&it, devargs)) {
        return EF_ETHDEV_NONE;
    }
    port_id = rte_eth_iterator_next(&it);
    if (port_id >= RTE_MAX_ETHPORTS) {
        return EF_ETHDEV_NONE;
    }
    rte_eth_iterator_cleanup(&it);
    return rte_eth_dev_is_valid_port(port_id) ? port_id : EF_ETHDEV_NONE;
}

struct ef_ethdev *
ef_ethdev_by_port_id(uint16_t port_id)
{
    struct ef_dpdk_dev *dev;

    LIST_FOR_EACH (dev, list_node, &ef_dpdk_dev_list) {
        if (dev->kind == EF_DPDK_ETH) {
            struct ef_ethdev *ef = CONTAINER_OF(dev, struct ef_ethdev, dev);

            if (ef->port_id == port_id) {
                return ef;
            }
        }
    }
    return NULL;
}

static void
mark_siblings(uint16_t port_id, bool attached)
{
    uint16_t sibling;

    RTE_ETH_FOREACH_DEV_SIBLING (sibling, port_id) {
        attached_by_us[sibling] = attached;
    }
}

/* Attach. */

/* A device that DPDK accepted, but that is no Ethernet port, or not the one
 * that was asked for, must not stay: nobody would ever remove it. */
static void
remove_probed(const char *devargs)
{
    struct rte_devargs da;

    if (!rte_devargs_parse(&da, devargs)) {
        rte_eal_hotplug_remove(rte_bus_name(da.bus), da.name);
        free(da.data);
    }
}

static uint16_t
probe(const char *devargs)
{
    uint16_t port_id;

    /* A driver that refuses cleans up after itself; what stays in DPDK's list
     * are the arguments, which the next attempt replaces. */
    if (!is_digestible(devargs) || rte_dev_probe(devargs)) {
        return EF_ETHDEV_NONE;
    }
    port_id = ef_ethdev_find(devargs);
    if (port_id == EF_ETHDEV_NONE) {
        remove_probed(devargs);
        return EF_ETHDEV_NONE;
    }
    mark_siblings(port_id, true);
    VLOG_INFO("Device '%s' attached to DPDK", devargs);
    return port_id;
}

int
ef_ethdev_attach(const char *devargs, uint16_t *port_idp, bool *attachedp,
                 char **errp)
{
    uint16_t port_id = ef_ethdev_find(devargs);

    if (port_id == EF_ETHDEV_NONE && !ef_devargs_is_by_mac(devargs)) {
        port_id = probe(devargs);
    }
    if (port_id == EF_ETHDEV_NONE) {
        *errp = xasprintf("Error attaching device '%s' to DPDK", devargs);
        return EINVAL;
    }
    *port_idp = port_id;
    *attachedp = attached_by_us[port_id];
    return 0;
}

/* Detach. */

static bool
has_sibling_in_use(uint16_t port_id)
{
    uint16_t sibling;

    RTE_ETH_FOREACH_DEV_SIBLING (sibling, port_id) {
        if (sibling != port_id && ef_ethdev_by_port_id(sibling)) {
            return true;
        }
    }
    return false;
}

int
ef_ethdev_remove(uint16_t port_id)
{
    struct rte_eth_dev_info info;
    int error;

    /* Nothing is known of the port any more once it is closed. */
    error = rte_eth_dev_info_get(port_id, &info);
    mark_siblings(port_id, false);
    rte_eth_dev_close(port_id);
    if (!error) {
        error = rte_dev_remove(info.device);
    }
    return error < 0 ? -error : 0;
}

void
ef_ethdev_detach(uint16_t port_id, const char *devargs)
{
    int error;

    if (!rte_eth_dev_is_valid_port(port_id)) {
        /* Pulled out: gone already. */
        return;
    }
    if (has_sibling_in_use(port_id)) {
        attached_by_us[port_id] = false;
        rte_eth_dev_close(port_id);
        VLOG_INFO("Device '%s' has been removed", devargs);
        return;
    }

    error = ef_ethdev_remove(port_id);
    if (error) {
        VLOG_ERR("Device '%s' can not be detached: %s.", devargs,
                 rte_strerror(error));
    } else {
        VLOG_INFO("Device '%s' has been removed and detached", devargs);
    }
}
