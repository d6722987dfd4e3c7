/* SPDX-License-Identifier: Apache-2.0 */

/* Fuzzes the way of a packet: received in pieces, joined, its key extracted
 * and looked up, what is in a tunnel taken out and looked up again, and sent
 * with offloads done by a network card and in software.
 *
 * Input: the bytes of struct plan, then the frame. */

#include <config.h>

#include "dpdk/rx-finish.h"

#include "dpdk/buffer.h"
#include "dpdk/tx-prepare.h"
#include "flow/emc.h"
#include "flow/flow-nlattr.h"
#include "flow/flow-table.h"
#include "flow/simple-match.h"
#include "netdev-native-tnl.h"
#include "nic.h"
#include "odp-util.h"
#include "openvswitch/match.h"
#include "openvswitch/ofpbuf.h"

#define N_BUFS 4096
#define ROOM 2048
#define MAX_SEGMENTS 40

enum { RX_RSS = 1, RX_IP_GOOD = 2, RX_L4_GOOD = 4, RX_MARK = 8,
       RX_IN_POOL = 16, RX_SEGMENTS = 32 };
enum { MD_RECIRC = 1, MD_CT = 2, MD_CT6 = 4, MD_TUNNEL = 8, MD_TUNNEL6 = 16,
       MD_NO_ETH = 32, MD_OPTIONS = 64 };
enum { SHAPE_SHARED = 1, SHAPE_TIGHT = 2, SHAPE_THIN = 4, SHAPE_SIMPLE = 8 };

struct plan {
    uint8_t rx;                 /* RX_*. */
    uint8_t md;                 /* MD_*: metadata of a packet on its way. */
    uint8_t tx;                 /* Offloads asked for, see tx_flags(). */
    uint8_t hw;                 /* Those that the driver announces. */
    uint8_t shape;              /* SHAPE_*. */
    uint8_t grow;               /* This many times 256 bytes more. */
    uint8_t flip;               /* Which bit the packet's twin has changed. */
    uint16_t segment;           /* Bytes of each segment. */
    uint16_t mtu;
    uint32_t seed;
};

static struct rte_mempool *pool, *tight_pool;
static struct ef_dpdk_rxq_counters rxq_counters;
static struct ef_dpdk_txq txq;
static struct ef_dpdk_dev dev;
static struct ef_flow_table table;
static struct ef_emc emc;

int
LLVMFuzzerInitialize(int *argc OVS_UNUSED, char ***argv OVS_UNUSED)
{
    fz_begin();
    FZ_CHECK(fx_start());
    pool = fx_pool(N_BUFS, ROOM);
    tight_pool = fx_pool(4, ROOM);
    dev.up.name = "p0";
    dev.rxq_counters = &rxq_counters;
    dev.n_rxqs = dev.n_txqs = 1;
    dev.txqs = &txq;
    ovsrcu_init(&dev.policer, NULL);
    ef_qos_slot_init(&dev.qos);
    ef_flow_table_init(&table);
    ef_emc_init(&emc);
    return 0;
}

static void
read_plan(struct fz_input *in, struct plan *plan)
{
    plan->rx = fz_u8(in);
    plan->md = fz_u8(in);
    plan->tx = fz_u8(in);
    plan->hw = fz_u8(in);
    plan->shape = fz_u8(in);
    plan->grow = fz_u8(in);
    plan->flip = fz_u8(in);
    plan->segment = fz_u16(in);
    plan->mtu = fz_u16(in);
    plan->seed = fz_u32(in);
}

/* The frame, grown, as a block of the heap. */
static uint8_t *
read_frame(struct fz_input *in, const struct plan *plan, size_t *sizep)
{
    size_t n = MIN(in->size, EF_BUFFER_MAX);
    size_t size = MIN(n + plan->grow * 256, EF_BUFFER_MAX);
    uint8_t *frame = xmalloc(size);

    memcpy(frame, in->data, n);
    for (size_t i = n; i < size; i++) {
        frame[i] = i * 2654435761u >> 11;
    }
    *sizep = size;
    return frame;
}

/* Reception. */

/* Memory of the heap that DPDK gives back. */
struct block {
    struct rte_mbuf_ext_shared_info info;
    uint8_t *bytes;
};

static void
free_block(void *addr OVS_UNUSED, void *block_)
{
    struct block *block = block_;

    free(block->bytes);
    free(block);
}

