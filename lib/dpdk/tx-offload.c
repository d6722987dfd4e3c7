/* SPDX-License-Identifier: Apache-2.0 */

/* Checksums and TCP segmentation that a packet asks its driver for: either
 * fields of the buffer that tell the driver, or the checksum itself.
 *
 * Called by tx-prepare and tx-segment, on the thread that has the tx queue. */

#include <config.h>

#include "dpdk/tx-offload.h"

#include <netinet/in.h>
#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_sctp.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "compat/packet-offload.h"
#include "crc32c.h"

#define TX_FLAGS RTE_MBUF_F_TX_OFFLOAD_MASK

/* Nobody here can do these, in hardware or software.  A packet that has one
 * of them would leave unfinished. */
#define CANNOT ((RTE_MBUF_F_TX_TUNNEL_MASK | RTE_MBUF_F_TX_OUTER_IP_CKSUM \
                 | RTE_MBUF_F_TX_OUTER_UDP_CKSUM | RTE_MBUF_F_TX_OUTER_IPV4 \
                 | RTE_MBUF_F_TX_OUTER_IPV6 | RTE_MBUF_F_TX_UDP_SEG \
                 | RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_QINQ \
                 | RTE_MBUF_F_TX_MACSEC | RTE_MBUF_F_TX_SEC_OFFLOAD) \
                & EF_TX_REQUESTS)

/* What the length fields of a buffer can hold. */
#define L2_LEN_MAX RTE_LEN2MASK(RTE_MBUF_L2_LEN_BITS, uint32_t)
#define L3_LEN_MAX RTE_LEN2MASK(RTE_MBUF_L3_LEN_BITS, uint32_t)

static bool get_ip(const struct dp_packet *, uint8_t l4_proto,
                   struct ef_tx_headers *);
static bool get_l4(const struct dp_packet *, struct ef_tx_headers *);
static enum ef_tx_verdict only_ip_checksum(struct dp_packet *);
static int payload_per_segment(const struct ef_tx_headers *,
                               const struct ef_tx_limits *);
static bool hw_can(const struct ef_tx_headers *, uint64_t hw, uint64_t need);
static void ask_hw(struct rte_mbuf *, const struct ef_tx_headers *,
                   uint64_t flags);
static void compute_l4(struct dp_packet *, const struct ef_tx_headers *);

static const struct l4_kind {
    uint8_t proto;
    uint8_t header_min;
    uint64_t flag;              /* RTE_MBUF_F_TX_L4_MASK. */
    uint64_t hw;                /* RTE_ETH_TX_OFFLOAD_*. */
} l4_kinds[] = {
    { IPPROTO_TCP, sizeof(struct rte_tcp_hdr),
      RTE_MBUF_F_TX_TCP_CKSUM, RTE_ETH_TX_OFFLOAD_TCP_CKSUM },
    { IPPROTO_UDP, sizeof(struct rte_udp_hdr),
      RTE_MBUF_F_TX_UDP_CKSUM, RTE_ETH_TX_OFFLOAD_UDP_CKSUM },
    { IPPROTO_SCTP, sizeof(struct rte_sctp_hdr),
      RTE_MBUF_F_TX_SCTP_CKSUM, RTE_ETH_TX_OFFLOAD_SCTP_CKSUM },
};

static const struct l4_kind *
kind_by_proto(uint8_t proto)
{
    return proto == IPPROTO_TCP ? &l4_kinds[0]
           : proto == IPPROTO_UDP ? &l4_kinds[1] : &l4_kinds[2];
}

static uint8_t
proto_by_flags(uint64_t flags)
{
    switch (flags & RTE_MBUF_F_TX_L4_MASK) {
    case RTE_MBUF_F_TX_TCP_CKSUM:
        return IPPROTO_TCP;
    case RTE_MBUF_F_TX_UDP_CKSUM:
        return IPPROTO_UDP;
    default:
        return IPPROTO_SCTP;
    }
}

