/* SPDX-License-Identifier: Apache-2.0 */

/* TCP segmentation in software against a dull twin: each segment is a frame
 * built from scratch, with sums of its own.  DPDK without huge pages. */

#include <config.h>

#include "dpdk/tx-segment.h"

#include <rte_ethdev.h>

#include "dpdk-fixture.h"
#include "ef-test.h"

#define FIN 0x01
#define SYN 0x02
#define PSH 0x08
#define ACK 0x10
#define URG 0x20
#define ECE 0x40
#define CWR 0x80

static struct fx_frame whole, twin;
static struct rte_mempool *pool;

static bool
start(void)
{
    if (!fx_start()) {
        return false;
    }
    if (!pool) {
        pool = fx_pool(128, 2048);
    }
    return true;
}

/* What segment 'i' of 'spec' should be. */
static struct fx_spec
twin_spec(const struct fx_spec *spec, size_t i, size_t mss)
{
    size_t ofs = i * mss;
    bool is_last = ofs + mss >= spec->payload;
    struct fx_spec t = *spec;

    t.stale = false;
    t.padding = 0;
    t.payload_ofs = spec->payload_ofs + ofs;
    t.payload = is_last ? spec->payload - ofs : mss;
    t.seq = spec->seq + ofs;
    t.ip_id = spec->ip_id + i;
    if (i) {
        t.tcp_flags &= ~CWR;
    }
    if (!is_last) {
        t.tcp_flags &= ~(FIN | PSH);
    }
    return t;
}

/* 'hw': checksums of the driver's. */
static void
check(const struct fx_spec *spec, int mtu, uint64_t hw)
{
    const struct ef_tx_limits limits = {
        .hw_offloads = hw, .mtu = mtu, .max_frame = mtu + 18,
    };
    size_t mss = MIN(mtu - (spec->ipv6 ? 40 : 20) - spec->l3_extra - 20
                     - spec->tcp_options,
                     mtu + 18 - 14 - 4 * spec->n_vlans
                     - (spec->ipv6 ? 40 : 20) - spec->l3_extra - 20
                     - spec->tcp_options);
    size_t n = DIV_ROUND_UP(spec->payload, mss);
    struct ef_tx_segmenter segmenter;
    struct dp_packet *packet;

    fx_build(spec, &whole);
    packet = fx_foreign(spec, &whole);
    packet->mbuf.ol_flags = RTE_MBUF_F_TX_TCP_SEG;
    if (ef_tx_offload(packet, &limits) != EF_TX_SEGMENT) {
        EF_CHECK(n <= 1);
        dp_packet_delete(packet);
        return;
    }
    ef_tx_segment_start(&segmenter, packet, hw);
    for (size_t i = 0; i < n; i++) {
        struct fx_spec t = twin_spec(spec, i, mss);
        struct rte_mbuf *mbuf;

        EF_CHECK_EQ(ef_tx_segment_left(&segmenter), n - i);
        mbuf = ef_tx_segment_next(&segmenter, pool);
        EF_CHECK(mbuf != NULL);
        if (!mbuf) {
            break;
        }
        fx_build(&t, &twin);
        EF_CHECK(fx_verify(&twin, t.ipv6, t.proto));
        EF_CHECK_EQ(mbuf->pkt_len, twin.size);
        EF_CHECK(mbuf->pkt_len <= limits.max_frame);
        EF_CHECK_EQ(mbuf->nb_segs, 1);
        if (hw) {
            /* The driver fills them in. */
            memcpy(rte_pktmbuf_mtod(mbuf, uint8_t *)
                   + fx_l4_csum_ofs(&twin, IPPROTO_TCP),
                   twin.bytes + fx_l4_csum_ofs(&twin, IPPROTO_TCP), 2);
            EF_CHECK(mbuf->ol_flags & RTE_MBUF_F_TX_TCP_CKSUM);
        } else {
            EF_CHECK_EQ(mbuf->ol_flags, 0);
        }
        EF_CHECK(!(mbuf->ol_flags & RTE_MBUF_F_TX_TCP_SEG));
        EF_CHECK_MEM_EQ(rte_pktmbuf_mtod(mbuf, uint8_t *), twin.bytes,
                        twin.size);
        rte_pktmbuf_free(mbuf);
    }
    EF_CHECK_EQ(ef_tx_segment_left(&segmenter), 0);
    dp_packet_delete(packet);
}

