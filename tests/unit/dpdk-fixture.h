/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DPDK_FIXTURE_H
#define DPDK_FIXTURE_H 1

/* For tests of lib/dpdk: DPDK without huge pages or devices, a pool, frames
 * built from a description, and checksums summed byte by byte, independent of
 * those under test.  Threads: the test's. */

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "dp-packet.h"
#include "dpdk/buffer-store.h"
#include "packets.h"

/* Starts DPDK, once; returns whether it runs. */
static inline bool
fx_start(void)
{
    static int state;
    char *argv[] = { "test", "--no-huge", "--no-pci", "--no-telemetry", "-m",
                     "256", "--no-shconf", "--lcores", "0",
                     "--log-level", "lib.eal:error", NULL };

    if (!state) {
        state = (rte_eal_init(ARRAY_SIZE(argv) - 1, argv) < 0
                 || ef_store_register() ? -1 : 1);
    }
    return state > 0;
}

static inline void
fx_init_object(struct rte_mempool *pool OVS_UNUSED, void *arg OVS_UNUSED,
               void *object, unsigned i OVS_UNUSED)
{
    dp_packet_init_dpdk(object);
}

/* 'room' bytes in each buffer, after the headroom. */
static inline struct rte_mempool *
fx_pool(unsigned n, uint16_t room)
{
    static int n_pools;
    struct rte_mempool *pool;
    char name[16];

    snprintf(name, sizeof name, "fx%d", n_pools++);
    pool = rte_pktmbuf_pool_create(name, n, 0, sizeof(struct dp_packet)
                                   - sizeof(struct rte_mbuf),
                                   room + RTE_PKTMBUF_HEADROOM,
                                   SOCKET_ID_ANY);
    ovs_assert(pool);
    rte_mempool_obj_iter(pool, fx_init_object, NULL);
    return pool;
}

