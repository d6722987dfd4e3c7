/* SPDX-License-Identifier: Apache-2.0 */

/* Checksum offloads: what is asked of a driver, what is done here, what is
 * refused.  Tables: a frame and the driver's offloads in, bytes and fields of
 * the buffer out.  No DPDK runs. */

#include <config.h>

#include "dpdk/tx-offload.h"

#include <rte_ethdev.h>

#include "compat/packet-offload.h"
#include "crc32c.h"
#include "dpdk-fixture.h"
#include "ef-test.h"

#define HW_IP RTE_ETH_TX_OFFLOAD_IPV4_CKSUM
#define HW_TCP RTE_ETH_TX_OFFLOAD_TCP_CKSUM
#define HW_UDP RTE_ETH_TX_OFFLOAD_UDP_CKSUM
#define HW_TSO RTE_ETH_TX_OFFLOAD_TCP_TSO
#define HW_ALL (HW_IP | HW_TCP | HW_UDP | HW_TSO)

#define TCP_CSUM RTE_MBUF_F_TX_TCP_CKSUM
#define UDP_CSUM RTE_MBUF_F_TX_UDP_CKSUM
#define IP_CSUM RTE_MBUF_F_TX_IP_CKSUM
#define V4 RTE_MBUF_F_TX_IPV4
#define V6 RTE_MBUF_F_TX_IPV6
#define TSO RTE_MBUF_F_TX_TCP_SEG

static struct fx_frame frame, expected;

static enum ef_tx_verdict
offload(struct dp_packet *packet, uint64_t hw)
{
    const struct ef_tx_limits limits = {
        .hw_offloads = hw, .mtu = 1500, .max_frame = 1518,
    };

    return ef_tx_offload(packet, &limits);
}

static struct dp_packet *
make(const struct fx_spec *s, uint64_t flags)
{
    struct dp_packet *packet;

    fx_build(s, &frame);
    packet = fx_foreign(s, &frame);
    packet->mbuf.ol_flags = flags;
    packet->mbuf.tx_offload = UINT64_MAX;       /* Remnants. */
    return packet;
}

struct row {
    struct fx_spec spec;
    uint64_t flags, hw;
    uint64_t flags_out;
    bool l4_done, ip_done;      /* In software. */
};

static const struct row rows[] = {
    /* The driver does it. */
    { { .proto = IPPROTO_TCP, .payload = 100 }, V4 | TCP_CSUM, HW_ALL,
      V4 | TCP_CSUM | IP_CSUM, false, false },
    { { .proto = IPPROTO_UDP, .payload = 1 }, V4 | UDP_CSUM, HW_ALL,
      V4 | UDP_CSUM | IP_CSUM, false, false },
    { { .proto = IPPROTO_TCP, .ipv6 = true, .payload = 3, .n_vlans = 2 },
      V6 | TCP_CSUM, HW_ALL, V6 | TCP_CSUM, false, false },
    /* It announces only half. */
    { { .proto = IPPROTO_TCP, .payload = 100 }, V4 | TCP_CSUM, HW_TCP,
      V4 | TCP_CSUM, false, true },
    { { .proto = IPPROTO_UDP, .payload = 7 }, V4 | UDP_CSUM,
      HW_TCP | HW_IP, 0, true, true },
    /* Nothing. */
    { { .proto = IPPROTO_TCP, .payload = 1460 }, V4 | TCP_CSUM, 0,
      0, true, true },
    { { .proto = IPPROTO_TCP, .payload = 0, .tcp_options = 12,
        .n_vlans = 1, .l3_extra = 8 }, V4 | TCP_CSUM, 0, 0, true, true },
    { { .proto = IPPROTO_UDP, .payload = 101, .ipv6 = true },
      V6 | UDP_CSUM, 0, 0, true, false },
    { { .proto = IPPROTO_UDP, .payload = 0, .padding = 18 },
      V4 | UDP_CSUM, 0, 0, true, true },
    /* Extension headers mislead drivers. */
    { { .proto = IPPROTO_TCP, .ipv6 = true, .l3_extra = 16, .payload = 5 },
      V6 | TCP_CSUM, HW_ALL, 0, true, false },
    /* The mark of another version is a remnant. */
    { { .proto = IPPROTO_TCP, .ipv6 = true, .payload = 5 },
      V4 | TCP_CSUM, HW_ALL, V6 | TCP_CSUM, false, false },
    /* Segmentation of what needs none. */
    { { .proto = IPPROTO_TCP, .payload = 1460 }, V4 | TSO | TCP_CSUM, HW_ALL,
      V4 | TCP_CSUM | IP_CSUM, false, false },
    { { .proto = IPPROTO_TCP, .payload = 1440, .ipv6 = true }, V6 | TSO, 0,
      0, true, false },
    /* Only marked, which is a request of older packages. */
    { { .proto = IPPROTO_UDP, .payload = 8 }, V4, HW_ALL, 0, false,
      (EF_TX_ASK_IP & V4) != 0 },
    { { .proto = IPPROTO_UDP, .payload = 8, .ipv6 = true }, V6, HW_ALL,
      0, false, false },
    { { .proto = IPPROTO_UDP, .payload = 8, .ipv6 = true }, V4, HW_ALL,
      0, false, false },
};

