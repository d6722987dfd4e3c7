/* SPDX-License-Identifier: Apache-2.0 */

/* Hardware marks: which megaflow has which, and which flows belong to it.
 *
 * Offload threads write, each its own table; PMDs look up the mark of a
 * packet in all of them. */

#include <config.h>

#include "flow/offload-mark.h"

#include "hash.h"
#include "id-fpool.h"
#include "util.h"

/* A megaflow that is in hardware. */
struct marked {
    struct hmap_node node;      /* In 'megaflows'. */
    ovs_u128 mega_ufid;
    uint32_t mark;
    unsigned n_flows;           /* Flows with this mark; never 0. */
};

void
ef_mark_table_init(struct ef_mark_table *table, struct id_fpool *pool,
                   unsigned pool_user)
{
    table->pool = pool;
    table->pool_user = pool_user;
    hmap_init(&table->megaflows);
    cmap_init(&table->flows);
}

void
ef_mark_table_destroy(struct ef_mark_table *table)
{
    if (table) {
        ovs_assert(hmap_is_empty(&table->megaflows));
        hmap_destroy(&table->megaflows);
        cmap_destroy(&table->flows);
    }
}

static struct marked *
find_marked(const struct ef_mark_table *table, const ovs_u128 *mega_ufid)
{
    struct marked *m;

    HMAP_FOR_EACH_WITH_HASH (m, node, ef_flow_hash(mega_ufid),
                             &table->megaflows) {
        if (ovs_u128_equals(m->mega_ufid, *mega_ufid)) {
            return m;
        }
    }
    return NULL;
}

uint32_t
ef_mark_find(const struct ef_mark_table *table, const ovs_u128 *mega_ufid)
{
    const struct marked *m = find_marked(table, mega_ufid);

    return m ? m->mark : EF_MARK_NONE;
}

uint32_t
ef_mark_alloc(struct ef_mark_table *table)
{
    uint32_t mark;

    return (id_fpool_new_id(table->pool, table->pool_user, &mark)
            ? mark : EF_MARK_NONE);
}

void
ef_mark_free(struct ef_mark_table *table, uint32_t mark)
{
    id_fpool_free_id(table->pool, table->pool_user, mark);
}

void
ef_mark_attach(struct ef_mark_table *table, struct ef_flow *flow,
               uint32_t mark)
{
    struct marked *m = find_marked(table, &flow->mega_ufid);

    ovs_assert(mark != EF_MARK_NONE && ef_flow_mark(flow) == EF_MARK_NONE);
    if (!m) {
        m = xmalloc(sizeof *m);
        m->mega_ufid = flow->mega_ufid;
        m->mark = mark;
        m->n_flows = 0;
        hmap_insert(&table->megaflows, &m->node,
                    ef_flow_hash(&m->mega_ufid));
    }
    ovs_assert(m->mark == mark);
    m->n_flows++;

    ovs_refcount_ref(&flow->ref_cnt);
    /* cmap_insert() publishes the flow with release semantics: whoever finds
     * it there also sees its mark. */
    atomic_store_relaxed(&flow->hw.mark, mark);
    cmap_insert(&table->flows, &flow->mark_node, hash_int(mark, 0));
}

uint32_t
ef_mark_detach(struct ef_mark_table *table, struct ef_flow *flow)
{
    struct marked *m = find_marked(table, &flow->mega_ufid);
    uint32_t mark = ef_flow_mark(flow);
    bool last;

    ovs_assert(m && m->mark == mark);
    cmap_remove(&table->flows, &flow->mark_node, hash_int(mark, 0));
    atomic_store_relaxed(&flow->hw.mark, EF_MARK_NONE);
    ef_flow_unref(flow);

    last = !--m->n_flows;
    if (last) {
        hmap_remove(&table->megaflows, &m->node);
        free(m);
    }
    return last ? mark : EF_MARK_NONE;
}

struct ef_flow *
ef_mark_lookup(const struct ef_mark_table *table, uint32_t mark,
               unsigned core_id)
{
    struct ef_flow *flow;

    CMAP_FOR_EACH_WITH_HASH (flow, mark_node, hash_int(mark, 0),
                             &table->flows) {
        if (ef_flow_mark(flow) == mark && flow->core_id == core_id
            && !ef_flow_is_dead(flow)) {
            return flow;
        }
    }
    return NULL;
}
