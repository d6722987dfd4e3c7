/* SPDX-License-Identifier: Apache-2.0 */

/* Sends packets through the package's connection tracker, which fills in
 * their metadata and may translate addresses.  Fragments stay with it until
 * the last one comes, and then come out instead of the packet at hand.
 *
 * Called by execute.c on the thread that owns the instance. */

#include <config.h>

#include "action/handlers.h"

#include "action/ct-parse.h"
#include "action/execute.h"
#include "compat/conntrack-calls.h"

void
ef_act_ct(struct ef_act *act, struct dp_packet_batch *batch,
          const struct flow *flow, const struct nlattr *action, bool steal)
{
    struct ef_ct_params params;

    ef_ct_parse(action, &params);
    ef_conntrack_execute(act->conntrack, batch, flow, params.force,
                         params.commit, params.zone, params.mark,
                         params.labels, params.helper, ef_ct_nat(&params),
                         act->now_us / 1000, params.tp_id);
    ef_act_finish(batch, steal);
}
