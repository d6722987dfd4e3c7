/* SPDX-License-Identifier: Apache-2.0 */
/* Simple match.  ef_simple_match_ok() is asked once for each new flow, by any
 * thread that holds the flow table's mutex; the rest runs on the packet path
 * of the owning instance. */

#include <config.h>

#include "flow/simple-match.h"

#include "openvswitch/match.h"
#include "packets.h"

/* Whether the fields in the mark are exact matches where they can differ
 * between packets.  A flow with a wider mask also stands for marks that are
 * not its own, so a lookup by mark could miss it. */
static bool
mark_fields_are_exact(const struct match *match)
{
    const struct flow *masks = &match->wc.masks;

    return masks->vlans[0].tci == htons(VLAN_VID_MASK | VLAN_CFI)
           && masks->dl_type == OVS_BE16_MAX
           && (!is_ip_any(&match->flow)
               || (masks->nw_frag & FLOW_NW_FRAG_MASK) == FLOW_NW_FRAG_MASK);
}

bool
ef_simple_match_ok(const struct match *match)
{
    struct flow_wildcards allowed;

    /* The packet path asks for packets that are Ethernet and have not been
     * recirculated, so these two are known. */
    if (match->flow.recirc_id || match->flow.packet_type != htonl(PT_ETH)
        || !mark_fields_are_exact(match)) {
        return false;
    }

    flow_wildcards_init_catchall(&allowed);
    WC_MASK_FIELD(&allowed, recirc_id);
    WC_MASK_FIELD(&allowed, packet_type);
    WC_MASK_FIELD(&allowed, in_port);
    WC_MASK_FIELD(&allowed, dl_type);
    allowed.masks.vlans[0].tci = htons(VLAN_VID_MASK | VLAN_CFI);
    allowed.masks.nw_frag = FLOW_NW_FRAG_MASK;
    return !flow_wildcards_has_extra(&allowed, &match->wc);
}

bool
ef_simple_match_enabled(const struct ef_flow_table *table, odp_port_t in_port)
{
    uint32_t port = odp_to_u32(in_port);

    /* While somebody changes the table, the two may differ for a moment:
     * then the classifier answers, which is right as well. */
    return ccmap_find(&table->n_flows, port)
           == ccmap_find(&table->n_simple, port);
}

struct ef_flow *
ef_simple_match_lookup(const struct ef_flow_table *table, odp_port_t in_port,
                       ovs_be16 dl_type, uint8_t nw_frag, ovs_be16 vlan_tci)
{
    uint64_t mark = ef_simple_mark(in_port, dl_type, nw_frag, vlan_tci);
    struct ef_flow *flow;

    CMAP_FOR_EACH_WITH_HASH (flow, simple_node, hash_uint64(mark),
                             &table->simple) {
        if (flow->simple_mark == mark) {
            return flow;
        }
    }
    return NULL;
}
