/* SPDX-License-Identifier: Apache-2.0 */

/* Hands packets to ofproto and does with each what it answers.
 *
 * Called by execute.c on the thread that owns the instance.  ofproto may call
 * back into the data path; the actions that it returns may drop the packet
 * or, by way of conntrack's fragments, exchange it. */

#include <config.h>

#include "action/handlers.h"

#include "action/execute.h"
#include "action/upcall.h"
#include "compat/packet-offload.h"
#include "flow.h"
#include "netlink.h"
#include "odp-netlink.h"
#include "odp-util.h"
#include "openvswitch/ofpbuf.h"
#include "stats/drop.h"

/* Answers of this size need no heap. */
#define ACTIONS_STUB_SIZE 512

static void upcall_each(struct ef_act *, struct dp_packet_batch *,
                        const struct nlattr *userdata, bool steal);
static void upcall_one(struct ef_act *, struct dp_packet_batch *one,
                       const struct nlattr *userdata,
                       struct ofpbuf *actions, bool steal);

void
ef_act_userspace(struct ef_act *act, struct dp_packet_batch *batch,
                 const struct nlattr *action, bool steal)
{
    const struct nlattr *userdata;

    if (!ef_upcall_begin(act->upcall)) {
        ef_act_refuse(EF_DROP_LOCK_ERROR, batch, steal);
        return;
    }

    userdata = nl_attr_find_nested(action, OVS_USERSPACE_ATTR_USERDATA);
    if (!batch->trunc) {
        upcall_each(act, batch, userdata, steal);
    } else if (steal) {
        dp_packet_batch_apply_cutlen(batch);
        upcall_each(act, batch, userdata, true);
    } else {
        struct dp_packet_batch copies;

        /* ofproto looks at short copies; what is left of them afterwards has
         * done its duty and is not dropped. */
        ef_act_take_truncated(batch, false, &copies);
        upcall_each(act, &copies, userdata, false);
        dp_packet_delete_batch(&copies, true);
    }
    ef_upcall_end(act->upcall);
}

/* Puts what is left of a packet back among the others.  Only reassembled
 * fragments can make more packets than there were. */
static void
put_back(struct dp_packet_batch *batch, struct dp_packet_batch *one)
{
    struct dp_packet *packet;

    dp_packet_batch_reset_cutlen(one);
    DP_PACKET_BATCH_FOR_EACH (i, packet, one) {
        if (OVS_LIKELY(!dp_packet_batch_is_full(batch))) {
            dp_packet_batch_add(batch, packet);
        } else {
            ef_drop_packet(EF_DROP_USERSPACE_ACTION_ERROR, packet);
        }
    }
}

static void
upcall_each(struct ef_act *act, struct dp_packet_batch *batch,
            const struct nlattr *userdata, bool steal)
{
    uint64_t stub[ACTIONS_STUB_SIZE / sizeof(uint64_t)];
    struct dp_packet_batch todo = *batch;
    struct dp_packet *packet;
    struct ofpbuf actions;

    ofpbuf_use_stub(&actions, stub, sizeof stub);
    dp_packet_batch_init(batch);
    DP_PACKET_BATCH_FOR_EACH (i, packet, &todo) {
        struct dp_packet_batch one;

        dp_packet_batch_init_packet(&one, packet);
        upcall_one(act, &one, userdata, &actions, steal);
        if (!steal) {
            put_back(batch, &one);
        }
    }
    ofpbuf_uninit(&actions);
}

/* 'one' has one packet.  'actions' is a buffer to use. */
static void
upcall_one(struct ef_act *act, struct dp_packet_batch *one,
           const struct nlattr *userdata, struct ofpbuf *actions, bool steal)
{
    struct dp_packet *packet = one->packets[0];
    struct flow flow;
    ovs_u128 ufid;
    int error;

    flow_extract(packet, &flow);
    odp_flow_key_hash(&flow, sizeof flow, &ufid);

    ef_packet_finish(packet);
    ofpbuf_clear(actions);
    error = ef_upcall(act->upcall, act->core_id, packet, &flow, NULL, &ufid,
                      DPIF_UC_ACTION, userdata, actions, NULL);
    if (!error || error == ENOSPC) {
        ef_act_execute(act, one, steal, &flow, actions->data, actions->size);
    } else if (steal) {
        ef_drop_batch(EF_DROP_USERSPACE_ACTION_ERROR, one, true);
    }
}
