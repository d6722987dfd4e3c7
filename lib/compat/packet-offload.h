/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_PACKET_OFFLOAD_H
#define EF_COMPAT_PACKET_OFFLOAD_H 1

/* What a packet tells of checksums and segmentation, in the newer way.
 *
 * Flags of the buffer are marks, which say what the headers are, or requests.
 * A driver gets marks only together with a request.  A packet in a tunnel has
 * offsets for the inner headers too, whose requests are those of plain
 * packets; those of the outer header are done before a port's send function is
 * called, for no port announces them.
 *
 * An older package has no flag that asks for the checksum of an IPv4 header:
 * there the mark is the request.  Nor does it keep offsets of inner headers,
 * and it finishes a packet before it puts it in a tunnel.
 *
 * Threads: who has the packet. */

#include <rte_mbuf.h>

#include "dp-packet.h"

#ifdef EF_HAVE_TUNNEL_OFFLOADS
#define EF_TX_MARKS (RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IPV6            \
                     | RTE_MBUF_F_TX_OUTER_IPV4                         \
                     | RTE_MBUF_F_TX_OUTER_IPV6                         \
                     | RTE_MBUF_F_TX_TUNNEL_MASK)
#define EF_TX_ASK_IP RTE_MBUF_F_TX_IP_CKSUM
#else
#define EF_TX_MARKS UINT64_C(0)
#define EF_TX_ASK_IP (RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_IPV4)
#endif

/* What dp_packet_set_size() takes. */
#ifdef EF_HAVE_TUNNEL_OFFLOADS
#define EF_PACKET_SIZE_MAX UINT16_MAX
#else
#define EF_PACKET_SIZE_MAX UINT32_MAX
#endif

/* All that is not a mark alone. */
#define EF_TX_REQUESTS (RTE_MBUF_F_TX_OFFLOAD_MASK & ~EF_TX_MARKS)

/* Offsets of the headers that requests are about, UINT16_MAX if there is no
 * such header. */
static inline uint16_t
ef_packet_asked_l3_ofs(const struct dp_packet *packet)
{
#ifdef EF_HAVE_TUNNEL_OFFLOADS
    if (packet->mbuf.ol_flags & RTE_MBUF_F_TX_TUNNEL_MASK) {
        return packet->inner_l3_ofs;
    }
#endif
    return packet->l3_ofs;
}

static inline uint16_t
ef_packet_asked_l4_ofs(const struct dp_packet *packet)
{
#ifdef EF_HAVE_TUNNEL_OFFLOADS
    if (packet->mbuf.ol_flags & RTE_MBUF_F_TX_TUNNEL_MASK) {
        return packet->inner_l4_ofs;
    }
#endif
    return packet->l4_ofs;
}

/* For a copy of the bytes of 'from'. */
static inline void
ef_packet_copy_offsets(struct dp_packet *to, const struct dp_packet *from)
{
    to->l2_pad_size = from->l2_pad_size;
    to->l2_5_ofs = from->l2_5_ofs;
    to->l3_ofs = from->l3_ofs;
    to->l4_ofs = from->l4_ofs;
#ifdef EF_HAVE_TUNNEL_OFFLOADS
    to->inner_l3_ofs = from->inner_l3_ofs;
    to->inner_l4_ofs = from->inner_l4_ofs;
#endif
}

/* Makes the bytes what a receiver would see, for those who look at them or
 * show them to others. */
static inline void
ef_packet_finish(struct dp_packet *packet OVS_UNUSED)
{
#ifdef EF_HAVE_TUNNEL_OFFLOADS
    dp_packet_ol_send_prepare(packet, 0);
#endif
}

#endif /* compat/packet-offload.h */
