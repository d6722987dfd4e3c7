/* SPDX-License-Identifier: Apache-2.0 */

/* Fuzzes the look at a frame that decides whether it may be shed
 * (dpdk/rx-priority.h).
 *
 * Input: how many bytes of the frame to cut, then the frame. */

#include <config.h>

#include "dpdk/rx-priority.h"

#include "dp-packet.h"
#include "flow.h"
#include "fuzz.h"
#include "packets.h"

int
LLVMFuzzerInitialize(int *argc OVS_UNUSED, char ***argv OVS_UNUSED)
{
    fz_begin();
    return 0;
}

/* What the package makes of a port. */
static bool
is_port(ovs_be16 port, uint16_t number)
{
    return port == htons(number);
}

/* An IP header with nothing between it and what 'nw_proto' says. */
static bool
is_plain_ip(const struct dp_packet *packet, const struct flow *flow)
{
    const struct ovs_16aligned_ip6_hdr *ip6 = dp_packet_l3(packet);
    size_t size = dp_packet_l3_size(packet);
    const uint8_t *first = dp_packet_l3(packet);

    if (flow->dl_type == htons(ETH_TYPE_IP)) {
        return size >= IP_HEADER_LEN && IP_VER(*first) == 4;
    }
    return (flow->dl_type == htons(ETH_TYPE_IPV6) && size >= IPV6_HEADER_LEN
            && IP_VER(*first) == 6 && ip6->ip6_nxt == flow->nw_proto);
}

/* Whether the package's parser, which trusts lengths as ours does not, finds
 * one of these.  It also looks behind extension headers and SNAP, and does not
 * mind an IP header's version; false then. */
static bool
package_finds(const uint8_t *frame, size_t size)
{
    struct dp_packet *packet = dp_packet_clone_data(frame, size);
    struct flow flow;
    bool found = false;

    pkt_metadata_init(&packet->md, u32_to_odp(1));
    flow_extract(packet, &flow);
    if (memmem(frame, size, "\xaa\xaa\x03\x00\x00\x00", 6)
        || flow.nw_frag & FLOW_NW_FRAG_ANY) {
        found = false;
    } else if (flow.dl_type == htons(ETH_TYPE_ARP)
               || flow.dl_type == htons(ETH_TYPE_RARP)
               || flow.dl_type == htons(ETH_TYPE_LACP)
               || flow.dl_type == htons(0x88cc)
               || flow.dl_type == htons(0x8902)) {
        found = true;
    } else if (is_plain_ip(packet, &flow)) {
        found = (flow.nw_proto == IPPROTO_TCP
                 ? is_port(flow.tp_src, 179) || is_port(flow.tp_dst, 179)
                 : flow.nw_proto == IPPROTO_UDP
                 ? is_port(flow.tp_dst, 3784) || is_port(flow.tp_dst, 4784)
                 : flow.dl_type == htons(ETH_TYPE_IPV6)
                 && flow.nw_proto == IPPROTO_ICMPV6
                 && (is_port(flow.tp_src, 135) || is_port(flow.tp_src, 136)));
    }
    dp_packet_delete(packet);
    return found;
}

/* The frame with a tag more, in just as much memory as it takes. */
static bool
is_priority_tagged(const uint8_t *frame, size_t size)
{
    uint8_t *tagged = xmalloc(size + 4);
    bool is_priority;

    memcpy(tagged, frame, 12);
    memcpy(tagged + 12, "\x81\x00\x00\x07", 4);
    memcpy(tagged + 16, frame + 12, size - 12);
    is_priority = ef_rx_is_priority(tagged, size + 4);
    free(tagged);
    return is_priority;
}

static bool
is_tag(const uint8_t *p)
{
    return (p[0] == 0x81 && !p[1]) || (p[0] == 0x88 && p[1] == 0xa8);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fz_input in = { data, size };
    size_t n_cut = fz_u8(&in), n, n_less;
    uint8_t *frame = fz_block(&in, in.size, &n);
    uint8_t *less;
    bool is_priority = ef_rx_is_priority(frame, n);

    /* Headers decide, and what follows them does not. */
    n_less = n - MIN(n, n_cut);
    less = n_less ? xmemdup(frame, n_less) : NULL;
    FZ_CHECK(is_priority || !ef_rx_is_priority(less, n_less));
    free(less);

    /* One tag more is one of two at most. */
    if (n >= 18 && (!is_tag(frame + 12) || !is_tag(frame + 16))) {
        FZ_CHECK(is_priority_tagged(frame, n) == is_priority);
    }
    FZ_CHECK(is_priority || n < ETH_HEADER_LEN || !package_finds(frame, n));
    free(frame);
    fz_done();
    return 0;
}