static inline void *
at(const struct dp_packet *packet, size_t ofs)
{
    return (uint8_t *) dp_packet_data(packet) + ofs;
}

bool
ef_tx_headers_get(const struct dp_packet *packet, uint8_t l4_proto,
                  struct ef_tx_headers *h)
{
    h->l3_ofs = ef_packet_asked_l3_ofs(packet);
    h->l4_ofs = ef_packet_asked_l4_ofs(packet);
    if (!dp_packet_is_eth(packet) || packet->mbuf.nb_segs != 1
        || h->l3_ofs == UINT16_MAX || h->l4_ofs == UINT16_MAX
        || h->l3_ofs < sizeof(struct rte_ether_hdr)
        || h->l4_ofs <= h->l3_ofs
        || h->l4_ofs > dp_packet_size(packet)) {
        return false;
    }
    h->l4_proto = l4_proto;
    return get_ip(packet, l4_proto, h) && get_l4(packet, h);
}

void
ef_tx_checksums(struct dp_packet *packet, const struct ef_tx_headers *h,
                uint64_t hw)
{
    const struct l4_kind *kind = kind_by_proto(h->l4_proto);
    bool l4_in_hw = hw_can(h, hw, kind->hw);
    uint64_t flags = 0;

    if (l4_in_hw) {
        flags = kind->flag;
    } else {
        compute_l4(packet, h);
    }
    if (!h->is_ipv6) {
        struct rte_ipv4_hdr *ip = at(packet, h->l3_ofs);

        if (l4_in_hw && hw_can(h, hw, RTE_ETH_TX_OFFLOAD_IPV4_CKSUM)) {
            flags |= RTE_MBUF_F_TX_IP_CKSUM;
        } else {
            ip->hdr_checksum = 0;
            ip->hdr_checksum = rte_ipv4_cksum(ip);
        }
    }
    ask_hw(&packet->mbuf, h, flags);
}

enum ef_tx_verdict
ef_tx_offload(struct dp_packet *packet, const struct ef_tx_limits *limits)
{
    uint64_t flags = packet->mbuf.ol_flags;
    bool tso = flags & RTE_MBUF_F_TX_TCP_SEG;
    uint64_t need = RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_TCP_CKSUM;
    struct ef_tx_headers h;
    int segment_size;

    if (OVS_UNLIKELY(flags & CANNOT)) {
        return EF_TX_REFUSE;
    }
    if (tso && !(flags & RTE_MBUF_F_TX_L4_MASK)) {
        flags |= RTE_MBUF_F_TX_TCP_CKSUM;
    }
    if (!(flags & RTE_MBUF_F_TX_L4_MASK)) {
        return only_ip_checksum(packet);
    }
    if (!ef_tx_headers_get(packet, proto_by_flags(flags), &h)
        || (tso && h.l4_proto != IPPROTO_TCP)
        /* Nobody here repeats an outer header. */
        || (tso && h.l3_ofs != packet->l3_ofs)) {
        return EF_TX_REFUSE;
    }
    if (!tso) {
        ef_tx_checksums(packet, &h, limits->hw_offloads);
        return EF_TX_SEND;
    }

    /* A driver takes all that follows the headers for payload. */
    dp_packet_set_size(packet, h.end);
    packet->l2_pad_size = 0;
    segment_size = payload_per_segment(&h, limits);
    if (segment_size <= 0) {
        return EF_TX_REFUSE;
    }
    if (h.end - h.l4_ofs - h.l4_len <= segment_size) {
        ef_tx_checksums(packet, &h, limits->hw_offloads);
        return EF_TX_SEND;
    }
    need |= h.is_ipv6 ? 0 : RTE_ETH_TX_OFFLOAD_IPV4_CKSUM;
    if (hw_can(&h, limits->hw_offloads, need)) {
        ask_hw(&packet->mbuf, &h,
               RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_TCP_CKSUM
               | (h.is_ipv6 ? 0 : RTE_MBUF_F_TX_IP_CKSUM));
        packet->mbuf.tso_segsz = segment_size;
        return EF_TX_SEND;
    }
    /* No packet for a driver has an l2_len of 0. */
    packet->mbuf.tx_offload = 0;
    packet->mbuf.tso_segsz = segment_size;
    return EF_TX_SEGMENT;
}

