/* SPDX-License-Identifier: Apache-2.0 */

/* Reconfiguration of type=dpdk: stops the device, sets it up for what the
 * options, the MTU and the number of threads ask for, and starts it.
 *
 * Main thread, while no PMD uses the port. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_errno.h>

#include "dpdk/log.h"
#include "dpdk/mempool.h"
#include "if-notifier.h"
#include "packets.h"
#include "userspace-tso.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

/* Room for VLAN tags, which not all drivers count in. */
#define VLAN_ROOM (2 * VLAN_HEADER_LEN)

/* What the driver is asked for, and gives. */
struct setup {
    struct rte_eth_dev_info info;
    struct rte_eth_conf conf;
    int n_rxq, n_txq;
    uint16_t rxq_size, txq_size;
    bool rx_csum;
    const struct rte_eth_txconf *txconf; /* NULL: the driver's. */
    struct rte_eth_txconf own_txconf;
    bool thresh_refused;        /* By the driver: it takes its own. */
};

static const char *
name_of(const struct ef_ethdev *ef)
{
    return netdev_get_name(&ef->dev.up);
}

uint32_t
ef_ethdev_dev_flags(uint16_t port_id)
{
    struct rte_eth_dev_info info;

    if (!rte_eth_dev_is_valid_port(port_id)
        || rte_eth_dev_info_get(port_id, &info)) {
        return 0;
    }
    return *info.dev_flags;
}

/* Setting up. */

static bool
needs_scatter(const struct ef_ethdev *ef)
{
    const struct ef_dpdk_dev *dev = &ef->dev;

    /* Some drivers want it for every packet longer than usual, even if a
     * buffer holds it. */
    return dev->mtu > RTE_ETHER_MTU
           || (ef_dpdk_mtu_to_frame(dev->mtu) + VLAN_ROOM
               > ef_mempool_data_room(dev->pool));
}

static int
plan(const struct ef_ethdev *ef, int n_rxq, struct setup *s)
{
    const struct ef_dpdk_dev *dev = &ef->dev;
    int error;

    memset(s, 0, sizeof *s);
    error = -rte_eth_dev_info_get(ef->port_id, &s->info);
    if (error) {
        VLOG_ERR("Interface %s: nothing is known of its device: %s",
                 name_of(ef), rte_strerror(error));
        return error;
    }

    s->n_rxq = MIN(n_rxq, s->info.max_rx_queues);
    s->n_txq = MIN(dev->want.n_txq, s->info.max_tx_queues);
    s->rxq_size = dev->want.rxq_size;
    s->txq_size = dev->want.txq_size;
    s->txconf = ef_ethdev_thresh_conf(&ef->want, &s->info, &s->own_txconf);
    s->conf.intr_conf.lsc = ef->want.lsc_interrupt;
    s->rx_csum = ef_ethdev_choose_offloads(&s->info, needs_scatter(ef),
                                           userspace_tso_enabled(), &s->conf);
    if (!s->rx_csum) {
        VLOG_WARN("Rx checksum offload is not supported on port %"PRIu16,
                  ef->port_id);
    }
    if (userspace_tso_enabled()
        && !(s->conf.txmode.offloads & RTE_ETH_TX_OFFLOAD_TCP_TSO)) {
        VLOG_INFO("%s: Tx TSO offload is not supported by the device; packets "
                  "are segmented in software.", name_of(ef));
    }
    return 0;
}

static int
set_mtu(const struct ef_ethdev *ef)
{
    int mtu = ef->dev.mtu;
    uint16_t device_mtu;
    int error;

    error = -rte_eth_dev_set_mtu(ef->port_id, mtu);
    if (error == ENOTSUP) {
        if (!rte_eth_dev_get_mtu(ef->port_id, &device_mtu)) {
            VLOG_WARN("Interface %s does not support MTU configuration, "
                      "max packet size supported is %"PRIu16".",
                      name_of(ef), device_mtu);
        }
        return 0;
    } else if (error) {
        VLOG_ERR("Interface %s MTU (%d) setup error: %s",
                 name_of(ef), mtu, rte_strerror(error));
    }
    return error;
}

