/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_RX_FINISH_H
#define EF_DPDK_RX_FINISH_H 1

/* What every receive function does with the buffers that a driver or guest
 * gave: joins packets that came in several segments (the data path reads
 * packets as one piece), polices, and makes a batch of them.
 *
 * Threads: the PMD that owns the queue. */

#include "dpdk/dev.h"

struct dp_packet_batch;

/* 'batch->packets' holds 'n' buffers, not more than NETDEV_MAX_BURST.
 * Sets the batch's count, which may become 0, and initializes the packets. */
void ef_rx_finish(struct ef_dpdk_dev *, unsigned qid,
                  struct dp_packet_batch *batch, size_t n);

#endif /* dpdk/rx-finish.h */