/* A buffer with these bytes, 'in_pool' or in just as much memory. */
static struct rte_mbuf *
make_mbuf(const uint8_t *bytes, size_t n, bool in_pool)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);

    FZ_CHECK(mbuf);
    if (!in_pool || n > ROOM) {
        struct block *block = xmalloc(sizeof *block);

        block->bytes = xmalloc(n);
        block->info.free_cb = free_block;
        block->info.fcb_opaque = block;
        rte_mbuf_ext_refcnt_set(&block->info, 1);
        rte_pktmbuf_attach_extbuf(mbuf, block->bytes, 0, n, &block->info);
    }
    memcpy(rte_pktmbuf_append(mbuf, n), bytes, n);
    return mbuf;
}

static struct dp_packet *
packet_of(struct rte_mbuf *mbuf)
{
    return CONTAINER_OF(mbuf, struct dp_packet, mbuf);
}

static struct rte_mbuf *
make_chain(const struct plan *plan, const uint8_t *frame, size_t size)
{
    size_t segment = plan->rx & RX_SEGMENTS
                     ? MAX(plan->segment, size / MAX_SEGMENTS + 1) : size;
    bool in_pool = plan->rx & RX_IN_POOL;
    struct rte_mbuf *head = NULL;

    for (size_t ofs = 0; ofs < size; ofs += segment) {
        struct rte_mbuf *mbuf = make_mbuf(frame + ofs,
                                          MIN(segment, size - ofs), in_pool);

        if (head) {
            FZ_CHECK(!rte_pktmbuf_chain(head, mbuf));
        } else {
            head = mbuf;
        }
    }
    return head;
}

/* Returns the packet of one segment. */
static struct dp_packet *
receive(const struct plan *plan, const uint8_t *frame, size_t size)
{
    struct rte_mbuf *mbuf = make_chain(plan, frame, size);
    struct dp_packet_batch batch;
    struct dp_packet *packet;

    mbuf->ol_flags |= (plan->rx & RX_RSS ? RTE_MBUF_F_RX_RSS_HASH : 0)
        | (plan->rx & RX_IP_GOOD ? RTE_MBUF_F_RX_IP_CKSUM_GOOD : 0)
        | (plan->rx & RX_L4_GOOD ? RTE_MBUF_F_RX_L4_CKSUM_GOOD : 0)
        | (plan->rx & RX_MARK ? RTE_MBUF_F_RX_FDIR_ID : 0);
    mbuf->hash.rss = plan->seed;
    dp_packet_batch_init(&batch);
    batch.packets[0] = packet_of(mbuf);
    dev.rte_pool = pool;
    ef_rx_finish(&dev, 0, &batch, 1);
    FZ_CHECK(dp_packet_batch_size(&batch) == 1);

    packet = batch.packets[0];
    FZ_CHECK(packet->mbuf.nb_segs == 1 && !packet->mbuf.next);
    FZ_CHECK(dp_packet_size(packet) == size && packet->mbuf.data_len == size);
    FZ_CHECK(!memcmp(dp_packet_data(packet), frame, size));
    FZ_CHECK(dp_packet_rss_valid(packet) == !!(plan->rx & RX_RSS));
    FZ_CHECK(packet->packet_type == htonl(PT_ETH) && !packet->cutlen);
    return packet;
}

/* A copy in just as much memory of the heap, with nothing of the original but
 * metadata. */
static struct dp_packet *
make_foreign(const struct dp_packet *packet)
{
    size_t size = dp_packet_size(packet);
    struct dp_packet *copy = xmalloc(sizeof *copy);

    dp_packet_use(copy, xmemdup(dp_packet_data(packet), size), size);
    dp_packet_set_size(copy, size);
    copy->packet_type = packet->packet_type;
    copy->md = packet->md;
    return copy;
}

/* Metadata. */

static void
set_tunnel(const struct plan *plan, struct flow_tnl *tunnel)
{
    if (plan->md & MD_TUNNEL6) {
        memset(&tunnel->ipv6_dst, plan->seed | 1, sizeof tunnel->ipv6_dst);
        memset(&tunnel->ipv6_src, plan->seed >> 8, sizeof tunnel->ipv6_src);
    } else {
        tunnel->ip_dst = htonl(plan->seed | 1);
        tunnel->ip_src = htonl(~plan->seed);
    }
    tunnel->tun_id = htonll(plan->seed & 0xffffff);
    tunnel->flags = FLOW_TNL_F_KEY | FLOW_TNL_F_UDPIF;
    tunnel->ip_ttl = plan->seed >> 3;
    tunnel->tp_src = htons(plan->seed);
    if (plan->md & MD_OPTIONS) {
        size_t n = plan->seed % 64;

        tunnel->metadata.present.len = 4 * n;
        memset(tunnel->metadata.opts.gnv, plan->flip, 4 * n);
    }
}

