/* SPDX-License-Identifier: Apache-2.0 */
/* Model test of lib/flow: random flows are inserted, removed, sorted and
 * looked up in a flow table and in its dull twin, a list that is searched
 * from end to end, comparing field by field. */

#include <config.h>

#include "flow/flow-table.h"

#include "dp-packet.h"
#include "ef-test.h"
#include "flow-fixture.h"
#include "random.h"

#define N_MODEL 200             /* Most flows at a time. */
#define N_PORTS 3
#define N_ROUNDS 4000

static bool twin_is_blind;         /* To addresses: the planted fault. */

struct model {
    struct entry {
        struct match match;
        struct ef_flow *flow;
    } entries[N_MODEL];
    size_t n;
};

/* A packet out of a small world, so that flows are hit: five shapes, few
 * values. */
static void
random_flow(struct flow *flow)
{
    fx_flow_init(flow, random_range(N_PORTS), 0x0a000000 + random_range(4),
                 80 + random_range(3));
    flow->dl_dst.ea[5] = random_range(3);
    flow->recirc_id = random_range(8) ? 0 : 1;
    switch (random_range(5)) {
    case 0:
        flow->vlans[0].tpid = htons(ETH_TYPE_VLAN);
        flow->vlans[0].tci = htons(VLAN_CFI | random_range(3));
        break;
    case 1:
        flow->dl_type = htons(ETH_TYPE_ARP);
        flow->nw_proto = 1;
        flow->nw_ttl = 0;
        flow->tp_src = flow->tp_dst = 0;
        flow->arp_sha = flow->dl_src;
        break;
    case 2:
        flow->dl_type = htons(ETH_TYPE_IPV6);
        memcpy(&flow->ipv6_dst.s6_addr[12], &flow->nw_dst, 4);
        flow->ipv6_src.s6_addr[0] = 0xfe;
        flow->nw_src = flow->nw_dst = 0;
        break;
    case 3:
        flow->tunnel.ip_dst = htonl(0xac100001);
        flow->tunnel.ip_src = htonl(0xac100002 + random_range(2));
        flow->tunnel.tun_id = htonll(random_range(3));
        break;
    default:
        break;
    }
}

/* Widens or narrows what 'match' looks at.  Two in ten masks are exact in
 * everything, more words than a specialised lookup takes. */
static void
random_wildcards(struct match *match)
{
    struct flow *masks = &match->wc.masks;

    if (!random_range(5)) {
        memset(masks, 0xff, sizeof *masks);
        masks->metadata = 0;
        memset(masks->regs, 0, sizeof masks->regs);
        return;
    }
    if (random_range(2)) {
        masks->nw_dst = be32_prefix_mask(29 + random_range(4));
    }
    if (random_range(2)) {
        memset(&masks->ipv6_dst, 0xff, 12 + random_range(5));
    }
    if (random_range(2)) {
        WC_MASK_FIELD(&match->wc, dl_dst);
    }
    if (random_range(2)) {
        masks->vlans[0].tci = htons(VLAN_CFI | random_range(VLAN_VID_MASK));
    }
    if (!random_range(3)) {
        WC_MASK_FIELD(&match->wc, tp_dst);
    }
    if (!random_range(3)) {
        WC_MASK_FIELD(&match->wc, tunnel.tun_id);
        WC_MASK_FIELD(&match->wc, tunnel.ip_dst);
    }
    if (!random_range(3)) {
        WC_MASK_FIELD(&match->wc, arp_sha);
    }
}

/* The definition of a match: equal wherever the mask has a bit, in the words
 * that make sense for the flow that the match was made from. */
static bool
model_matches(const struct match *match, const struct flow *flow)
{
    struct flowmap map;
    size_t idx;

    flow_wc_map(&match->flow, &map);
    if (twin_is_blind) {
        flowmap_clear(&map, FLOW_U64_OFFSET(nw_dst), 1);
    }
    FLOWMAP_FOR_EACH_INDEX (idx, map) {
        if ((flow_u64_value(&match->flow, idx) ^ flow_u64_value(flow, idx))
            & flow_u64_value(&match->wc.masks, idx)) {
            return false;
        }
    }
    return true;
}

/* Whether 'found' is a right answer for 'flow': one of the flows that match,
 * or null if there is none. */
