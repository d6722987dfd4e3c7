/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of flow/flow-table.c: the ways to find a flow, the counts, and
 * the life of flows and classifiers. */

#include <config.h>

#include "flow/flow-table.h"

#include "ef-test.h"
#include "flow-fixture.h"

static struct ef_flow *
insert(struct ef_flow_table *table, uint32_t in_port, uint32_t nw_dst)
{
    struct match match;
    struct flow flow;

    fx_flow_init(&flow, in_port, nw_dst, 80);
    fx_match_init(&match, &flow);
    WC_MASK_FIELD(&match.wc, nw_dst);
    return fx_insert(table, &match);
}

static struct ef_flow *
lookup(struct ef_flow_table *table, uint32_t in_port, uint32_t nw_dst)
{
    struct ef_key key;
    struct flow flow;

    fx_flow_init(&flow, in_port, nw_dst, 1234);
    ef_key_from_flow(&key, &flow);
    return ef_flow_table_lookup(table, &key, NULL);
}

EF_TEST(find_by_key_and_by_ufid)
{
    struct ef_flow_table table;
    struct ef_flow *a, *b;
    ovs_u128 ufid;

    ef_flow_table_init(&table);
    a = insert(&table, 1, 10);
    b = insert(&table, 2, 10);
    EF_CHECK_EQ(ef_flow_table_count(&table), 2);
    EF_CHECK(lookup(&table, 1, 10) == a);
    EF_CHECK(lookup(&table, 2, 10) == b);
    EF_CHECK(!lookup(&table, 1, 11));
    EF_CHECK(!lookup(&table, 3, 10));
    EF_CHECK(ef_flow_table_find(&table, &a->ufid) == a);
    EF_CHECK(ef_flow_table_find(&table, &b->ufid) == b);
    ufid = a->ufid;
    ufid.u64.hi ^= 1;           /* Same hash. */
    EF_CHECK(!ef_flow_table_find(&table, &ufid));
    ef_flow_table_destroy(&table);
    ef_flow_table_destroy(NULL);
}

EF_TEST(contents_of_a_flow)
{
    const uint32_t actions[] = { 0x00010008, 5 };
    struct ef_flow_table table;
    struct flow key, masked;
    struct ef_flow *flow;
    struct match match;
    ovs_u128 ufid = { .u64 = { .lo = 1, .hi = 2 } };
    ovs_u128 mega;

    ef_flow_table_init(&table);
    fx_flow_init(&key, 1, 10, 80);
    fx_match_init(&match, &key);
    WC_MASK_FIELD(&match.wc, nw_dst);
    ovs_mutex_lock(&table.mutex);
    flow = ef_flow_table_insert(&table, &match, &ufid,
                                (const struct nlattr *) actions,
                                sizeof actions, u32_to_odp(9), 3);
    ovs_mutex_unlock(&table.mutex);

    EF_CHECK_EQ(odp_to_u32(flow->in_port), 1);
    EF_CHECK_EQ(odp_to_u32(flow->orig_in_port), 9);
    EF_CHECK_EQ(flow->core_id, 3);
    EF_CHECK_EQ(ef_flow_get_actions(flow)->size, sizeof actions);
    EF_CHECK(flow_equal(&flow->flow, &key));
    EF_CHECK(ovs_u128_equals(flow->ufid, ufid));
    EF_CHECK(!ef_flow_is_dead(flow));

    memset(&masked, 0, sizeof masked);
    masked.in_port = key.in_port;
    masked.dl_type = key.dl_type;
    masked.nw_dst = key.nw_dst;
    odp_flow_key_hash(&masked, sizeof masked, &mega);
    EF_CHECK(ovs_u128_equals(flow->mega_ufid, mega));

    /* recirc_id, packet_type, dl_type; nw_dst. */
    EF_CHECK(!strcmp(flow->extra_info, "miniflow_bits(4,0)")
             || !strcmp(flow->extra_info, "miniflow_bits(3,1)"));
    ef_flow_table_destroy(&table);
}

EF_TEST(removal)
{
    struct ef_flow_table table;
    struct ef_flow *flow;

    ef_flow_table_init(&table);
    flow = insert(&table, 1, 10);
    EF_CHECK(ef_flow_ref(flow));
    fx_remove(&table, flow);
    EF_CHECK(ef_flow_is_dead(flow));
    EF_CHECK_EQ(ovs_refcount_read(&flow->ref_cnt), 1);
    EF_CHECK(!lookup(&table, 1, 10));
    EF_CHECK(!ef_flow_table_find(&table, &flow->ufid));
    EF_CHECK_EQ(ef_flow_table_count(&table), 0);
    EF_CHECK_EQ(ccmap_find(&table.n_flows, 1), 0);
    ef_flow_unref(flow);
    ef_flow_table_destroy(&table);
}

/* Ports that come and go leave nothing behind. */
EF_TEST(classifiers_go_with_their_last_flow)
{
    struct ef_flow_table table;

    ef_flow_table_init(&table);
    for (uint32_t port = 0; port < 100; port++) {
        struct ef_flow *a = insert(&table, port, 10);
        struct ef_flow *b = insert(&table, port, 11);

        EF_CHECK_EQ(ccmap_find(&table.n_flows, port), 2);
        fx_remove(&table, a);
        EF_CHECK(ef_flow_table_cls(&table, u32_to_odp(port)));
        fx_remove(&table, b);
        EF_CHECK(!ef_flow_table_cls(&table, u32_to_odp(port)));
    }
    EF_CHECK(cmap_is_empty(&table.classifiers));
    ef_flow_table_destroy(&table);
}

EF_TEST(destroy_frees_what_is_left)
{
    struct ef_flow_table table;
    struct ef_flow *kept;

    ef_flow_table_init(&table);
    for (int i = 0; i < 1000; i++) {
        insert(&table, i % 7, i);
    }
    kept = lookup(&table, 0, 7);
    EF_CHECK(kept && ef_flow_ref(kept));
    ef_flow_table_destroy(&table);
    EF_CHECK(ef_flow_is_dead(kept));
    ef_flow_unref(kept);
}

EF_TEST(sort_does_not_wait)
{
    struct ef_flow_table table;

    ef_flow_table_init(&table);
    insert(&table, 1, 10);
    EF_CHECK(ef_flow_table_try_sort(&table));
    EF_CHECK(ef_flow_table_try_sort(&table));
    ef_flow_table_destroy(&table);
}

EF_TEST_MUST_FAIL(flow_under_another_ufid)
{
    struct ef_flow_table table;
    struct ef_flow *flow;
    ovs_u128 ufid;

    ef_flow_table_init(&table);
    flow = insert(&table, 1, 10);
    ufid = flow->ufid;
    flow->ufid.u64.hi ^= 1;
    EF_CHECK(ef_flow_table_find(&table, &ufid) == flow);
    ef_flow_table_destroy(&table);
}