static void
check_row(const struct row *row)
{
    const uint64_t all = RTE_MBUF_F_TX_OFFLOAD_MASK;
    struct fx_spec spec = row->spec;
    struct dp_packet *packet;
    struct fx_spec good = spec;

    spec.stale = true;
    packet = make(&spec, row->flags | RTE_MBUF_F_RX_RSS_HASH);
    fx_build(&good, &expected);
    if (!row->l4_done) {
        fx_put16(expected.bytes + fx_l4_csum_ofs(&expected, spec.proto),
                 0x5a5a);
    }
    if (!row->ip_done && !spec.ipv6) {
        fx_put16(expected.bytes + expected.l3_ofs + 10, 0xbad0);
    }

    EF_CHECK_EQ(offload(packet, row->hw), EF_TX_SEND);
    EF_CHECK_EQ(packet->mbuf.ol_flags & all, row->flags_out);
    EF_CHECK(packet->mbuf.ol_flags & RTE_MBUF_F_RX_RSS_HASH);
    EF_CHECK_MEM_EQ(dp_packet_data(packet), expected.bytes,
                    dp_packet_size(packet));
    if (row->flags_out) {
        EF_CHECK_EQ(packet->mbuf.l2_len, frame.l3_ofs);
        EF_CHECK_EQ(packet->mbuf.l3_len, frame.l4_ofs - frame.l3_ofs);
        EF_CHECK_EQ(packet->mbuf.outer_l2_len, 0);
        EF_CHECK_EQ(packet->mbuf.outer_l3_len, 0);
        EF_CHECK_EQ(packet->mbuf.tso_segsz, 0);
    }
    EF_CHECK(!ef_tx_is_to_be_segmented(packet));
    dp_packet_delete(packet);
}

EF_TEST(checksums)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        unsigned before = ef_test_n_failed;

        check_row(&rows[i]);
        if (ef_test_n_failed != before) {
            printf("# row %"PRIuSIZE"\n", i);
        }
    }
}

/* The fixture's sums know right from wrong. */
EF_TEST(fixture_verifies)
{
    struct fx_spec spec = { .proto = IPPROTO_TCP, .payload = 9 };

    fx_build(&spec, &frame);
    EF_CHECK(fx_verify(&frame, false, IPPROTO_TCP));
    frame.bytes[frame.size - 1] ^= 1;
    EF_CHECK(!fx_verify(&frame, false, IPPROTO_TCP));
}

