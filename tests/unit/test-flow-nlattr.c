/* SPDX-License-Identifier: Apache-2.0 */

/* Flows and matches through Netlink attributes and back. */

#include <config.h>

#include "flow/flow-nlattr.h"

#include "ef-test.h"
#include "flow/nlattr-sizes.h"
#include "netlink.h"
#include "odp-util.h"
#include "openvswitch/match.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/vlog.h"
#include "packets.h"

#define ROUNDS 2000

static void
random_ports(struct flow *flow)
{
    switch (random_range(3)) {
    case 0:
        flow->nw_proto = IPPROTO_TCP;
        flow->tcp_flags = htons(random_range(0x1000));
        break;
    case 1:
        flow->nw_proto = IPPROTO_UDP;
        break;
    default:
        flow->nw_proto = IPPROTO_SCTP;
        break;
    }
    flow->tp_src = htons(random_range(65536));
    flow->tp_dst = htons(random_range(65536));
}

static void
random_ip(struct flow *flow)
{
    if (random_range(2)) {
        flow->dl_type = htons(ETH_TYPE_IP);
        flow->nw_src = htonl(random_uint32());
        flow->nw_dst = htonl(random_uint32());
    } else {
        flow->dl_type = htons(ETH_TYPE_IPV6);
        random_bytes(&flow->ipv6_src, sizeof flow->ipv6_src);
        random_bytes(&flow->ipv6_dst, sizeof flow->ipv6_dst);
        flow->ipv6_label = htonl(random_uint32() & IPV6_LABEL_MASK);
    }
    flow->nw_ttl = random_range(256);
    flow->nw_tos = random_range(256);
    random_ports(flow);
}

static void
random_flow(struct flow *flow)
{
    memset(flow, 0, sizeof *flow);
    flow->in_port.odp_port = u32_to_odp(random_range(1000));
    flow->recirc_id = random_range(100);
    flow->skb_priority = random_range(8);
    flow->pkt_mark = random_uint32();
    random_bytes(&flow->dl_src, sizeof flow->dl_src);
    random_bytes(&flow->dl_dst, sizeof flow->dl_dst);
    if (random_range(4)) {
        random_ip(flow);
    } else {
        flow->dl_type = htons(0x1234);
    }
    if (!random_range(3)) {
        flow->vlans[0].tpid = htons(ETH_TYPE_VLAN);
        flow->vlans[0].tci = htons(VLAN_CFI | random_range(65536));
    }
    if (!random_range(3)) {
        flow->ct_state = CS_TRACKED | CS_ESTABLISHED;
        flow->ct_zone = random_range(65536);
        flow->ct_mark = random_uint32();
    }
}

/* Makes 'match' one for a random flow that does not look at everything. */
static void
random_match(struct match *match)
{
    struct flow *masks = &match->wc.masks;

    memset(match, 0, sizeof *match);
    random_flow(&match->flow);
    flow_wildcards_init_for_packet(&match->wc, &match->flow);
    masks->nw_src &= htonl(random_uint32());
    masks->nw_dst &= htonl(random_uint32());
    masks->ct_mark &= random_uint32();
    masks->pkt_mark &= random_uint32();
    if (masks->tp_src && random_range(2)) {
        masks->tp_src = masks->tp_dst = htons(0);
    }
    if (random_range(2)) {
        masks->dl_src = eth_addr_zero;
    }
    ef_match_fix_vlan(match);
    if (!match->flow.vlans[0].tci) {
        masks->vlans[0].tpid = 0;
        masks->vlans[0].tci = htons(VLAN_CFI | VLAN_VID_MASK);
    }
}

static struct ef_flow *
flow_of(const struct match *match)
{
    const ovs_u128 ufid = { .u32 = { 1, 2, 3, 4 } };
    const struct nlattr action = { .nla_len = NLA_HDRLEN,
                                   .nla_type = OVS_ACTION_ATTR_CT_CLEAR };
    struct ef_flow *flow;
    struct ef_key mask;

    ef_key_from_mask(&mask, match);
    flow = ef_flow_create(match, &mask, &ufid, &action, sizeof action,
                          ODPP_NONE, 5);
    flow->rule.mask = xmemdup(&mask, sizeof mask);
    return flow;
}

