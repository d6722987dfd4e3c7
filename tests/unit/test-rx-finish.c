/* SPDX-License-Identifier: Apache-2.0 */

/* What becomes of received buffers: packets of several segments become ones
 * of one, a policer drops, and the batch is ready for the data path. */

#include <config.h>

#include "dpdk/rx-finish.h"

#include "dpdk-fixture.h"
#include "dpdk/policer.h"
#include "ef-test.h"

enum { ROOM = 512 };

static struct rte_mempool *pool;
static struct ef_dpdk_rxq_counters counters[2];
static struct ef_dpdk_dev dev;
static struct dp_packet_batch batch;

static bool
start(void)
{
    if (!fx_start()) {
        return false;
    }
    if (!pool) {
        pool = fx_pool(300, ROOM);
    }
    memset(&dev, 0, sizeof dev);
    memset(counters, 0, sizeof counters);
    dev.up.name = "p0";
    dev.rte_pool = pool;
    dev.rxq_counters = counters;
    dev.n_rxqs = 2;
    ovsrcu_init(&dev.policer, NULL);
    memset(&batch, 0x55, sizeof batch);
    return true;
}

static void
finish(void)
{
    dp_packet_delete_batch(&batch, true);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0);
}

static uint8_t
pattern(size_t packet, size_t ofs)
{
    return (packet * 31 + ofs) * 2654435761u >> 11;
}

/* Puts packet 'i' of 'size' bytes, in segments of at most 'seg_size', into
 * the batch, with what a driver would tell of it. */
static void
put(size_t i, size_t size, size_t seg_size)
{
    struct rte_mbuf *head = rte_pktmbuf_alloc(pool), *seg = head;
    struct dp_packet *packet = CONTAINER_OF(head, struct dp_packet, mbuf);

    for (size_t ofs = 0; ofs < size; ) {
        size_t n = MIN(seg_size, size - ofs);
        uint8_t *bytes;

        if (ofs) {
            seg->next = rte_pktmbuf_alloc(pool);
            seg = seg->next;
            ovs_assert(seg);
            head->nb_segs++;
        }
        bytes = rte_pktmbuf_mtod(seg, uint8_t *);
        seg->data_len = n;
        head->pkt_len += n;
        for (size_t j = 0; j < n; j++) {
            bytes[j] = pattern(i, ofs + j);
        }
        ofs += n;
    }
    head->ol_flags |= RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_IP_CKSUM_GOOD;
    head->hash.rss = 1000 + i;
    packet->packet_type = 99;
    packet->cutlen = 99;
    batch.packets[i] = packet;
}

static void
check(size_t i, size_t place, size_t size)
{
    struct dp_packet *packet = batch.packets[place];
    const uint8_t *bytes = dp_packet_data(packet);
    bool same = true;

    EF_CHECK_EQ(packet->source, DPBUF_DPDK);
    EF_CHECK_EQ(packet->mbuf.nb_segs, 1);
    EF_CHECK(!packet->mbuf.next);
    EF_CHECK_EQ(packet->packet_type, htonl(PT_ETH));
    EF_CHECK_EQ(packet->cutlen, 0);
    EF_CHECK_EQ(dp_packet_size(packet), size);
    EF_CHECK_EQ(packet->mbuf.data_len, size);
    EF_CHECK(dp_packet_rss_valid(packet));
    EF_CHECK_EQ(dp_packet_get_rss_hash(packet), 1000 + i);
    EF_CHECK_EQ(packet->mbuf.ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK,
                RTE_MBUF_F_RX_IP_CKSUM_GOOD);
    EF_CHECK(dp_packet_headroom(packet) >= RTE_PKTMBUF_HEADROOM);
    for (size_t j = 0; j < size; j++) {
        same = same && bytes[j] == pattern(i, j);
    }
    EF_CHECK(same);
}

EF_TEST(single_segments)
{
    EF_REQUIRE(start());
    for (int i = 0; i < NETDEV_MAX_BURST; i++) {
        put(i, 60 + i, ROOM);
    }
    ef_rx_finish(&dev, 0, &batch, NETDEV_MAX_BURST);
    EF_REQUIRE_EQ(batch.count, NETDEV_MAX_BURST);
    for (int i = 0; i < NETDEV_MAX_BURST; i++) {
        check(i, i, 60 + i);
    }
    finish();
}

