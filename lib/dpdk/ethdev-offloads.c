/* SPDX-License-Identifier: Apache-2.0 */

/* Which of a driver's offloads are asked for: never one that it does not
 * announce.
 *
 * Pure; called by ethdev-setup in the main thread. */

#include <config.h>

#include "dpdk/ethdev.h"

#define TX_CKSUMS (RTE_ETH_TX_OFFLOAD_IPV4_CKSUM                \
                   | RTE_ETH_TX_OFFLOAD_TCP_CKSUM               \
                   | RTE_ETH_TX_OFFLOAD_UDP_CKSUM               \
                   | RTE_ETH_TX_OFFLOAD_SCTP_CKSUM)

/* Segments that a device cuts need new IPv4 and TCP checksums. */
#define TSO_NEEDS (RTE_ETH_TX_OFFLOAD_IPV4_CKSUM                \
                   | RTE_ETH_TX_OFFLOAD_TCP_CKSUM)

#define RSS_WANTED (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP)

static uint64_t
choose_tx(uint64_t capa)
{
    uint64_t tx = capa & TX_CKSUMS;

    if ((tx & TSO_NEEDS) == TSO_NEEDS) {
        tx |= capa & RTE_ETH_TX_OFFLOAD_TCP_TSO;
    }
    return tx;
}

bool
ef_ethdev_choose_offloads(const struct rte_eth_dev_info *info, bool scatter,
                          bool tso, struct rte_eth_conf *conf)
{
    /* All or nothing: packets say whether the device looked at their
     * checksums, but not at which. */
    bool rx_csum = (info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_CHECKSUM)
                   == RTE_ETH_RX_OFFLOAD_CHECKSUM;

    /* The frame's own checksum is always stripped. */
    conf->rxmode.offloads = 0;
    if (rx_csum) {
        conf->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_CHECKSUM;
    }
    if (scatter) {
        conf->rxmode.offloads |= (info->rx_offload_capa
                                  & RTE_ETH_RX_OFFLOAD_SCATTER);
    }
    conf->txmode.offloads = tso ? choose_tx(info->tx_offload_capa) : 0;

    conf->rx_adv_conf.rss_conf.rss_key = NULL;
    conf->rx_adv_conf.rss_conf.rss_hf = (RSS_WANTED
                                         & info->flow_type_rss_offloads);
    conf->rxmode.mq_mode = (conf->rx_adv_conf.rss_conf.rss_hf
                            ? RTE_ETH_MQ_RX_RSS : RTE_ETH_MQ_RX_NONE);
    conf->txmode.mq_mode = RTE_ETH_MQ_TX_NONE;
    return rx_csum;
}