static void
flow_done(struct ef_flow *flow)
{
    ovsrcu_postpone(free, CONST_CAST(struct ef_key *, flow->rule.mask));
    ef_flow_unref(flow);
}

static void
convert(const struct match *match, struct match *back)
{
    struct ef_flow *flow = flow_of(match);
    struct dpif_flow df;
    struct ofpbuf buf;

    ofpbuf_init(&buf, 0);
    ef_flow_to_dpif_flow(flow, &buf, &buf, &df, false);
    EF_CHECK_EQ(ef_match_from_nlattrs(df.key, df.key_len, df.mask,
                                      df.mask_len, back, false), 0);
    EF_CHECK_EQ(df.actions_len, NLA_HDRLEN);
    EF_CHECK_EQ(df.pmd_id, 5);
    EF_CHECK(df.ufid_present);
    EF_CHECK_EQ(df.ufid.u32[3], 4);
    ofpbuf_uninit(&buf);
    flow_done(flow);
}

/* Attributes have one mask where a flow has several words, so masks need not
 * come back bit by bit in fields that say nothing about 'match'.  What comes
 * back once must come back again. */
static void
check_round_trip(const struct match *match)
{
    const struct flow *want = &match->wc.masks;
    struct match once, twice;
    const struct flow *got = &once.wc.masks;

    convert(match, &once);
    EF_CHECK_MEM_EQ(&once.flow, &match->flow, sizeof once.flow);
    EF_CHECK_EQ(got->in_port.odp_port, want->in_port.odp_port);
    EF_CHECK_EQ(got->recirc_id, want->recirc_id);
    EF_CHECK_EQ(got->skb_priority, want->skb_priority);
    EF_CHECK_EQ(got->pkt_mark, want->pkt_mark);
    EF_CHECK_EQ(got->ct_mark, want->ct_mark);
    EF_CHECK(eth_addr_equals(got->dl_src, want->dl_src));
    EF_CHECK(eth_addr_equals(got->dl_dst, want->dl_dst));
    if (match->flow.dl_type == htons(ETH_TYPE_IP)) {
        EF_CHECK_EQ(got->nw_src, want->nw_src);
        EF_CHECK_EQ(got->nw_dst, want->nw_dst);
    }
    if (match->flow.nw_proto) {
        EF_CHECK_EQ(got->nw_ttl, want->nw_ttl);
        EF_CHECK_EQ(got->tp_src, want->tp_src);
        EF_CHECK_EQ(got->tp_dst, want->tp_dst);
    }
    EF_CHECK_EQ(got->vlans[0].tci & htons(VLAN_CFI | VLAN_VID_MASK),
                want->vlans[0].tci & htons(VLAN_CFI | VLAN_VID_MASK));

    convert(&once, &twice);
    EF_CHECK_MEM_EQ(&twice, &once, sizeof twice);
}

EF_TEST(random_flows_survive)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct match match;

        random_match(&match);
        check_round_trip(&match);
    }
}

/* The package would end the process, or write beyond what it fills in. */
static void
check_tunnel_attr(int type, size_t size, bool want)
{
    static const uint8_t bytes[1024];
    struct match match;
    struct ofpbuf key, mask;
    struct flow flow;
    size_t ofs;
    int error;

    ofpbuf_init(&mask, 0);
    ofs = nl_msg_start_nested(&mask, OVS_KEY_ATTR_TUNNEL);
    nl_msg_put_unspec(&mask, type, bytes, size);
    nl_msg_end_nested(&mask, ofs);
    EF_CHECK_EQ(ef_nlattr_sizes_are_sound(mask.data, mask.size), want);
    if (!want) {
        ofpbuf_init(&key, 0);
        nl_msg_put_u32(&key, OVS_KEY_ATTR_IN_PORT, 1);
        error = ef_flow_from_nlattrs(mask.data, mask.size, &flow, false);
        EF_CHECK_EQ(error, EINVAL);
        error = ef_match_from_nlattrs(key.data, key.size, mask.data,
                                      mask.size, &match, false);
        EF_CHECK_EQ(error, EINVAL);
        ofpbuf_uninit(&key);
    }
    ofpbuf_uninit(&mask);
}

