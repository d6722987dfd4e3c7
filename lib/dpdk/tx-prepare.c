/* SPDX-License-Identifier: Apache-2.0 */

/* Makes a batch fit to be given to a driver.
 *
 * Called by the send functions of all ports of DPDK's, on the thread that has
 * the tx queue.  Nearly all batches need nothing: one pass over them finds
 * out.  The others take the long way packet by packet. */

#include <config.h>

#include "dpdk/tx-prepare.h"

#include <rte_mbuf.h>

#include "compat/packet-offload.h"
#include "dpdk/log.h"
#include "dpdk/tx-copy.h"
#include "dpdk/tx-offload.h"
#include "dpdk/tx-segment.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

enum fate {
    FATE_SEND,
    FATE_TOO_LONG,
    FATE_BAD_OFFLOAD,
    FATE_NO_BUFFER,
    N_FATES
};

struct outlet {
    struct ef_dpdk_dev *dev;
    unsigned qid;
    ef_tx_send_func *send;
    size_t n;
    struct rte_mbuf *mbufs[EF_TX_PREPARED_MAX];
};

static size_t fit_batch(struct ef_dpdk_dev *, unsigned qid,
                        const struct ef_tx_limits *, bool has_qos,
                        struct dp_packet_batch *, bool *segment);
static void send_segmented(struct outlet *, uint64_t hw_offloads,
                           struct dp_packet **, size_t n);

/* Whether all packets can go as they are.  Each costs three loads, from two
 * cache lines that forwarding it has touched, and no branch.  Marks are for
 * the driver only if it is asked for something. */
static inline bool
is_plain(struct dp_packet_batch *batch, uint32_t max_frame)
{
    uint64_t marks = 0;
    uint64_t odd = 0;

    for (size_t i = 0; i < batch->count; i++) {
        const struct dp_packet *packet = batch->packets[i];

        odd |= packet->mbuf.ol_flags & EF_TX_REQUESTS;
        marks |= packet->mbuf.ol_flags & EF_TX_MARKS;
        odd |= packet->source ^ DPBUF_DPDK;
        odd |= packet->mbuf.pkt_len > max_frame;
    }
    if (marks && !odd) {
        for (size_t i = 0; i < batch->count; i++) {
            batch->packets[i]->mbuf.ol_flags &= ~EF_TX_MARKS;
        }
    }
    return !odd;
}

static size_t
run_qos(struct ef_dpdk_dev *dev, unsigned qid, struct rte_mbuf **mbufs,
        size_t n)
{
    size_t n_left = ef_qos_run(&dev->qos, mbufs, n);

    if (n_left < n) {
        ef_counter_add(&dev->txqs[qid].n.qos_drops, n - n_left);
    }
    return n_left;
}

void
ef_tx_prepare(struct ef_dpdk_dev *dev, unsigned qid, uint64_t hw_offloads,
              struct dp_packet_batch *batch, ef_tx_send_func *send)
{
    struct rte_mbuf **mbufs = (struct rte_mbuf **) batch->packets;
    bool has_qos = ovsrcu_get(struct ef_qos *, &dev->qos.qos) != NULL;
    size_t n = batch->count;
    bool segment = false;

    if (OVS_UNLIKELY(!is_plain(batch, dev->max_frame))) {
        struct ef_tx_limits limits = {
            .hw_offloads = hw_offloads,
            .mtu = dev->mtu,
            .max_frame = dev->max_frame,
        };

        n = fit_batch(dev, qid, &limits, has_qos, batch, &segment);
    }
    /* Before segmentation, so that a policer sees the same packets whether
     * the driver segments or we do. */
    if (OVS_UNLIKELY(has_qos) && n) {
        n = run_qos(dev, qid, mbufs, n);
    }
    if (OVS_UNLIKELY(segment)) {
        struct outlet out = { .dev = dev, .qid = qid, .send = send, .n = 0 };

        send_segmented(&out, hw_offloads, batch->packets, n);
    } else if (OVS_LIKELY(n)) {
        send(dev, qid, mbufs, n);
    }
}

/* The long way. */

static void
log_bad_offload(const struct ef_dpdk_dev *dev, const struct dp_packet *packet)
{
    const char *name = netdev_get_name(&dev->up);
    uint64_t flags = packet->mbuf.ol_flags;

    if (flags & RTE_MBUF_F_TX_TCP_SEG && packet->l4_ofs == UINT16_MAX) {
        VLOG_WARN_RL(&rl, "%s: TCP Segmentation without L4 header pkt len: "
                     "%"PRIu32, name, dp_packet_size(packet));
    } else {
        VLOG_WARN_RL(&rl, "%s: offload cannot be done for a packet of "
                     "%"PRIu32" bytes, flags %#"PRIx64, name,
                     dp_packet_size(packet),
                     (uint64_t) (flags & RTE_MBUF_F_TX_OFFLOAD_MASK));
    }
}