/* A sum of 0 means none in UDP, so it is sent as all ones. */
EF_TEST(udp_sum_of_zero)
{
    struct fx_spec spec = { .proto = IPPROTO_UDP, .payload = 2 };
    struct dp_packet *packet;
    uint8_t *payload;
    uint16_t csum;

    /* Adding the checksum to the payload makes the sum zero. */
    fx_build(&spec, &frame);
    payload = frame.bytes + frame.l4_ofs + 8;
    csum = fx_get16(frame.bytes + fx_l4_csum_ofs(&frame, IPPROTO_UDP));
    fx_put16(payload, 0);
    fx_fill_checksums(&frame, false, IPPROTO_UDP);
    csum = fx_get16(frame.bytes + fx_l4_csum_ofs(&frame, IPPROTO_UDP));
    fx_put16(payload, csum);

    packet = fx_foreign(&spec, &frame);
    packet->mbuf.ol_flags = V4 | UDP_CSUM;
    EF_CHECK_EQ(offload(packet, 0), EF_TX_SEND);
    csum = fx_get16((uint8_t *) dp_packet_l4(packet) + 6);
    EF_CHECK_EQ(csum, 0xffff);
    dp_packet_delete(packet);
}

EF_TEST(sctp)
{
    struct fx_spec spec = { .proto = IPPROTO_SCTP, .payload = 33 };
    struct dp_packet *packet = make(&spec, V4 | RTE_MBUF_F_TX_SCTP_CKSUM);
    uint8_t *sctp = dp_packet_l4(packet);
    ovs_be32 csum, good;

    EF_CHECK_EQ(offload(packet, HW_ALL), EF_TX_SEND);
    memcpy(&csum, sctp + 8, sizeof csum);
    memset(sctp + 8, 0, sizeof csum);
    good = crc32c(sctp, frame.l4_size);
    EF_CHECK_EQ(csum, good);
    EF_CHECK_EQ(packet->mbuf.ol_flags, 0);
    dp_packet_delete(packet);
}

