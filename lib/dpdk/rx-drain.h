/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_RX_DRAIN_H
#define EF_DPDK_RX_DRAIN_H 1

/* Receive rings that run full: how full one is, and taking packets out of it
 * that the PMD has no time for.
 *
 * Only for ports of type=dpdk whose driver tells which descriptors of a ring
 * are filled.  What it does not tell, we cannot know: a full burst may be all
 * there is.  A guest's ring (vhost) is never drained: it is the guest that
 * waits when it is full, and nothing is lost.
 *
 *     while (ef_rx_is_filled(rxq, 50) > 0
 *            && ef_rx_drain(rxq, &kept) == NETDEV_MAX_BURST) {
 *         ... 'kept' ...
 *     }
 *
 * Threads: the PMD that owns the queue. */

#include <stdbool.h>
#include <stddef.h>

struct dp_packet_batch;
struct netdev_rxq;

/* Whether at least 'percent' of the ring's descriptors hold packets: 1, 0, or
 * -1 if it cannot be known. */
int ef_rx_is_filled(const struct netdev_rxq *, unsigned percent);

/* Receives a burst and sheds it but for priority frames (dpdk/rx-priority.h),
 * which are in 'kept', in order, and may be none.  Counts both.  Returns how
 * many packets the device gave.  Needs that ef_rx_is_filled() is not -1. */
size_t ef_rx_drain(struct netdev_rxq *, struct dp_packet_batch *kept);

/* Puts the priority frames of a batch of the queue first; the order is else
 * as it was.  Counts them and returns how many there are.  As above. */
size_t ef_rx_priority_first(struct netdev_rxq *, struct dp_packet_batch *);

/* Sheds what follows the first 'n' packets of a batch of the queue, and counts
 * it. */
void ef_rx_shed(struct netdev_rxq *, struct dp_packet_batch *, size_t n);

#endif /* dpdk/rx-drain.h */