EF_TEST(ethernet_type_has_its_size)
{
    struct ofpbuf mask;

    ofpbuf_init(&mask, 0);
    nl_msg_put_u16(&mask, OVS_KEY_ATTR_ETHERTYPE, UINT16_MAX);
    EF_CHECK(ef_nlattr_sizes_are_sound(mask.data, mask.size));
    ofpbuf_clear(&mask);
    nl_msg_put_u8(&mask, OVS_KEY_ATTR_ETHERTYPE, UINT8_MAX);
    EF_CHECK(!ef_nlattr_sizes_are_sound(mask.data, mask.size));
    ofpbuf_clear(&mask);
    nl_msg_put_u16(&mask, OVS_KEY_ATTR_ETHERTYPE, UINT16_MAX);
    EF_CHECK(!ef_nlattr_sizes_are_sound(mask.data, mask.size - 1));
    ofpbuf_uninit(&mask);
}

/* Attributes within 'n' tags, an Ethernet type of 'size' bytes inside. */
static bool
are_tagged_sound(int n, size_t size)
{
    static const uint8_t bytes[8];
    struct ofpbuf buf;
    size_t ofs[8];
    bool sound;

    ofpbuf_init(&buf, 0);
    for (int i = 0; i < n; i++) {
        ofs[i] = nl_msg_start_nested(&buf, OVS_KEY_ATTR_ENCAP);
    }
    nl_msg_put_unspec(&buf, OVS_KEY_ATTR_ETHERTYPE, bytes, size);
    while (n) {
        nl_msg_end_nested(&buf, ofs[--n]);
    }
    sound = ef_nlattr_sizes_are_sound(buf.data, buf.size);
    ofpbuf_uninit(&buf);
    return sound;
}

EF_TEST(attributes_within_tags)
{
    EF_CHECK(are_tagged_sound(1, 2));
    EF_CHECK(are_tagged_sound(2, 2));
    EF_CHECK(!are_tagged_sound(1, 1));
    EF_CHECK(!are_tagged_sound(2, 3));
    EF_CHECK(!are_tagged_sound(3, 2));
}

EF_TEST(tunnel_attributes_have_their_size)
{
    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_TTL, 1, true);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_TTL, 2, false);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_TP_SRC, 2, true);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_TP_SRC, 1, false);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_IPV6_DST, 4, false);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_ERSPAN_OPTS, 1, false);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_GTPU_OPTS, 0, false);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_GENEVE_OPTS, 252, true);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_GENEVE_OPTS, 256, false);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_GENEVE_OPTS, 1000, false);
    check_tunnel_attr(OVS_TUNNEL_KEY_ATTR_GENEVE_OPTS, 6, false);
}

EF_TEST_MUST_FAIL(lost_bit_is_noticed)
{
    struct match match;

    random_match(&match);
    match.flow.metadata = htonll(1);    /* Netlink has none. */
    check_round_trip(&match);
}

EF_TEST(terse_has_identity_only)
{
    struct ef_flow *flow;
    struct dpif_flow df;
    struct match match;

    random_match(&match);
    flow = flow_of(&match);
    ef_flow_to_dpif_flow(flow, NULL, NULL, &df, true);
    EF_CHECK(!df.key && !df.mask && !df.actions);
    EF_CHECK_EQ(df.key_len + df.mask_len + df.actions_len, 0);
    EF_CHECK(df.ufid_present);
    EF_CHECK_EQ(df.pmd_id, 5);
    flow_done(flow);
}

static void
key_of(const struct flow *flow, struct ofpbuf *buf)
{
    struct odp_flow_key_parms parms = {
        .flow = flow, .mask = NULL, .support = ef_odp_support,
    };

    ofpbuf_init(buf, 0);
    odp_flow_key_from_flow(&parms, buf);
}

