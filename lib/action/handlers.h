/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_ACTION_HANDLERS_H
#define EF_ACTION_HANDLERS_H 1

/* Between the files of this folder: what execute.c calls for each action that
 * concerns the data path.
 *
 * Ownership is the same for all of them.  With 'steal' the action is the last
 * one and consumes the packets.  Otherwise the packets stay in 'batch' for
 * the actions that follow, except for those that the action itself has to
 * drop, which leave it.  A batch is never empty when a handler is called.
 *
 * OVS_ACTION_ATTR_TRUNC only notes a length, in 'batch->trunc' and in each
 * packet; the next action that sends packets somewhere obeys the note and
 * deletes it, whether or not it was successful.
 *
 * Threads: the instance that owns the context. */

#include <stdbool.h>
#include <stdint.h>

#include "dp-packet.h"
#include "openvswitch/types.h"
#include "stats/drop.h"

struct ef_act;
struct flow;
struct nlattr;
struct ovs_action_push_tnl;

void ef_act_output(struct ef_act *, struct dp_packet_batch *batch,
                   odp_port_t port_no, bool steal);
void ef_act_lb_output(struct ef_act *, struct dp_packet_batch *batch,
                      uint32_t bond_id, bool steal);

void ef_act_tunnel_push(struct ef_act *, struct dp_packet_batch *batch,
                        const struct ovs_action_push_tnl *, bool steal);
void ef_act_tunnel_pop(struct ef_act *, struct dp_packet_batch *batch,
                       odp_port_t tnl_port_no, bool steal);

void ef_act_userspace(struct ef_act *, struct dp_packet_batch *batch,
                      const struct nlattr *action, bool steal);

void ef_act_recirc(struct ef_act *, struct dp_packet_batch *batch,
                   uint32_t recirc_id, bool steal);
/* Sends packets that the caller owns through the tables once more, at the
 * next depth.  The caller has checked ef_act_may_recirculate(). */
void ef_act_recirculate(struct ef_act *, struct dp_packet_batch *batch);
bool ef_act_may_recirculate(const struct ef_act *);

/* 'flow' is the flow of the packets. */
void ef_act_ct(struct ef_act *, struct dp_packet_batch *batch,
               const struct flow *flow, const struct nlattr *action,
               bool steal);

/* Returns the packets of 'batch' for the caller to consume: 'batch' itself
 * with 'steal', otherwise copies in '*copies'. */
static inline struct dp_packet_batch *
ef_act_take(struct dp_packet_batch *batch, bool steal,
            struct dp_packet_batch *copies)
{
    if (steal) {
        return batch;
    }
    dp_packet_batch_clone(copies, batch);
    return copies;
}

/* Same, and truncates what it returns if that was asked for. */
static inline struct dp_packet_batch *
ef_act_take_truncated(struct dp_packet_batch *batch, bool steal,
                      struct dp_packet_batch *copies)
{
    struct dp_packet_batch *taken = ef_act_take(batch, steal, copies);

    if (OVS_UNLIKELY(taken->trunc)) {
        dp_packet_batch_apply_cutlen(taken);
        if (!steal) {
            dp_packet_batch_reset_cutlen(batch);
        }
    }
    return taken;
}

/* Ends an action that cannot be done: counts a drop for each packet.  What was
 * asked for concerned this action only, so the next one gets whole packets. */
static inline void
ef_act_refuse(enum ef_drop_reason reason, struct dp_packet_batch *batch,
              bool steal)
{
    if (!steal) {
        dp_packet_batch_reset_cutlen(batch);
    }
    ef_drop_batch(reason, batch, steal);
}

/* Ends an action that leaves its packets alone.  With 'steal' nothing follows
 * that could want them: they end where the flow says, which is not a drop. */
static inline void
ef_act_finish(struct dp_packet_batch *batch, bool steal)
{
    dp_packet_delete_batch(batch, steal);
}

#endif /* action/handlers.h */
