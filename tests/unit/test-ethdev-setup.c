/* SPDX-License-Identifier: Apache-2.0 */

/* Reconfiguration of type=dpdk: what is asked of a driver, what happens when
 * it refuses, resets, rx-steering and pause frames.
 *
 * Some functions of DPDK, a shared library, are replaced by ones that count,
 * refuse, or stand for a device that can more than net_null. */

#define _GNU_SOURCE 1           /* For RTLD_NEXT. */
#include <config.h>

#include "dpdk/ethdev.h"

#include <dlfcn.h>
#include <rte_flow.h>

#include "ef-test.h"
#include "ethdev-fixture.h"

/* The device. */

static struct {
    int n_starts, n_resets, n_flow_ctrl_sets;
    bool start_fails, mtu_fails;
    int max_rxqs;               /* 0: all that are announced. */
    int max_txqs;               /* Likewise. */
    bool has_thresh;            /* Defaults and rules as below. */
    bool refuses_thresh;        /* Whatever they are, but the defaults. */
    bool reports_thresh;
    int n_own_txconfs;          /* Set-ups with other than the defaults. */
    struct rte_eth_txconf txconf; /* Of queue 0. */
    bool has_flows;             /* rte_flow. */
    int n_flows;
    uint16_t flow_rxq;
    uint16_t flow_ether_type;
    int max_reta_rxq;           /* Greatest queue of the RSS table. */
    bool has_flow_ctrl;
    struct rte_eth_fc_conf fc;
} device;

#define NEXT(FUNCTION) ((__typeof__(&FUNCTION)) dlsym(RTLD_NEXT, #FUNCTION))

int
rte_eth_dev_start(uint16_t port_id)
{
    device.n_starts++;
    return device.start_fails ? -EIO : NEXT(rte_eth_dev_start)(port_id);
}

int
rte_eth_dev_reset(uint16_t port_id)
{
    device.n_resets++;
    return rte_eth_dev_stop(port_id);
}

int
rte_eth_dev_set_mtu(uint16_t port_id, uint16_t mtu)
{
    return device.mtu_fails && mtu > 1500
           ? -EINVAL : NEXT(rte_eth_dev_set_mtu)(port_id, mtu);
}

int
rte_eth_rx_queue_setup(uint16_t port_id, uint16_t rxq, uint16_t n_desc,
                       unsigned socket_id, const struct rte_eth_rxconf *conf,
                       struct rte_mempool *pool)
{
    return device.max_rxqs && rxq >= device.max_rxqs
           ? -ENOMEM
           : NEXT(rte_eth_rx_queue_setup)(port_id, rxq, n_desc, socket_id,
                                          conf, pool);
}

#define DEFAULT_FREE 32
#define DEFAULT_RS 16

int
rte_eth_dev_info_get(uint16_t port_id, struct rte_eth_dev_info *info)
{
    int error = NEXT(rte_eth_dev_info_get)(port_id, info);

    if (!error && device.has_thresh) {
        info->default_txconf.tx_free_thresh = DEFAULT_FREE;
        info->default_txconf.tx_rs_thresh = DEFAULT_RS;
    }
    return error;
}

static bool
is_default(const struct rte_eth_txconf *conf)
{
    return !conf || (conf->tx_free_thresh == DEFAULT_FREE
                     && conf->tx_rs_thresh == DEFAULT_RS);
}

int
rte_eth_tx_queue_setup(uint16_t port_id, uint16_t txq, uint16_t n_desc,
                       unsigned socket_id, const struct rte_eth_txconf *conf)
{
    if (device.max_txqs && txq >= device.max_txqs) {
        return -ENOMEM;
    }
    if (!is_default(conf)) {
        device.n_own_txconfs++;
        if (device.refuses_thresh
            || (device.has_thresh
                && (conf->tx_rs_thresh > conf->tx_free_thresh
                    || n_desc % conf->tx_rs_thresh))) {
            return -EINVAL;
        }
    }
    if (!txq) {
        device.txconf = conf ? *conf : (struct rte_eth_txconf) {
            .tx_free_thresh = DEFAULT_FREE, .tx_rs_thresh = DEFAULT_RS,
        };
    }
    return NEXT(rte_eth_tx_queue_setup)(port_id, txq, n_desc, socket_id,
                                        NULL);
}

