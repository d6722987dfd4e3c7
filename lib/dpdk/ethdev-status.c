/* SPDX-License-Identifier: Apache-2.0 */

/* Link, flags, address and Interface:status of ports of type=dpdk.
 *
 * Called by the main thread; ef_ethdev_check_link() also by the one that
 * watches links.  None of it waits for the packet path. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_bus.h>
#include <rte_version.h>

#include "dpdk/log.h"
#include "dpdk/tx-alarm.h"
#include "netdev.h"
#include "packets.h"
#include "smap.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

/* Speeds in Mb/s, as DPDK counts.  Those without a bit of OpenFlow's are
 * NETDEV_F_OTHER. */
static const struct speed {
    uint32_t mbps;
    const char *name;
    enum netdev_features full, half;
} speeds[] = {
    { RTE_ETH_SPEED_NUM_10M, "10Mbps",
      NETDEV_F_10MB_FD, NETDEV_F_10MB_HD },
    { RTE_ETH_SPEED_NUM_100M, "100Mbps",
      NETDEV_F_100MB_FD, NETDEV_F_100MB_HD },
    { RTE_ETH_SPEED_NUM_1G, "1Gbps", NETDEV_F_1GB_FD, NETDEV_F_1GB_HD },
    { RTE_ETH_SPEED_NUM_2_5G, "2.5Gbps", NETDEV_F_OTHER, NETDEV_F_OTHER },
    { RTE_ETH_SPEED_NUM_5G, "5Gbps", NETDEV_F_OTHER, NETDEV_F_OTHER },
    { RTE_ETH_SPEED_NUM_10G, "10Gbps", NETDEV_F_10GB_FD, NETDEV_F_OTHER },
    { RTE_ETH_SPEED_NUM_20G, "20Gbps", NETDEV_F_OTHER, NETDEV_F_OTHER },
    { RTE_ETH_SPEED_NUM_25G, "25Gbps", NETDEV_F_OTHER, NETDEV_F_OTHER },
    { RTE_ETH_SPEED_NUM_40G, "40Gbps", NETDEV_F_40GB_FD, NETDEV_F_OTHER },
    { RTE_ETH_SPEED_NUM_50G, "50Gbps", NETDEV_F_OTHER, NETDEV_F_OTHER },
    { RTE_ETH_SPEED_NUM_56G, "56Gbps", NETDEV_F_OTHER, NETDEV_F_OTHER },
    { RTE_ETH_SPEED_NUM_100G, "100Gbps", NETDEV_F_100GB_FD, NETDEV_F_OTHER },
    { 0, "Not Defined", NETDEV_F_OTHER, NETDEV_F_OTHER },
};

static const struct speed *
find_speed(uint32_t mbps)
{
    const struct speed *speed = speeds;

    while (speed->mbps && speed->mbps != mbps) {
        speed++;
    }
    return speed;
}

static void
add_device_status(const struct ef_ethdev *eth,
                  const struct rte_eth_dev_info *info, struct smap *status)
{
    const struct {
        const char *key;
        unsigned value;
    } numbers[] = {
        { "min_rx_bufsize", info->min_rx_bufsize },
        { "max_rx_pktlen", eth->dev.max_frame },
        { "max_rx_queues", info->max_rx_queues },
        { "max_tx_queues", info->max_tx_queues },
        { "max_mac_addrs", info->max_mac_addrs },
        { "max_hash_mac_addrs", info->max_hash_mac_addrs },
        { "max_vfs", info->max_vfs },
        { "max_vmdq_pools", info->max_vmdq_pools },
        { "if_type", 6 },       /* ethernetCsmacd, RFC 3635. */
    };
    const char *bus_info = rte_dev_bus_info(info->device);

    smap_add_format(status, "port_no", "%"PRIu16, eth->port_id);
    smap_add_format(status, "numa_id", "%d",
                    rte_eth_dev_socket_id(eth->port_id));
    smap_add(status, "driver_name", info->driver_name);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        smap_add_format(status, numbers[i].key, "%u", numbers[i].value);
    }
    smap_add_format(status, "if_descr", "%s %s", rte_version(),
                    info->driver_name);
    smap_add_format(status, "bus_info", "bus_name=%s%s%s",
                    rte_bus_name(rte_dev_bus(info->device)),
                    bus_info ? ", " : "", bus_info ? bus_info : "");
    smap_add(status, "link_speed", find_speed(eth->link.link_speed)->name);
    if (*info->dev_flags & RTE_ETH_DEV_REPRESENTOR) {
        smap_add_format(status, "dpdk-vf-mac", ETH_ADDR_FMT,
                        ETH_ADDR_ARGS(eth->dev.hwaddr));
    }
}

