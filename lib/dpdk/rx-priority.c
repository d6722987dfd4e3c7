/* SPDX-License-Identifier: Apache-2.0 */

/* Tells frames that must not be lost from others by the few bytes of their
 * headers that decide.  Called while a PMD does not keep up, for packets as
 * they come from the device: nothing about them is known or trusted. */

#include <config.h>

#include "dpdk/rx-priority.h"

#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

#include "openvswitch/compiler.h"
#include "packets.h"

#define MAX_TAGS 2

/* What packets.h does not name. */
enum { TYPE_8021X = 0x888e, TYPE_LLDP = 0x88cc, TYPE_CFM = 0x8902 };
enum { PROTO_OSPF = 89, PROTO_VRRP = 112 };
enum { PORT_BGP = 179, PORT_VXLAN = 4789, PORT_GENEVE = 6081 };
enum { TUNNEL_SIZE = 8 };

/* What is left of the frame. */
struct rest {
    const uint8_t *p;
    size_t size;
};

static inline uint16_t
get16(const uint8_t *p)
{
    return p[0] << 8 | p[1];
}

/* Returns false if there is less; nothing is left then. */
static inline bool
skip(struct rest *r, size_t n)
{
    if (OVS_UNLIKELY(r->size < n)) {
        r->size = 0;
        return false;
    }
    r->p += n;
    r->size -= n;
    return true;
}

/* Leaves what follows the type, or the length of an 802.2 frame, which is
 * returned.  Leaves nothing, and returns 0, if the frame is too short. */
static inline uint16_t
skip_ethernet(struct rest *r)
{
    uint16_t type;

    if (!skip(r, ETH_HEADER_LEN)) {
        return 0;
    }
    type = get16(r->p - 2);
    for (int i = 0; i < MAX_TAGS; i++) {
        if (OVS_LIKELY(type != ETH_TYPE_VLAN_8021Q
                       && type != ETH_TYPE_VLAN_8021AD)) {
            break;
        }
        if (!skip(r, VLAN_HEADER_LEN)) {
            return 0;
        }
        type = get16(r->p - 2);
    }
    return type;
}

/* Leaves what follows the IP header.  Returns the protocol, or -1 if there is
 * none to be trusted. */
static inline int
skip_ip(struct rest *r, uint16_t type)
{
    const uint8_t *ip = r->p;
    size_t header;

    if (type == ETH_TYPE_IP) {
        header = r->size >= IP_HEADER_LEN ? IP_IHL(ip[0]) * 4 : 0;
        if (header < IP_HEADER_LEN || IP_VER(ip[0]) != 4
            || get16(ip + 6) & (IP_MORE_FRAGMENTS | IP_FRAG_OFF_MASK)
            || !skip(r, header)) {
            return -1;
        }
        return ip[9];
    }
    return skip(r, IPV6_HEADER_LEN) && IP_VER(ip[0]) == 6 ? ip[6] : -1;
}

static inline bool
is_bfd(uint16_t port)
{
    return port == 3784 || port == 3785 || port == 4784 || port == 6784;
}

/* 'r': an inner frame.  One tunnel only. */
static bool
carries_bfd(struct rest r)
{
    uint16_t type = skip_ethernet(&r);

    return (type == ETH_TYPE_IP || type == ETH_TYPE_IPV6)
           && skip_ip(&r, type) == IPPROTO_UDP
           && r.size >= UDP_HEADER_LEN && is_bfd(get16(r.p + 2));
}

static inline bool
is_udp_priority(struct rest r)
{
    const uint8_t *tunnel;
    uint16_t port;

    if (OVS_UNLIKELY(!skip(&r, UDP_HEADER_LEN))) {
        return false;
    }
    port = get16(r.p - UDP_HEADER_LEN + 2);
    if (OVS_LIKELY(port != PORT_VXLAN && port != PORT_GENEVE)) {
        return is_bfd(port);
    }
    tunnel = r.p;
    if (!skip(&r, TUNNEL_SIZE)) {
        return false;
    }
    if (port == PORT_GENEVE) {
        /* Words of options. */
        if (get16(tunnel + 2) != ETH_TYPE_TEB
            || !skip(&r, (tunnel[0] & 0x3f) * 4)) {
            return false;
        }
    }
    return carries_bfd(r);
}

static inline bool
is_ip_priority(struct rest r, uint16_t type)
{
    int proto = skip_ip(&r, type);

    switch (proto) {
    case IPPROTO_TCP:
        return r.size >= 4 && (get16(r.p) == PORT_BGP
                               || get16(r.p + 2) == PORT_BGP);
    case IPPROTO_UDP:
        return is_udp_priority(r);
    case IPPROTO_ICMPV6:
        return type == ETH_TYPE_IPV6 && r.size
               && r.p[0] >= 133 && r.p[0] <= 137;
    case PROTO_OSPF:
    case PROTO_VRRP:
        return true;
    default:
        return false;
    }
}

/* 802.2: both service access points, then control. */
static bool
is_llc_priority(struct rest r)
{
    if (r.size < 3) {
        return false;
    }
    switch (get16(r.p)) {
    case 0x4242:                        /* Spanning tree. */
    case 0xfefe:                        /* OSI: IS-IS. */
        return true;
    case 0xaaaa:
        return r.size >= 6 && !memcmp(r.p + 2, "\x03\x00\x00\x0c", 4);
    default:
        return false;
    }
}

bool
ef_rx_is_priority(const void *frame, size_t size)
{
    struct rest r = { frame, size };
    uint16_t type = skip_ethernet(&r);

    switch (type) {
    case ETH_TYPE_IP:
    case ETH_TYPE_IPV6:
        return is_ip_priority(r, type);
    case ETH_TYPE_ARP:
    case ETH_TYPE_RARP:
    case ETH_TYPE_LACP:         /* And other slow protocols. */
    case TYPE_8021X:
    case TYPE_LLDP:
    case TYPE_CFM:
        return true;
    default:
        return type < ETH_TYPE_MIN && is_llc_priority(r);
    }
}
