/* SPDX-License-Identifier: Apache-2.0 */

/* Runs a list of actions over a batch of packets.
 *
 * The package's odp_execute_actions() walks the list and rewrites headers;
 * for the actions that need a data path it calls back here, and each goes to
 * the file of its subject.  Called by packet input, by upcalls and by the
 * dpif's execute; on the thread that owns the instance. */

#include <config.h>

#include "action/execute.h"

#include "action/handlers.h"
#include "compat/odp-actions.h"
#include "dp-packet.h"
#include "netlink.h"
#include "odp-execute.h"
#include "openvswitch/compiler.h"
#include "util.h"

/* What the callback gets to see. */
struct execute_aux {
    struct ef_act *act;
    const struct flow *flow;
};

static void execute_one(void *aux, struct dp_packet_batch *,
                        const struct nlattr *, bool steal);
static bool is_single_output(const struct nlattr *, size_t actions_len);

void
ef_act_execute(struct ef_act *act, struct dp_packet_batch *batch, bool steal,
               const struct flow *flow, const struct nlattr *actions,
               size_t actions_len)
{
    struct execute_aux aux = { act, flow };

    if (OVS_UNLIKELY(dp_packet_batch_is_empty(batch))) {
        return;
    }

    /* Most packets only leave by a port.  The walk over the list would come
     * to the same call, with 'steal' as it is since the action is the last
     * one, and would do nothing before it or after it. */
    if (OVS_LIKELY(steal && is_single_output(actions, actions_len))) {
        ef_act_output(act, batch, nl_attr_get_odp_port(actions), true);
        return;
    }
    odp_execute_actions(&aux, batch, steal, actions, actions_len, execute_one);
}

static bool
is_single_output(const struct nlattr *actions, size_t actions_len)
{
    return actions_len == NLA_ALIGN(NLA_HDRLEN + sizeof(odp_port_t))
           && nl_attr_type(actions) == OVS_ACTION_ATTR_OUTPUT;
}

static void
execute_one(void *aux_, struct dp_packet_batch *batch,
            const struct nlattr *a, bool steal)
{
    const struct execute_aux *aux = aux_;
    enum ovs_action_attr type = nl_attr_type(a);
    struct ef_act *act = aux->act;

    /* An action of the package may have dropped all packets, and goes on. */
    if (OVS_UNLIKELY(dp_packet_batch_is_empty(batch))) {
        return;
    }

    switch (type) {
    case OVS_ACTION_ATTR_OUTPUT:
        ef_act_output(act, batch, nl_attr_get_odp_port(a), steal);
        return;
    case OVS_ACTION_ATTR_LB_OUTPUT:
        ef_act_lb_output(act, batch, nl_attr_get_u32(a), steal);
        return;
    case OVS_ACTION_ATTR_TUNNEL_PUSH:
        ef_act_tunnel_push(act, batch, nl_attr_get(a), steal);
        return;
    case OVS_ACTION_ATTR_TUNNEL_POP:
        ef_act_tunnel_pop(act, batch, nl_attr_get_odp_port(a), steal);
        return;
    case OVS_ACTION_ATTR_USERSPACE:
        ef_act_userspace(act, batch, a, steal);
        return;
    case OVS_ACTION_ATTR_RECIRC:
        ef_act_recirc(act, batch, nl_attr_get_u32(a), steal);
        return;
    case OVS_ACTION_ATTR_CT:
        ef_act_ct(act, batch, aux->flow, a, steal);
        return;
    case OVS_ACTION_ATTR_METER:
        ef_meter_run(act->meters, nl_attr_get_u32(a), batch, act->now_us);
        ef_act_finish(batch, steal);
        return;

    /* The package does these, or nobody. */
    case OVS_ACTION_ATTR_ADD_MPLS:
    case OVS_ACTION_ATTR_CHECK_PKT_LEN:
    case OVS_ACTION_ATTR_CLONE:
    case OVS_ACTION_ATTR_CT_CLEAR:
    case OVS_ACTION_ATTR_DROP:
    case OVS_ACTION_ATTR_HASH:
    case OVS_ACTION_ATTR_POP_ETH:
    case OVS_ACTION_ATTR_POP_MPLS:
    case OVS_ACTION_ATTR_POP_NSH:
    case OVS_ACTION_ATTR_POP_VLAN:
    case OVS_ACTION_ATTR_PUSH_ETH:
    case OVS_ACTION_ATTR_PUSH_MPLS:
    case OVS_ACTION_ATTR_PUSH_NSH:
    case OVS_ACTION_ATTR_PUSH_VLAN:
    case OVS_ACTION_ATTR_SAMPLE:
    case OVS_ACTION_ATTR_SET:
    case OVS_ACTION_ATTR_SET_MASKED:
    case OVS_ACTION_ATTR_TRUNC:
    case OVS_ACTION_ATTR_UNSPEC:
    case __OVS_ACTION_ATTR_MAX:
    EF_ODP_KERNEL_ACTIONS
        break;
    }
    OVS_NOT_REACHED();
}
