/* SPDX-License-Identifier: Apache-2.0 */

/* What becomes of a batch on its way to a driver: packets of every kind in
 * any mixture, in order, and a counter for each that does not arrive.  The
 * driver is a function of the test's. */

#include <config.h>

#include "dpdk/tx-prepare.h"

#include <rte_ethdev.h>

#include "dpdk-fixture.h"
#include "ef-test.h"

#define TSO (RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_TCP_CKSUM \
             | RTE_MBUF_F_TX_IPV4)
#define CSUM (RTE_MBUF_F_TX_TCP_CKSUM | RTE_MBUF_F_TX_IPV4)

static struct fx_frame frame;
static struct rte_mempool *pool;
static struct ef_dpdk_txq txqs[2];
static struct ef_dpdk_dev dev;
static struct dp_packet_batch batch;

/* What the driver got. */
static struct rte_mbuf *sent[4096];
static size_t n_sent, n_calls;

static void
driver(struct ef_dpdk_dev *d, unsigned qid, struct rte_mbuf **mbufs, size_t n)
{
    EF_CHECK(d == &dev);
    EF_CHECK_EQ(qid, 1);
    EF_CHECK(n > 0 && n <= EF_TX_PREPARED_MAX);
    n_calls++;
    for (size_t i = 0; i < n; i++) {
        struct dp_packet *packet = CONTAINER_OF(mbufs[i], struct dp_packet,
                                                mbuf);

        EF_CHECK_EQ(packet->source, DPBUF_DPDK);
        EF_CHECK_EQ(mbufs[i]->nb_segs, 1);
        ovs_assert(n_sent < ARRAY_SIZE(sent));
        sent[n_sent++] = mbufs[i];
    }
}

static bool
start(void)
{
    if (!fx_start()) {
        return false;
    }
    if (!pool) {
        pool = fx_pool(512, 2048);
    }
    memset(&dev, 0, sizeof dev);
    memset(txqs, 0, sizeof txqs);
    dev.up.name = "p0";
    dev.mtu = 1500;
    dev.max_frame = 1518;
    dev.rte_pool = pool;
    dev.txqs = txqs;
    dev.n_txqs = 2;
    ef_qos_slot_init(&dev.qos);
    dp_packet_batch_init(&batch);
    n_sent = n_calls = 0;
    return true;
}

static void
finish(void)
{
    for (size_t i = 0; i < n_sent; i++) {
        rte_pktmbuf_free(sent[i]);
    }
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0);
}

static void
add(size_t payload, bool foreign, uint64_t flags)
{
    struct fx_spec spec = { .proto = IPPROTO_TCP, .payload = payload,
                            .stale = flags != 0, .seq = batch.count << 20 };
    struct dp_packet *packet;

    fx_build(&spec, &frame);
    packet = foreign ? fx_foreign(&spec, &frame)
             : fx_packet(&spec, &frame, pool);
    packet->mbuf.ol_flags |= flags;
    dp_packet_batch_add(&batch, packet);
}

static void
prepare(uint64_t hw)
{
    ef_tx_prepare(&dev, 1, hw, &batch, driver);
}

static void
check_counters(unsigned failure, unsigned mtu, unsigned hwol)
{
    const struct ef_dpdk_txq_counters *n = &txqs[1].n;

    EF_CHECK_EQ(ef_counter_get(&n->failure_drops), failure);
    EF_CHECK_EQ(ef_counter_get(&n->mtu_exceeded_drops), mtu);
    EF_CHECK_EQ(ef_counter_get(&n->invalid_hwol_drops), hwol);
    EF_CHECK_EQ(ef_counter_get(&n->qos_drops), 0);
}

