/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of dpdk/rx-drain.c, with a device that gives the test's packets
 * and tells how many it has. */

#include <config.h>

#include "dpdk/rx-drain.h"

#include <errno.h>

#include "dpdk-fixture.h"
#include "dpdk/ethdev.h"
#include "ef-test.h"
#include "stats/drop.h"

enum { ROOM = 512, RING = 64, SIZE = 60 };

static struct rte_mempool *pool;
static struct ef_dpdk_rxq_counters counters[2];
static struct ef_ethdev eth;
static struct netdev_rxq *rxq;
static struct dp_packet_batch batch;

/* The ring of the device. */
static struct rte_mbuf *ring[2 * RING];
static unsigned n_ring;
static int status_error;

static uint16_t
give(void *queue OVS_UNUSED, struct rte_mbuf **mbufs, uint16_t n)
{
    n = MIN(n, n_ring);
    memcpy(mbufs, ring, n * sizeof *mbufs);
    n_ring -= n;
    memmove(ring, ring + n, n_ring * sizeof *ring);
    return n;
}

static int
tell(void *queue OVS_UNUSED, uint16_t offset)
{
    return status_error ? status_error
           : offset < n_ring ? RTE_ETH_RX_DESC_DONE : RTE_ETH_RX_DESC_AVAIL;
}

static bool
start(void)
{
    enum { PORT = 3, QUEUE = 1 };
    static void *queues[2] = { ring, ring }, *callbacks[2];
    struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[PORT];

    if (!fx_start()) {
        return false;
    }
    if (!pool) {
        pool = fx_pool(300, ROOM);
    }
    ops->rx_pkt_burst = give;
    ops->rx_descriptor_status = tell;
    ops->rxq.data = queues;
    ops->rxq.clbk = callbacks;
    memset(&eth, 0, sizeof eth);
    memset(counters, 0, sizeof counters);
    eth.port_id = PORT;
    eth.dev.kind = EF_DPDK_ETH;
    eth.dev.up.name = "p0";
    eth.dev.up.netdev_class = &ef_ethdev_class;
    eth.dev.rte_pool = pool;
    eth.dev.rxq_size = RING;
    eth.dev.rxq_counters = counters;
    eth.dev.n_rxqs = 2;
    ovsrcu_init(&eth.dev.policer, NULL);
    if (!rxq) {
        rxq = ef_ethdev_rxq_alloc();
    }
    rxq->netdev = &eth.dev.up;
    rxq->queue_id = QUEUE;
    n_ring = 0;
    status_error = 0;
    memset(&batch, 0x55, sizeof batch);
    return true;
}

static void
finish(void)
{
    while (n_ring) {
        rte_pktmbuf_free(ring[--n_ring]);
    }
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0);
}

/* A frame with the number 'i', which is ARP or of no interest. */
static struct rte_mbuf *
make(uint8_t i, bool is_priority)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
    uint8_t *frame = (uint8_t *) rte_pktmbuf_append(mbuf, SIZE);

    memset(frame, 0, SIZE);
    fx_put16(frame + 12, is_priority ? 0x0806 : 0x88b5);
    frame[20] = i;
    return mbuf;
}

/* 'kinds': 'P' for a frame that must not be lost, others for data. */
static void
fill_ring(const char *kinds)
{
    for (size_t i = 0; kinds[i]; i++) {
        ring[n_ring++] = make(i, kinds[i] == 'P');
    }
}

/* Whether the batch has just these, given by number. */
static void
check_batch(const uint8_t *numbers, size_t n)
{
    EF_REQUIRE_EQ(dp_packet_batch_size(&batch), n);
    for (size_t i = 0; i < n; i++) {
        struct dp_packet *packet = batch.packets[i];
        const uint8_t *frame = dp_packet_data(packet);

        EF_CHECK_EQ(frame[20], numbers[i]);
        EF_CHECK_EQ(dp_packet_size(packet), SIZE);
    }
}

EF_TEST(how_full)
{
    EF_REQUIRE(start());
    EF_CHECK_EQ(ef_rx_is_filled(rxq, 50), 0);
    fill_ring("dddddddddddddddddddddddddddddddd");
    EF_CHECK_EQ(ef_rx_is_filled(rxq, 50), 0);
    fill_ring("d");
    EF_CHECK_EQ(ef_rx_is_filled(rxq, 50), 1);
    EF_CHECK_EQ(ef_rx_is_filled(rxq, 75), 0);
    finish();
}

/* A driver that does not tell, a guest's ring, a device of another class. */
EF_TEST(not_known)
{
    static const struct netdev_class other = { .type = "other" };

    EF_REQUIRE(start());
    fill_ring("ddddddddddddddddddddddddddddddddddd");
    status_error = -ENOTSUP;
    EF_CHECK_EQ(ef_rx_is_filled(rxq, 50), -1);
    status_error = 0;
    eth.dev.kind = EF_DPDK_VHOST_CLIENT;
    EF_CHECK_EQ(ef_rx_is_filled(rxq, 50), -1);
    eth.dev.kind = EF_DPDK_ETH;
    eth.dev.up.netdev_class = &other;
    EF_CHECK_EQ(ef_rx_is_filled(rxq, 50), -1);
    finish();
}