/* Whether a tx queue that failed works with the driver's own thresholds: then
 * it is not queues that the device is short of. */
static bool
is_about_thresh(const struct ef_ethdev *ef, const struct setup *s, int txq)
{
    return s->txconf && !rte_eth_tx_queue_setup(ef->port_id, txq, s->txq_size,
                                                ef->dev.socket_id, NULL);
}

/* Both set up queues until the driver refuses one; then the error is returned
 * and only those that worked stay asked for. */
static int
set_up_txqs(const struct ef_ethdev *ef, struct setup *s)
{
    for (int i = 0; i < s->n_txq; i++) {
        int error = -rte_eth_tx_queue_setup(ef->port_id, i, s->txq_size,
                                            ef->dev.socket_id, s->txconf);

        if (error) {
            VLOG_INFO("Interface %s unable to setup txq(%d): %s",
                      name_of(ef), i, rte_strerror(error));
            if (is_about_thresh(ef, s, i)) {
                s->thresh_refused = true;
                return error;
            }
            s->n_txq = i;
            return error;
        }
    }
    return 0;
}

static int
set_up_rxqs(const struct ef_ethdev *ef, struct setup *s)
{
    for (int i = 0; i < s->n_rxq; i++) {
        int error = -rte_eth_rx_queue_setup(ef->port_id, i, s->rxq_size,
                                            ef->dev.socket_id, NULL,
                                            ef_dpdk_dev_rxq_pool(&ef->dev,
                                                                 i));

        if (error) {
            VLOG_INFO("Interface %s unable to setup rxq(%d): %s",
                      name_of(ef), i, rte_strerror(error));
            s->n_rxq = i;
            return error;
        }
    }
    return 0;
}

/* Rings as long as the device has them. */
static void
adjust_ring_sizes(const struct ef_ethdev *ef, struct setup *s)
{
    uint16_t rxq_size = s->rxq_size, txq_size = s->txq_size;

    if (!rte_eth_dev_adjust_nb_rx_tx_desc(ef->port_id, &rxq_size, &txq_size)
        && (rxq_size != s->rxq_size || txq_size != s->txq_size)) {
        VLOG_INFO("Interface %s: the device takes %"PRIu16" instead of "
                  "%"PRIu16" rx and %"PRIu16" instead of %"PRIu16" tx "
                  "descriptors", name_of(ef),
                  rxq_size, s->rxq_size, txq_size, s->txq_size);
        s->rxq_size = rxq_size;
        s->txq_size = txq_size;
    }
}

static int
configure_once(const struct ef_ethdev *ef, struct setup *s, bool *retryp)
{
    int error;

    *retryp = false;
    error = -rte_eth_dev_configure(ef->port_id, s->n_rxq, s->n_txq, &s->conf);
    if (error) {
        VLOG_WARN("Interface %s eth_dev setup error %s",
                  name_of(ef), rte_strerror(error));
        return error;
    }
    error = set_mtu(ef);
    if (error) {
        return error;
    }
    adjust_ring_sizes(ef, s);

    error = set_up_txqs(ef, s);
    if (!error) {
        error = set_up_rxqs(ef, s);
    }
    *retryp = error && !s->thresh_refused && s->n_txq && s->n_rxq;
    return error;
}

/* A device can announce more queues than it has to give. */
static int
configure(const struct ef_ethdev *ef, struct setup *s)
{
    int n_rxq = s->n_rxq, n_txq = s->n_txq;
    bool retry;
    int error;

    error = configure_once(ef, s, &retry);
    while (error && retry) {
        VLOG_INFO("Retrying setup with (rxq:%d txq:%d)", s->n_rxq, s->n_txq);
        error = configure_once(ef, s, &retry);
    }
    if (error && !s->thresh_refused) {
        VLOG_ERR("Interface %s(rxq:%d txq:%d lsc interrupt mode:%s) "
                 "configure error: %s", name_of(ef), n_rxq, n_txq,
                 ef->want.lsc_interrupt ? "true" : "false",
                 rte_strerror(error));
    }
    return error;
}

