/* SPDX-License-Identifier: Apache-2.0 */

/* What every receive function does with the buffers that a driver or guest
 * gave.
 *
 * Called by ethdev-rx and vhost-rx, on the PMD that owns the queue. */

#include <config.h>

#include "dpdk/rx-finish.h"

#include <rte_mbuf.h>

#include "dp-packet.h"
#include "dpdk/buffer.h"
#include "dpdk/policer.h"

static size_t join_batch(struct rte_mempool *, struct dp_packet **, size_t n);

void
ef_rx_finish(struct ef_dpdk_dev *dev, unsigned qid,
             struct dp_packet_batch *batch, size_t n)
{
    struct ef_policer *policer = ovsrcu_get(struct ef_policer *,
                                            &dev->policer);
    struct ef_dpdk_rxq_counters *counters = &dev->rxq_counters[qid];
    unsigned n_segs = 0;

    for (size_t i = 0; i < n; i++) {
        struct dp_packet *packet = batch->packets[i];

        packet->packet_type = htonl(PT_ETH);
        dp_packet_reset_cutlen(packet);
        n_segs |= packet->mbuf.nb_segs;
    }
    if (OVS_UNLIKELY(n_segs > 1)) {
        size_t n_joined = join_batch(ef_dpdk_dev_rxq_pool(dev, qid),
                                     batch->packets, n);

        ef_counter_add(&counters->join_drops, n - n_joined);
        n = n_joined;
    }
    if (OVS_UNLIKELY(policer) && n) {
        size_t n_passed = ef_policer_run(policer,
                                         (struct rte_mbuf **) batch->packets,
                                         n);

        if (n_passed < n) {
            ef_counter_add(&counters->qos_drops, n - n_passed);
        }
        n = n_passed;
    }
    batch->count = n;
}

/* Joining. */

/* What reception told about a packet, except where its bytes are. */
static void
copy_marks(struct rte_mbuf *to, const struct rte_mbuf *from)
{
    to->ol_flags |= from->ol_flags & ~(RTE_MBUF_F_EXTERNAL
                                       | RTE_MBUF_F_INDIRECT);
    to->port = from->port;
    to->packet_type = from->packet_type;
    to->hash = from->hash;
    to->vlan_tci = from->vlan_tci;
    to->vlan_tci_outer = from->vlan_tci_outer;
    to->tx_offload = from->tx_offload;
    memcpy(to->dynfield1, from->dynfield1, sizeof to->dynfield1);
}

/* Returns a packet of one segment with the bytes of 'packet', which is gone,
 * or NULL. */
static struct dp_packet *
join(struct rte_mempool *pool, struct dp_packet *packet)
{
    struct rte_mbuf *from = &packet->mbuf;
    uint32_t size = rte_pktmbuf_pkt_len(from);
    struct dp_packet *joined = NULL;
    struct rte_mbuf *to;

    if (rte_mbuf_refcnt_read(from) == 1 && !rte_pktmbuf_linearize(from)) {
        return packet;
    }
    to = ef_buffer_alloc(pool, size);
    if (to) {
        uint8_t *bytes = rte_pktmbuf_mtod(to, uint8_t *);

        for (const struct rte_mbuf *seg = from; seg; seg = seg->next) {
            memcpy(bytes, rte_pktmbuf_mtod(seg, uint8_t *), seg->data_len);
            bytes += seg->data_len;
        }
        copy_marks(to, from);
        joined = CONTAINER_OF(to, struct dp_packet, mbuf);
        dp_packet_set_size(joined, size);
        joined->packet_type = packet->packet_type;
        dp_packet_reset_cutlen(joined);
    }
    rte_pktmbuf_free(from);
    return joined;
}

/* Returns how many packets are left. */
static size_t
join_batch(struct rte_mempool *pool, struct dp_packet **packets, size_t n)
{
    size_t n_left = 0;

    for (size_t i = 0; i < n; i++) {
        struct dp_packet *packet = packets[i];

        if (packet->mbuf.nb_segs > 1) {
            packet = join(pool, packet);
        }
        if (packet) {
            packets[n_left++] = packet;
        }
    }
    return n_left;
}
