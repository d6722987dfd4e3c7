/* SPDX-License-Identifier: Apache-2.0 */

/* Entry of the packet path: from a batch of packets to the actions of their
 * flows.  Called for each batch that a port delivers (pmd/poll.c) and for
 * each recirculation, by the owner of the instance.  Nothing here takes a
 * lock or allocates memory; the miss path (pmd/miss.c) and actions may. */

#include <config.h>

#include "pmd/input.h"

#include "flow/simple-match.h"
#include "netdev-offload.h"
#include "netdev-provider.h"
#include "odp-util.h"
#include "packets.h"
#include "pmd/pmd.h"
#include "stats/drop.h"

/* Packets of one flow, waiting for its actions. */
struct ef_flow_batch {
    struct ef_flow *flow;
    unsigned n_bytes;
    uint16_t tcp_flags;
    struct dp_packet_batch packets;
};

/* What is the same for all packets of a batch. */
struct input_mode {
    odp_port_t port_no;         /* ODPP_NONE: metadata is there already. */
    bool hw_marks;              /* Packets may carry the mark of a flow. */
    bool simple;                /* All flows of the port are simple. */
    bool emc;                   /* Look into the exact match cache. */
};

/* Numbers of packets by the way they were found. */
struct input_hits {
    unsigned hw;
    unsigned simple;
    unsigned emc;
};

/* The last simple match of a batch: most batches have few different ones. */
struct simple_memo {
    uint64_t mark;
    struct ef_flow *flow;
};

/* The key of a packet for the caches hashes what the network card or a
 * 5-tuple hash says, and the depth, so that a packet has another place in the
 * cache each time it passes. */
static inline uint32_t
packet_hash(struct dp_packet *packet, const struct miniflow *mf,
            uint32_t depth)
{
    uint32_t hash;

    if (OVS_LIKELY(dp_packet_rss_valid(packet))) {
        hash = dp_packet_get_rss_hash(packet);
    } else {
        hash = miniflow_hash_5tuple(mf, 0);
        dp_packet_set_rss_hash(packet, hash);
    }
    return OVS_UNLIKELY(depth) ? hash_finish(hash, depth) : hash;
}

/* Looks for a flow by the mark that the hardware gave the packet. Returns
 * false if the packet is lost. */
static bool
find_by_mark(struct ef_pmd *pmd, struct dp_packet *packet,
             struct ef_flow **flow)
{
    uint32_t mark;

#ifdef ALLOW_EXPERIMENTAL_API   /* The package has packet restoration. */
    struct netdev *netdev = pmd->act.rxq->port->netdev;
    bool restores;

    atomic_read_relaxed(&netdev->hw_info.miss_api_supported, &restores);
    if (restores) {
        int error = netdev_hw_miss_packet_recover(netdev, packet);

        if (error && error != EOPNOTSUPP) {
            ef_drop_count(EF_DROP_HW_MISS_RECOVER, 1);
            return false;
        }
    }
#endif

    *flow = (dp_packet_has_flow_mark(packet, &mark)
             ? ef_offload_find_mark(mark, pmd->core_id) : NULL);
    return true;
}

static struct ef_flow *
find_simple(struct ef_pmd *pmd, struct dp_packet *packet,
            const struct input_mode *mode, struct simple_memo *memo,
            uint16_t *tcp_flags)
{
    ovs_be16 dl_type = 0, vlan_tci = 0;
    uint8_t nw_frag = 0;
    uint64_t mark;

    *tcp_flags = parse_tcp_flags(packet, &dl_type, &nw_frag, &vlan_tci);
    mark = ef_simple_mark(mode->port_no, dl_type, nw_frag, vlan_tci);
    if (!memo->flow || memo->mark != mark) {
        memo->mark = mark;
        memo->flow = ef_simple_match_lookup(&pmd->flows, mode->port_no,
                                            dl_type, nw_frag, vlan_tci);
    }
    return memo->flow;
}

static inline void
found(struct ef_input *in, struct dp_packet *packet, struct ef_flow *flow,
      uint16_t tcp_flags)
{
    in->packets[in->n] = packet;
    in->flows[in->n] = flow;
    in->tcp_flags[in->n++] = tcp_flags;
}

/* Stages one to three for each packet: hardware mark, simple match, exact
 * match cache.  'keys' has room for a key for each packet; a packet that is
 * found leaves its key to the next one, so that few cache lines are used. */
static void
classify(struct ef_pmd *pmd, const struct dp_packet_batch *batch,
         const struct input_mode *mode, struct ef_key *keys,
         struct ef_input *in, struct input_hits *hits)
{
    const size_t n = dp_packet_batch_size(batch);
    struct simple_memo memo = { 0, NULL };

