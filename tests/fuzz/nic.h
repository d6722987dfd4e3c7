/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FUZZ_NIC_H
#define EF_FUZZ_NIC_H 1

/* A dull network card: puts frames on a wire of memory and does what it is
 * asked for by the buffers' fields alone, as hardware does: segments, sums.
 * What it is asked for must be among the offloads that it announced, and the
 * lengths must be those of headers within the frame.
 *
 * Threads: one. */

#include <netinet/in.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "dpdk-fixture.h"
#include "fuzz.h"

/* Frames one after the other, each after its length. */
struct nic_wire {
    uint8_t *bytes;
    size_t size, allocated;
    size_t n;
};

struct nic {
    uint64_t offloads;          /* RTE_ETH_TX_OFFLOAD_*. */
    uint32_t max_frame;         /* Unless it segments. */
    struct nic_wire wire;
};

static inline void
nic_put(struct nic_wire *w, const uint8_t *frame, uint32_t size)
{
    if (w->allocated - w->size < size + sizeof size) {
        w->allocated = 2 * w->allocated + size + sizeof size;
        w->bytes = xrealloc(w->bytes, w->allocated);
    }
    memcpy(w->bytes + w->size, &size, sizeof size);
    memcpy(w->bytes + w->size + sizeof size, frame, size);
    w->size += size + sizeof size;
    w->n++;
}

/* Takes the frame at '*ofs' off; NULL at the end. */
static inline const uint8_t *
nic_next(const struct nic_wire *w, size_t *ofs, uint32_t *size)
{
    const uint8_t *frame;

    if (*ofs == w->size) {
        return NULL;
    }
    memcpy(size, w->bytes + *ofs, sizeof *size);
    frame = w->bytes + *ofs + sizeof *size;
    *ofs += *size + sizeof *size;
    return frame;
}

static inline void
nic_wire_clear(struct nic_wire *w)
{
    w->size = w->n = 0;
}

/* CRC32c, a bit at a time. */
static inline uint32_t
nic_crc32c(const uint8_t *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
        }
    }
    return ~crc;
}

/* Headers of a frame: where layers 3 and 4 begin, and where the IP packet
 * ends. */
struct nic_headers {
    bool is_ipv6;
    uint8_t proto;
    uint32_t l3, l4, end;
};

static inline uint16_t
nic_l4_sum(const uint8_t *frame, const struct nic_headers *h)
{
    uint32_t sum = h->proto + (h->end - h->l4);
    const uint8_t *l3 = frame + h->l3;

    sum = (sum & 0xffff) + (sum >> 16);
    sum = h->is_ipv6 ? fx_sum(l3 + 8, 32, sum) : fx_sum(l3 + 12, 8, sum);
    return fx_sum(frame + h->l4, h->end - h->l4, sum);
}

static inline void
nic_fill_l4(uint8_t *frame, const struct nic_headers *h)
{
    uint8_t *field = frame + h->l4 + (h->proto == IPPROTO_TCP ? 16
                                      : h->proto == IPPROTO_UDP ? 6 : 8);
    uint16_t sum;

    if (h->proto == IPPROTO_SCTP) {
        uint32_t crc;

        memset(field, 0, 4);
        crc = nic_crc32c(frame + h->l4, h->end - h->l4);
        memcpy(field, &crc, 4);
        return;
    }
    fx_put16(field, 0);
    sum = ~nic_l4_sum(frame, h);
    fx_put16(field, h->proto == IPPROTO_UDP && !sum ? 0xffff : sum);
}

static inline void
nic_fill_ip(uint8_t *frame, const struct nic_headers *h)
{
    fx_put16(frame + h->l3 + 10, 0);
    fx_put16(frame + h->l3 + 10, ~fx_sum(frame + h->l3, h->l4 - h->l3, 0));
}

/* As the fields of the buffer say. */
static inline struct nic_headers
nic_headers_get(const struct rte_mbuf *mbuf, const uint8_t *frame)
{
    uint64_t l4 = mbuf->ol_flags & RTE_MBUF_F_TX_L4_MASK;
    struct nic_headers h = {
        .is_ipv6 = mbuf->ol_flags & RTE_MBUF_F_TX_IPV6,
        .proto = (l4 == RTE_MBUF_F_TX_TCP_CKSUM ? IPPROTO_TCP
                  : l4 == RTE_MBUF_F_TX_UDP_CKSUM ? IPPROTO_UDP
                  : IPPROTO_SCTP),
        .l3 = mbuf->l2_len,
        .l4 = mbuf->l2_len + mbuf->l3_len,
    };

    FZ_CHECK(!(mbuf->ol_flags & RTE_MBUF_F_TX_IPV4) == h.is_ipv6);
    FZ_CHECK(h.l3 >= 14 && mbuf->l3_len >= (h.is_ipv6 ? 40 : 20));
    FZ_CHECK(h.l4 + mbuf->l4_len <= mbuf->pkt_len);
    FZ_CHECK(frame[h.l3] >> 4 == (h.is_ipv6 ? 6 : 4));
    h.end = h.l3 + (h.is_ipv6 ? 40 + fx_get16(frame + h.l3 + 4)
                    : fx_get16(frame + h.l3 + 2));
    FZ_CHECK(h.end <= mbuf->pkt_len && h.end >= h.l4 + mbuf->l4_len);
    return h;
}