static void
set_ct(const struct plan *plan, struct pkt_metadata *md)
{
    md->ct_state = (CS_TRACKED | plan->seed) & 0xff;
    md->ct_zone = plan->seed >> 5;
    md->ct_mark = plan->seed;
    md->ct_label.u64.lo = plan->seed >> 4;
    md->ct_orig_tuple_ipv6 = plan->md & MD_CT6;
    if (plan->md & MD_CT6) {
        memset(&md->ct_orig_tuple.ipv6, plan->seed >> 9,
               sizeof md->ct_orig_tuple.ipv6);
    } else {
        memset(&md->ct_orig_tuple.ipv4, plan->seed >> 9,
               sizeof md->ct_orig_tuple.ipv4);
    }
}

static void
set_metadata(const struct plan *plan, struct dp_packet *packet)
{
    struct pkt_metadata *md = &packet->md;

    memset(md, 0, sizeof *md);
    pkt_metadata_init(md, u32_to_odp(plan->seed % 5 + 1));
    if (plan->md & MD_RECIRC) {
        md->recirc_id = plan->seed >> 16;
        md->dp_hash = plan->seed >> 2;
        md->skb_priority = plan->seed & 7;
        md->pkt_mark = plan->seed >> 7;
        if (plan->md & MD_CT) {
            set_ct(plan, md);
        }
        if (plan->md & (MD_TUNNEL | MD_TUNNEL6)) {
            set_tunnel(plan, &md->tunnel);
        }
        if (plan->md & MD_NO_ETH) {
            ovs_be16 type = plan->seed & 1 ? htons(ETH_TYPE_IP)
                            : plan->seed & 2 ? htons(ETH_TYPE_IPV6)
                            : htons(plan->seed >> 16);

            packet->packet_type = PACKET_TYPE_BE(OFPHTN_ETHERTYPE,
                                                 ntohs(type));
        }
    }
}

/* Keys. */

static void
check_offsets(const struct dp_packet *packet)
{
    size_t size = dp_packet_size(packet);

    FZ_CHECK(packet->l3_ofs == UINT16_MAX || packet->l3_ofs <= size);
    FZ_CHECK(packet->l2_5_ofs == UINT16_MAX || packet->l2_5_ofs <= size);
    if (packet->l4_ofs != UINT16_MAX) {
        FZ_CHECK(packet->l3_ofs <= packet->l4_ofs && packet->l4_ofs <= size);
    }
    FZ_CHECK(packet->l2_pad_size <= size);
}

/* The key of 'packet' and the flow that it is of. */
static void
extract(struct dp_packet *packet, struct ef_key *key, struct flow *flow)
{
    struct ef_key again, third;
    struct flow twin;

    miniflow_extract(packet, &key->mf);
    FZ_CHECK(miniflow_n_values(&key->mf) <= FLOW_MAX_PACKET_U64S);
    ef_key_set_len(key);
    key->hash = miniflow_hash_5tuple(&key->mf, 0);
    check_offsets(packet);

    miniflow_expand(&key->mf, flow);
    FZ_CHECK(key->hash == flow_hash_5tuple(flow, 0));

    ef_key_from_flow(&again, flow);
    miniflow_expand(&again.mf, &twin);
    FZ_CHECK(flow_equal(flow, &twin));
    ef_key_from_flow(&third, &twin);
    FZ_CHECK(third.len == again.len && ef_key_equal(&third, &again));
}