/* Which queues share the load, and which has the rest to itself. */
static void
add_steering_status(const struct ef_ethdev *eth, struct smap *status)
{
    int n_rss = eth->steering.rxq;      /* The steered queue is the last. */

    if (!eth->steering.is_on) {
        if (eth->want.steer_lacp) {
            smap_add(status, "rx-steering", "unsupported");
        }
        return;
    }
    smap_add_format(status, "rx_steering_queue", "%d", eth->steering.rxq);
    if (n_rss > 1) {
        smap_add_format(status, "rss_queues", "0-%d", n_rss - 1);
    } else {
        smap_add(status, "rss_queues", "0");
    }
}

int
ef_ethdev_get_status(const struct netdev *netdev, struct smap *status)
{
    struct ef_ethdev *eth = ef_ethdev_cast(netdev);
    struct rte_eth_dev_info info;
    int error = ENODEV;

    /* The first lock keeps the device, of which 'info' has pointers. */
    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    ovs_mutex_lock(&eth->dev.mutex);
    if (rte_eth_dev_is_valid_port(eth->port_id)
        && !rte_eth_dev_info_get(eth->port_id, &info)) {
        add_device_status(eth, &info, status);
        add_steering_status(eth, status);
        error = 0;
    }
    if (eth->dev.config_error) {
        smap_add(status, "config-error", eth->dev.config_error);
        error = 0;
    }
    if (ef_tx_alarm_text(eth->dev.alarm)) {
        smap_add(status, "tx-alarm", ef_tx_alarm_text(eth->dev.alarm));
    }
    ovs_mutex_unlock(&eth->dev.mutex);
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);
    return error;
}

int
ef_ethdev_get_features(const struct netdev *netdev,
                       enum netdev_features *current,
                       enum netdev_features *advertised,
                       enum netdev_features *supported,
                       enum netdev_features *peer)
{
    struct ef_ethdev *eth = ef_ethdev_cast(netdev);
    const struct speed *speed;
    struct rte_eth_link link;

    ovs_mutex_lock(&eth->dev.mutex);
    link = eth->link;
    ovs_mutex_unlock(&eth->dev.mutex);

    speed = find_speed(link.link_speed);
    *current = link.link_duplex == RTE_ETH_LINK_FULL_DUPLEX ? speed->full
               : speed->half;
    if (link.link_autoneg) {
        *current |= NETDEV_F_AUTONEG;
    }
    *advertised = *supported = *peer = 0;
    return 0;
}

/* The fastest of the speeds that a device announces, in Mb/s. */
static uint32_t
max_speed(uint32_t capa)
{
    static const struct {
        uint32_t capa;
        uint32_t mbps;
    } fastest_first[] = {
        { RTE_ETH_LINK_SPEED_200G, RTE_ETH_SPEED_NUM_200G },
        { RTE_ETH_LINK_SPEED_100G, RTE_ETH_SPEED_NUM_100G },
        { RTE_ETH_LINK_SPEED_56G, RTE_ETH_SPEED_NUM_56G },
        { RTE_ETH_LINK_SPEED_50G, RTE_ETH_SPEED_NUM_50G },
        { RTE_ETH_LINK_SPEED_40G, RTE_ETH_SPEED_NUM_40G },
        { RTE_ETH_LINK_SPEED_25G, RTE_ETH_SPEED_NUM_25G },
        { RTE_ETH_LINK_SPEED_20G, RTE_ETH_SPEED_NUM_20G },
        { RTE_ETH_LINK_SPEED_10G, RTE_ETH_SPEED_NUM_10G },
        { RTE_ETH_LINK_SPEED_5G, RTE_ETH_SPEED_NUM_5G },
        { RTE_ETH_LINK_SPEED_2_5G, RTE_ETH_SPEED_NUM_2_5G },
        { RTE_ETH_LINK_SPEED_1G, RTE_ETH_SPEED_NUM_1G },
        { RTE_ETH_LINK_SPEED_100M | RTE_ETH_LINK_SPEED_100M_HD,
          RTE_ETH_SPEED_NUM_100M },
        { RTE_ETH_LINK_SPEED_10M | RTE_ETH_LINK_SPEED_10M_HD,
          RTE_ETH_SPEED_NUM_10M },
    };

    for (size_t i = 0; i < ARRAY_SIZE(fastest_first); i++) {
        if (capa & fastest_first[i].capa) {
            return fastest_first[i].mbps;
        }
    }
    return 0;
}