EF_TEST(table)
{
    static const struct {
        struct fx_spec spec;
        int mtu;
        uint64_t hw;
    } rows[] = {
        { { .payload = 4380, .tcp_flags = ACK }, 1500, 0 },
        { { .payload = 4381, .tcp_flags = ACK | PSH | FIN }, 1500, 0 },
        { { .payload = 1461, .tcp_flags = ACK | CWR | ECE | URG }, 1500, 0 },
        { { .payload = 65000, .tcp_options = 12, .tcp_flags = ACK | PSH,
            .seq = UINT32_MAX - 5000, .ip_id = UINT16_MAX - 3 }, 1500, 0 },
        { { .payload = 9001, .ipv6 = true, .tcp_flags = CWR | FIN },
          1500, 0 },
        { { .payload = 9001, .ipv6 = true, .l3_extra = 24, .n_vlans = 1 },
          1280, 0 },
        { { .payload = 5000, .n_vlans = 2, .l3_extra = 40,
            .tcp_options = 40 }, 1500, 0 },
        { { .payload = 3000, .n_vlans = 3 }, 1500, 0 },
        { { .payload = 3000, .padding = 9 }, 1500, 0 },
        { { .payload = 100 }, 68, 0 },
        { { .payload = 5000, .ipv6 = true }, 1500,
          RTE_ETH_TX_OFFLOAD_TCP_CKSUM },
        { { .payload = 5000 }, 1500, RTE_ETH_TX_OFFLOAD_TCP_CKSUM },
        /* Not to be segmented. */
        { { .payload = 1460 }, 1500, 0 },
        { { .payload = 0 }, 1500, 0 },
    };

    EF_REQUIRE(start());
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct fx_spec spec = rows[i].spec;
        unsigned before = ef_test_n_failed;

        spec.proto = IPPROTO_TCP;
        spec.stale = true;
        check(&spec, rows[i].mtu, rows[i].hw);
        if (ef_test_n_failed != before) {
            printf("# row %"PRIuSIZE"\n", i);
        }
    }
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0);
}

EF_TEST(random_packets)
{
    EF_REQUIRE(start());
    for (int i = 0; i < 3000 && !ef_test_n_failed; i++) {
        struct fx_spec spec = {
            .n_vlans = random_range(4),
            .ipv6 = random_range(2),
            .l3_extra = 8 * random_range(6),
            .proto = IPPROTO_TCP,
            .tcp_options = 4 * random_range(11),
            .ip_id = random_uint32(),
            .seq = random_uint32(),
            .tcp_flags = random_uint32(),
            .payload_ofs = random_uint32(),
            .payload = random_range(i % 50 ? 6000 : 65000),
            .padding = random_range(3) ? 0 : random_range(50),
            .stale = random_range(2),
        };

        check(&spec, 576 + random_range(1300), 0);
    }
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0);
}

/* Without a buffer a segment is not made, and the next call goes on. */
EF_TEST(no_buffer)
{
    const struct ef_tx_limits limits = { .mtu = 1500, .max_frame = 1518 };
    struct fx_spec spec = { .proto = IPPROTO_TCP, .payload = 7300 };
    struct ef_tx_segmenter segmenter;
    struct dp_packet *packet;
    struct rte_mempool *small;
    struct rte_mbuf *mbufs[3];

    EF_REQUIRE(start());
    small = fx_pool(3, 2048);
    fx_build(&spec, &whole);
    packet = fx_foreign(&spec, &whole);
    packet->mbuf.ol_flags = RTE_MBUF_F_TX_TCP_SEG;
    EF_REQUIRE_EQ(ef_tx_offload(packet, &limits), EF_TX_SEGMENT);

    ef_tx_segment_start(&segmenter, packet, 0);
    for (int i = 0; i < 3; i++) {
        mbufs[i] = ef_tx_segment_next(&segmenter, small);
        EF_REQUIRE(mbufs[i]);
    }
    EF_CHECK(!ef_tx_segment_next(&segmenter, small));
    EF_CHECK_EQ(ef_tx_segment_left(&segmenter), 2);
    for (int i = 0; i < 3; i++) {
        rte_pktmbuf_free(mbufs[i]);
    }
    dp_packet_delete(packet);
    rte_mempool_free(small);
}

/* The twin of a wrong place: must not compare equal. */
EF_TEST_MUST_FAIL(planted_wrong_sequence)
{
    struct fx_spec spec = { .proto = IPPROTO_TCP, .payload = 100 };
    struct fx_spec t = twin_spec(&spec, 1, 60);

    fx_build(&t, &twin);
    t.seq++;
    fx_build(&t, &whole);
    EF_CHECK_MEM_EQ(whole.bytes, twin.bytes, twin.size);
}
