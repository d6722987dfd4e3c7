/* SPDX-License-Identifier: Apache-2.0 */

/* options:rx-flow-ctrl, tx-flow-ctrl, flow-ctrl-autoneg: pause frames.
 *
 * Main thread: ethdev-setup after a start, since some drivers forget them in
 * a reset or do not take them before; ethdev-config when an option of a
 * running port changes. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_errno.h>

#include "dpdk/log.h"

/* DPDK names modes by the frames that the port handles: to keep the peer from
 * overrunning our rx queues, we transmit pause frames. */
static enum rte_eth_fc_mode
wanted_mode(const struct ef_ethdev_request *want)
{
    if (want->rx_flow_ctrl) {
        return want->tx_flow_ctrl ? RTE_ETH_FC_FULL : RTE_ETH_FC_TX_PAUSE;
    }
    return want->tx_flow_ctrl ? RTE_ETH_FC_RX_PAUSE : RTE_ETH_FC_NONE;
}

void
ef_ethdev_flow_ctrl_set(struct ef_ethdev *ef)
{
    const char *name = netdev_get_name(&ef->dev.up);
    const struct ef_ethdev_request *want = &ef->want;
    struct rte_eth_fc_conf *conf = &ef->fc_conf;
    int error;

    error = -rte_eth_dev_flow_ctrl_get(ef->port_id, conf);
    if (error == ENOTSUP) {
        if (want->flow_ctrl_asked) {
            VLOG_WARN("%s: Flow control is not supported.", name);
        }
        return;
    } else if (error) {
        VLOG_WARN("%s: Cannot get flow control parameters: %s",
                  name, rte_strerror(error));
        return;
    }

    if (conf->mode != wanted_mode(want)
        || conf->autoneg != want->flow_ctrl_autoneg) {
        conf->mode = wanted_mode(want);
        conf->autoneg = want->flow_ctrl_autoneg;
        if (rte_eth_dev_flow_ctrl_set(ef->port_id, conf)) {
            VLOG_WARN("Failed to enable flow control on device %"PRIu16,
                      ef->port_id);
        }
    }
}
