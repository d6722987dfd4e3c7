/* SPDX-License-Identifier: Apache-2.0 */
/* Life and statistics of a megaflow.  Flows are made and changed by whoever
 * holds the mutex of the flow table they belong to; statistics are written by
 * the owning instance and read by anybody.  A flow's memory, and that of
 * actions it no longer uses, goes through RCU. */

#include <config.h>

#include "flow/megaflow.h"

#include "core/counter.h"
#include "odp-util.h"
#include "openvswitch/match.h"
#include "util.h"

static struct ef_flow_actions *
flow_actions_create(const struct nlattr *actions, size_t size)
{
    struct ef_flow_actions *copy = xmalloc(sizeof *copy + size);

    copy->size = size;
    if (size) {
        memcpy(copy->actions, actions, size);
    }
    return copy;
}

/* Runs on the RCU thread, or on the PMD that dropped the last reference if it
 * is the one that got to the end of the grace period. */
static void
flow_free(struct ef_flow *flow)
{
    free(ovsrcu_get_protected(struct ef_flow_actions *, &flow->actions));
    free(flow->extra_info);
    free_cacheline(flow);
}

void
ef_flow_unref(struct ef_flow *flow)
{
    /* The grace period orders every use of the flow before it is freed, so
     * the count itself may be relaxed. */
    if (ovs_refcount_unref_relaxed(&flow->ref_cnt) == 1) {
        ovsrcu_postpone(flow_free, flow);
    }
}

void
ef_flow_account(struct ef_flow *flow, unsigned n_packets, unsigned n_bytes,
                uint16_t tcp_flags, long long now_ms)
{
    struct ef_flow_stats *stats = &flow->stats;
    uint16_t seen;

    atomic_store_relaxed(&stats->used_ms, now_ms);
    ef_counter_add(&stats->n_packets, n_packets);
    ef_counter_add(&stats->n_bytes, n_bytes);
    atomic_read_relaxed(&stats->tcp_flags, &seen);
    atomic_store_relaxed(&stats->tcp_flags, seen | tcp_flags);
}

void
ef_flow_read_stats(const struct ef_flow *flow_, struct dpif_flow_stats *dst)
{
    struct ef_flow_stats *stats = &CONST_CAST(struct ef_flow *, flow_)->stats;
    long long used_ms;

    dst->n_packets = ef_counter_get(&stats->n_packets);
    dst->n_bytes = ef_counter_get(&stats->n_bytes);
    atomic_read_relaxed(&stats->used_ms, &used_ms);
    dst->used = used_ms;
    atomic_read_relaxed(&stats->tcp_flags, &dst->tcp_flags);
}

void
ef_flow_set_actions(struct ef_flow *flow, const struct nlattr *actions,
                    size_t size)
{
    struct ef_flow_actions *old;

    old = ovsrcu_get_protected(struct ef_flow_actions *, &flow->actions);
    ovsrcu_set(&flow->actions, flow_actions_create(actions, size));
    ovsrcu_postpone(free, old);
}

/* Stores in '*ufid' the hash of the flow under its wildcards. */
static void
masked_flow_hash(const struct match *match, ovs_u128 *ufid)
{
    struct flow masked;

    for (size_t i = 0; i < FLOW_U64S; i++) {
        *flow_u64_lvalue(&masked, i) = flow_u64_value(&match->flow, i)
                                       & flow_u64_value(&match->wc.masks, i);
    }
    odp_flow_key_hash(&masked, sizeof masked, ufid);
}

/* Lets the operator see how a flow's mask loads the lookup: the number of
 * words in each unit of its map. */
static char *
format_extra_info(const struct ef_key *mask)
{
    return xasprintf("miniflow_bits(%d,%d)",
                     (int) count_1bits(mask->mf.map.bits[0]),
                     (int) count_1bits(mask->mf.map.bits[1]));
}
BUILD_ASSERT_DECL(FLOWMAP_UNITS == 2);

struct ef_flow *
ef_flow_create(const struct match *match, const struct ef_key *mask,
               const ovs_u128 *ufid, const struct nlattr *actions,
               size_t size, odp_port_t orig_in_port, unsigned core_id)
{
    struct ef_flow *flow;

    /* 'mask->len' says how much of the rule's key is needed. */
    flow = xzalloc_cacheline(offsetof(struct ef_flow, rule.key.mf)
                             + mask->len);
    ovsrcu_init(&flow->actions, flow_actions_create(actions, size));
    atomic_init(&flow->dead, false);
    flow->in_port = match->flow.in_port.odp_port;
    ovs_refcount_init(&flow->ref_cnt);
    flow->core_id = core_id;
    flow->orig_in_port = orig_in_port;
    flow->ufid = *ufid;
    masked_flow_hash(match, &flow->mega_ufid);
    flow->extra_info = format_extra_info(mask);
    flow->flow = match->flow;
    ef_key_from_masked_flow(&flow->rule.key, &match->flow, mask);
    return flow;
}