/* The short way to what the simple match looks at. */
static void
check_simple_fields(struct dp_packet *packet, const struct flow *flow)
{
    ovs_be16 dl_type = 0, tci = 0;
    struct dp_packet before = *packet;
    uint8_t frag = 0;
    uint16_t tcp_flags;

    if (!dp_packet_is_eth(packet)) {
        return;
    }
    tcp_flags = parse_tcp_flags(packet, &dl_type, &frag, &tci);
    FZ_CHECK(ef_simple_mark(0, dl_type, frag, tci)
             == ef_simple_mark(0, flow->dl_type, flow->nw_frag,
                               flow->vlans[0].tci));
    /* The key has none of a header that says it is longer than it is. */
    FZ_CHECK(!is_ip_any(flow) || flow->nw_proto != IPPROTO_TCP
             || !flow->tcp_flags || tcp_flags == ntohs(flow->tcp_flags));
    /* The package leaves it out for some other types. */
    FZ_CHECK(!is_ip_any(flow) || packet->l3_ofs == before.l3_ofs);
    check_offsets(packet);
    *packet = before;
}

/* Through Netlink attributes and back. */
static void
check_nlattrs(const struct flow *flow)
{
    struct odp_flow_key_parms parms = {
        .flow = flow, .support = ef_odp_support,
    };
    struct ofpbuf buf;
    struct flow again;

    if (eth_type_vlan(flow->dl_type)) {
        /* A tag cut short, which the package takes for a whole one. */
        return;
    }
    ofpbuf_init(&buf, 0);
    odp_flow_key_from_flow(&parms, &buf);
    if (!ef_flow_from_nlattrs(buf.data, buf.size, &again, true)) {
        struct ofpbuf second;

        parms.flow = &again;
        ofpbuf_init(&second, 0);
        odp_flow_key_from_flow(&parms, &second);
        FZ_CHECK(ofpbuf_equal(&buf, &second));
        ofpbuf_uninit(&second);
    }
    ofpbuf_uninit(&buf);
}

/* Rules. */

static void
make_match(const struct plan *plan, const struct flow *flow,
           struct match *match)
{
    memset(match, 0, sizeof *match);
    match->flow = *flow;
    if (plan->shape & SHAPE_SIMPLE) {
        WC_MASK_FIELD(&match->wc, recirc_id);
        WC_MASK_FIELD(&match->wc, packet_type);
        WC_MASK_FIELD(&match->wc, dl_type);
        WC_MASK_FIELD(&match->wc, nw_frag);
        match->wc.masks.vlans[0].tci = htons(VLAN_VID_MASK | VLAN_CFI);
    } else {
        flow_wildcards_init_for_packet(&match->wc, flow);
    }
    if (plan->shape & SHAPE_THIN) {
        uint64_t *words = (uint64_t *) &match->wc.masks;

        for (size_t i = 0; i < FLOW_U64S; i++) {
            words[i] &= plan->seed >> i % 32 & 1 ? UINT64_MAX : 0;
        }
    }
    WC_MASK_FIELD(&match->wc, in_port);
}

/* The dull twin of ef_rule_matches(). */
static bool
is_within(const struct flow *flow, const struct ef_rule *rule)
{
    const uint64_t *a = (const uint64_t *) flow;
    struct flow want, masks;
    const uint64_t *b = (const uint64_t *) &want;
    const uint64_t *m = (const uint64_t *) &masks;

    miniflow_expand(&rule->key.mf, &want);
    miniflow_expand(&rule->mask->mf, &masks);
    for (size_t i = 0; i < FLOW_U64S; i++) {
        if ((a[i] ^ b[i]) & m[i]) {
            return false;
        }
    }
    return true;
}

/* A packet that differs by one bit is found if that bit does not count. */
static void
check_twin(const struct plan *plan, const struct dp_packet *packet,
           struct ef_flow *rule)
{
    struct dp_packet *twin = make_foreign(packet);
    size_t bit = plan->flip * 8 + (plan->seed & 7);
    uint8_t *bytes = dp_packet_data(twin);
    struct ef_flow *found;
    struct flow flow;
    struct ef_key key;
    bool matches;

    bytes[bit / 8 % dp_packet_size(twin)] ^= 1 << bit % 8;
    extract(twin, &key, &flow);
    matches = is_within(&flow, &rule->rule);
    FZ_CHECK(ef_rule_matches(&rule->rule, &key) == matches);
    found = ef_flow_table_lookup(&table, &key, NULL);
    FZ_CHECK(found == (matches ? rule : NULL));
    found = ef_emc_lookup(&emc, &key);
    FZ_CHECK(!found || (found == rule && flow_equal(&flow, &rule->flow)));
    dp_packet_delete(twin);
}