static int
set_vf_mac(const struct ef_ethdev *ef)
{
    struct eth_addr mac = ef->want.vf_mac;
    struct rte_ether_addr ea;
    int error;

    if (eth_addr_is_zero(mac)) {
        return 0;
    }
    memcpy(ea.addr_bytes, mac.ea, ETH_ADDR_LEN);
    error = -rte_eth_dev_default_mac_addr_set(ef->port_id, &ea);
    if (error) {
        VLOG_WARN("%s: Failed to set requested mac("ETH_ADDR_FMT"): %s",
                  name_of(ef), ETH_ADDR_ARGS(mac), rte_strerror(error));
    }
    return error;
}

/* What is in force is what the port shows and the packet path does. */
static void
take_facts(struct ef_ethdev *ef, const struct setup *s)
{
    struct netdev *netdev = &ef->dev.up;

    netdev->n_rxq = s->n_rxq;
    netdev->n_txq = s->n_txq;
    ef->dev.rxq_size = s->rxq_size;
    ef->dev.txq_size = s->txq_size;
    ef->rx_csum_offload = s->rx_csum;
    ef->rx_scatter = s->conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_SCATTER;
    ef->tx_offloads = s->conf.txmode.offloads;

    /* Not only what the driver announces. */
    netdev->ol_flags = userspace_tso_enabled() ? EF_DPDK_TX_OFFLOADS : 0;
}

/* What a running device has to be told, and tells. */
static void
after_start(struct ef_ethdev *ef)
{
    struct rte_ether_addr ea = { { 0 } };

    rte_eth_promiscuous_enable(ef->port_id);
    rte_eth_allmulticast_enable(ef->port_id);
    if (!(ef->dev.flags & NETDEV_UP)) {
        /* The start brought the link up. */
        rte_eth_dev_set_link_down(ef->port_id);
    }
    ef_ethdev_flow_ctrl_set(ef);

    rte_eth_macaddr_get(ef->port_id, &ea);
    memcpy(ef->dev.hwaddr.ea, ea.addr_bytes, ETH_ADDR_LEN);
    VLOG_INFO_RL(&rl, "Port %"PRIu16": "ETH_ADDR_FMT, ef->port_id,
                 ETH_ADDR_ARGS(ef->dev.hwaddr));
    if (rte_eth_link_get_nowait(ef->port_id, &ef->link)) {
        memset(&ef->link, 0, sizeof ef->link);
    }
    ef_xstats_learn(ef);
}

/* Buffers that the driver frees at once, 0: not known. */
static int
tx_free_burst(const struct ef_ethdev *ef)
{
    struct rte_eth_dev_info info;

    if (ef->want.tx_free_thresh != EF_TX_THRESH_DRIVER) {
        return ef->want.tx_free_thresh;
    }
    return (rte_eth_dev_info_get(ef->port_id, &info)
            ? 0 : info.default_txconf.tx_free_thresh);
}

static int
plan_and_configure(struct ef_ethdev *ef, int n_rxq, struct setup *s)
{
    int error;

    /* A ring of another size can need another pool. */
    ef->dev.pools.tx_free_burst = tx_free_burst(ef);
    error = ef_dpdk_dev_set_pool(&ef->dev);
    if (!error) {
        error = plan(ef, n_rxq, s);
    }
    return error ? error : configure(ef, s);
}

static int
bring_up_once(struct ef_ethdev *ef, int n_rxq, struct setup *s)
{
    int error;

    error = plan_and_configure(ef, n_rxq, s);
    if (!error) {
        error = set_vf_mac(ef);
    }
    if (!error) {
        error = ef_dpdk_dev_set_queues(&ef->dev, s->n_rxq, s->n_txq);
    }
    if (error) {
        return error;
    }
    take_facts(ef, s);
    ef_ethdev_watch_start(ef);
    ef_ethdev_thresh_learn(ef, &s->info);

    error = -rte_eth_dev_start(ef->port_id);
    if (error) {
        VLOG_ERR("Interface %s start error: %s", name_of(ef),
                 rte_strerror(error));
        /* Some only look now (net_bonding, when it sets its members up). */
        s->thresh_refused = s->txconf != NULL;
        return error;
    }
    ef->is_started = true;
    after_start(ef);
    return 0;
}