int
rte_eth_tx_queue_info_get(uint16_t port_id OVS_UNUSED,
                          uint16_t txq OVS_UNUSED,
                          struct rte_eth_txq_info *info)
{
    if (!device.reports_thresh) {
        return -ENOTSUP;
    }
    memset(info, 0, sizeof *info);
    info->conf = device.txconf;
    return 0;
}

struct rte_flow *
rte_flow_create(uint16_t port_id OVS_UNUSED,
                const struct rte_flow_attr *attr OVS_UNUSED,
                const struct rte_flow_item pattern[],
                const struct rte_flow_action actions[],
                struct rte_flow_error *error)
{
    const struct rte_flow_item_eth *eth = pattern[0].spec;
    const struct rte_flow_action_queue *queue = actions[0].conf;

    if (!device.has_flows) {
        rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_UNSPECIFIED,
                           NULL, "no rules");
        return NULL;
    }
    device.n_flows++;
    device.flow_rxq = queue->index;
    device.flow_ether_type = ntohs(eth->hdr.ether_type);
    return (struct rte_flow *) &device;
}

int
rte_flow_destroy(uint16_t port_id OVS_UNUSED, struct rte_flow *flow,
                 struct rte_flow_error *error OVS_UNUSED)
{
    EF_CHECK(flow == (struct rte_flow *) &device);
    device.n_flows--;
    return 0;
}

int
rte_eth_dev_rss_reta_update(uint16_t port_id OVS_UNUSED,
                            struct rte_eth_rss_reta_entry64 *reta,
                            uint16_t size)
{
    device.max_reta_rxq = -1;
    for (int i = 0; i < size; i++) {
        EF_CHECK(reta[i / 64].mask & UINT64_C(1) << i % 64);
        device.max_reta_rxq = MAX(device.max_reta_rxq,
                                  reta[i / 64].reta[i % 64]);
    }
    return 0;
}

int
rte_eth_dev_flow_ctrl_get(uint16_t port_id OVS_UNUSED,
                          struct rte_eth_fc_conf *conf)
{
    if (!device.has_flow_ctrl) {
        return -ENOTSUP;
    }
    *conf = device.fc;
    return 0;
}

int
rte_eth_dev_flow_ctrl_set(uint16_t port_id OVS_UNUSED,
                          struct rte_eth_fc_conf *conf)
{
    device.n_flow_ctrl_sets++;
    device.fc = *conf;
    return 0;
}

/* A new one, and a port that has it. */
static struct netdev *
start(void)
{
    memset(&device, 0, sizeof device);
    return fixture_open_null("p0");
}

#define SET(PORT, ...)                                          \
    ({                                                          \
        char *error__;                                          \
        int retval__ = fixture_set(PORT, &error__,              \
                                   "dpdk-devargs=net_null0",    \
                                   __VA_ARGS__, NULL);          \
        free(error__);                                          \
        retval__;                                               \
    })

EF_TEST(wishes_become_facts)
{
    struct netdev *port = start();
    struct ef_ethdev *ef = ef_ethdev_cast(port);

    EF_CHECK_EQ(SET(port, "n_rxq=3", "n_rxq_desc=256", "n_txq_desc=128"), 0);
    EF_CHECK_EQ(netdev_set_tx_multiq(port, 4), 0);
    EF_CHECK_EQ(netdev_set_mtu(port, 2000), 0);
    EF_CHECK(netdev_is_reconf_required(port));
    EF_CHECK_EQ(netdev_n_rxq(port), 1);

    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(netdev_n_rxq(port), 3);
    EF_CHECK_EQ(netdev_n_txq(port), 4);
    EF_CHECK_EQ(ef->dev.n_rxqs, 3);
    EF_CHECK_EQ(ef->dev.n_txqs, 4);
    EF_CHECK_EQ(ef->dev.mtu, 2000);
    EF_CHECK_EQ(ef->dev.rxq_size, 256);
    EF_CHECK_EQ(ef->dev.txq_size, 128);
    EF_CHECK_EQ(ef->tx_offloads, 0);
    EF_CHECK_EQ(port->ol_flags, 0);
    EF_CHECK(ef->is_started);
    EF_CHECK(rte_eth_promiscuous_get(ef->port_id));
    netdev_close(port);
}

