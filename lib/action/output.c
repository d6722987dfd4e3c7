/* SPDX-License-Identifier: Apache-2.0 */

/* Actions that send packets out: to a port, or to a bond, which is a port
 * for each hash of a packet.
 *
 * Called by execute.c on the thread that owns the instance.  Packets wait in
 * the batches of output/tx-port.h and are sent by the instance's loop. */

#include <config.h>

#include "action/handlers.h"

#include "action/execute.h"
#include "core/counter.h"
#include "dp-packet.h"
#include "output/bond.h"
#include "output/tx-port.h"
#include "stats/drop.h"
#include "util.h"

/* What a packet adds to the statistics of a bond. */
struct bond_share {
    struct ef_bond_bucket *bucket;
    uint32_t n_bytes;
};

BUILD_ASSERT_DECL(IS_POW2(EF_BOND_BUCKETS));

static bool output_own(struct ef_act *, struct dp_packet_batch *, odp_port_t);
static void bond_output(struct ef_act *, struct ef_bond *,
                        struct dp_packet_batch *);

/* As ef_act_take_truncated(); copies are measured as their originals are. */
static inline struct dp_packet_batch *
take(struct ef_act *act, struct dp_packet_batch *batch, bool steal,
     struct dp_packet_batch *copies)
{
    struct dp_packet_batch *taken = ef_act_take_truncated(batch, steal,
                                                          copies);

    if (!steal) {
        ef_latency_copied(&act->output->latency, taken, batch);
    }
    return taken;
}

void
ef_act_output(struct ef_act *act, struct dp_packet_batch *batch,
              odp_port_t port_no, bool steal)
{
    struct dp_packet_batch copies;

    output_own(act, take(act, batch, steal, &copies), port_no);
}

void
ef_act_lb_output(struct ef_act *act, struct dp_packet_batch *batch,
                 uint32_t bond_id, bool steal)
{
    struct ef_bond *bond = ef_bond_find(act->bonds, bond_id);
    struct dp_packet_batch copies;

    if (!bond) {
        ef_act_refuse(EF_DROP_INVALID_BOND, batch, steal);
        return;
    }
    bond_output(act, bond, take(act, batch, steal, &copies));
}

/* Takes the packets.  Returns whether they are on their way. */
static bool
output_own(struct ef_act *act, struct dp_packet_batch *batch,
           odp_port_t port_no)
{
    if (OVS_UNLIKELY(!ef_output_packets(act->output, batch, port_no,
                                        act->rxq, act->now_us))) {
        ef_drop_batch(EF_DROP_INVALID_PORT, batch, true);
        return false;
    }
    return true;
}

/* Splits off the packets of 'batch' that go to the same member as the first
 * one, in order, into 'out'.  'shares' and 'out_shares' have an element for
 * each packet of the batch beside them.  Returns the member. */
static odp_port_t
split_member(struct dp_packet_batch *batch, struct bond_share shares[],
             struct dp_packet_batch *out, struct bond_share out_shares[])
{
    odp_port_t member = shares[0].bucket->member;
    size_t n = dp_packet_batch_size(batch);
    size_t n_left = 0;

    dp_packet_batch_init(out);
    for (size_t i = 0; i < n; i++) {
        if (shares[i].bucket->member == member) {
            out_shares[dp_packet_batch_size(out)] = shares[i];
            dp_packet_batch_add(out, batch->packets[i]);
        } else {
            shares[n_left] = shares[i];
            batch->packets[n_left++] = batch->packets[i];
        }
    }
    batch->count = n_left;
    return member;
}

/* Takes the packets.  They are weighed before they are handed over: what was
 * sent is not ours to look at. */
static void
bond_output(struct ef_act *act, struct ef_bond *bond,
            struct dp_packet_batch *batch)
{
    struct bond_share shares[NETDEV_MAX_BURST];
    struct dp_packet *packet;

    DP_PACKET_BATCH_FOR_EACH (i, packet, batch) {
        uint32_t hash = dp_packet_get_rss_hash(packet);

        shares[i].bucket = &bond->buckets[hash & (EF_BOND_BUCKETS - 1)];
        shares[i].n_bytes = dp_packet_size(packet);
    }

    while (!dp_packet_batch_is_empty(batch)) {
        struct bond_share sent[NETDEV_MAX_BURST];
        struct dp_packet_batch out;
        odp_port_t member = split_member(batch, shares, &out, sent);
        size_t n = dp_packet_batch_size(&out);

        if (output_own(act, &out, member)) {
            for (size_t i = 0; i < n; i++) {
                ef_counter_add(&sent[i].bucket->n_packets, 1);
                ef_counter_add(&sent[i].bucket->n_bytes, sent[i].n_bytes);
            }
        }
    }
}