static void
check_lookup(const struct plan *plan, struct dp_packet *packet,
             const struct ef_key *key, const struct flow *flow)
{
    struct match match;
    struct ef_flow *rule;
    ovs_u128 ufid;

    make_match(plan, flow, &match);
    odp_flow_key_hash(flow, sizeof *flow, &ufid);
    ovs_mutex_lock(&table.mutex);
    rule = ef_flow_table_insert(&table, &match, &ufid, NULL, 0, ODPP_NONE, 0);
    ovs_mutex_unlock(&table.mutex);

    FZ_CHECK(ef_flow_table_lookup(&table, key, NULL) == rule);
    FZ_CHECK(ef_flow_table_find(&table, &ufid) == rule);
    FZ_CHECK(ef_rule_matches(&rule->rule, key));
    FZ_CHECK(is_within(flow, &rule->rule));
    ef_emc_insert(&emc, key, rule);
    FZ_CHECK(ef_emc_lookup(&emc, key) == rule);
    if (rule->is_simple) {
        FZ_CHECK(ef_simple_match_lookup(&table, flow->in_port.odp_port,
                                        flow->dl_type, flow->nw_frag,
                                        flow->vlans[0].tci) == rule);
    }
    check_twin(plan, packet, rule);

    ovs_mutex_lock(&table.mutex);
    ef_flow_table_remove(&table, rule);
    ovs_mutex_unlock(&table.mutex);
    FZ_CHECK(!ef_flow_table_lookup(&table, key, NULL));
    FZ_CHECK(!ef_emc_lookup(&emc, key));
}

/* What the data path learns of 'packet'. */
static void
classify(const struct plan *plan, struct dp_packet *packet, struct flow *flow)
{
    struct ef_key key;

    extract(packet, &key, flow);
    check_simple_fields(packet, flow);
    check_nlattrs(flow);
    check_lookup(plan, packet, &key, flow);
}

/* Tunnels. */

/* Takes what is inside out, for a packet as a flow to a tunnel port passes
 * it.  Returns NULL, the packet being freed, if the package refuses it. */
static struct dp_packet *
decapsulate(struct dp_packet *packet, const struct flow *flow)
{
    if (flow->nw_proto == IPPROTO_GRE) {
        return netdev_gre_pop_header(packet);
    } else if (flow->nw_proto != IPPROTO_UDP) {
        return packet;
    }
    switch (ntohs(flow->tp_dst)) {
    case 4789: return netdev_vxlan_pop_header(packet);
    case 6081: return netdev_geneve_pop_header(packet);
    case 2152: return netdev_gtpu_pop_header(packet);
    default: return packet;
    }
}

static void
enter_tunnel(const struct plan *plan, const struct dp_packet *outer,
             const struct flow *flow)
{
    struct dp_packet *packet;
    struct flow inner;

    if (flow->nw_frag || !is_ip_any(flow)
        || outer->packet_type != htonl(PT_ETH)) {
        return;
    }
    packet = make_foreign(outer);
    packet->l3_ofs = outer->l3_ofs;
    packet->l4_ofs = outer->l4_ofs;
    packet->l2_pad_size = outer->l2_pad_size;
    packet = decapsulate(packet, flow);
    if (packet) {
        packet->md.in_port.odp_port = u32_to_odp(99);
        if (dp_packet_size(packet) >= ETH_HEADER_LEN) {
            classify(plan, packet, &inner);
        }
        dp_packet_delete(packet);
    }
}

/* Transmission. */

static struct nic card;
static struct rte_mbuf *held[EF_TX_PREPARED_MAX];
static size_t n_held;

static void
driver(struct ef_dpdk_dev *d, unsigned qid, struct rte_mbuf **mbufs, size_t n)
{
    FZ_CHECK(d == &dev && !qid && n && n <= EF_TX_PREPARED_MAX);
    for (size_t i = 0; i < n; i++) {
        FZ_CHECK(packet_of(mbufs[i])->source == DPBUF_DPDK);
        nic_send(&card, mbufs[i]);
        /* As a ring that is not cleaned. */
        if (dev.rte_pool == tight_pool && n_held < ARRAY_SIZE(held)) {
            held[n_held++] = mbufs[i];
        } else {
            rte_pktmbuf_free(mbufs[i]);
        }
    }
}

