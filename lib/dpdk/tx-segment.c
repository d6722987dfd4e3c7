/* SPDX-License-Identifier: Apache-2.0 */

/* TCP segmentation in software.
 *
 * Called by tx-prepare for drivers that cannot, on the thread that has the tx
 * queue. */

#include <config.h>

#include "dpdk/tx-segment.h"

#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_tcp.h>

#include "dp-packet.h"
#include "dpdk/buffer.h"

static void
fix_ip(uint8_t *frame, const struct ef_tx_headers *h, uint16_t n_before)
{
    if (h->is_ipv6) {
        struct rte_ipv6_hdr *ip6 = (void *) (frame + h->l3_ofs);

        ip6->payload_len = htons(h->end - h->l3_ofs - sizeof *ip6);
    } else {
        struct rte_ipv4_hdr *ip = (void *) (frame + h->l3_ofs);

        ip->total_length = htons(h->end - h->l3_ofs);
        ip->packet_id = htons(ntohs(ip->packet_id) + n_before);
    }
}

static void
fix_tcp(uint8_t *frame, const struct ef_tx_headers *h, uint32_t n_bytes_before,
        bool is_first, bool is_last)
{
    struct rte_tcp_hdr *tcp = (void *) (frame + h->l4_ofs);

    tcp->sent_seq = htonl(ntohl(tcp->sent_seq) + n_bytes_before);
    if (!is_first) {
        tcp->tcp_flags &= ~RTE_TCP_CWR_FLAG;
    }
    if (!is_last) {
        tcp->tcp_flags &= ~(RTE_TCP_FIN_FLAG | RTE_TCP_PSH_FLAG);
    }
}

void
ef_tx_segment_start(struct ef_tx_segmenter *s, const struct dp_packet *packet,
                    uint64_t hw_offloads)
{
    bool ok = ef_tx_headers_get(packet, IPPROTO_TCP, &s->h);

    ovs_assert(ok && packet->mbuf.tso_segsz);
    s->packet = packet;
    s->hw_offloads = hw_offloads;
    s->payload_ofs = s->next_ofs = s->h.l4_ofs + s->h.l4_len;
    s->size = packet->mbuf.tso_segsz;
    s->n_done = 0;
}

size_t
ef_tx_segment_left(const struct ef_tx_segmenter *s)
{
    return DIV_ROUND_UP(s->h.end - s->next_ofs, s->size);
}

struct rte_mbuf *
ef_tx_segment_next(struct ef_tx_segmenter *s, struct rte_mempool *pool)
{
    const uint8_t *whole = dp_packet_data(s->packet);
    uint32_t size = MIN(s->size, s->h.end - s->next_ofs);
    struct ef_tx_headers h = s->h;
    struct dp_packet *segment;
    struct rte_mbuf *mbuf;
    uint8_t *frame;

    h.end = s->payload_ofs + size;
    mbuf = ef_buffer_alloc(pool, h.end);
    if (OVS_UNLIKELY(!mbuf)) {
        return NULL;
    }
    segment = CONTAINER_OF(mbuf, struct dp_packet, mbuf);
    frame = dp_packet_data(segment);
    memcpy(frame, whole, s->payload_ofs);
    memcpy(frame + s->payload_ofs, whole + s->next_ofs, size);
    dp_packet_set_size(segment, h.end);

    fix_ip(frame, &h, s->n_done);
    fix_tcp(frame, &h, s->next_ofs - s->payload_ofs, !s->n_done,
            s->next_ofs + size == s->h.end);
    ef_tx_checksums(segment, &h, s->hw_offloads);

    s->next_ofs += size;
    s->n_done++;
    return mbuf;
}
