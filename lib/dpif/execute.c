/* SPDX-License-Identifier: Apache-2.0 */

/* Executes actions on a packet from ofproto.
 *
 * In a PMD, that is during an upcall, by the PMD's own instance, which is in
 * the middle of a batch then; in any other thread by the instance that has
 * no thread, under its mutex. */

#include <config.h>

#include "dpif/ops.h"

#include "dp-packet.h"
#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "flow.h"
#include "packets.h"
#include "timeval.h"

/* Runs the actions and sends at once what they put out.  'batch' keeps what
 * is left of the packet. */
static void
run(struct ef_pmd *pmd, const struct dpif_execute *execute,
    struct dp_packet_batch *batch)
{
    struct ef_act *act = &pmd->act;
    struct ef_rxq *outer_rxq = act->rxq;
    long long outer_now_us = act->now_us;
    uint32_t outer_depth = act->depth;

    /* The depth counts on: a packet that comes back here again and again from
     * upcalls has to reach the limit. */
    act->rxq = NULL;
    act->now_us = time_usec();
    ef_act_execute(act, batch, false, execute->flow, execute->actions,
                   execute->actions_len);
    ef_output_flush(act->output, act->now_us, true);

    act->rxq = outer_rxq;
    act->now_us = outer_now_us;
    act->depth = outer_depth;
}

/* Hands the caller the packet as the actions left it.  This need not be the
 * one that we put in: conntrack may have exchanged it for a fragment that came
 * from a device. */
static void
give_back(struct dpif_execute *execute, struct dp_packet_batch *batch)
{
    if (dp_packet_batch_size(batch) == 1) {
        struct dp_packet *packet = batch->packets[0];

        if (packet->source == DPBUF_DPDK) {
            packet = dp_packet_clone(packet);
            dp_packet_delete(batch->packets[0]);
            batch->packets[0] = packet;
        }
        dp_packet_swap(execute->packet, packet);
    }

    /* What is left is the caller's old content, or the several fragments of
     * the packet, for which the caller has no room: the actions are done with
     * them, and the caller keeps the packet as it was. */
    dp_packet_delete_batch(batch, true);
}

static struct dp_packet *
clone_with_rss(const struct dpif_execute *execute)
{
    struct dp_packet *packet = dp_packet_clone(execute->packet);

    /* Packets that ofproto made did not pass packet input, which would have
     * seen to it. */
    if (!dp_packet_rss_valid(packet)) {
        dp_packet_set_rss_hash(packet, flow_hash_5tuple(execute->flow, 0));
    }
    return packet;
}

int
ef_dpif_execute(struct dpif *dpif, struct dpif_execute *execute)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    uint32_t size = dp_packet_size(execute->packet);
    struct dp_packet_batch batch;
    struct ef_pmd *pmd;
    bool is_pmd;

    if (size < ETH_HEADER_LEN || size > UINT16_MAX) {
        return EINVAL;
    }
    if (execute->probe) {
        return 0;               /* Nothing may go out. */
    }

    pmd = ef_pmd_self(&dp->env);
    is_pmd = pmd != NULL;
    if (!is_pmd) {
        pmd = ef_datapath_get_pmd(dp, EF_NON_PMD_CORE);
        if (!pmd) {
            return EBUSY;
        }
        ovs_mutex_lock(&dp->env.non_pmd_mutex);
    }

    dp_packet_batch_init_packet(&batch, clone_with_rss(execute));
    run(pmd, execute, &batch);

    if (!is_pmd) {
        ovs_mutex_unlock(&dp->env.non_pmd_mutex);
        ef_pmd_unref(pmd);
    }
    give_back(execute, &batch);
    return 0;
}

void
ef_dpif_operate(struct dpif *dpif, struct dpif_op **ops, size_t n_ops,
                enum dpif_offload_type offload_type OVS_UNUSED)
{
    for (size_t i = 0; i < n_ops; i++) {
        struct dpif_op *op = ops[i];

        switch (op->type) {
        case DPIF_OP_EXECUTE:
            op->error = ef_dpif_execute(dpif, &op->execute);
            break;
        case DPIF_OP_FLOW_DEL:
            op->error = ef_dpif_flow_del(dpif, &op->flow_del);
            break;
        case DPIF_OP_FLOW_GET:
            op->error = ef_dpif_flow_get(dpif, &op->flow_get);
            break;
        case DPIF_OP_FLOW_PUT:
            op->error = ef_dpif_flow_put(dpif, &op->flow_put);
            break;
        }
    }
}
