/* SPDX-License-Identifier: Apache-2.0 */

/* What the package's netdev-offload-dpdk calls, under upstream's names: flow
 * rules of DPDK (rte_flow) for a netdev.
 *
 * Threads: offload threads; get_restore_info also PMDs.  No lock: port_id is
 * a fact while anybody can know the port's flows, and DPDK locks for drivers
 * that do not. */

#include <config.h>

#include "netdev-dpdk.h"

#include <rte_flow.h>

#include "dpdk/ethdev.h"

static struct ef_ethdev *
ethdev_of(const struct netdev *netdev)
{
    if (ef_dpdk_is_dpdk(netdev)
        && ef_dpdk_dev_cast(netdev)->kind == EF_DPDK_ETH) {
        return ef_ethdev_cast(netdev);
    }
    return NULL;
}

static struct ef_ethdev *
ethdev_or_error(const struct netdev *netdev, struct rte_flow_error *error)
{
    struct ef_ethdev *ef = ethdev_of(netdev);

    if (!ef) {
        rte_flow_error_set(error, ENODEV, RTE_FLOW_ERROR_TYPE_UNSPECIFIED,
                           NULL, "not a port of type dpdk");
    }
    return ef;
}

/* Whether rules for packets from 'netdev' can be put into some device: of a
 * tunnel, into the device that its packets arrive on. */
bool
netdev_dpdk_flow_api_supported(struct netdev *netdev)
{
    const char *type = netdev_get_type(netdev);

    if (!strcmp(type, "vxlan") || !strcmp(type, "gre")) {
        const char *dpif_type = netdev_get_dpif_type(netdev);

        if (dpif_type && !strcmp(dpif_type, "netdev")) {
            return true;
        }
    }
    return ethdev_of(netdev) != NULL;
}

/* Returns -1 for a netdev that DPDK has no number for. */
int
netdev_dpdk_get_port_id(struct netdev *netdev)
{
    struct ef_ethdev *ef = ethdev_of(netdev);

    return ef ? ef->port_id : -1;
}

struct rte_flow *
netdev_dpdk_rte_flow_create(struct netdev *netdev,
                            const struct rte_flow_attr *attr,
                            const struct rte_flow_item pattern[],
                            const struct rte_flow_action actions[],
                            struct rte_flow_error *error)
{
    struct ef_ethdev *ef = ethdev_or_error(netdev, error);

    return ef ? rte_flow_create(ef->port_id, attr, pattern, actions, error)
              : NULL;
}

int
netdev_dpdk_rte_flow_destroy(struct netdev *netdev, struct rte_flow *flow,
                             struct rte_flow_error *error)
{
    struct ef_ethdev *ef = ethdev_or_error(netdev, error);

    return ef ? rte_flow_destroy(ef->port_id, flow, error) : -1;
}

int
netdev_dpdk_rte_flow_query_count(struct netdev *netdev, struct rte_flow *flow,
                                 struct rte_flow_query_count *query,
                                 struct rte_flow_error *error)
{
    const struct rte_flow_action_count count = { .id = 0 };
    const struct rte_flow_action actions[] = {
        { .type = RTE_FLOW_ACTION_TYPE_COUNT, .conf = &count },
        { .type = RTE_FLOW_ACTION_TYPE_END },
    };
    struct ef_ethdev *ef = ethdev_or_error(netdev, error);

    return ef ? rte_flow_query(ef->port_id, flow, actions, query, error) : -1;
}

#ifdef ALLOW_EXPERIMENTAL_API

int
netdev_dpdk_rte_flow_tunnel_decap_set(struct netdev *netdev,
                                      struct rte_flow_tunnel *tunnel,
                                      struct rte_flow_action **actions,
                                      uint32_t *n_actions,
                                      struct rte_flow_error *error)
{
    struct ef_ethdev *ef = ethdev_or_error(netdev, error);

    return ef ? rte_flow_tunnel_decap_set(ef->port_id, tunnel, actions,
                                          n_actions, error) : -1;
}

int
netdev_dpdk_rte_flow_tunnel_match(struct netdev *netdev,
                                  struct rte_flow_tunnel *tunnel,
                                  struct rte_flow_item **items,
                                  uint32_t *n_items,
                                  struct rte_flow_error *error)
{
    struct ef_ethdev *ef = ethdev_or_error(netdev, error);

    return ef ? rte_flow_tunnel_match(ef->port_id, tunnel, items, n_items,
                                      error) : -1;
}

/* Packet path. */
int
netdev_dpdk_rte_flow_get_restore_info(struct netdev *netdev,
                                      struct dp_packet *packet,
                                      struct rte_flow_restore_info *info,
                                      struct rte_flow_error *error)
{
    struct ef_ethdev *ef = ethdev_or_error(netdev, error);

    /* A struct dp_packet begins with its buffer. */
    return ef ? rte_flow_get_restore_info(ef->port_id,
                                          (struct rte_mbuf *) packet, info,
                                          error) : -1;
}

int
netdev_dpdk_rte_flow_tunnel_action_decap_release(
    struct netdev *netdev, struct rte_flow_action *actions,
    uint32_t n_actions, struct rte_flow_error *error)
{
    struct ef_ethdev *ef = ethdev_or_error(netdev, error);

    return ef ? rte_flow_tunnel_action_decap_release(ef->port_id, actions,
                                                     n_actions, error) : -1;
}

int
netdev_dpdk_rte_flow_tunnel_item_release(struct netdev *netdev,
                                         struct rte_flow_item *items,
                                         uint32_t n_items,
                                         struct rte_flow_error *error)
{
    struct ef_ethdev *ef = ethdev_or_error(netdev, error);

    return ef ? rte_flow_tunnel_item_release(ef->port_id, items, n_items,
                                             error) : -1;
}

#endif /* ALLOW_EXPERIMENTAL_API */
