/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_RX_BURST_H
#define EF_DPDK_RX_BURST_H 1

/* Interface:options:rx-burst: how many packets a PMD asks a queue for at a
 * time, 1 to NETDEV_MAX_BURST.  Smaller bursts take less time, so that the
 * other queues of the PMD and packets that wait for transmission come sooner;
 * the work that a burst costs as such is shared by fewer packets.
 *
 * Changes at any time, without a reconfiguration. */

#include "ovs-atomic.h"

struct netdev;

/* Stores what 'value' says in '*n'.  Returns NULL, or the rule that it breaks
 * and stores nothing. */
const char *ef_rx_burst_parse(const char *value, unsigned *n);

/* Main thread. */
void ef_rx_burst_set(struct netdev *, unsigned n);

/* Any thread.  Of a port that is not ours: NETDEV_MAX_BURST. */
unsigned ef_rx_burst(const struct netdev *);

/* Packet path. */
static inline unsigned
ef_rx_burst_read(const atomic_uint *burst)
{
    unsigned n;

    atomic_read_relaxed(CONST_CAST(atomic_uint *, burst), &n);
    return n;
}

#endif /* dpdk/rx-burst.h */
