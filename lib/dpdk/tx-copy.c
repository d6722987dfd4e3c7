/* SPDX-License-Identifier: Apache-2.0 */

/* Copies packets that are not in DPDK's memory into buffers that are.
 *
 * Called by tx-prepare, on the thread that has the tx queue. */

#include <config.h>

#include "dpdk/tx-copy.h"

#include <rte_mbuf.h>

#include "compat/packet-offload.h"
#include "dpdk/buffer.h"

struct dp_packet *
ef_tx_copy(struct rte_mempool *pool, const struct dp_packet *packet)
{
    uint32_t size = dp_packet_size(packet);
    struct rte_mbuf *mbuf = ef_buffer_alloc(pool, size);
    struct dp_packet *copy;

    if (OVS_UNLIKELY(!mbuf)) {
        return NULL;
    }
    copy = CONTAINER_OF(mbuf, struct dp_packet, mbuf);
    memcpy(dp_packet_data(copy), dp_packet_data(packet), size);
    dp_packet_set_size(copy, size);

    ef_packet_copy_offsets(copy, packet);
    copy->packet_type = packet->packet_type;
    dp_packet_reset_cutlen(copy);

    /* Marks of reception say nothing to a driver that sends, but something,
     * and wrong, to a port of ours at the other end of a ring.  What tells
     * whose memory it is belongs to the buffer. */
    mbuf->ol_flags |= packet->mbuf.ol_flags & RTE_MBUF_F_TX_OFFLOAD_MASK;
    mbuf->tx_offload = packet->mbuf.tx_offload;
    mbuf->packet_type = packet->mbuf.packet_type;
    return copy;
}
