/* SPDX-License-Identifier: Apache-2.0 */

/* Changes of an instance's flows with what belongs to them: requests to the
 * offload threads and the debug log.  Called on a miss (pmd/miss.c) and for
 * ofproto's requests (dpif/flow-ops.c), by any thread, with the mutex of the
 * flow table held. */

#include <config.h>

#include "pmd/pmd.h"

#include "flow/flow-nlattr.h"
#include "openvswitch/match.h"
#include "timeval.h"

struct ef_flow *
ef_pmd_flow_add(struct ef_pmd *pmd, const struct match *match,
                const ovs_u128 *ufid, const struct nlattr *actions,
                size_t actions_len, odp_port_t orig_in_port)
{
    struct ef_flow *flow;

    flow = ef_flow_table_insert(&pmd->flows, match, ufid, actions,
                                actions_len, orig_in_port, pmd->core_id);
    ef_offload_flow_put(&pmd->env->offload, flow, match, actions, actions_len,
                        false, time_usec());
    ef_flow_log_change(flow, match, NULL, actions, actions_len);
    return flow;
}

void
ef_pmd_flow_modify(struct ef_pmd *pmd, struct ef_flow *flow,
                   const struct match *match, const struct nlattr *actions,
                   size_t actions_len)
{
    /* Stays readable until we are quiescent. */
    const struct ef_flow_actions *old = ef_flow_get_actions(flow);

    ef_flow_set_actions(flow, actions, actions_len);
    ef_offload_flow_put(&pmd->env->offload, flow, match, actions, actions_len,
                        true, time_usec());
    ef_flow_log_change(flow, match, old, actions, actions_len);
}

void
ef_pmd_flow_remove(struct ef_pmd *pmd, struct ef_flow *flow)
{
    ef_offload_flow_del(&pmd->env->offload, flow, time_usec());
    ef_flow_table_remove(&pmd->flows, flow);
}

void
ef_pmd_flow_flush(struct ef_pmd *pmd)
{
    struct ef_flow *flow;

    ovs_mutex_lock(&pmd->flows.mutex);
    CMAP_FOR_EACH (flow, node, &pmd->flows.flows) {
        ef_pmd_flow_remove(pmd, flow);
    }
    ovs_mutex_unlock(&pmd->flows.mutex);
}