bool
ef_tx_is_to_be_segmented(const struct dp_packet *packet)
{
    return packet->mbuf.ol_flags & RTE_MBUF_F_TX_TCP_SEG
           && !packet->mbuf.l2_len;
}

/* Headers. */

/* Follows the extension headers from the IPv6 header at 'ip6' to 'l3_len';
 * true if they end there with 'l4_proto'.  A routing header with hops left
 * has the address that the checksum covers somewhere else; what IPsec has
 * authenticated must not change; a fragment is no whole packet. */
static bool
extensions_end_well(const uint8_t *ip6, size_t l3_len, uint8_t l4_proto)
{
    uint8_t proto = ip6[offsetof(struct rte_ipv6_hdr, proto)];
    size_t ofs = sizeof(struct rte_ipv6_hdr);

    while (ofs + 8 <= l3_len
           && (proto == IPPROTO_HOPOPTS || proto == IPPROTO_DSTOPTS
               || (proto == IPPROTO_ROUTING && !ip6[ofs + 3]))) {
        proto = ip6[ofs];
        ofs += (ip6[ofs + 1] + 1) * 8;
    }
    return ofs == l3_len && proto == l4_proto;
}

static bool
get_ip(const struct dp_packet *packet, uint8_t l4_proto,
       struct ef_tx_headers *h)
{
    const uint8_t *l3 = at(packet, h->l3_ofs);
    size_t l3_len = h->l4_ofs - h->l3_ofs;

    h->has_extensions = false;
    if (l3[0] >> 4 == IPVERSION) {
        const struct rte_ipv4_hdr *ip = at(packet, h->l3_ofs);

        h->is_ipv6 = false;
        if (l3_len < sizeof *ip || l3_len != rte_ipv4_hdr_len(ip)
            || ip->next_proto_id != l4_proto
            || ip->fragment_offset & htons(RTE_IPV4_HDR_MF_FLAG
                                           | RTE_IPV4_HDR_OFFSET_MASK)) {
            return false;
        }
        h->end = h->l3_ofs + ntohs(ip->total_length);
    } else {
        const struct rte_ipv6_hdr *ip6 = at(packet, h->l3_ofs);

        h->is_ipv6 = true;
        if (l3[0] >> 4 != 6 || l3_len < sizeof *ip6
            || !extensions_end_well(l3, l3_len, l4_proto)) {
            return false;
        }
        h->has_extensions = l3_len > sizeof *ip6;
        h->end = h->l3_ofs + sizeof *ip6 + ntohs(ip6->payload_len);
    }
    return h->end <= dp_packet_size(packet);
}

static bool
get_l4(const struct dp_packet *packet, struct ef_tx_headers *h)
{
    h->l4_len = kind_by_proto(h->l4_proto)->header_min;
    if (h->end < h->l4_ofs + h->l4_len) {
        return false;
    }
    if (h->l4_proto == IPPROTO_TCP) {
        const struct rte_tcp_hdr *tcp = at(packet, h->l4_ofs);
        uint16_t len = (tcp->data_off >> 4) * 4;

        if (len < h->l4_len || h->l4_ofs + len > h->end) {
            return false;
        }
        h->l4_len = len;
    }
    return true;
}

/* Offloads. */

/* For packets that ask for nothing else.  A mark that is a request may be a
 * remnant of a header that is gone. */