EF_TEST(keeps_what_matters_in_order)
{
    static const uint8_t kept[] = { 2, 3, 7 };
    uint64_t drops = ef_drop_read(EF_DROP_RX_OVERLOAD);
    size_t n;

    EF_REQUIRE(start());
    fill_ring("ddPPdddPd");
    n = ef_rx_drain(rxq, &batch);
    EF_CHECK_EQ(n, 9);
    check_batch(kept, ARRAY_SIZE(kept));
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
        EF_CHECK_EQ(batch.packets[i]->packet_type, htonl(PT_ETH));
    }
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 3);
    EF_CHECK_EQ(ef_counter_get(&counters[1].overload_drops), 6);
    EF_CHECK_EQ(ef_counter_get(&counters[1].priority_packets), 3);
    EF_CHECK_EQ(ef_counter_get(&counters[0].overload_drops), 0);
    EF_CHECK_EQ(ef_drop_read(EF_DROP_RX_OVERLOAD) - drops, 6);
    dp_packet_delete_batch(&batch, true);
    finish();
}

/* A burst at a time; of one kind only; none. */
EF_TEST(bursts)
{
    uint8_t all[NETDEV_MAX_BURST];

    EF_REQUIRE(start());
    for (int i = 0; i < NETDEV_MAX_BURST; i++) {
        all[i] = i;
    }
    fill_ring("PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP");
    fill_ring("ddddddddddddddddddddddddddddddddd");
    EF_CHECK_EQ(ef_rx_drain(rxq, &batch), 32);
    check_batch(all, 32);
    dp_packet_delete_batch(&batch, true);
    EF_CHECK_EQ(ef_rx_drain(rxq, &batch), 32);
    check_batch(all, 0);
    EF_CHECK_EQ(ef_rx_drain(rxq, &batch), 1);
    EF_CHECK_EQ(ef_rx_drain(rxq, &batch), 0);
    EF_CHECK(dp_packet_batch_is_empty(&batch));
    EF_CHECK_EQ(ef_counter_get(&counters[1].overload_drops), 33);
    EF_CHECK_EQ(ef_counter_get(&counters[1].priority_packets), 32);
    finish();
}

/* The header is in the first segment; all of the packet goes or stays. */
EF_TEST(segments)
{
    struct rte_mbuf *tail;

    EF_REQUIRE(start());
    fill_ring("Pd");
    for (int i = 0; i < 2; i++) {
        tail = rte_pktmbuf_alloc(pool);
        rte_pktmbuf_append(tail, 100);
        EF_CHECK_EQ(rte_pktmbuf_chain(ring[i], tail), 0);
    }
    EF_CHECK_EQ(ef_rx_drain(rxq, &batch), 2);
    EF_REQUIRE_EQ(dp_packet_batch_size(&batch), 1);
    EF_CHECK_EQ(dp_packet_size(batch.packets[0]), SIZE + 100);
    EF_CHECK_EQ(batch.packets[0]->mbuf.nb_segs, 1);
    dp_packet_delete_batch(&batch, true);
    finish();
}

static void
fill_batch(const char *kinds)
{
    dp_packet_batch_init(&batch);
    for (size_t i = 0; kinds[i]; i++) {
        struct rte_mbuf *mbuf = make(i, kinds[i] == 'P');

        dp_packet_batch_add(&batch, CONTAINER_OF(mbuf, struct dp_packet,
                                                 mbuf));
    }
}

EF_TEST(priority_first_and_nothing_else_moves)
{
    static const struct {
        const char *kinds;
        uint8_t order[8];
        uint8_t n_priority;
    } rows[] = {
        { "dddddddd", { 0, 1, 2, 3, 4, 5, 6, 7 }, 0 },
        { "PPPPPPPP", { 0, 1, 2, 3, 4, 5, 6, 7 }, 8 },
        { "dPdPdddP", { 1, 3, 7, 0, 2, 4, 5, 6 }, 3 },
        { "dddddddP", { 7, 0, 1, 2, 3, 4, 5, 6 }, 1 },
        { "PddddddP", { 0, 7, 1, 2, 3, 4, 5, 6 }, 2 },
    };
    uint64_t sum = 0;

    EF_REQUIRE(start());
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        fill_batch(rows[i].kinds);
        EF_CHECK_EQ(ef_rx_priority_first(rxq, &batch), rows[i].n_priority);
        check_batch(rows[i].order, 8);
        dp_packet_delete_batch(&batch, true);
        sum += rows[i].n_priority;
        EF_CHECK_EQ(ef_counter_get(&counters[1].priority_packets), sum);
    }
    EF_CHECK_EQ(ef_counter_get(&counters[1].overload_drops), 0);
    finish();
}

EF_TEST(sheds_the_end_of_a_batch)
{
    static const struct {
        uint8_t n_keep, n_left;
    } rows[] = { { 0, 0 }, { 1, 1 }, { 7, 7 }, { 8, 8 }, { 200, 8 } };
    static const uint8_t order[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    uint64_t drops = ef_drop_read(EF_DROP_RX_OVERLOAD), sum = 0;

    EF_REQUIRE(start());
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        fill_batch("dPdPdddP");
        ef_rx_shed(rxq, &batch, rows[i].n_keep);
        check_batch(order, rows[i].n_left);
        EF_CHECK_EQ(rte_mempool_in_use_count(pool), rows[i].n_left);
        dp_packet_delete_batch(&batch, true);
        sum += 8 - rows[i].n_left;
        EF_CHECK_EQ(ef_counter_get(&counters[1].overload_drops), sum);
        EF_CHECK_EQ(ef_drop_read(EF_DROP_RX_OVERLOAD) - drops, sum);
    }
    finish();
}

/* Planted: one frame is missing. */
EF_TEST_MUST_FAIL(one_is_lost)
{
    static const uint8_t kept[] = { 0, 2 };

    EF_REQUIRE(start());
    fill_ring("PdPP");
    ef_rx_drain(rxq, &batch);
    check_batch(kept, 2);
    dp_packet_delete_batch(&batch, true);
    finish();
}
