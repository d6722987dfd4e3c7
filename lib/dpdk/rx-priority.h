/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_RX_PRIORITY_H
#define EF_DPDK_RX_PRIORITY_H 1

/* Frames whose loss costs more than themselves: a neighbour, a link or a
 * route is given up when some of them are missing.
 *
 *     Ethernet type   ARP, RARP, LACP and other slow protocols, LLDP, CFM,
 *                     802.1X
 *     802.2           STP, IS-IS, Cisco's own (SNAP 00000c)
 *     UDP to          3784, 3785, 4784, 6784: BFD
 *     TCP from or to  179: BGP
 *     IP              89: OSPF, 112: VRRP
 *     ICMPv6          133 to 137: neighbour discovery
 *     VXLAN, Geneve   with BFD in the inner frame
 *
 * in up to two VLAN tags.  All fragments are ordinary: only the first could
 * be told, and would leave the others behind.  So are packets behind an IPv6
 * extension header.
 *
 * All packets of a flow of the data path are of one kind, so that handling
 * these first reorders nothing within a flow.
 *
 * The ports are said by the sender: who floods one gets the same as who floods
 * another, see pmd/overload.h for the bound.
 *
 * Threads: any.  A pure function; reads no byte beyond 'size'. */

#include <stdbool.h>
#include <stddef.h>

bool ef_rx_is_priority(const void *frame, size_t size);

#endif /* dpdk/rx-priority.h */