/* Leaves a stopped device running with at most 'n_rxq' rx queues, or returns
 * a positive errno and leaves it stopped. */
static int
bring_up(struct ef_ethdev *ef, int n_rxq)
{
    struct setup s = { .thresh_refused = false };
    int error = bring_up_once(ef, n_rxq, &s);

    while (error && s.thresh_refused) {
        /* Ends: what is left at last is the driver's own. */
        ef_ethdev_thresh_roll_back(ef, error);
        s.thresh_refused = false;
        error = bring_up_once(ef, n_rxq, &s);
    }
    return error;
}

/* Stopping. */

void
ef_ethdev_stop(struct ef_ethdev *ef)
{
    int error;

    if (!ef->is_started) {
        return;
    }
    ef->is_started = false;
    if (!rte_eth_dev_is_valid_port(ef->port_id)) {
        /* Pulled out, and the rules with it. */
        memset(&ef->steering, 0, sizeof ef->steering);
        ef_ethdev_watch_stop(ef);
        return;
    }
    ef_steering_clear(ef);
    error = -rte_eth_dev_stop(ef->port_id);
    if (error) {
        VLOG_WARN("Interface %s stop error: %s", name_of(ef),
                  rte_strerror(error));
    }
    ef_ethdev_watch_stop(ef);
}

static void
reset(struct ef_ethdev *ef)
{
    int error;

    if (ef->is_started) {
        ef_steering_clear(ef);
    }
    error = -rte_eth_dev_reset(ef->port_id);
    if (error) {
        VLOG_WARN("Interface %s reset error: %s", name_of(ef),
                  rte_strerror(error));
        ef_ethdev_stop(ef);
    }
    ef->is_started = false;
    /* Tells whoever watches interfaces that this one may be another now. */
    if_notifier_manual_report();
}

/* Reconfiguration. */

static bool
is_as_wanted(const struct ef_ethdev *ef)
{
    BUILD_ASSERT(sizeof ef->dev_is == 6 * sizeof(int)); /* No padding. */
    return ef->is_started
           && !ef->dev.pools.is_stale
           && !memcmp(&ef->dev_is, &ef->dev.want, sizeof ef->dev_is)
           && !ef_ethdev_options_need_setup(&ef->is, &ef->want);
}

static int
set_up(struct ef_ethdev *ef)
{
    int error;

    if (ef_ethdev_reset_take(ef->port_id)) {
        reset(ef);
    } else {
        ef_ethdev_stop(ef);
    }

    error = bring_up(ef, ef->dev.want.n_rxq);
    if (!error && ef->want.steer_lacp && ef_steering_set(ef)) {
        VLOG_WARN("%s: rx-steering: rss is used instead of rss+lacp",
                  name_of(ef));
        ef_ethdev_stop(ef);
        error = bring_up(ef, ef->want.n_rxq);
    }
    if (error) {
        return error;
    }
    ef->is = ef->want;
    ef->dev_is = ef->dev.want;
    return 0;
}

int
ef_ethdev_reconfigure(struct netdev *netdev)
{
    struct ef_ethdev *ef = ef_ethdev_cast(netdev);
    int error = 0;

    ovs_mutex_lock(&ef->dev.mutex);
    if (ef->port_id == EF_ETHDEV_NONE) {
        error = ENODEV;
    } else if (!is_as_wanted(ef) || ef_ethdev_reset_is_pending(ef->port_id)) {
        error = set_up(ef);
        netdev_change_seq_changed(netdev);
    }
    ovs_mutex_unlock(&ef->dev.mutex);
    return error;
}