EF_TEST(mask_without_vlan_means_no_tag)
{
    struct flow flow;
    struct ofpbuf key, mask;
    struct match match;

    random_flow(&flow);
    flow.vlans[0].tci = flow.vlans[0].tpid = 0;
    key_of(&flow, &key);
    ofpbuf_init(&mask, 0);
    nl_msg_put_odp_port(&mask, OVS_KEY_ATTR_IN_PORT, ODPP_NONE);
    EF_CHECK_EQ(ef_match_from_nlattrs(key.data, key.size, mask.data,
                                      mask.size, &match, false), 0);
    EF_CHECK_EQ(ntohs(match.wc.masks.vlans[0].tci)
                & (VLAN_CFI | VLAN_VID_MASK), VLAN_CFI | VLAN_VID_MASK);
    EF_CHECK(match.wc.masks.in_port.odp_port == ODPP_NONE);

    match.wc.masks.vlans[0].tci = 0;
    ef_match_fix_vlan(&match);
    EF_CHECK_EQ(ntohs(match.wc.masks.vlans[0].tci),
                VLAN_CFI | VLAN_VID_MASK);

    /* A mask that is there stays. */
    match.wc.masks.vlans[0].tci = htons(VLAN_CFI);
    ef_match_fix_vlan(&match);
    EF_CHECK_EQ(ntohs(match.wc.masks.vlans[0].tci), VLAN_CFI);
    ofpbuf_uninit(&mask);
    ofpbuf_uninit(&key);
}

EF_TEST(bad_input_is_refused)
{
    struct match match;
    struct flow flow;
    struct ofpbuf key;
    uint8_t *copy;

    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    random_flow(&flow);
    key_of(&flow, &key);
    EF_CHECK_EQ(ef_flow_from_nlattrs(key.data, key.size, &flow, false), 0);

    /* Cut short, an attribute of the wrong size, one twice. */
    EF_CHECK_EQ(ef_flow_from_nlattrs(key.data, key.size - 3, &flow, true),
                EINVAL);
    EF_CHECK_EQ(ef_flow_from_nlattrs(key.data, key.size - 3, &flow, false),
                EINVAL);
    ofpbuf_clear(&key);
    nl_msg_put_u8(&key, OVS_KEY_ATTR_IN_PORT, 1);
    EF_CHECK_EQ(ef_flow_from_nlattrs(key.data, key.size, &flow, false),
                EINVAL);
    ofpbuf_clear(&key);
    nl_msg_put_u32(&key, OVS_KEY_ATTR_IN_PORT, 1);
    nl_msg_put_u32(&key, OVS_KEY_ATTR_IN_PORT, 2);
    EF_CHECK_EQ(ef_flow_from_nlattrs(key.data, key.size, &flow, false),
                EINVAL);

    /* A good key with a bad mask. */
    ofpbuf_uninit(&key);
    random_flow(&flow);
    key_of(&flow, &key);
    copy = xmemdup(key.data, key.size);
    EF_CHECK_EQ(ef_match_from_nlattrs(key.data, key.size, key.data, 5,
                                      &match, false), EINVAL);
    EF_CHECK_MEM_EQ(copy, key.data, key.size);
    free(copy);
    ofpbuf_uninit(&key);
}

EF_TEST(garbage_does_not_crash)
{
    int n_refused = 0;

    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    for (int i = 0; i < ROUNDS; i++) {
        struct match match;
        struct flow flow;
        struct ofpbuf key;
        uint8_t *bytes;
        size_t size;
        int error;

        random_flow(&flow);
        key_of(&flow, &key);
        size = random_range(4) ? key.size : random_range(key.size);
        bytes = xmemdup(key.data, key.size);
        for (int j = random_range(8); j >= 0; j--) {
            bytes[random_range(key.size)] = random_uint32();
        }
        error = ef_match_from_nlattrs((void *) bytes, size, (void *) bytes,
                                      size, &match, i & 1);
        EF_CHECK(!error || error == EINVAL);
        n_refused += error != 0;
        free(bytes);
        ofpbuf_uninit(&key);
    }
    EF_CHECK(n_refused > ROUNDS / 4);
}