/* TSO of drivers. */
EF_TEST(tso_in_hardware)
{
    const struct {
        struct fx_spec spec;
        uint64_t flags_out;
        int segsz;
    } cases[] = {
        { { .proto = IPPROTO_TCP, .payload = 9000, .tcp_options = 12 },
          V4 | TSO | TCP_CSUM | IP_CSUM, 1500 - 20 - 32 },
        { { .proto = IPPROTO_TCP, .payload = 9000, .ipv6 = true,
            .n_vlans = 1 }, V6 | TSO | TCP_CSUM, 1500 - 40 - 20 },
        /* Two tags more than a frame of this MTU has room for. */
        { { .proto = IPPROTO_TCP, .payload = 9000, .n_vlans = 3 },
          V4 | TSO | TCP_CSUM | IP_CSUM, 1518 - 26 - 20 - 20 },
        /* What follows the IP packet is no payload. */
        { { .proto = IPPROTO_TCP, .payload = 9000, .padding = 100 },
          V4 | TSO | TCP_CSUM | IP_CSUM, 1500 - 20 - 20 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct dp_packet *packet = make(&cases[i].spec, TSO | V4);

        EF_CHECK_EQ(offload(packet, HW_ALL), EF_TX_SEND);
        EF_CHECK_EQ(packet->mbuf.ol_flags, cases[i].flags_out);
        EF_CHECK_EQ(packet->mbuf.tso_segsz, cases[i].segsz);
        EF_CHECK_EQ(packet->mbuf.l2_len, frame.l3_ofs);
        EF_CHECK_EQ(packet->mbuf.l3_len, frame.l4_ofs - frame.l3_ofs);
        EF_CHECK_EQ(packet->mbuf.l4_len, 20 + cases[i].spec.tcp_options);
        EF_CHECK_EQ(packet->mbuf.outer_l2_len, 0);
        EF_CHECK_EQ(dp_packet_size(packet),
                    frame.size - cases[i].spec.padding);
        EF_CHECK(!ef_tx_is_to_be_segmented(packet));
        dp_packet_delete(packet);
    }
}

EF_TEST(tso_in_software)
{
    const struct {
        struct fx_spec spec;
        uint64_t hw;
        int segsz;
    } cases[] = {
        { { .proto = IPPROTO_TCP, .payload = 9000 }, 0, 1460 },
        { { .proto = IPPROTO_TCP, .payload = 1461 }, HW_TSO | HW_TCP, 1460 },
        { { .proto = IPPROTO_TCP, .payload = 9000 },
          HW_ALL & ~HW_TSO, 1460 },
        { { .proto = IPPROTO_TCP, .payload = 9000, .ipv6 = true,
            .l3_extra = 8 }, HW_ALL, 1432 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct dp_packet *packet = make(&cases[i].spec, TSO | V4);

        EF_CHECK_EQ(offload(packet, cases[i].hw), EF_TX_SEGMENT);
        EF_CHECK(ef_tx_is_to_be_segmented(packet));
        EF_CHECK_EQ(packet->mbuf.tso_segsz, cases[i].segsz);
        dp_packet_delete(packet);
    }
}

/* Packets that ask for something and are bent by 'bend'. */
static void
no_l3(struct dp_packet *p)
{
    p->l3_ofs = UINT16_MAX;
}

static void
no_l4(struct dp_packet *p)
{
    p->l4_ofs = UINT16_MAX;
}

static void
wrong_l4(struct dp_packet *p)
{
    p->l4_ofs += 4;
}

static void
beyond_end(struct dp_packet *p)
{
    p->l4_ofs = dp_packet_size(p) + 1;
}

static void
fragment(struct dp_packet *p)
{
    fx_put16((uint8_t *) dp_packet_l3(p) + 6, 0x2000);
}

static void
later_fragment(struct dp_packet *p)
{
    fx_put16((uint8_t *) dp_packet_l3(p) + 6, 0x0001);
}

static void
other_protocol(struct dp_packet *p)
{
    ((uint8_t *) dp_packet_l3(p))[9] = IPPROTO_ICMP;
}

static void
short_header(struct dp_packet *p)
{
    ((uint8_t *) dp_packet_l4(p))[12] = 4 << 4;
}

static void
long_header(struct dp_packet *p)
{
    ((uint8_t *) dp_packet_l4(p))[12] = 15 << 4;
}

static void
ends_in_header(struct dp_packet *p)
{
    fx_put16((uint8_t *) dp_packet_l3(p) + 2, 20 + 19);
}

static void
truncated(struct dp_packet *p)
{
    dp_packet_set_size(p, dp_packet_size(p) - 1);
}

static void
version_5(struct dp_packet *p)
{
    ((uint8_t *) dp_packet_l3(p))[0] = 0x55;
}

static void
tunnel(struct dp_packet *p)
{
    p->mbuf.ol_flags |= RTE_MBUF_F_TX_TUNNEL_VXLAN | RTE_MBUF_F_TX_OUTER_IPV4;
}

static void
segmented_udp(struct dp_packet *p)
{
    p->mbuf.ol_flags |= RTE_MBUF_F_TX_UDP_SEG;
}

static void
tso_of_udp(struct dp_packet *p)
{
    p->mbuf.ol_flags |= TSO | UDP_CSUM;
}

static void
chained(struct dp_packet *p)
{
    p->mbuf.nb_segs = 2;
}

static void
fine(struct dp_packet *p OVS_UNUSED)
{
}

EF_TEST(refused)
{
    static const struct {
        const char *name;
        void (*bend)(struct dp_packet *);
    } cases[] = {
#define CASE(NAME) { #NAME, NAME }
        CASE(no_l3), CASE(no_l4), CASE(wrong_l4), CASE(beyond_end),
        CASE(fragment), CASE(later_fragment), CASE(other_protocol),
        CASE(short_header), CASE(long_header), CASE(truncated),
        CASE(version_5), CASE(tunnel), CASE(segmented_udp), CASE(tso_of_udp),
        CASE(chained), CASE(ends_in_header), CASE(fine),
#undef CASE
    };
    const uint64_t asks[] = { V4 | TCP_CSUM, V4 | TCP_CSUM | TSO };
    const uint64_t hws[] = { 0, HW_ALL };

    for (size_t i = 0; i < ARRAY_SIZE(cases) * 4; i++) {
        struct fx_spec spec = { .proto = IPPROTO_TCP, .payload = 12 };
        struct dp_packet *packet = make(&spec, asks[i / 2 % 2]);
        bool ok;

        cases[i / 4].bend(packet);
        ok = offload(packet, hws[i % 2]) == EF_TX_REFUSE;
        if (!EF_CHECK_EQ(ok, cases[i / 4].bend != fine)) {
            printf("# case %s\n", cases[i / 4].name);
        }
        packet->mbuf.nb_segs = 1;
        dp_packet_delete(packet);
    }
}

/* Unlike TCP's, this header tells no length of its own. */
EF_TEST(udp_header_cut_short)
{
    struct fx_spec spec = { .proto = IPPROTO_UDP, .payload = 12 };
    struct dp_packet *packet = make(&spec, V4 | UDP_CSUM);

    fx_put16((uint8_t *) dp_packet_l3(packet) + 2, 20 + 7);
    EF_CHECK_EQ(offload(packet, 0), EF_TX_REFUSE);
    dp_packet_delete(packet);
}

/* IPv6 extension headers. */
EF_TEST(extension_headers)
{
    static const struct {
        uint8_t kind, byte3;
        bool ok;
    } cases[] = {
        { IPPROTO_HOPOPTS, 4, true },
        { IPPROTO_DSTOPTS, 4, true },
        { IPPROTO_ROUTING, 0, true },
        { IPPROTO_ROUTING, 1, false },  /* A hop is left. */
        { IPPROTO_FRAGMENT, 0, false },
        { IPPROTO_AH, 0, false },
        { IPPROTO_ICMPV6, 0, false },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fx_spec spec = { .proto = IPPROTO_TCP, .ipv6 = true,
                                .l3_extra = 8, .payload = 12 };
        struct dp_packet *packet = make(&spec, V6 | TCP_CSUM);
        uint8_t *l3 = dp_packet_l3(packet);
        bool ok;

        l3[6] = cases[i].kind;
        l3[43] = cases[i].byte3;
        ok = offload(packet, 0) == EF_TX_SEND;
        EF_CHECK_EQ(ok, cases[i].ok);
        dp_packet_delete(packet);
    }
}

/* An MTU without room for payload. */
EF_TEST(tso_without_room)
{
    const struct ef_tx_limits limits = {
        .hw_offloads = HW_ALL, .mtu = 68, .max_frame = 86,
    };
    struct fx_spec spec = { .proto = IPPROTO_TCP, .l3_extra = 32,
                            .tcp_options = 40, .payload = 500 };
    struct dp_packet *packet = make(&spec, V4 | TSO);

    EF_CHECK_EQ(ef_tx_offload(packet, &limits), EF_TX_REFUSE);
    dp_packet_delete(packet);
}

/* All bytes of a random packet may be anything: no crash, nothing written
 * outside (under AddressSanitizer). */
EF_TEST(arbitrary_bytes)
{
    for (int i = 0; i < 20000; i++) {
        struct fx_spec spec = { .proto = IPPROTO_TCP, .payload = 20,
                                .ipv6 = i % 2 };
        struct dp_packet *packet = make(&spec, TCP_CSUM | (i % 3 ? TSO : 0));
        uint8_t *bytes = dp_packet_data(packet);

        for (int j = 0; j < 3; j++) {
            bytes[random_range(dp_packet_size(packet))] = random_uint32();
        }
        if (!(i % 5)) {
            packet->l4_ofs = random_range(100);
        }
        if (!(i % 7)) {
            packet->l3_ofs = random_range(100);
        }
        offload(packet, i % 11 ? 0 : HW_ALL);
        dp_packet_delete(packet);
    }
}

EF_TEST_MUST_FAIL(planted_stale_checksum)
{
    struct fx_spec spec = { .proto = IPPROTO_TCP, .payload = 9,
                            .stale = true };

    fx_build(&spec, &frame);
    EF_CHECK(fx_verify(&frame, false, IPPROTO_TCP));
}