EF_TEST(nothing_to_do_does_nothing)
{
    struct netdev *port = start();

    EF_CHECK_EQ(device.n_starts, 1);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(SET(port, "n_rxq=1"), 0);
    EF_CHECK(!netdev_is_reconf_required(port));
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(device.n_starts, 1);
    netdev_close(port);
}

EF_TEST(fewer_queues_than_announced)
{
    struct netdev *port = start();

    device.max_rxqs = 2;
    EF_CHECK_EQ(SET(port, "n_rxq=4"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(netdev_n_rxq(port), 2);
    EF_CHECK_EQ(device.n_starts, 2);

    /* What the driver does not have is not asked for again and again. */
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(device.n_starts, 2);
    netdev_close(port);
}

static void
check_thresh(const struct ef_ethdev *ef, int free_thresh, int rs_thresh,
             int ring_size)
{
    EF_CHECK_EQ(ef->want.tx_free_thresh, free_thresh);
    EF_CHECK_EQ(ef->want.tx_rs_thresh, rs_thresh);
    EF_CHECK_EQ(ef->dev.want.txq_size, ring_size);
    EF_CHECK_EQ(ef->dev.txq_size, ring_size);
    EF_CHECK_EQ(device.txconf.tx_free_thresh,
                free_thresh ? free_thresh : DEFAULT_FREE);
    EF_CHECK_EQ(device.txconf.tx_rs_thresh,
                rs_thresh ? rs_thresh : DEFAULT_RS);
    EF_CHECK(ef->is_started);
}

EF_TEST(refused_thresholds_give_way_to_the_last_good)
{
    struct netdev *port = start();
    struct ef_ethdev *ef = ef_ethdev_cast(port);
    int n_starts, n_own;

    device.has_thresh = true;
    EF_CHECK_EQ(netdev_set_tx_multiq(port, 3), 0);
    EF_CHECK_EQ(SET(port, "tx-free-thresh=64", "n_txq_desc=512"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    check_thresh(ef, 64, 0, 512);

    EF_CHECK_EQ(SET(port, "tx-free-thresh=100", "tx-rs-thresh=96",
                    "n_txq_desc=256"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    check_thresh(ef, 64, 0, 512);
    EF_CHECK_EQ(netdev_n_txq(port), 3);
    EF_CHECK_STR_EQ(ef->dev.config_error,
                    "'n_txq_desc=256': the driver refused: Invalid argument; "
                    "'tx-free-thresh=100': the driver refused: Invalid "
                    "argument; "
                    "'tx-rs-thresh=96': the driver refused: Invalid argument");

    /* Not again for the same; it stays refused. */
    n_starts = device.n_starts;
    EF_CHECK_EQ(SET(port, "tx-free-thresh=100", "tx-rs-thresh=96",
                    "n_txq_desc=256"), 0);
    EF_CHECK(!netdev_is_reconf_required(port));
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(device.n_starts, n_starts);
    EF_CHECK(ef->dev.config_error != NULL);
    EF_CHECK_EQ(netdev_set_mtu(port, 2000), 0);
    n_own = device.n_own_txconfs;
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(device.n_own_txconfs, n_own + 3);
    check_thresh(ef, 64, 0, 512);

    /* When any of the set changes. */
    EF_CHECK_EQ(SET(port, "tx-free-thresh=100", "tx-rs-thresh=64",
                    "n_txq_desc=256"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    check_thresh(ef, 100, 64, 256);
    EF_CHECK_STR_EQ(ef->dev.config_error, NULL);
    netdev_close(port);
}

EF_TEST(without_good_thresholds_it_is_the_drivers)
{
    struct netdev *port = fixture_open("p0");
    struct ef_ethdev *ef = ef_ethdev_cast(port);

    memset(&device, 0, sizeof device);
    device.has_thresh = device.refuses_thresh = true;
    EF_CHECK_EQ(SET(port, "tx-free-thresh=64", "n_txq_desc=512"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    check_thresh(ef, 0, 0, 512);
    EF_CHECK_STR_EQ(ef->dev.config_error, "'tx-free-thresh=64': the driver "
                    "refused: Invalid argument");
    netdev_close(port);

    /* What was good once is not any more. */
    port = start();
    ef = ef_ethdev_cast(port);
    device.has_thresh = true;
    EF_CHECK_EQ(SET(port, "tx-free-thresh=64"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    device.refuses_thresh = true;
    EF_CHECK_EQ(SET(port, "tx-free-thresh=128"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    check_thresh(ef, 0, 0, EF_DPDK_DEFAULT_QUEUE_SIZE);
    EF_CHECK_STR_EQ(ef->dev.config_error, "'tx-free-thresh=128': the driver "
                    "refused: Invalid argument");
    netdev_close(port);
}

EF_TEST(fewer_tx_queues_with_thresholds)
{
    struct netdev *port = start();
    struct ef_ethdev *ef = ef_ethdev_cast(port);

    device.has_thresh = true;
    device.max_txqs = 2;
    EF_CHECK_EQ(netdev_set_tx_multiq(port, 4), 0);
    EF_CHECK_EQ(SET(port, "tx-free-thresh=64"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(netdev_n_txq(port), 2);
    check_thresh(ef, 64, 0, EF_DPDK_DEFAULT_QUEUE_SIZE);
    EF_CHECK_STR_EQ(ef->dev.config_error, NULL);
    netdev_close(port);
}

EF_TEST(facts_of_thresholds)
{
    struct netdev *port = start();
    struct ef_ethdev *ef = ef_ethdev_cast(port);
    const struct {
        bool has, reports, is_set;
        enum ef_tx_thresh_source free_source, rs_source;
        int free_thresh, rs_thresh;
    } table[] = {
        { false, false, true, EF_TX_THRESH_NOT_REPORTED,
          EF_TX_THRESH_NOT_REPORTED, 0, 0 },
        { true, false, false, EF_TX_THRESH_DEFAULT, EF_TX_THRESH_DEFAULT,
          DEFAULT_FREE, DEFAULT_RS },
        { true, false, true, EF_TX_THRESH_SET, EF_TX_THRESH_DEFAULT, 64,
          DEFAULT_RS },
        { true, true, true, EF_TX_THRESH_SET, EF_TX_THRESH_DEFAULT, 64,
          DEFAULT_RS },
        { true, true, false, EF_TX_THRESH_DEFAULT, EF_TX_THRESH_DEFAULT,
          DEFAULT_FREE, DEFAULT_RS },
    };

    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        device.has_thresh = table[i].has;
        device.reports_thresh = table[i].reports;
        EF_CHECK_EQ(netdev_set_mtu(port, 1500 + i), 0);
        EF_CHECK_EQ(table[i].is_set ? SET(port, "tx-free-thresh=64")
                    : SET(port, "n_rxq=1"), 0);
        EF_CHECK_EQ(netdev_reconfigure(port), 0);
        EF_CHECK_EQ(ef->thresh.free_source, table[i].free_source);
        EF_CHECK_EQ(ef->thresh.rs_source, table[i].rs_source);
        EF_CHECK_EQ(ef->thresh.free_thresh, table[i].free_thresh);
        EF_CHECK_EQ(ef->thresh.rs_thresh, table[i].rs_thresh);
    }
    netdev_close(port);
}

EF_TEST(refused_mtu_can_be_corrected)
{
    struct netdev *port = start();
    struct ef_ethdev *ef = ef_ethdev_cast(port);

    device.mtu_fails = true;
    EF_CHECK_EQ(netdev_set_mtu(port, 3000), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), EINVAL);
    EF_CHECK(!ef->is_started);

    EF_CHECK_EQ(netdev_set_mtu(port, 1500), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK(ef->is_started);
    EF_CHECK_EQ(ef->dev.mtu, 1500);
    netdev_close(port);
}

EF_TEST(failed_start_can_be_repeated)
{
    struct netdev *port = start();
    struct ef_ethdev *ef = ef_ethdev_cast(port);

    device.start_fails = true;
    EF_CHECK_EQ(SET(port, "n_rxq=2"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), EIO);
    EF_CHECK(!ef->is_started);

    device.start_fails = false;
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK(ef->is_started);
    EF_CHECK_EQ(netdev_n_rxq(port), 2);
    netdev_close(port);
}

EF_TEST(reset_on_demand)
{
    struct netdev *port = start();
    uint16_t port_id = ef_ethdev_cast(port)->port_id;

    ef_ethdev_on_reset(port_id, RTE_ETH_EVENT_INTR_LSC, NULL, NULL);
    EF_CHECK(!netdev_is_reconf_required(port));

    ef_ethdev_on_reset(port_id, RTE_ETH_EVENT_INTR_RESET, NULL, NULL);
    EF_CHECK(netdev_is_reconf_required(port));
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(device.n_resets, 1);
    EF_CHECK_EQ(device.n_starts, 2);

    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(device.n_resets, 1);
    netdev_close(port);

    /* One for a port that went does nothing, and not to the next either. */
    ef_ethdev_on_reset(port_id, RTE_ETH_EVENT_INTR_RESET, NULL, NULL);
    ef_ethdev_reset_watch(port_id, NULL);
    netdev_close(start());
    EF_CHECK_EQ(device.n_resets, 0);
}

EF_TEST(reset_before_the_port_knows_its_device)
{
    struct netdev *port = start();
    uint16_t port_id = ef_ethdev_cast(port)->port_id;

    netdev_close(port);
    ef_ethdev_on_reset(port_id, RTE_ETH_EVENT_INTR_RESET, NULL, NULL);
    netdev_close(start());
    EF_CHECK_EQ(device.n_resets, 1);
}

EF_TEST(lacp_gets_its_queue)
{
    struct netdev *port = start();
    struct ef_ethdev *ef = ef_ethdev_cast(port);

    device.has_flows = true;
    EF_CHECK_EQ(SET(port, "n_rxq=2", "rx-steering=rss+lacp"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(netdev_n_rxq(port), 3);
    EF_CHECK(ef->steering.is_on);
    EF_CHECK_EQ(device.n_flows, 1);
    EF_CHECK_EQ(device.flow_rxq, 2);
    EF_CHECK_EQ(device.flow_ether_type, 0x8809);
    EF_CHECK_EQ(device.max_reta_rxq, 1);

    /* Made anew with the device. */
    EF_CHECK_EQ(SET(port, "n_rxq=3", "rx-steering=rss+lacp"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(device.n_flows, 1);
    EF_CHECK_EQ(device.flow_rxq, 3);

    EF_CHECK_EQ(SET(port, "n_rxq=3", "rx-steering=rss"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(netdev_n_rxq(port), 3);
    EF_CHECK_EQ(device.n_flows, 0);
    EF_CHECK(!ef->steering.is_on);
    netdev_close(port);
}

EF_TEST(steering_falls_back)
{
    struct netdev *port = start();
    struct ef_ethdev *ef = ef_ethdev_cast(port);
    struct smap status = SMAP_INITIALIZER(&status);
    int n_starts;

    EF_CHECK_EQ(SET(port, "n_rxq=2", "rx-steering=rss+lacp"), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(netdev_n_rxq(port), 2);
    EF_CHECK(ef->is_started);
    EF_CHECK(!ef->steering.is_on);
    EF_CHECK_EQ(netdev_get_status(port, &status), 0);
    EF_CHECK_STR_EQ(smap_get(&status, "rx-steering"), "unsupported");
    smap_destroy(&status);

    n_starts = device.n_starts;
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(device.n_starts, n_starts);
    netdev_close(port);
}

EF_TEST(pause_frames)
{
    struct netdev *port = start();

    device.has_flow_ctrl = true;
    device.fc.mode = RTE_ETH_FC_FULL;
    /* On the run, without a new start. */
    EF_CHECK_EQ(SET(port, "rx-flow-ctrl=true"), 0);
    EF_CHECK(!netdev_is_reconf_required(port));
    EF_CHECK_EQ(device.fc.mode, RTE_ETH_FC_TX_PAUSE);
    EF_CHECK_EQ(SET(port, "tx-flow-ctrl=true"), 0);
    EF_CHECK_EQ(device.fc.mode, RTE_ETH_FC_RX_PAUSE);
    EF_CHECK_EQ(SET(port, "tx-flow-ctrl=true", "rx-flow-ctrl=true",
                    "flow-ctrl-autoneg=true"), 0);
    EF_CHECK_EQ(device.fc.mode, RTE_ETH_FC_FULL);
    EF_CHECK_EQ(device.fc.autoneg, 1);
    EF_CHECK_EQ(device.n_flow_ctrl_sets, 3);

    /* A device that forgot is told again. */
    device.fc.mode = RTE_ETH_FC_NONE;
    EF_CHECK_EQ(SET(port, "tx-flow-ctrl=true", "rx-flow-ctrl=true",
                    "flow-ctrl-autoneg=true", "n_rxq=2"), 0);
    EF_CHECK_EQ(device.n_flow_ctrl_sets, 3);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(device.fc.mode, RTE_ETH_FC_FULL);
    EF_CHECK_EQ(device.n_flow_ctrl_sets, 4);
    netdev_close(port);
}

EF_TEST(offloads_that_are_announced)
{
    const uint64_t cksums = (RTE_ETH_TX_OFFLOAD_IPV4_CKSUM
                             | RTE_ETH_TX_OFFLOAD_TCP_CKSUM
                             | RTE_ETH_TX_OFFLOAD_UDP_CKSUM);
    const uint64_t tso = RTE_ETH_TX_OFFLOAD_TCP_TSO;
    const uint64_t multi = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
    const uint64_t rx_cksums = RTE_ETH_RX_OFFLOAD_CHECKSUM;
    const uint64_t scatter = RTE_ETH_RX_OFFLOAD_SCATTER;
    const struct {
        uint64_t tx_capa;
        bool userspace_tso;
        uint64_t tx;
        uint64_t rx_capa;
        bool scatter;
        uint64_t rx;
    } table[] = {
        { cksums | tso | multi, true, cksums | tso, 0, false, 0 },
        { cksums | tso, false, 0, rx_cksums, false, rx_cksums },
        { cksums, true, cksums, scatter, false, 0 },
        { tso, true, 0, scatter, true, scatter },
        { tso | RTE_ETH_TX_OFFLOAD_TCP_CKSUM, true,
          RTE_ETH_TX_OFFLOAD_TCP_CKSUM, 0, true, 0 },
        { cksums | RTE_ETH_TX_OFFLOAD_SCTP_CKSUM, true,
          cksums | RTE_ETH_TX_OFFLOAD_SCTP_CKSUM,
          rx_cksums & ~RTE_ETH_RX_OFFLOAD_UDP_CKSUM, false, 0 },
        { 0, true, 0, RTE_ETH_RX_OFFLOAD_KEEP_CRC, true, 0 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        struct rte_eth_dev_info info = {
            .tx_offload_capa = table[i].tx_capa,
            .rx_offload_capa = table[i].rx_capa,
        };
        struct rte_eth_conf conf = { .rxmode.mq_mode = RTE_ETH_MQ_RX_RSS };
        bool rx_csum;

        rx_csum = ef_ethdev_choose_offloads(&info, table[i].scatter,
                                            table[i].userspace_tso, &conf);
        EF_CHECK_EQ(conf.txmode.offloads, table[i].tx);
        EF_CHECK_EQ(conf.rxmode.offloads, table[i].rx);
        EF_CHECK_EQ(rx_csum, table[i].rx_capa == rx_cksums);
        EF_CHECK_EQ(conf.rxmode.mq_mode, RTE_ETH_MQ_RX_NONE);
    }
}

EF_TEST(ring_device)
{
    struct netdev *port = fixture_open("p0");
    char *error;

    memset(&device, 0, sizeof device);
    EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_ring0", NULL), 0);
    EF_CHECK_EQ(netdev_set_mtu(port, 3000), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK(ef_ethdev_cast(port)->is_started);
    netdev_close(port);
    EF_CHECK_EQ(rte_eth_dev_count_total(), 0);
}

EF_TEST_MUST_FAIL(planted_fault)
{
    struct netdev *port = start();

    EF_CHECK_EQ(device.n_starts, 0);
    netdev_close(port);
}