/* Fits the first buffer, fits no buffer, longest that fits. */
EF_TEST(chains)
{
    static const struct {
        size_t size, seg_size;
    } rows[] = {
        { 100, 100 }, { 100, 99 }, { 300, 1 + 300 / 4 }, { ROOM, 200 },
        { ROOM + 1, ROOM }, { 9000, ROOM }, { 20000, ROOM }, { 64, 1 },
    };

    EF_REQUIRE(start());
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        put(i, rows[i].size, rows[i].seg_size);
    }
    ef_rx_finish(&dev, 0, &batch, ARRAY_SIZE(rows));
    EF_REQUIRE_EQ(batch.count, ARRAY_SIZE(rows));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        check(i, i, rows[i].size);
    }
    EF_CHECK_EQ(ef_counter_get(&counters[0].join_drops), 0);
    finish();
}

/* Longer than a packet can be: dropped, counted, the others move up. */
EF_TEST(too_long)
{
    EF_REQUIRE(start());
    put(0, 70, 35);
    put(1, 66000, ROOM);
    put(2, 80, 80);
    ef_rx_finish(&dev, 1, &batch, 3);
    EF_REQUIRE_EQ(batch.count, 2);
    check(0, 0, 70);
    check(2, 1, 80);
    EF_CHECK_EQ(ef_counter_get(&counters[1].join_drops), 1);
    EF_CHECK_EQ(ef_counter_get(&counters[0].join_drops), 0);
    finish();
}

EF_TEST(no_buffer)
{
    struct rte_mempool *empty;

    EF_REQUIRE(start());
    empty = fx_pool(1, ROOM);
    dev.rte_pool = empty;
    put(0, 2000, ROOM);
    put(1, 2000, ROOM);
    ef_rx_finish(&dev, 0, &batch, 2);
    EF_REQUIRE_EQ(batch.count, 1);
    check(0, 0, 2000);
    EF_CHECK_EQ(ef_counter_get(&counters[0].join_drops), 1);
    finish();
    rte_mempool_free(empty);
}

/* Somebody else holds the first segment: it must not grow. */
EF_TEST(shared_head)
{
    struct dp_packet *head;

    EF_REQUIRE(start());
    put(0, 100, 50);
    head = batch.packets[0];
    rte_mbuf_refcnt_update(&head->mbuf, 1);
    ef_rx_finish(&dev, 0, &batch, 1);
    EF_REQUIRE_EQ(batch.count, 1);
    check(0, 0, 100);
    EF_CHECK(batch.packets[0] != head);
    EF_CHECK_EQ(head->mbuf.data_len, 50);
    rte_pktmbuf_free_seg(&head->mbuf);
    finish();
}

EF_TEST(policer)
{
    struct ef_policer *policer;
    uint64_t drops;

    EF_REQUIRE(start());
    policer = ef_policer_create(8, 8);  /* Bursts of 1,000 bytes. */
    EF_REQUIRE(policer);
    ovsrcu_set(&dev.policer, policer);
    for (int i = 0; i < 8; i++) {
        put(i, 314, 300);
    }
    ef_rx_finish(&dev, 0, &batch, 8);
    drops = ef_counter_get(&counters[0].qos_drops);
    EF_CHECK_EQ(batch.count, 3);
    EF_CHECK_EQ(drops, 5);
    EF_CHECK_EQ(ef_counter_get(&counters[0].join_drops), 0);
    check(0, 0, 314);
    finish();
    ovsrcu_set(&dev.policer, NULL);
    ef_policer_destroy(policer);
}

/* Bytes out of order are seen. */
EF_TEST_MUST_FAIL(planted_wrong_order)
{
    EF_REQUIRE(start());
    put(0, 100, 50);
    ((uint8_t *) dp_packet_data(batch.packets[0]))[3] ^= 1;
    ef_rx_finish(&dev, 0, &batch, 1);
    check(0, 0, 100);
    finish();
}