    for (size_t i = 0; i < n; i++) {
        struct dp_packet *packet = batch->packets[i];
        struct ef_key *key = &keys[in->n_missed];
        struct ef_flow *flow = NULL;
        uint16_t tcp_flags;

        if (i + 1 < n) {
            OVS_PREFETCH(dp_packet_data(batch->packets[i + 1]));
            pkt_metadata_prefetch_init(&batch->packets[i + 1]->md);
        }
        if (OVS_UNLIKELY(dp_packet_size(packet) < ETH_HEADER_LEN)) {
            ef_drop_packet(EF_DROP_RX_INVALID_PACKET, packet);
            continue;
        }
        if (mode->port_no != ODPP_NONE) {
            pkt_metadata_init(&packet->md, mode->port_no);
        }

        if (OVS_UNLIKELY(mode->hw_marks)) {
            if (!find_by_mark(pmd, packet, &flow)) {
                continue;
            }
            if (flow) {
                hits->hw++;
                found(in, packet, flow,
                      parse_tcp_flags(packet, NULL, NULL, NULL));
                continue;
            }
        }
        if (mode->simple) {
            flow = find_simple(pmd, packet, mode, &memo, &tcp_flags);
            if (OVS_LIKELY(flow)) {
                hits->simple++;
                found(in, packet, flow, tcp_flags);
                continue;
            }
        }

        miniflow_extract(packet, &key->mf);
        key->len = 0;
        key->hash = packet_hash(packet, &key->mf, pmd->act.depth);
        flow = mode->emc ? ef_emc_lookup(&pmd->emc, key) : NULL;
        if (OVS_LIKELY(flow)) {
            hits->emc++;
        } else {
            in->places[in->n_missed] = in->n;
            in->keys[in->n_missed++] = key;
        }
        found(in, packet, flow, miniflow_get_tcp_flags(&key->mf));
    }
}

/* Groups the packets by flow, in the order of each flow's first packet.
 * Returns the number of groups. */
static size_t
group(const struct ef_input *in, struct ef_flow_batch batches[])
{
    size_t n_batches = 0;

    for (size_t i = 0; i < in->n; i++) {
        struct ef_flow *flow = in->flows[i];
        struct ef_flow_batch *batch;

        if (OVS_UNLIKELY(!flow)) {
            continue;
        }
        batch = flow->batch;
        if (!batch) {
            batch = flow->batch = &batches[n_batches++];
            batch->flow = flow;
            batch->n_bytes = 0;
            batch->tcp_flags = 0;
            dp_packet_batch_init(&batch->packets);
        }
        batch->n_bytes += dp_packet_size(in->packets[i]);
        batch->tcp_flags |= in->tcp_flags[i];
        batch->packets.packets[batch->packets.count++] = in->packets[i];
    }

    /* Actions may recirculate packets into any of these flows, so no flow
     * may point to its group any more when the first action runs. */
    for (size_t i = 0; i < n_batches; i++) {
        batches[i].flow->batch = NULL;
    }
    return n_batches;
}

static void
execute(struct ef_pmd *pmd, struct ef_flow_batch *batch)
{
    const struct ef_flow_actions *actions = ef_flow_get_actions(batch->flow);

    ef_flow_account(batch->flow, dp_packet_batch_size(&batch->packets),
                    batch->n_bytes, batch->tcp_flags,
                    pmd->act.now_us / 1000);
    ef_act_execute(&pmd->act, &batch->packets, true, &batch->flow->flow,
                   actions->actions, actions->size);
}

static void
count_hits(struct ef_pmd *pmd, const struct input_hits *hits)
{
    const struct {
        enum pmd_stat_type stat;
        unsigned n;
    } rows[] = {
        { PMD_STAT_PHWOL_HIT, hits->hw },
        { PMD_STAT_SIMPLE_HIT, hits->simple },
        { PMD_STAT_EXACT_HIT, hits->emc },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].n) {
            pmd_perf_update_counter(&pmd->perf, rows[i].stat, rows[i].n);
        }
    }
}

static void
input(struct ef_pmd *pmd, struct dp_packet_batch *packets,
      const struct input_mode *mode)
{
    const size_t n = dp_packet_batch_size(packets);
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) struct ef_key keys[n];
    struct ef_flow_batch batches[n];
    struct input_hits hits = { 0, 0, 0 };
    struct ef_input in;
    size_t n_batches;

    in.n = in.n_missed = 0;
    classify(pmd, packets, mode, keys, &in, &hits);
    count_hits(pmd, &hits);

    if (in.n_missed && pmd->smc_enable && !mode->simple) {
        ef_input_lookup_smc(pmd, &in);
    }
    if (OVS_UNLIKELY(in.n_missed)) {
        ef_input_lookup_classifier(pmd, &in);
    }

    n_batches = group(&in, batches);
    if (mode->port_no != ODPP_NONE) {
        ef_latency_classified(&pmd->output.latency);
    }
    for (size_t i = 0; i < n_batches; i++) {
        execute(pmd, &batches[i]);
    }
}

void
ef_pmd_input(struct ef_pmd *pmd, struct dp_packet_batch *packets,
             odp_port_t port_no)
{
    struct input_mode mode = {
        .port_no = port_no,
        .hw_marks = netdev_is_flow_api_enabled(),
        .simple = ef_simple_match_enabled(&pmd->flows, port_no),
    };

    /* Where every flow is simple, a packet that is not found needs an upcall
     * anyhow, and nothing was ever put into the caches. */
    mode.emc = !mode.simple && pmd->emc_insert_min;
    pmd_perf_update_counter(&pmd->perf, PMD_STAT_RECV,
                            dp_packet_batch_size(packets));
    if (OVS_LIKELY(!dp_packet_batch_is_empty(packets))) {
        input(pmd, packets, &mode);
    }
}

void
ef_pmd_recirculate(struct ef_act *act, struct dp_packet_batch *packets)
{
    struct ef_pmd *pmd = CONTAINER_OF(act, struct ef_pmd, act);
    struct input_mode mode = {
        .port_no = ODPP_NONE,
        .hw_marks = netdev_is_flow_api_enabled() && !act->depth,
        .simple = false,
        .emc = pmd->emc_insert_min,
    };

    pmd_perf_update_counter(&pmd->perf, PMD_STAT_RECIRC,
                            dp_packet_batch_size(packets));
    if (OVS_LIKELY(!dp_packet_batch_is_empty(packets))) {
        input(pmd, packets, &mode);
    }
}