static void
check_bytes(const struct rte_mbuf *mbuf, size_t payload, uint32_t seq)
{
    struct fx_spec spec = { .proto = IPPROTO_TCP, .payload = payload,
                            .seq = seq };

    fx_build(&spec, &frame);
    EF_CHECK_EQ(mbuf->pkt_len, frame.size);
    EF_CHECK_MEM_EQ(rte_pktmbuf_mtod(mbuf, const uint8_t *), frame.bytes,
                    frame.size);
}

/* The fast way: the same buffers, in one call. */
EF_TEST(plain_batch)
{
    struct dp_packet *packets[NETDEV_MAX_BURST];

    EF_REQUIRE(start());
    for (int i = 0; i < NETDEV_MAX_BURST; i++) {
        add(i, false, 0);
        /* Marks of reception are no offloads. */
        batch.packets[i]->mbuf.ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
    }
    memcpy(packets, batch.packets, sizeof packets);
    prepare(0);
    EF_CHECK_EQ(n_calls, 1);
    EF_CHECK_EQ(n_sent, NETDEV_MAX_BURST);
    EF_CHECK(!memcmp(packets, sent, sizeof packets));
    check_counters(0, 0, 0);
    finish();
}

EF_TEST(foreign_packets_are_copied)
{
    EF_REQUIRE(start());
    /* Also behind one of DPDK's: the first does not stand for all. */
    add(10, false, 0);
    add(11, true, 0);
    add(1460, true, 0);
    add(13, false, 0);
    prepare(0);
    EF_REQUIRE_EQ(n_sent, 4);
    check_bytes(sent[0], 10, 0);
    check_bytes(sent[1], 11, 1 << 20);
    check_bytes(sent[2], 1460, 2 << 20);
    check_bytes(sent[3], 13, 3 << 20);
    check_counters(0, 0, 0);
    finish();
}

EF_TEST(copies_without_a_buffer_are_counted)
{
    struct rte_mempool *small;

    EF_REQUIRE(start());
    small = fx_pool(2, 2048);
    dev.rte_pool = small;
    for (int i = 0; i < 5; i++) {
        add(i, true, 0);
    }
    prepare(0);
    EF_CHECK_EQ(n_sent, 2);
    check_counters(3, 0, 0);
    finish();
    rte_mempool_free(small);
}

EF_TEST(too_long)
{
    EF_REQUIRE(start());
    add(1464, false, 0);        /* 1518 bytes. */
    add(1465, false, 0);
    add(1465, true, 0);
    add(1, false, 0);
    prepare(0);
    EF_REQUIRE_EQ(n_sent, 2);
    check_bytes(sent[0], 1464, 0);
    check_bytes(sent[1], 1, 3 << 20);
    check_counters(0, 2, 0);
    finish();
}

EF_TEST(all_dropped)
{
    EF_REQUIRE(start());
    add(1500, false, 0);
    add(1500, true, 0);
    prepare(0);
    EF_CHECK_EQ(n_calls, 0);
    check_counters(0, 2, 0);
    finish();
}

EF_TEST(checksums_in_software)
{
    EF_REQUIRE(start());
    add(100, false, CSUM);
    add(101, true, CSUM);
    add(102, false, 0);
    prepare(0);
    EF_REQUIRE_EQ(n_sent, 3);
    for (int i = 0; i < 3; i++) {
        check_bytes(sent[i], 100 + i, i << 20);
        EF_CHECK_EQ(sent[i]->ol_flags, 0);
    }
    check_counters(0, 0, 0);
    finish();
}

/* A driver's offloads survive the copy. */
EF_TEST(checksums_in_hardware)
{
    EF_REQUIRE(start());
    add(100, false, CSUM);
    add(101, true, CSUM);
    prepare(RTE_ETH_TX_OFFLOAD_TCP_CKSUM | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM);
    EF_REQUIRE_EQ(n_sent, 2);
    for (int i = 0; i < 2; i++) {
        EF_CHECK_EQ(sent[i]->ol_flags, CSUM | RTE_MBUF_F_TX_IP_CKSUM);
        EF_CHECK_EQ(sent[i]->l2_len, 14);
        EF_CHECK_EQ(sent[i]->l3_len, 20);
    }
    finish();
}