static uint64_t
tx_flags(const struct plan *plan)
{
    static const uint64_t l4[] = {
        0, RTE_MBUF_F_TX_TCP_CKSUM, RTE_MBUF_F_TX_UDP_CKSUM,
        RTE_MBUF_F_TX_SCTP_CKSUM,
    };
    uint64_t flags = l4[plan->tx & 3];

    flags |= plan->tx & 4 ? RTE_MBUF_F_TX_TCP_SEG : 0;
    flags |= plan->tx & 8 ? RTE_MBUF_F_TX_IP_CKSUM : 0;
    flags |= plan->tx & 16 ? RTE_MBUF_F_TX_IPV4 : 0;
    flags |= plan->tx & 32 ? RTE_MBUF_F_TX_IPV6 : 0;
    flags |= plan->tx & 64 ? RTE_MBUF_F_TX_TUNNEL_VXLAN : 0;
    flags |= plan->tx & 128 ? RTE_MBUF_F_TX_VLAN : 0;
    return flags;
}

static uint64_t
hw_offloads(const struct plan *plan)
{
    static const uint64_t offloads[] = {
        RTE_ETH_TX_OFFLOAD_IPV4_CKSUM, RTE_ETH_TX_OFFLOAD_TCP_CKSUM,
        RTE_ETH_TX_OFFLOAD_UDP_CKSUM, RTE_ETH_TX_OFFLOAD_SCTP_CKSUM,
        RTE_ETH_TX_OFFLOAD_TCP_TSO,
    };
    uint64_t hw = 0;

    for (size_t i = 0; i < ARRAY_SIZE(offloads); i++) {
        hw |= plan->hw >> i & 1 ? offloads[i] : 0;
    }
    return hw;
}

static struct dp_packet *
make_dpdk(const struct dp_packet *packet)
{
    struct dp_packet *copy = packet_of(make_mbuf(dp_packet_data(packet),
                                                 dp_packet_size(packet),
                                                 false));

    copy->packet_type = packet->packet_type;
    dp_packet_reset_cutlen(copy);
    return copy;
}

/* Sends a copy of 'packet'; the wire has what came of it.  Returns the number
 * of drops. */
static uint64_t
transmit(const struct plan *plan, const struct dp_packet *packet,
         bool foreign, uint64_t hw)
{
    struct dp_packet *copy = foreign ? make_foreign(packet)
                             : make_dpdk(packet);
    bool shared = !foreign && plan->shape & SHAPE_SHARED;
    struct dp_packet_batch batch;

    copy->l2_pad_size = packet->l2_pad_size;
    copy->l2_5_ofs = packet->l2_5_ofs;
    copy->l3_ofs = packet->l3_ofs;
    copy->l4_ofs = packet->l4_ofs;
    copy->mbuf.ol_flags |= tx_flags(plan);
    if (shared) {
        rte_mbuf_refcnt_update(&copy->mbuf, 1);
    }
    memset(&txq.n, 0, sizeof txq.n);
    card.offloads = hw;
    card.max_frame = dev.max_frame;
    nic_wire_clear(&card.wire);
    dp_packet_batch_init_packet(&batch, copy);
    ef_tx_prepare(&dev, 0, hw, &batch, driver);
    if (shared) {
        FZ_CHECK(dp_packet_size(copy) == dp_packet_size(packet));
        FZ_CHECK(!memcmp(dp_packet_data(copy), dp_packet_data(packet),
                         dp_packet_size(packet)));
        rte_pktmbuf_free(&copy->mbuf);
    }
    while (n_held) {
        rte_pktmbuf_free(held[--n_held]);
    }
    FZ_CHECK(!ef_counter_get(&txq.n.qos_drops)
             && !ef_counter_get(&txq.n.down_drops));
    return ef_counter_get(&txq.n.failure_drops)
           + ef_counter_get(&txq.n.mtu_exceeded_drops)
           + ef_counter_get(&txq.n.invalid_hwol_drops);
}

/* Whether frames have right checksums, and the payload of 'packet' in
 * order. */