static enum ef_tx_verdict
only_ip_checksum(struct dp_packet *packet)
{
    uint64_t flags = packet->mbuf.ol_flags;
    uint16_t ofs = ef_packet_asked_l3_ofs(packet);
    size_t end = dp_packet_size(packet) - dp_packet_l2_pad_size(packet);
    size_t room = ofs != UINT16_MAX && ofs < end ? end - ofs : 0;
    struct rte_ipv4_hdr *ip = at(packet, ofs);
    enum ef_tx_verdict verdict = EF_TX_SEND;

    if (flags & EF_TX_ASK_IP) {
        if (room >= sizeof *ip && ip->version_ihl >> 4 == IPVERSION
            && rte_ipv4_hdr_len(ip) >= sizeof *ip
            && rte_ipv4_hdr_len(ip) <= room) {
            ip->hdr_checksum = 0;
            ip->hdr_checksum = rte_ipv4_cksum(ip);
        } else if (flags & RTE_MBUF_F_TX_IP_CKSUM) {
            verdict = EF_TX_REFUSE;
        }
    }
    packet->mbuf.ol_flags &= ~TX_FLAGS;
    return verdict;
}

/* As many bytes as the MTU has room for, and as a frame with several tags
 * has. */
static int
payload_per_segment(const struct ef_tx_headers *h,
                    const struct ef_tx_limits *limits)
{
    int l3_len = h->l4_ofs - h->l3_ofs;

    return MIN(limits->mtu - l3_len - h->l4_len,
               limits->max_frame - h->l4_ofs - h->l4_len);
}

/* Drivers take an extension header's number for the protocol in the pseudo
 * header, so those packets are not for them. */
static bool
hw_can(const struct ef_tx_headers *h, uint64_t hw, uint64_t need)
{
    return (hw & need) == need && !h->has_extensions
           && h->l3_ofs <= L2_LEN_MAX && h->l4_ofs - h->l3_ofs <= L3_LEN_MAX;
}

static void
ask_hw(struct rte_mbuf *mbuf, const struct ef_tx_headers *h, uint64_t flags)
{
    mbuf->ol_flags &= ~TX_FLAGS;
    if (flags) {
        mbuf->ol_flags |= flags | (h->is_ipv6 ? RTE_MBUF_F_TX_IPV6
                                   : RTE_MBUF_F_TX_IPV4);
        mbuf->tx_offload = 0;   /* Of an outer header, too. */
        mbuf->l2_len = h->l3_ofs;
        mbuf->l3_len = h->l4_ofs - h->l3_ofs;
        mbuf->l4_len = h->l4_len;
    }
}

static uint16_t
pseudo_header_sum(const struct dp_packet *packet,
                  const struct ef_tx_headers *h)
{
    if (h->is_ipv6) {
        struct rte_ipv6_hdr ip6;

        memcpy(&ip6, at(packet, h->l3_ofs), sizeof ip6);
        ip6.proto = h->l4_proto;
        ip6.payload_len = htons(h->end - h->l4_ofs);
        return rte_ipv6_phdr_cksum(&ip6, 0);
    }
    return rte_ipv4_phdr_cksum(at(packet, h->l3_ofs), 0);
}

static void
compute_l4(struct dp_packet *packet, const struct ef_tx_headers *h)
{
    void *l4 = at(packet, h->l4_ofs);
    size_t size = h->end - h->l4_ofs;
    struct rte_sctp_hdr *sctp = l4;
    struct rte_tcp_hdr *tcp = l4;
    struct rte_udp_hdr *udp = l4;
    uint32_t sum;

    if (h->l4_proto == IPPROTO_SCTP) {
        sctp->cksum = 0;
        sctp->cksum = crc32c(l4, size);
        return;
    }
    if (h->l4_proto == IPPROTO_TCP) {
        tcp->cksum = 0;
    } else {
        udp->dgram_cksum = 0;
    }
    sum = rte_raw_cksum(l4, size) + pseudo_header_sum(packet, h);
    sum = ~__rte_raw_cksum_reduce(sum) & UINT16_MAX;
    if (h->l4_proto == IPPROTO_TCP) {
        tcp->cksum = sum;
    } else {
        udp->dgram_cksum = sum ? sum : UINT16_MAX;  /* RFC 768: 0: none. */
    }
}