/* Others hold the buffer: its bytes must stay. */
EF_TEST(shared_buffer_is_not_changed)
{
    struct dp_packet *shared;

    EF_REQUIRE(start());
    add(100, false, CSUM);
    shared = batch.packets[0];
    rte_mbuf_refcnt_update(&shared->mbuf, 1);
    prepare(0);
    EF_REQUIRE_EQ(n_sent, 1);
    EF_CHECK(sent[0] != &shared->mbuf);
    check_bytes(sent[0], 100, 0);
    EF_CHECK_EQ(fx_get16((uint8_t *) dp_packet_l4(shared) + 16), 0x5a5a);
    dp_packet_delete(shared);
    finish();
}

/* In order, in pieces, together with others. */
EF_TEST(segmentation)
{
    size_t i;

    EF_REQUIRE(start());
    add(50, false, 0);
    add(64000, true, TSO);      /* 44 segments. */
    add(64000, true, TSO);
    add(60, true, CSUM);
    prepare(0);
    EF_REQUIRE_EQ(n_sent, 90);
    EF_CHECK_EQ(n_calls, 2);
    check_bytes(sent[0], 50, 0);
    for (i = 0; i < 44; i++) {
        const uint8_t *tcp = rte_pktmbuf_mtod_offset(sent[1 + i], uint8_t *,
                                                     34);

        EF_CHECK_EQ(sent[1 + i]->pkt_len, i < 43 ? 1514 : 54 + 64000 % 1460);
        EF_CHECK_EQ(fx_get16(tcp + 4) << 16 | fx_get16(tcp + 6),
                    (1 << 20) + i * 1460);
    }
    check_bytes(sent[89], 60, 3 << 20);
    check_counters(0, 0, 0);
    finish();
}

EF_TEST(segments_without_a_buffer_are_counted)
{
    struct rte_mempool *small;

    EF_REQUIRE(start());
    small = fx_pool(3, 2048);
    dev.rte_pool = small;
    add(14600, true, TSO);      /* 10 segments. */
    prepare(0);
    EF_CHECK_EQ(n_sent, 3);
    check_counters(7, 0, 0);
    finish();
    rte_mempool_free(small);
}

/* A packet longer than a buffer for a driver that segments: memory is
 * attached, and given back. */
EF_TEST(long_copy)
{
    EF_REQUIRE(start());
    add(60000, true, TSO);
    prepare(RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_TCP_CKSUM
            | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM);
    EF_REQUIRE_EQ(n_sent, 1);
    EF_CHECK(sent[0]->ol_flags & RTE_MBUF_F_TX_TCP_SEG);
    EF_CHECK(RTE_MBUF_HAS_EXTBUF(sent[0]));
    EF_CHECK_EQ(sent[0]->tso_segsz, 1460);
    EF_CHECK_EQ(sent[0]->pkt_len, 60054);
    EF_CHECK_EQ(rte_pktmbuf_headroom(sent[0]), RTE_PKTMBUF_HEADROOM);
    check_counters(0, 0, 0);
    finish();
}

EF_TEST(bad_offloads)
{
    EF_REQUIRE(start());
    add(100, false, CSUM);
    batch.packets[0]->l4_ofs = UINT16_MAX;
    add(64000, true, TSO);
    batch.packets[1]->l4_ofs = UINT16_MAX;
    add(7, false, 0);
    prepare(0);
    EF_REQUIRE_EQ(n_sent, 1);
    check_bytes(sent[0], 7, 2 << 20);
    check_counters(0, 0, 2);
    finish();
}

EF_TEST_MUST_FAIL(planted_lost_packet)
{
    EF_REQUIRE(start());
    add(1465, false, 0);
    prepare(0);
    EF_CHECK_EQ(n_sent, 1);
    finish();
}
