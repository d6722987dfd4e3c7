/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of flow/classifier.c, flow/subtable.c and
 * flow/subtable-lookup.c.  Random contents are in the model test. */

#include <config.h>

#include "flow/classifier.h"

#include "dp-packet.h"
#include "ef-test.h"
#include "flow-fixture.h"
#include "flow/subtable.h"

/* Adds a rule for 'nw_dst' under a netmask of 'plen' bits. */
static struct ef_flow *
add_prefix(struct ef_cls *cls, uint32_t nw_dst, int plen)
{
    ovs_u128 ufid = OVS_U128_ZERO;
    struct ef_flow *flow;
    struct match match;
    struct ef_key mask;
    struct flow key;

    fx_flow_init(&key, 1, nw_dst, 80);
    fx_match_init(&match, &key);
    match.wc.masks.nw_dst = be32_prefix_mask(plen);
    ef_key_from_mask(&mask, &match);
    flow = ef_flow_create(&match, &mask, &ufid, NULL, 0, ODPP_NONE, 0);
    ef_cls_insert(cls, &flow->rule, &mask);
    return flow;
}

static void
drop(struct ef_cls *cls, struct ef_flow *flow)
{
    ef_cls_remove(cls, &flow->rule);
    ef_flow_unref(flow);
}

/* Looks up the packet of 'flow'; returns what is found and stores the
 * position of its subtable. */
static struct ef_flow *
lookup_flow(struct ef_cls *cls, const struct flow *flow, int *n_lookups)
{
    const struct ef_key *keyp;
    struct ef_rule *rule;
    struct ef_key key;
    bool all;

    ef_key_from_flow(&key, flow);
    keyp = &key;
    *n_lookups = 0;
    all = ef_cls_lookup(cls, &keyp, &rule, 1, n_lookups);
    EF_CHECK_EQ(all, rule != NULL);
    return ef_flow_from_rule(rule);
}

static struct ef_flow *
lookup(struct ef_cls *cls, uint32_t nw_dst, int *n_lookups)
{
    struct flow flow;

    fx_flow_init(&flow, 1, nw_dst, 80);
    return lookup_flow(cls, &flow, n_lookups);
}

EF_TEST(empty_classifier_finds_nothing)
{
    struct ef_cls cls;
    int n_lookups;

    ef_cls_init(&cls, u32_to_odp(1));
    EF_CHECK(ef_cls_is_empty(&cls));
    EF_CHECK(!lookup(&cls, 0x0a000001, &n_lookups));
    EF_CHECK_EQ(n_lookups, 0);
    ef_cls_sort(&cls);
    ef_cls_destroy(&cls);
    ef_cls_destroy(NULL);
}

EF_TEST(prefixes)
{
    struct ef_flow *net, *host;
    struct ef_cls cls;
    int n_lookups;

    ef_cls_init(&cls, u32_to_odp(1));
    net = add_prefix(&cls, 0x0a000000, 24);
    host = add_prefix(&cls, 0x0b000001, 32);
    EF_CHECK_EQ(cmap_count(&cls.subtables), 2);
    EF_CHECK(lookup(&cls, 0x0a000042, &n_lookups) == net);
    EF_CHECK_EQ(n_lookups, 1);
    EF_CHECK(lookup(&cls, 0x0b000001, &n_lookups) == host);
    EF_CHECK_EQ(n_lookups, 2);
    EF_CHECK(!lookup(&cls, 0x0b000002, &n_lookups));
    EF_CHECK_EQ(n_lookups, 0);      /* Misses do not count. */
    drop(&cls, net);
    EF_CHECK_EQ(cmap_count(&cls.subtables), 1);
    EF_CHECK(!lookup(&cls, 0x0a000042, &n_lookups));
    EF_CHECK(lookup(&cls, 0x0b000001, &n_lookups) == host);
    EF_CHECK_EQ(n_lookups, 1);
    drop(&cls, host);
    EF_CHECK(ef_cls_is_empty(&cls));
    ef_cls_destroy(&cls);
}

EF_TEST(rules_of_a_subtable_share_its_mask)
{
    struct ef_flow *a, *b;
    struct ef_cls cls;

    ef_cls_init(&cls, u32_to_odp(1));
    a = add_prefix(&cls, 0x0a000000, 24);
    b = add_prefix(&cls, 0x0a000100, 24);
    EF_CHECK(a->rule.mask == b->rule.mask);
    EF_CHECK_EQ(cmap_count(&cls.subtables), 1);
    drop(&cls, a);
    EF_CHECK_EQ(cmap_count(&cls.subtables), 1);
    drop(&cls, b);
    EF_CHECK_EQ(cmap_count(&cls.subtables), 0);
    ef_cls_destroy(&cls);
}

/* Subtables with more hits since the last sort come first; without hits they
 * stay where they are, and nothing is published. */