static inline uint32_t
fx_sum(const uint8_t *bytes, size_t n, uint32_t sum)
{
    for (size_t i = 0; i < n; i++) {
        sum += i % 2 ? bytes[i] : bytes[i] << 8;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

static inline void
fx_put16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = value >> 8;
    bytes[1] = value;
}

static inline uint16_t
fx_get16(const uint8_t *bytes)
{
    return bytes[0] << 8 | bytes[1];
}

/* A frame: TCP or UDP over IP. */
struct fx_spec {
    int n_vlans;
    bool ipv6;
    int l3_extra;       /* Bytes of IPv4 options, or of an IPv6 extension
                         * header; multiple of 8. */
    uint8_t proto;
    int tcp_options;    /* Bytes, multiple of 4. */
    uint16_t ip_id;
    uint32_t seq;
    uint8_t tcp_flags;
    size_t payload_ofs; /* The payload is a slice of an endless pattern. */
    size_t payload;     /* Bytes. */
    size_t padding;     /* Bytes after the IP packet. */
    bool stale;         /* Checksums not filled in. */
};

struct fx_frame {
    uint8_t bytes[66000];
    size_t size;
    uint16_t l3_ofs, l4_ofs;
    size_t l4_size;
};

static inline uint16_t
fx_l4_sum(const struct fx_frame *f, bool ipv6, uint8_t proto)
{
    const uint8_t *l3 = f->bytes + f->l3_ofs;
    uint32_t sum = proto + f->l4_size;

    sum = (sum & 0xffff) + (sum >> 16);
    sum = ipv6 ? fx_sum(l3 + 8, 32, sum) : fx_sum(l3 + 12, 8, sum);
    return fx_sum(f->bytes + f->l4_ofs, f->l4_size, sum);
}

static inline size_t
fx_l4_csum_ofs(const struct fx_frame *f, uint8_t proto)
{
    return f->l4_ofs + (proto == IPPROTO_TCP ? 16 : 6);
}

static inline void
fx_fill_checksums(struct fx_frame *f, bool ipv6, uint8_t proto)
{
    uint8_t *l3 = f->bytes + f->l3_ofs;
    uint8_t *csum = f->bytes + fx_l4_csum_ofs(f, proto);
    uint16_t sum;

    fx_put16(csum, 0);
    sum = ~fx_l4_sum(f, ipv6, proto);
    fx_put16(csum, !sum && proto == IPPROTO_UDP ? 0xffff : sum);
    if (!ipv6) {
        fx_put16(l3 + 10, 0);
        fx_put16(l3 + 10, ~fx_sum(l3, f->l4_ofs - f->l3_ofs, 0));
    }
}

static inline void
fx_build_l3(const struct fx_spec *s, uint8_t *l3, size_t l3_len,
            size_t l4_size)
{
    if (s->ipv6) {
        l3[0] = 0x60;
        fx_put16(l3 + 4, l3_len - 40 + l4_size);
        l3[6] = s->l3_extra ? IPPROTO_DSTOPTS : s->proto;
        l3[7] = 64;
        for (int i = 0; i < 32; i++) {
            l3[8 + i] = 0xf0 + i;
        }
        if (s->l3_extra) {
            l3[40] = s->proto;
            l3[41] = s->l3_extra / 8 - 1;
            l3[42] = 1;                 /* PadN. */
            l3[43] = s->l3_extra - 4;
        }
    } else {
        l3[0] = 0x40 | l3_len / 4;
        fx_put16(l3 + 2, l3_len + l4_size);
        fx_put16(l3 + 4, s->ip_id);
        l3[8] = 64;
        l3[9] = s->proto;
        fx_put16(l3 + 10, s->stale ? 0xbad0 : 0);
        memcpy(l3 + 12, "\x0a\x01\x02\xff\xc0\xa8\x09\x08", 8);
        memset(l3 + 20, 1, l3_len - 20);        /* No operation. */
    }
}

static inline size_t
fx_build_l4(const struct fx_spec *s, uint8_t *l4)
{
    fx_put16(l4, 0x1234);
    fx_put16(l4 + 2, 0x5678);
    if (s->proto == IPPROTO_TCP) {
        fx_put16(l4 + 4, s->seq >> 16);
        fx_put16(l4 + 6, s->seq);
        fx_put16(l4 + 8, 0xaabb);
        l4[12] = (20 + s->tcp_options) / 4 << 4;
        l4[13] = s->tcp_flags;
        fx_put16(l4 + 14, 0x2000);
        fx_put16(l4 + 16, s->stale ? 0x5a5a : 0);
        memset(l4 + 20, 1, s->tcp_options);
        return 20 + s->tcp_options;
    }
    fx_put16(l4 + 4, 8 + s->payload);
    fx_put16(l4 + 6, s->stale ? 0x5a5a : 0);
    return 8;
}

static inline void
fx_build(const struct fx_spec *s, struct fx_frame *f)
{
    size_t l3_len = (s->ipv6 ? 40 : 20) + s->l3_extra;
    size_t header;
    uint8_t *p;

    memset(f, 0, sizeof *f);
    memcpy(f->bytes, "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02", 12);
    for (int i = 0; i < s->n_vlans; i++) {
        fx_put16(f->bytes + 12 + 4 * i, i + 1 < s->n_vlans ? 0x88a8 : 0x8100);
        fx_put16(f->bytes + 14 + 4 * i, 100 + i);
    }
    f->l3_ofs = 14 + 4 * s->n_vlans;
    fx_put16(f->bytes + f->l3_ofs - 2, s->ipv6 ? 0x86dd : 0x0800);
    f->l4_ofs = f->l3_ofs + l3_len;

    header = fx_build_l4(s, f->bytes + f->l4_ofs);
    f->l4_size = header + s->payload;
    p = f->bytes + f->l4_ofs + header;
    for (size_t i = 0; i < s->payload; i++) {
        p[i] = (s->payload_ofs + i) * 2654435761u >> 13;
    }
    memset(p + s->payload, 0xee, s->padding);
    f->size = f->l4_ofs + f->l4_size + s->padding;
    fx_build_l3(s, f->bytes + f->l3_ofs, l3_len, f->l4_size);
    if (!s->stale) {
        fx_fill_checksums(f, s->ipv6, s->proto);
    }
}

/* Whether both checksums of the frame are right. */
static inline bool
fx_verify(const struct fx_frame *f, bool ipv6, uint8_t proto)
{
    const uint8_t *l3 = f->bytes + f->l3_ofs;

    return fx_l4_sum(f, ipv6, proto) == 0xffff
           && (ipv6 || fx_sum(l3, f->l4_ofs - f->l3_ofs, 0) == 0xffff);
}

static inline void
fx_set_offsets(const struct fx_spec *s, const struct fx_frame *f,
               struct dp_packet *packet)
{
    packet->l3_ofs = f->l3_ofs;
    packet->l4_ofs = f->l4_ofs;
    packet->l2_pad_size = s->padding;
}

/* A packet in memory of the heap. */
static inline struct dp_packet *
fx_foreign(const struct fx_spec *s, const struct fx_frame *f)
{
    struct dp_packet *packet = dp_packet_clone_data_with_headroom(
        f->bytes, f->size, 64);

    fx_set_offsets(s, f, packet);
    return packet;
}

/* A packet in a buffer, of one segment. */
static inline struct dp_packet *
fx_packet(const struct fx_spec *s, const struct fx_frame *f,
          struct rte_mempool *pool)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
    struct dp_packet *packet = CONTAINER_OF(mbuf, struct dp_packet, mbuf);

    ovs_assert(mbuf && rte_pktmbuf_tailroom(mbuf) >= f->size);
    memcpy(rte_pktmbuf_append(mbuf, f->size), f->bytes, f->size);
    packet->packet_type = htonl(PT_ETH);
    packet->cutlen = 0;
    packet->l2_5_ofs = UINT16_MAX;
    fx_set_offsets(s, f, packet);
    return packet;
}

#endif /* dpdk-fixture.h */