static inline uint64_t
nic_needs(uint64_t flags)
{
    uint64_t l4 = flags & RTE_MBUF_F_TX_L4_MASK;

    return (flags & RTE_MBUF_F_TX_TCP_SEG ? RTE_ETH_TX_OFFLOAD_TCP_TSO : 0)
           | (flags & RTE_MBUF_F_TX_IP_CKSUM
              ? RTE_ETH_TX_OFFLOAD_IPV4_CKSUM : 0)
           | (l4 == RTE_MBUF_F_TX_TCP_CKSUM ? RTE_ETH_TX_OFFLOAD_TCP_CKSUM
              : l4 == RTE_MBUF_F_TX_UDP_CKSUM ? RTE_ETH_TX_OFFLOAD_UDP_CKSUM
              : l4 ? RTE_ETH_TX_OFFLOAD_SCTP_CKSUM : 0);
}

/* Segment 'i' at 'ofs' bytes into the payload, 'size' bytes of it. */
static inline void
nic_send_segment(struct nic *nic, const struct rte_mbuf *mbuf,
                 const uint8_t *whole, struct nic_headers h, size_t i,
                 uint32_t ofs, uint32_t size)
{
    uint32_t payload = h.l4 + mbuf->l4_len;
    bool is_last = payload + ofs + size == h.end;
    uint8_t *frame = xmalloc(payload + size);
    uint32_t high = fx_get16(whole + h.l4 + 4);
    uint32_t seq = high << 16 | fx_get16(whole + h.l4 + 6);

    memcpy(frame, whole, payload);
    memcpy(frame + payload, whole + payload + ofs, size);
    h.end = payload + size;
    fx_put16(frame + h.l3 + (h.is_ipv6 ? 4 : 2),
             h.end - h.l3 - (h.is_ipv6 ? 40 : 0));
    if (!h.is_ipv6) {
        fx_put16(frame + h.l3 + 4, fx_get16(frame + h.l3 + 4) + i);
        nic_fill_ip(frame, &h);
    }
    fx_put16(frame + h.l4 + 4, (seq + ofs) >> 16);
    fx_put16(frame + h.l4 + 6, seq + ofs);
    frame[h.l4 + 13] &= (i ? ~0x80 : 0xff) & (is_last ? 0xff : ~0x09);
    nic_fill_l4(frame, &h);
    FZ_CHECK(h.end <= nic->max_frame);
    nic_put(&nic->wire, frame, h.end);
    free(frame);
}

/* The buffer stays the caller's. */
static inline void
nic_send(struct nic *nic, const struct rte_mbuf *mbuf)
{
    uint64_t flags = mbuf->ol_flags & RTE_MBUF_F_TX_OFFLOAD_MASK;
    const uint8_t *whole = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    uint8_t *frame = xmemdup(whole, mbuf->pkt_len);
    struct nic_headers h;

    FZ_CHECK(mbuf->nb_segs == 1 && mbuf->pkt_len == mbuf->data_len);
    FZ_CHECK((nic_needs(flags) & nic->offloads) == nic_needs(flags));
    if (!flags) {
        FZ_CHECK(mbuf->pkt_len <= nic->max_frame);
        nic_put(&nic->wire, frame, mbuf->pkt_len);
        free(frame);
        return;
    }
    h = nic_headers_get(mbuf, frame);
    if (flags & RTE_MBUF_F_TX_TCP_SEG) {
        uint32_t payload = h.end - h.l4 - mbuf->l4_len;
        size_t i = 0;

        FZ_CHECK(mbuf->tso_segsz && payload > mbuf->tso_segsz);
        FZ_CHECK(h.end == mbuf->pkt_len);
        for (uint32_t ofs = 0; ofs < payload; ofs += mbuf->tso_segsz) {
            nic_send_segment(nic, mbuf, whole, h, i++, ofs,
                             MIN(mbuf->tso_segsz, payload - ofs));
        }
    } else {
        if (flags & RTE_MBUF_F_TX_IP_CKSUM) {
            nic_fill_ip(frame, &h);
        }
        if (flags & RTE_MBUF_F_TX_L4_MASK) {
            nic_fill_l4(frame, &h);
        }
        FZ_CHECK(mbuf->pkt_len <= nic->max_frame);
        nic_put(&nic->wire, frame, mbuf->pkt_len);
    }
    free(frame);
}

#endif /* nic.h */
