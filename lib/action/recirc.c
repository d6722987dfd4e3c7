/* SPDX-License-Identifier: Apache-2.0 */

/* Sends packets through the tables again, a limited number of times.
 *
 * Called by execute.c and tunnel.c on the thread that owns the instance.  The
 * depth is the instance's: ofproto, called back by an upcall, may execute
 * actions on the same instance, and these count on. */

#include <config.h>

#include "action/handlers.h"

#include "action/execute.h"
#include "core/log.h"
#include "dp-packet.h"
#include "stats/drop.h"

/* A loop in the tables says so for every packet that gets caught in it. */
static struct vlog_rate_limit depth_rl = VLOG_RATE_LIMIT_INIT(60, 60);

void
ef_act_recirc(struct ef_act *act, struct dp_packet_batch *batch,
              uint32_t recirc_id, bool steal)
{
    struct dp_packet_batch copies;
    struct dp_packet *packet;

    if (OVS_UNLIKELY(!ef_act_may_recirculate(act))) {
        /* Unlike ef_act_refuse(), leaves truncation for the next action, as
         * recirculation itself does not send packets anywhere. */
        ef_drop_batch(EF_DROP_RECIRC_ERROR, batch, steal);
        VLOG_WARN_RL(&depth_rl,
                     "Packet dropped. Max recirculation depth exceeded.");
        return;
    }

    batch = ef_act_take(batch, steal, &copies);
    DP_PACKET_BATCH_FOR_EACH (i, packet, batch) {
        packet->md.recirc_id = recirc_id;
    }
    ef_act_recirculate(act, batch);
}

bool
ef_act_may_recirculate(const struct ef_act *act)
{
    return act->depth < EF_RECIRC_DEPTH_MAX;
}

void
ef_act_recirculate(struct ef_act *act, struct dp_packet_batch *batch)
{
    act->depth++;
    act->recirculate(act, batch);
    act->depth--;
}
