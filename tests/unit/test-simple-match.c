/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of flow/simple-match.c: which matches are simple, and that the
 * simple match is off for a port that has any other flow. */

#include <config.h>

#include "flow/simple-match.h"

#include "ef-test.h"
#include "flow-fixture.h"

static void
simple_match_init(struct match *match, uint32_t in_port)
{
    struct flow flow;

    fx_flow_init(&flow, in_port, 0x0a000001, 80);
    fx_match_init(match, &flow);
    match->wc.masks.vlans[0].tci = htons(VLAN_VID_MASK | VLAN_CFI);
    match->wc.masks.nw_frag = FLOW_NW_FRAG_MASK;
}

EF_TEST(mark_tells_fields_apart)
{
    const odp_port_t port = u32_to_odp(1);
    uint64_t mark = ef_simple_mark(port, htons(0x0800), 0, 0);

    EF_CHECK(mark != ef_simple_mark(u32_to_odp(2), htons(0x0800), 0, 0));
    EF_CHECK(mark != ef_simple_mark(port, htons(0x86dd), 0, 0));
    EF_CHECK(mark != ef_simple_mark(port, htons(0x0800), 1, 0));
    EF_CHECK(mark != ef_simple_mark(port, htons(0x0800), 2, 0));
    EF_CHECK(mark != ef_simple_mark(port, htons(0x0800), 0, htons(0x1000)));
    EF_CHECK(mark != ef_simple_mark(port, htons(0x0800), 0, htons(0x0001)));
    /* Priority bits do not count. */
    EF_CHECK(mark == ef_simple_mark(port, htons(0x0800), 0, htons(0xe000)));
}

EF_TEST(simple_matches)
{
    struct match match;

    simple_match_init(&match, 1);
    EF_CHECK(ef_simple_match_ok(&match));

    /* Fragments are of no interest for ARP. */
    match.flow.dl_type = htons(ETH_TYPE_ARP);
    match.wc.masks.nw_frag = 0;
    EF_CHECK(ef_simple_match_ok(&match));
}

EF_TEST(matches_that_look_at_more)
{
    struct match match;

    simple_match_init(&match, 1);
    match.wc.masks.nw_tos = 1;
    EF_CHECK(!ef_simple_match_ok(&match));
    simple_match_init(&match, 1);
    match.wc.masks.vlans[0].tci |= htons(0x2000);
    EF_CHECK(!ef_simple_match_ok(&match));
    simple_match_init(&match, 1);
    match.wc.masks.vlans[1].tci = htons(VLAN_CFI);
    EF_CHECK(!ef_simple_match_ok(&match));
    simple_match_init(&match, 1);
    match.flow.recirc_id = 3;
    EF_CHECK(!ef_simple_match_ok(&match));
    simple_match_init(&match, 1);
    match.flow.packet_type = htonl(PT_IPV4);
    EF_CHECK(!ef_simple_match_ok(&match));
}

/* A flow that stands for several marks cannot be found by one. */
EF_TEST(matches_that_look_at_less)
{
    struct match match;

    simple_match_init(&match, 1);
    match.wc.masks.dl_type = 0;
    EF_CHECK(!ef_simple_match_ok(&match));
    simple_match_init(&match, 1);
    match.wc.masks.nw_frag = FLOW_NW_FRAG_ANY;
    EF_CHECK(!ef_simple_match_ok(&match));
    simple_match_init(&match, 1);
    match.wc.masks.vlans[0].tci = htons(VLAN_CFI);
    EF_CHECK(!ef_simple_match_ok(&match));
}

EF_TEST(table_answers_by_mark)
{
    const odp_port_t port = u32_to_odp(1);
    struct ef_flow_table table;
    struct ef_flow *simple, *other;
    struct match match;

    ef_flow_table_init(&table);
    EF_CHECK(ef_simple_match_enabled(&table, port)); /* No flow, no matter. */
    simple_match_init(&match, 1);
    simple = fx_insert(&table, &match);
    EF_CHECK(simple->is_simple);
    EF_CHECK(ef_simple_match_enabled(&table, port));
    EF_CHECK(ef_simple_match_lookup(&table, port, htons(ETH_TYPE_IP), 0, 0)
             == simple);
    EF_CHECK(!ef_simple_match_lookup(&table, port, htons(ETH_TYPE_IP), 1, 0));
    EF_CHECK(!ef_simple_match_lookup(&table, u32_to_odp(2),
                                     htons(ETH_TYPE_IP), 0, 0));

    /* One flow of the other kind turns it off, for its port. */
    match.flow.dl_type = htons(ETH_TYPE_ARP);
    WC_MASK_FIELD(&match.wc, nw_dst);
    other = fx_insert(&table, &match);
    EF_CHECK(!other->is_simple);
    EF_CHECK(!ef_simple_match_enabled(&table, port));
    EF_CHECK(ef_simple_match_enabled(&table, u32_to_odp(2)));
    fx_remove(&table, other);
    EF_CHECK(ef_simple_match_enabled(&table, port));

    fx_remove(&table, simple);
    EF_CHECK(!ef_simple_match_lookup(&table, port, htons(ETH_TYPE_IP), 0, 0));
    ef_flow_table_destroy(&table);
}

EF_TEST_MUST_FAIL(miscounted_flow)
{
    struct ef_flow_table table;
    struct match match;

    ef_flow_table_init(&table);
    simple_match_init(&match, 1);
    fx_insert(&table, &match);
    ccmap_inc(&table.n_flows, 1);
    EF_CHECK(ef_simple_match_enabled(&table, u32_to_odp(1)));
    ccmap_dec(&table.n_flows, 1);
    ef_flow_table_destroy(&table);
}
