/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_SIMPLE_MATCH_H
#define EF_FLOW_SIMPLE_MATCH_H 1

/* Simple match: flows that look at nothing but input port, Ethernet type,
 * VLAN id and fragment bits, found without extracting a key.
 *
 * It may stand in for the caches and the classifier on an input port whose
 * flows are all simple: then a packet that is not in the table needs an
 * upcall anyway. */

#include <stdbool.h>
#include <stdint.h>

#include "flow/flow-table.h"

/* All the fields in one word; equal words, equal match. */
static inline uint64_t
ef_simple_mark(odp_port_t in_port, ovs_be16 dl_type, uint8_t nw_frag,
               ovs_be16 vlan_tci)
{
    uint64_t low = ntohs(vlan_tci) & (VLAN_VID_MASK | VLAN_CFI);

    low |= (uint64_t) (nw_frag & FLOW_NW_FRAG_MASK) << 13;
    return (uint64_t) odp_to_u32(in_port) << 32
           | (uint64_t) ntohs(dl_type) << 16 | low;
}

/* Whether 'match' looks at the fields above exactly and at no other. */
bool ef_simple_match_ok(const struct match *);

/* Packet path, owner. */
bool ef_simple_match_enabled(const struct ef_flow_table *,
                             odp_port_t in_port);
struct ef_flow *ef_simple_match_lookup(const struct ef_flow_table *,
                                       odp_port_t in_port, ovs_be16 dl_type,
                                       uint8_t nw_frag, ovs_be16 vlan_tci);

#endif /* flow/simple-match.h */
