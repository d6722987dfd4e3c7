/* SPDX-License-Identifier: Apache-2.0 */
/* The flows of one instance.  Insertion and removal by any thread that holds
 * the table's mutex; lookups by the owner without it.  A flow is complete
 * before anybody can find it, is counted before it can be found, and is
 * marked dead after nobody can find it any more. */

#include <config.h>

#include "flow/flow-table.h"

#include "core/log.h"
#include "flow/simple-match.h"
#include "hash.h"
#include "odp-util.h"
#include "openvswitch/match.h"

static uint32_t
port_hash(odp_port_t in_port)
{
    return hash_int(odp_to_u32(in_port), 0);
}

void
ef_flow_table_init(struct ef_flow_table *table)
{
    ovs_mutex_init(&table->mutex);
    cmap_init(&table->flows);
    cmap_init(&table->classifiers);
    cmap_init(&table->simple);
    ccmap_init(&table->n_flows);
    ccmap_init(&table->n_simple);
}

void
ef_flow_table_destroy(struct ef_flow_table *table)
{
    if (table) {
        struct ef_flow *flow;

        ovs_mutex_lock(&table->mutex);
        CMAP_FOR_EACH (flow, node, &table->flows) {
            ef_flow_table_remove(table, flow);
        }
        ovs_mutex_unlock(&table->mutex);

        /* Each classifier went with its last flow. */
        ovs_assert(cmap_is_empty(&table->classifiers));
        cmap_destroy(&table->flows);
        cmap_destroy(&table->classifiers);
        cmap_destroy(&table->simple);
        ccmap_destroy(&table->n_flows);
        ccmap_destroy(&table->n_simple);
        ovs_mutex_destroy(&table->mutex);
    }
}

static struct ef_cls *
cls_find_or_create(struct ef_flow_table *table, odp_port_t in_port)
{
    struct ef_cls *cls = ef_flow_table_cls(table, in_port);

    if (!cls) {
        cls = xzalloc(sizeof *cls);
        ef_cls_init(cls, in_port);
        cmap_insert(&table->classifiers, &cls->node, port_hash(in_port));
    }
    return cls;
}

/* Ports come and go for months: their classifiers must not stay. */
static void
cls_remove_if_empty(struct ef_flow_table *table, struct ef_cls *cls)
{
    if (ef_cls_is_empty(cls)) {
        cmap_remove(&table->classifiers, &cls->node, port_hash(cls->in_port));
        ef_cls_destroy(cls);
        ovsrcu_postpone(free, cls);
    }
}

static void
simple_insert(struct ef_flow_table *table, struct ef_flow *flow)
{
    const struct flow *key = &flow->flow;

    flow->simple_mark = ef_simple_mark(flow->in_port, key->dl_type,
                                       key->nw_frag, key->vlans[0].tci);
    flow->is_simple = true;
    cmap_insert(&table->simple, &flow->simple_node,
                hash_uint64(flow->simple_mark));
    ccmap_inc(&table->n_simple, odp_to_u32(flow->in_port));
    VLOG_DBG("core %u: simple match 0x%016"PRIx64" added", flow->core_id,
             flow->simple_mark);
}

static void
simple_remove(struct ef_flow_table *table, struct ef_flow *flow)
{
    VLOG_DBG("core %u: simple match 0x%016"PRIx64" removed", flow->core_id,
             flow->simple_mark);
    ccmap_dec(&table->n_simple, odp_to_u32(flow->in_port));
    cmap_remove(&table->simple, &flow->simple_node,
                hash_uint64(flow->simple_mark));
}

struct ef_flow *
ef_flow_table_insert(struct ef_flow_table *table, const struct match *match,
                     const ovs_u128 *ufid, const struct nlattr *actions,
                     size_t actions_len, odp_port_t orig_in_port,
                     unsigned core_id)
{
    odp_port_t in_port = match->flow.in_port.odp_port;
    struct ef_flow *flow;
    struct ef_key mask;

    ovs_assert(match->wc.masks.in_port.odp_port == ODPP_NONE);
    ef_key_from_mask(&mask, match);
    ovs_assert(!FLOWMAP_HAS_FIELD(&mask.mf.map, metadata)
               && !FLOWMAP_HAS_FIELD(&mask.mf.map, regs));

    flow = ef_flow_create(match, &mask, ufid, actions, actions_len,
                          orig_in_port, core_id);

    /* Count first: a flow that the simple match cannot find must turn it off
     * before the owner relies on it. */
    ccmap_inc(&table->n_flows, odp_to_u32(in_port));
    if (ef_simple_match_ok(match)) {
        simple_insert(table, flow);
    }

    /* The classifier completes the rule: 'flows', where a hint of the
     * signature match cache leads readers to any rule, comes after it. */
    ef_cls_insert(cls_find_or_create(table, in_port), &flow->rule, &mask);
    cmap_insert(&table->flows, &flow->node, ef_flow_hash(&flow->ufid));
    return flow;
}

void
ef_flow_table_remove(struct ef_flow_table *table, struct ef_flow *flow)
{
    struct ef_cls *cls = ef_flow_table_cls(table, flow->in_port);

    ovs_assert(cls && !ef_flow_is_dead(flow));
    ef_cls_remove(cls, &flow->rule);
    cls_remove_if_empty(table, cls);
    cmap_remove(&table->flows, &flow->node, ef_flow_hash(&flow->ufid));
    if (flow->is_simple) {
        simple_remove(table, flow);
    }
    ccmap_dec(&table->n_flows, odp_to_u32(flow->in_port));
    atomic_store_relaxed(&flow->dead, true);
    ef_flow_unref(flow);
}

bool
ef_flow_table_try_sort(struct ef_flow_table *table)
{
    struct ef_cls *cls;

    if (ovs_mutex_trylock(&table->mutex)) {
        return false;
    }
    CMAP_FOR_EACH (cls, node, &table->classifiers) {
        ef_cls_sort(cls);
    }
    ovs_mutex_unlock(&table->mutex);
    return true;
}

struct ef_flow *
ef_flow_table_find(const struct ef_flow_table *table, const ovs_u128 *ufid)
{
    struct ef_flow *flow;

    CMAP_FOR_EACH_WITH_HASH (flow, node, ef_flow_hash(ufid), &table->flows) {
        if (ovs_u128_equals(flow->ufid, *ufid)) {
            return flow;
        }
    }
    return NULL;
}

struct ef_cls *
ef_flow_table_cls(const struct ef_flow_table *table, odp_port_t in_port)
{
    struct ef_cls *cls;

    CMAP_FOR_EACH_WITH_HASH (cls, node, port_hash(in_port),
                             &table->classifiers) {
        if (cls->in_port == in_port) {
            return cls;
        }
    }
    return NULL;
}

struct ef_flow *
ef_flow_table_lookup(const struct ef_flow_table *table,
                     const struct ef_key *key, int *n_lookups)
{
    odp_port_t in_port = u32_to_odp(MINIFLOW_GET_U32(&key->mf,
                                                     in_port.odp_port));
    struct ef_cls *cls = ef_flow_table_cls(table, in_port);
    struct ef_rule *rule = NULL;

    if (cls) {
        ef_cls_lookup(cls, &key, &rule, 1, n_lookups);
    }
    return ef_flow_from_rule(rule);
}