static void
check_frames(const struct dp_packet *packet, const struct nic_wire *wire)
{
    const uint8_t *whole = dp_packet_data(packet), *frame;
    struct nic_headers h = { .l3 = packet->l3_ofs, .l4 = packet->l4_ofs };
    uint32_t payload = 0, size;
    size_t ofs = 0;

    while ((frame = nic_next(wire, &ofs, &size)) != NULL) {
        uint64_t l4 = packet->mbuf.ol_flags & RTE_MBUF_F_TX_L4_MASK;
        bool tso = packet->mbuf.ol_flags & RTE_MBUF_F_TX_TCP_SEG;
        uint32_t l4_len;

        h.is_ipv6 = frame[h.l3] >> 4 == 6;
        h.proto = tso || l4 == RTE_MBUF_F_TX_TCP_CKSUM ? IPPROTO_TCP
                  : l4 == RTE_MBUF_F_TX_UDP_CKSUM ? IPPROTO_UDP
                  : IPPROTO_SCTP;
        h.end = h.l3 + (h.is_ipv6 ? 40 + fx_get16(frame + h.l3 + 4)
                        : fx_get16(frame + h.l3 + 2));
        FZ_CHECK(h.end <= size && (!tso || h.end == size));
        if (h.proto == IPPROTO_SCTP) {
            uint8_t *copy = xmemdup(frame, size);

            nic_fill_l4(copy, &h);
            FZ_CHECK(!memcmp(copy, frame, size));
            free(copy);
        } else {
            FZ_CHECK(nic_l4_sum(frame, &h) == 0xffff);
        }
        FZ_CHECK(h.is_ipv6 || fx_sum(frame + h.l3, h.l4 - h.l3, 0) == 0xffff);
        if (tso) {
            l4_len = (frame[h.l4 + 12] >> 4) * 4;
            FZ_CHECK(!memcmp(frame + h.l4 + l4_len,
                             whole + h.l4 + l4_len + payload,
                             size - h.l4 - l4_len));
            payload += size - h.l4 - l4_len;
            FZ_CHECK(size - h.l3 <= dev.mtu || wire->n == 1);
        }
    }
}

static void
check_transmission(const struct plan *plan, struct dp_packet *packet)
{
    uint64_t n_drops, n_drops_hw;
    struct nic_wire wire;

    dev.mtu = 68 + plan->mtu % 9100;
    dev.max_frame = ef_dpdk_mtu_to_frame(dev.mtu);
    dev.rte_pool = pool;
    packet->mbuf.ol_flags |= tx_flags(plan);
    n_drops = transmit(plan, packet, true, 0);
    FZ_CHECK(n_drops ? n_drops == 1 && !card.wire.n : card.wire.n);
    if (!tx_flags(plan)) {
        FZ_CHECK(n_drops == (dp_packet_size(packet) > dev.max_frame));
        FZ_CHECK(n_drops || card.wire.size
                            == dp_packet_size(packet) + sizeof(uint32_t));
    } else if (tx_flags(plan) & (RTE_MBUF_F_TX_L4_MASK
                                 | RTE_MBUF_F_TX_TCP_SEG)) {
        check_frames(packet, &card.wire);
    }

    wire = card.wire;
    memset(&card.wire, 0, sizeof card.wire);
    n_drops_hw = transmit(plan, packet, false, hw_offloads(plan));
    FZ_CHECK(n_drops == n_drops_hw);
    FZ_CHECK(wire.n == card.wire.n && wire.size == card.wire.size);
    FZ_CHECK(!wire.n || !memcmp(wire.bytes, card.wire.bytes, wire.size));
    free(wire.bytes);

    /* Too few buffers: what does not arrive is counted. */
    if (plan->shape & SHAPE_TIGHT) {
        size_t n = card.wire.n;

        dev.rte_pool = tight_pool;
        n_drops = transmit(plan, packet, true, 0);
        FZ_CHECK(card.wire.n + n_drops == MAX(n, 1));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fz_input in = { data, size };
    struct dp_packet *packet, *foreign;
    struct flow flow, again;
    size_t frame_size;
    struct plan plan;
    uint8_t *frame;

    read_plan(&in, &plan);
    frame = read_frame(&in, &plan, &frame_size);
    if (frame_size >= ETH_HEADER_LEN) {
        packet = receive(&plan, frame, frame_size);
        set_metadata(&plan, packet);
        foreign = make_foreign(packet);
        classify(&plan, packet, &again);
        classify(&plan, foreign, &flow);
        FZ_CHECK(flow_equal(&flow, &again));
        enter_tunnel(&plan, foreign, &flow);
        check_transmission(&plan, foreign);
        dp_packet_delete(foreign);
        dp_packet_delete(packet);
        FZ_CHECK(!rte_mempool_in_use_count(pool)
                 && !rte_mempool_in_use_count(tight_pool));
    }
    free(frame);
    fz_done();
    return 0;
}