/* Puts a copy in place of '*packetp'; on failure all stays. */
static bool
replace_by_copy(struct ef_dpdk_dev *dev, struct dp_packet **packetp)
{
    struct dp_packet *copy = ef_tx_copy(dev->rte_pool, *packetp);

    if (!copy) {
        return false;
    }
    dp_packet_delete(*packetp);
    *packetp = copy;
    return true;
}

static enum fate
fit_packet(struct ef_dpdk_dev *dev, const struct ef_tx_limits *limits,
           bool has_qos, struct dp_packet **packetp)
{
    struct dp_packet *packet = *packetp;
    uint64_t flags = packet->mbuf.ol_flags & EF_TX_REQUESTS;
    enum ef_tx_verdict verdict = EF_TX_SEND;

    if (!(flags & RTE_MBUF_F_TX_TCP_SEG)
        && dp_packet_size(packet) > limits->max_frame) {
        VLOG_WARN_RL(&rl, "%s: Too big size %"PRIu32" max_packet_len %d",
                     netdev_get_name(&dev->up), dp_packet_size(packet),
                     limits->max_frame);
        return FATE_TOO_LONG;
    }
    if (flags) {
        /* What others hold too must not be changed. */
        if (packet->source == DPBUF_DPDK
            && rte_mbuf_refcnt_read(&packet->mbuf) > 1) {
            if (!replace_by_copy(dev, packetp)) {
                return FATE_NO_BUFFER;
            }
            packet = *packetp;
        }
        verdict = ef_tx_offload(packet, limits);
        if (verdict == EF_TX_REFUSE) {
            log_bad_offload(dev, packet);
            return FATE_BAD_OFFLOAD;
        }
    } else {
        packet->mbuf.ol_flags &= ~EF_TX_MARKS;
    }
    /* Segmentation copies anyway; but QoS only knows DPDK's packets. */
    if (packet->source != DPBUF_DPDK
        && (verdict != EF_TX_SEGMENT || has_qos)
        && !replace_by_copy(dev, packetp)) {
        return FATE_NO_BUFFER;
    }
    return FATE_SEND;
}

/* Returns how many packets are left in 'batch'; '*segment' tells whether any
 * of them is to be segmented. */
static size_t
fit_batch(struct ef_dpdk_dev *dev, unsigned qid,
          const struct ef_tx_limits *limits, bool has_qos,
          struct dp_packet_batch *batch, bool *segment)
{
    struct ef_dpdk_txq_counters *counters = &dev->txqs[qid].n;
    size_t n[N_FATES] = { 0 };

    for (size_t i = 0; i < batch->count; i++) {
        struct dp_packet *packet = batch->packets[i];
        enum fate fate = fit_packet(dev, limits, has_qos, &packet);

        if (fate == FATE_SEND) {
            *segment |= ef_tx_is_to_be_segmented(packet);
            batch->packets[n[FATE_SEND]] = packet;
        } else {
            dp_packet_delete(packet);
        }
        n[fate]++;
    }
    if (n[FATE_SEND] < batch->count) {
        ef_counter_add(&counters->mtu_exceeded_drops, n[FATE_TOO_LONG]);
        ef_counter_add(&counters->invalid_hwol_drops, n[FATE_BAD_OFFLOAD]);
        ef_counter_add(&counters->failure_drops, n[FATE_NO_BUFFER]);
    }
    return n[FATE_SEND];
}

static void
flush(struct outlet *out)
{
    if (out->n) {
        out->send(out->dev, out->qid, out->mbufs, out->n);
        out->n = 0;
    }
}

static void
put(struct outlet *out, struct rte_mbuf *mbuf)
{
    out->mbufs[out->n++] = mbuf;
    if (out->n == EF_TX_PREPARED_MAX) {
        flush(out);
    }
}

static void
put_segments(struct outlet *out, uint64_t hw_offloads,
             struct dp_packet *packet)
{
    struct ef_tx_segmenter segmenter;
    size_t n_left;

    ef_tx_segment_start(&segmenter, packet, hw_offloads);
    while ((n_left = ef_tx_segment_left(&segmenter))) {
        struct rte_mbuf *mbuf = ef_tx_segment_next(&segmenter,
                                                   out->dev->rte_pool);

        if (OVS_UNLIKELY(!mbuf)) {
            ef_counter_add(&out->dev->txqs[out->qid].n.failure_drops, n_left);
            break;
        }
        put(out, mbuf);
    }
    dp_packet_delete(packet);
}

static void
send_segmented(struct outlet *out, uint64_t hw_offloads,
               struct dp_packet **packets, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ef_tx_is_to_be_segmented(packets[i])) {
            put_segments(out, hw_offloads, packets[i]);
        } else {
            put(out, &packets[i]->mbuf);
        }
    }
    flush(out);
}