EF_TEST(sort_by_hits)
{
    struct ef_flow *flows[3];
    struct ef_cls_order *order;
    struct ef_cls cls;
    int n_lookups;

    ef_cls_init(&cls, u32_to_odp(1));
    for (int i = 0; i < 3; i++) {
        flows[i] = add_prefix(&cls, 0x0a000000 + (i << 24), 8 + i);
    }
    for (int i = 0; i < 3; i++) {
        lookup(&cls, 0x0c000000, &n_lookups);
        EF_CHECK_EQ(n_lookups, 3);
    }
    lookup(&cls, 0x0b000000, &n_lookups);
    EF_CHECK_EQ(n_lookups, 2);

    ef_cls_sort(&cls);
    lookup(&cls, 0x0c000000, &n_lookups);
    EF_CHECK_EQ(n_lookups, 1);
    lookup(&cls, 0x0b000000, &n_lookups);
    EF_CHECK_EQ(n_lookups, 2);
    lookup(&cls, 0x0a000000, &n_lookups);
    EF_CHECK_EQ(n_lookups, 3);

    order = ovsrcu_get(struct ef_cls_order *, &cls.order);
    ef_cls_sort(&cls);
    ef_cls_sort(&cls);
    EF_CHECK(order == ovsrcu_get(struct ef_cls_order *, &cls.order));

    /* Hits of an earlier interval are forgotten. */
    lookup(&cls, 0x0a000000, &n_lookups);
    ef_cls_sort(&cls);
    lookup(&cls, 0x0a000000, &n_lookups);
    EF_CHECK_EQ(n_lookups, 1);
    for (int i = 0; i < 3; i++) {
        drop(&cls, flows[i]);
    }
    ef_cls_destroy(&cls);
}

/* A full batch: hits, misses and packets of another shape side by side. */
EF_TEST(batch)
{
    const struct ef_key *keyps[NETDEV_MAX_BURST];
    static struct ef_key keys[NETDEV_MAX_BURST];
    struct ef_rule *rules[NETDEV_MAX_BURST];
    struct ef_flow *flows[NETDEV_MAX_BURST];
    struct ef_cls cls;
    int n_lookups = 100;

    ef_cls_init(&cls, u32_to_odp(1));
    for (int i = 0; i < NETDEV_MAX_BURST; i++) {
        struct flow flow;

        flows[i] = i % 3 ? add_prefix(&cls, 0x0a000000 + i, 32) : NULL;
        fx_flow_init(&flow, 1, 0x0a000000 + i, 80);
        if (i & 1) {
            flow.vlans[0].tci = htons(VLAN_CFI | i);
            flow.dl_src = eth_addr_zero;
        }
        ef_key_from_flow(&keys[i], &flow);
        keyps[i] = &keys[i];
        rules[i] = ALIGNED_CAST(struct ef_rule *, &cls);
    }
    EF_CHECK(!ef_cls_lookup(&cls, keyps, rules, NETDEV_MAX_BURST,
                            &n_lookups));
    EF_CHECK_EQ(n_lookups, 100 + 21);   /* Added to what was there. */
    for (int i = 0; i < NETDEV_MAX_BURST; i++) {
        EF_CHECK(ef_flow_from_rule(rules[i]) == flows[i]);
    }
    EF_CHECK(ef_cls_lookup(&cls, keyps + 1, rules, 2, NULL));
    for (int i = 0; i < NETDEV_MAX_BURST; i++) {
        if (flows[i]) {
            drop(&cls, flows[i]);
        }
    }
    ef_cls_destroy(&cls);
}

/* A rule that asks for no tag: packets without the word match zero. */
EF_TEST(absent_words_are_zero)
{
    ovs_u128 ufid = OVS_U128_ZERO;
    struct ef_flow *megaflow;
    struct ef_key mask, key;
    struct match match;
    struct ef_cls cls;
    struct flow flow;
    int n_lookups;

    ef_cls_init(&cls, u32_to_odp(1));
    fx_flow_init(&flow, 1, 0x0a000000, 80);
    fx_match_init(&match, &flow);
    WC_MASK_FIELD(&match.wc, vlans);
    ef_key_from_mask(&mask, &match);
    megaflow = ef_flow_create(&match, &mask, &ufid, NULL, 0, ODPP_NONE, 0);
    ef_cls_insert(&cls, &megaflow->rule, &mask);

    EF_CHECK(lookup_flow(&cls, &flow, &n_lookups) == megaflow);
    ef_key_from_flow(&key, &flow);
    EF_CHECK(ef_rule_matches(&megaflow->rule, &key));
    flow.vlans[0].tci = htons(VLAN_CFI);
    EF_CHECK(!lookup_flow(&cls, &flow, &n_lookups));
    ef_key_from_flow(&key, &flow);
    EF_CHECK(!ef_rule_matches(&megaflow->rule, &key));
    drop(&cls, megaflow);
    ef_cls_destroy(&cls);
}

/* Two rules of a subtable with one hash: the words decide.  Hashes cannot be
 * made to collide from outside, so this one is forged. */
EF_TEST(hash_collision)
{
    struct ef_flow *a, *b;
    struct ef_cls cls;
    int n_lookups;

    ef_cls_init(&cls, u32_to_odp(1));
    a = add_prefix(&cls, 0x0a000001, 32);
    b = add_prefix(&cls, 0x0a000002, 32);
    cmap_remove(&CONTAINER_OF(a->rule.mask, struct ef_subtable, mask)->rules,
                &a->rule.node, a->rule.key.hash);
    a->rule.key.hash = b->rule.key.hash;
    cmap_insert(&CONTAINER_OF(a->rule.mask, struct ef_subtable, mask)->rules,
                &a->rule.node, a->rule.key.hash);
    EF_CHECK(lookup(&cls, 0x0a000002, &n_lookups) == b);
    drop(&cls, b);
    EF_CHECK(!lookup(&cls, 0x0a000002, &n_lookups));
    drop(&cls, a);
    ef_cls_destroy(&cls);
}

EF_TEST_MUST_FAIL(damaged_rule)
{
    struct ef_flow *flow;
    struct ef_cls cls;
    int n_lookups;

    ef_cls_init(&cls, u32_to_odp(1));
    flow = add_prefix(&cls, 0x0a000001, 32);
    flow->rule.key.buf[0] ^= 1;
    EF_CHECK(lookup(&cls, 0x0a000001, &n_lookups) == flow);
    drop(&cls, flow);
    ef_cls_destroy(&cls);
}
