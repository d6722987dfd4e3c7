/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of action/ct.c with the package's conntrack: fragments that wait
 * for the others are copies.  However many wait, and for however long, no
 * buffer of a DPDK port's pool does. */

#include <config.h>

#include "action/execute.h"

#include "conntrack.h"
#include "dpdk-fixture.h"
#include "ef-test.h"
#include "flow.h"
#include "odp-util.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/vlog.h"

/* Bytes of the datagram in a fragment that is not the last one; conntrack
 * wants 1200 at least with the header. */
#define PART 1304
#define N_LISTS 100

static struct rte_mempool *pool;
static struct conntrack *ct;

static bool
start(void)
{
    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    if (!pool && fx_start()) {
        pool = fx_pool(1024, 2048);
    }
    ct = conntrack_init();
    return pool != NULL;
}

/* Fragment number 'i', in a buffer of the pool. */
static struct dp_packet *
fragment(uint16_t ip_id, int i, bool is_last)
{
    static const struct fx_spec spec = {
        .proto = IPPROTO_UDP, .payload = PART - 8,
    };
    struct dp_packet *packet;
    struct fx_frame frame;
    uint8_t *l3;

    fx_build(&spec, &frame);
    l3 = frame.bytes + frame.l3_ofs;
    fx_put16(l3 + 4, ip_id);
    fx_put16(l3 + 6, (is_last ? 0 : 0x2000) | i * PART / 8);
    fx_put16(l3 + 10, 0);
    fx_put16(l3 + 10, ~fx_sum(l3, 20, 0));
    packet = fx_packet(&spec, &frame, pool);
    pkt_metadata_init(&packet->md, u32_to_odp(1));
    return packet;
}

/* Has ct act on the batch; what it leaves stays in there. */
static void
track(struct dp_packet_batch *batch)
{
    struct ef_act act = { .conntrack = ct, .now_us = time_usec() };
    struct ofpbuf actions;
    struct flow flow;

    memset(&flow, 0, sizeof flow);
    flow.dl_type = htons(ETH_TYPE_IP);
    ofpbuf_init(&actions, 0);
    EF_CHECK_EQ(odp_actions_from_string("ct(zone=1)", NULL, &actions), 0);
    ef_act_execute(&act, batch, false, &flow, actions.data, actions.size);
    ofpbuf_uninit(&actions);
}

static void
track_one(struct dp_packet *packet, struct dp_packet_batch *batch)
{
    dp_packet_batch_init_packet(batch, packet);
    track(batch);
}

EF_TEST(first_fragments_leave_the_pool_alone)
{
    struct dp_packet_batch batch;

    EF_REQUIRE(start());
    for (int i = 0; i < N_LISTS; i++) {
        track_one(fragment(i, 0, false), &batch);
        EF_CHECK_EQ(batch.count, 0);
        EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0u);
    }
    conntrack_destroy(ct);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0u);
}

/* The fragments come out as they went in, but from the heap. */
EF_TEST(complete_datagram_is_of_copies)
{
    struct dp_packet_batch batch;
    struct dp_packet *packet;

    EF_REQUIRE(start());
    track_one(fragment(1, 1, false), &batch);
    EF_CHECK_EQ(batch.count, 0);
    track_one(fragment(1, 2, true), &batch);
    EF_CHECK_EQ(batch.count, 0);
    track_one(fragment(1, 0, false), &batch);
    EF_CHECK_EQ(batch.count, 3);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0u);
    DP_PACKET_BATCH_FOR_EACH (i, packet, &batch) {
        EF_CHECK_EQ(packet->source, DPBUF_MALLOC);
        EF_CHECK_EQ(dp_packet_size(packet), 14 + 20 + PART);
        EF_CHECK_EQ(packet->md.ct_zone, 1);
        EF_CHECK(packet->md.ct_state & CS_TRACKED);
    }
    dp_packet_delete_batch(&batch, true);
    conntrack_destroy(ct);
}

/* Those that conntrack does not keep stay what they are. */
EF_TEST(other_packets_are_not_copied)
{
    struct dp_packet_batch batch;
    struct dp_packet *packets[2];

    EF_REQUIRE(start());
    packets[0] = fragment(1, 0, true);          /* No fragment at all. */
    track_one(packets[0], &batch);
    EF_CHECK(batch.count == 1 && batch.packets[0] == packets[0]);
    dp_packet_delete_batch(&batch, true);

    track_one(fragment(2, 0, false), &batch);
    EF_CHECK_EQ(batch.count, 0);
    packets[1] = fragment(2, 0, false);         /* Twice the same. */
    track_one(packets[1], &batch);
    EF_CHECK(batch.count == 1 && batch.packets[0] == packets[1]);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 1u);
    dp_packet_delete_batch(&batch, true);
    conntrack_destroy(ct);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0u);
}

/* A buffer that somebody keeps is seen. */
EF_TEST_MUST_FAIL(kept_buffer)
{
    struct dp_packet_batch batch;
    struct dp_packet *kept;

    EF_REQUIRE(start());
    kept = fragment(1, 0, false);
    track_one(fragment(2, 0, false), &batch);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0u);
    dp_packet_delete(kept);
    conntrack_destroy(ct);
}