int
ef_ethdev_get_speed(const struct netdev *netdev, uint32_t *current,
                    uint32_t *max)
{
    struct ef_ethdev *eth = ef_ethdev_cast(netdev);
    struct rte_eth_dev_info info;

    ovs_mutex_lock(&eth->dev.mutex);
    *current = (eth->link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN
                ? eth->link.link_speed : 0);
    *max = (rte_eth_dev_info_get(eth->port_id, &info) ? 0
            : max_speed(info.speed_capa));
    ovs_mutex_unlock(&eth->dev.mutex);
    return 0;
}

int
ef_ethdev_get_carrier(const struct netdev *netdev, bool *carrier)
{
    struct ef_ethdev *eth = ef_ethdev_cast(netdev);

    ovs_mutex_lock(&eth->dev.mutex);
    ef_ethdev_check_link(eth);
    *carrier = eth->link.link_status;
    ovs_mutex_unlock(&eth->dev.mutex);
    return 0;
}

int
ef_ethdev_set_etheraddr(struct netdev *netdev, const struct eth_addr mac)
{
    struct ef_ethdev *eth = ef_ethdev_cast(netdev);
    struct rte_ether_addr address;
    int error = 0;

    memcpy(address.addr_bytes, mac.ea, sizeof address.addr_bytes);
    ovs_mutex_lock(&eth->dev.mutex);
    if (!eth_addr_equals(eth->dev.hwaddr, mac)) {
        error = -rte_eth_dev_default_mac_addr_set(eth->port_id, &address);
        if (!error) {
            eth->dev.hwaddr = mac;
            netdev_change_seq_changed(netdev);
        } else {
            VLOG_WARN("%s: Failed to set requested mac("ETH_ADDR_FMT"): %s",
                      netdev_get_name(netdev), ETH_ADDR_ARGS(mac),
                      rte_strerror(error));
        }
    }
    ovs_mutex_unlock(&eth->dev.mutex);
    return error;
}

/* Tells the driver whether its link shall be up.  A driver that cannot is no
 * error: the packet path looks at is_up. */
static int
set_link(struct ef_ethdev *eth, bool up)
{
    const char *name = netdev_get_name(&eth->dev.up);
    int error = up ? -rte_eth_dev_set_link_up(eth->port_id)
                : -rte_eth_dev_set_link_down(eth->port_id);

    if (error == ENOTSUP) {
        VLOG_INFO("Interface %s does not support link state configuration",
                  name);
        return 0;
    }
    if (error) {
        VLOG_ERR("Interface %s link change error: %s", name,
                 rte_strerror(error));
    }
    return error;
}

static int
change_flags(struct ef_ethdev *eth, enum netdev_flags new)
{
    struct ef_dpdk_dev *dev = &eth->dev;
    bool up = new & NETDEV_UP;

    if ((new ^ dev->flags) & NETDEV_UP) {
        int error = set_link(eth, up);

        if (error) {
            return error;
        }
    }
    if (new & NETDEV_PROMISC) {
        rte_eth_promiscuous_enable(eth->port_id);
    }
    dev->flags = new;
    /* Read by the packet path, which needs to see nothing else. */
    atomic_store_relaxed(&dev->is_up, up);
    netdev_change_seq_changed(&dev->up);
    return 0;
}

int
ef_ethdev_update_flags(struct netdev *netdev, enum netdev_flags off,
                       enum netdev_flags on, enum netdev_flags *oldp)
{
    struct ef_ethdev *eth = ef_ethdev_cast(netdev);
    enum netdev_flags new;
    int error = 0;

    if ((off | on) & ~(NETDEV_UP | NETDEV_PROMISC)) {
        return EINVAL;
    }
    ovs_mutex_lock(&eth->dev.mutex);
    *oldp = eth->dev.flags;
    new = (eth->dev.flags | on) & ~off;
    if (new != eth->dev.flags) {
        error = change_flags(eth, new);
    }
    ovs_mutex_unlock(&eth->dev.mutex);
    return error;
}

void
ef_ethdev_check_link(struct ef_ethdev *eth)
{
    struct rte_eth_link link;

    if (!rte_eth_dev_is_valid_port(eth->port_id)
        || rte_eth_link_get_nowait(eth->port_id, &link)
        || link.link_status == eth->link.link_status) {
        return;
    }
    eth->link = link;
    eth->dev.n_carrier_resets++;
    netdev_change_seq_changed(&eth->dev.up);
    if (link.link_status) {
        VLOG_DBG_RL(&rl, "Port %"PRIu16" Link Up - speed %u Mbps - %s",
                    eth->port_id, (unsigned) link.link_speed,
                    link.link_duplex == RTE_ETH_LINK_FULL_DUPLEX
                    ? "full-duplex" : "half-duplex");
    } else {
        VLOG_DBG_RL(&rl, "Port %"PRIu16" Link Down", eth->port_id);
    }
}
