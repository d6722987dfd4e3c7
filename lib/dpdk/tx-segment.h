/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_SEGMENT_H
#define EF_DPDK_TX_SEGMENT_H 1

/* TCP segmentation in software: cuts a long packet into ones that a frame of
 * the port holds, as hardware would (the package's drivers do, and Linux):
 * over any layer 2 header, IPv4 and IPv6; IPv4's identification counts up;
 * FIN and PSH only in the last segment, CWR only in the first.
 *
 *     ef_tx_segment_start(&segmenter, packet, hw_offloads);
 *     while (ef_tx_segment_left(&segmenter)) {
 *         mbuf = ef_tx_segment_next(&segmenter, pool);
 *     }
 *
 * Threads: whoever has the tx queue. */

#include <stddef.h>
#include <stdint.h>

#include "dpdk/tx-offload.h"

struct dp_packet;
struct rte_mbuf;
struct rte_mempool;

struct ef_tx_segmenter {
    const struct dp_packet *packet;
    struct ef_tx_headers h;
    uint64_t hw_offloads;
    uint32_t payload_ofs;       /* Where the payload begins. */
    uint32_t next_ofs;          /* Where that of the next segment does. */
    uint16_t size;              /* Payload of each but the last. */
    uint16_t n_done;
};

/* 'packet' is one for which ef_tx_offload() said EF_TX_SEGMENT; it is read
 * until the last segment is made, and stays the caller's.  'hw_offloads' are
 * used for the segments' checksums. */
void ef_tx_segment_start(struct ef_tx_segmenter *, const struct dp_packet *,
                         uint64_t hw_offloads);

/* How many segments are still to be made. */
size_t ef_tx_segment_left(const struct ef_tx_segmenter *);

/* Makes the next one; NULL if there is no buffer for it. */
struct rte_mbuf *ef_tx_segment_next(struct ef_tx_segmenter *,
                                    struct rte_mempool *);

#endif /* dpdk/tx-segment.h */
