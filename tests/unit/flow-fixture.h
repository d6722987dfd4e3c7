/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLOW_FIXTURE_H
#define FLOW_FIXTURE_H 1

/* Flows, matches and keys for the tests of lib/flow.
 *
 *     fx_flow_init(&flow, 1, 0x0a000001, 80);
 *     fx_match_init(&match, &flow);
 *     WC_MASK_FIELD(&match.wc, nw_dst);
 *     megaflow = fx_insert(&table, &match);
 */

#include "flow/flow-table.h"
#include "odp-util.h"
#include "openvswitch/match.h"

/* What a TCP packet from port 'in_port' looks like. */
static inline void
fx_flow_init(struct flow *flow, uint32_t in_port, uint32_t nw_dst,
             uint16_t tp_dst)
{
    memset(flow, 0, sizeof *flow);
    flow->in_port.odp_port = u32_to_odp(in_port);
    flow->dl_src = (struct eth_addr) ETH_ADDR_C(02,00,00,00,00,01);
    flow->dl_dst = (struct eth_addr) ETH_ADDR_C(02,00,00,00,00,02);
    flow->dl_type = htons(ETH_TYPE_IP);
    flow->nw_proto = IPPROTO_TCP;
    flow->nw_ttl = 64;
    flow->nw_src = htonl(0xc0a80001);
    flow->nw_dst = htonl(nw_dst);
    flow->tp_src = htons(1024);
    flow->tp_dst = htons(tp_dst);
}

/* The least that the data path asks for: where from and which protocol. */
static inline void
fx_match_init(struct match *match, const struct flow *flow)
{
    memset(match, 0, sizeof *match);
    match->flow = *flow;
    WC_MASK_FIELD(&match->wc, in_port);
    WC_MASK_FIELD(&match->wc, recirc_id);
    WC_MASK_FIELD(&match->wc, packet_type);
    WC_MASK_FIELD(&match->wc, dl_type);
}

static inline struct ef_flow *
fx_insert(struct ef_flow_table *table, const struct match *match)
{
    struct ef_flow *flow;
    ovs_u128 ufid;

    odp_flow_key_hash(&match->flow, sizeof match->flow, &ufid);
    ovs_mutex_lock(&table->mutex);
    flow = ef_flow_table_insert(table, match, &ufid, NULL, 0, ODPP_NONE, 0);
    ovs_mutex_unlock(&table->mutex);
    return flow;
}

static inline void
fx_remove(struct ef_flow_table *table, struct ef_flow *flow)
{
    ovs_mutex_lock(&table->mutex);
    ef_flow_table_remove(table, flow);
    ovs_mutex_unlock(&table->mutex);
}

/* A flow on its own, in no table. */
static inline struct ef_flow *
fx_flow_create(uint32_t nw_dst)
{
    struct match match;
    struct flow flow;
    struct ef_key mask;
    ovs_u128 ufid = OVS_U128_ZERO;

    fx_flow_init(&flow, 1, nw_dst, 80);
    fx_match_init(&match, &flow);
    WC_MASK_FIELD(&match.wc, nw_dst);
    ef_key_from_mask(&mask, &match);
    return ef_flow_create(&match, &mask, &ufid, NULL, 0, ODPP_NONE, 0);
}

/* The key of a packet, with 'hash' as a network card would give it. */
static inline void
fx_packet_key(struct ef_key *key, const struct flow *flow, uint32_t hash)
{
    ef_key_from_flow(key, flow);
    key->hash = hash;
}

#endif /* flow-fixture.h */