static bool
model_agrees(const struct model *model, const struct flow *flow,
             const struct ef_flow *found)
{
    bool any = false;

    for (size_t i = 0; i < model->n; i++) {
        if (model_matches(&model->entries[i].match, flow)) {
            if (model->entries[i].flow == found) {
                return true;
            }
            any = true;
        }
    }
    return !any && !found;
}

/* Searches a batch of random packets, of one port, and one more by itself. */
static bool
step_lookup(const struct model *model, struct ef_flow_table *table)
{
    const size_t n = 1 + random_range(NETDEV_MAX_BURST);
    const odp_port_t in_port = u32_to_odp(random_range(N_PORTS));
    static struct flow flows[NETDEV_MAX_BURST];
    static struct ef_key keys[NETDEV_MAX_BURST];
    const struct ef_key *keyps[NETDEV_MAX_BURST];
    struct ef_rule *rules[NETDEV_MAX_BURST] = { NULL };
    struct ef_cls *cls = ef_flow_table_cls(table, in_port);
    bool all = true, ok = true;

    for (size_t i = 0; i < n; i++) {
        random_flow(&flows[i]);
        flows[i].in_port.odp_port = in_port;
        ef_key_from_flow(&keys[i], &flows[i]);
        keyps[i] = &keys[i];
    }
    if (cls) {
        all = ef_cls_lookup(cls, keyps, rules, n, NULL);
    }
    for (size_t i = 0; i < n; i++) {
        const struct ef_flow *found = ef_flow_from_rule(rules[i]);

        ok &= model_agrees(model, &flows[i], found);
        ok &= found || !cls || !all;
        ok &= !found || ef_rule_matches(&found->rule, &keys[i]);
    }
    random_flow(&flows[0]);
    ef_key_from_flow(&keys[0], &flows[0]);
    return ok && model_agrees(model, &flows[0],
                              ef_flow_table_lookup(table, &keys[0], NULL));
}

static void
step_insert(struct model *model, struct ef_flow_table *table)
{
    struct entry *entry = &model->entries[model->n];
    struct flow flow;

    if (model->n < N_MODEL) {
        random_flow(&flow);
        fx_match_init(&entry->match, &flow);
        random_wildcards(&entry->match);
        entry->flow = fx_insert(table, &entry->match);
        model->n++;
    }
}

static void
step_remove(struct model *model, struct ef_flow_table *table)
{
    if (model->n) {
        size_t i = random_range(model->n);

        fx_remove(table, model->entries[i].flow);
        model->entries[i] = model->entries[--model->n];
    }
}

/* What can be told without a packet. */
static bool
table_agrees(const struct model *model, const struct ef_flow_table *table)
{
    size_t n_port[N_PORTS] = { 0 };

    for (size_t i = 0; i < model->n; i++) {
        n_port[odp_to_u32(model->entries[i].flow->in_port)]++;
    }
    for (uint32_t port = 0; port < N_PORTS; port++) {
        if (ccmap_find(&table->n_flows, port) != n_port[port]) {
            return false;
        }
    }
    return ef_flow_table_count(table) == model->n;
}

/* Returns how often the two disagreed. */
static int
run(void)
{
    static struct model model;
    struct ef_flow_table table;
    int n_wrong = 0;

    model.n = 0;
    ef_flow_table_init(&table);
    for (int i = 0; i < N_ROUNDS; i++) {
        /* Grows at first, then shrinks, twice. */
        bool growing = i / (N_ROUNDS / 4) % 2 == 0;

        if (random_range(4) < (growing ? 3 : 1)) {
            step_insert(&model, &table);
        } else {
            step_remove(&model, &table);
        }
        if (!random_range(20)) {
            ef_flow_table_try_sort(&table);
        }
        n_wrong += !step_lookup(&model, &table);
        n_wrong += !table_agrees(&model, &table);
        ovsrcu_quiesce();
    }
    ef_flow_table_destroy(&table);
    return n_wrong;
}

EF_TEST(table_and_list_agree)
{
    EF_CHECK_EQ(run(), 0);
}

EF_TEST_MUST_FAIL(twin_overlooks_addresses)
{
    twin_is_blind = true;
    EF_CHECK_EQ(run(), 0);
    twin_is_blind = false;
}
