/* SPDX-License-Identifier: Apache-2.0 */

/* options:rx-steering=rss+lacp: LACP gets an rx queue of its own, the last
 * one, so that a link does not go down because its queue of data is full.  A
 * flow rule steers it there, and the RSS table is kept off that queue.
 *
 * Called by ethdev-setup in the main thread; the device runs. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_errno.h>
#include <rte_flow.h>

#include "dpdk/log.h"

/* Some drivers announce a table of as many entries as there are queues; of
 * such a small one, leaving out a queue would make others carry double. */
#define MIN_FAIR_RETA RTE_ETH_RETA_GROUP_SIZE

int
ef_steering_n_rxq(const struct ef_ethdev *ef, int n_rxq)
{
    return n_rxq + ef->want.steer_lacp;
}

static int
add_lacp_rule(struct ef_ethdev *ef)
{
    const struct rte_flow_attr attr = { .ingress = 1 };
    const struct rte_flow_item_eth spec = {
        .hdr.ether_type = htons(RTE_ETHER_TYPE_SLOW),
    };
    const struct rte_flow_item_eth mask = {
        .hdr.ether_type = htons(UINT16_MAX),
    };
    const struct rte_flow_item items[] = {
        { .type = RTE_FLOW_ITEM_TYPE_ETH, .spec = &spec, .mask = &mask },
        { .type = RTE_FLOW_ITEM_TYPE_END },
    };
    const struct rte_flow_action_queue queue = { .index = ef->steering.rxq };
    const struct rte_flow_action actions[] = {
        { .type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &queue },
        { .type = RTE_FLOW_ACTION_TYPE_END },
    };
    struct rte_flow_error error = { .message = NULL };
    struct rte_flow *flow;

    flow = rte_flow_create(ef->port_id, &attr, items, actions, &error);
    if (!flow) {
        VLOG_WARN("%s: rx-steering: a rule for LACP cannot be added: %s",
                  netdev_get_name(&ef->dev.up),
                  error.message ? error.message : rte_strerror(rte_errno));
        return rte_errno ? rte_errno : EIO;
    }
    ef->steering.flows[ef->steering.n_flows++] = flow;
    return 0;
}

/* Spreads the RSS table over the first 'n_rxq' queues. */
static int
spread_rss(struct ef_ethdev *ef, int n_rxq)
{
    struct rte_eth_rss_reta_entry64 *reta;
    struct rte_eth_dev_info info;
    int error;

    error = rte_eth_dev_info_get(ef->port_id, &info);
    if (error) {
        return -error;
    }
    if (!info.flow_type_rss_offloads) {
        /* Without RSS everything else arrives on queue 0. */
        return 0;
    }
    if (info.reta_size % n_rxq && info.reta_size < MIN_FAIR_RETA) {
        info.reta_size = MIN_FAIR_RETA;
    }
    if (!info.reta_size) {
        error = -ENOTSUP;
        goto out;
    }

    reta = xcalloc(DIV_ROUND_UP(info.reta_size, RTE_ETH_RETA_GROUP_SIZE),
                   sizeof *reta);
    for (int i = 0; i < info.reta_size; i++) {
        struct rte_eth_rss_reta_entry64 *group;
        int bit = i % RTE_ETH_RETA_GROUP_SIZE;

        group = &reta[i / RTE_ETH_RETA_GROUP_SIZE];
        group->mask |= UINT64_C(1) << bit;
        group->reta[bit] = i % n_rxq;
    }
    error = rte_eth_dev_rss_reta_update(ef->port_id, reta, info.reta_size);
    free(reta);

out:
    if (error) {
        VLOG_WARN("%s: rx-steering: RSS cannot be kept off the queue for "
                  "LACP: %s", netdev_get_name(&ef->dev.up),
                  rte_strerror(-error));
    }
    return -error;
}

int
ef_steering_set(struct ef_ethdev *ef)
{
    int n_rxq = ef->dev.up.n_rxq;
    int error;

    ef_steering_clear(ef);
    if (n_rxq < 2) {
        VLOG_WARN("%s: rx-steering: the device has no second rx queue",
                  netdev_get_name(&ef->dev.up));
        return ENOSPC;
    }

    ef->steering.rxq = n_rxq - 1;
    error = spread_rss(ef, n_rxq - 1);
    if (!error) {
        error = add_lacp_rule(ef);
    }
    if (error) {
        ef_steering_clear(ef);
        return error;
    }
    ef->steering.is_on = true;
    VLOG_INFO("%s: rx-steering: LACP goes to rx queue %d",
              netdev_get_name(&ef->dev.up), ef->steering.rxq);
    return 0;
}

void
ef_steering_clear(struct ef_ethdev *ef)
{
    struct ef_steering *steering = &ef->steering;

    for (int i = 0; i < steering->n_flows; i++) {
        struct rte_flow_error error = { .message = NULL };

        if (rte_flow_destroy(ef->port_id, steering->flows[i], &error)) {
            VLOG_WARN("%s: rx-steering: a rule cannot be removed: %s",
                      netdev_get_name(&ef->dev.up),
                      error.message ? error.message
                                    : rte_strerror(rte_errno));
        }
    }
    memset(steering, 0, sizeof *steering);
}
