/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_STATS_STAMP_H
#define EF_STATS_STAMP_H 1

/* A time in a packet: when the batch that it came with was received.
 *
 * It is in a dynamic field of the mbuf behind a dynamic flag, which other
 * users of dynamic fields do not touch.  A packet on the heap has an mbuf as
 * its head, too, so it is stamped in the same way.
 *
 * Nobody clears what is in a buffer that is freed and used anew, and a flag
 * may come back with it.  So a stamp counts only for who knows its time: the
 * thread that has just received the packet.
 *
 * Threads: ef_stamp_register() main, once EAL runs; the others the owner of
 * the packet. */

#include <stdbool.h>
#include <stdint.h>

#include "dp-packet.h"
#include "ovs-atomic.h"

/* Where it is.  Before EAL runs no one else can have dynamic fields, and
 * packets are on the heap: any place in the mbuf will do.  Each is read by
 * itself; a packet that is stamped while they change is not measured. */
extern atomic_uint64_t ef_stamp_flag;   /* 0: there was no room. */
extern atomic_uint32_t ef_stamp_ofs;

/* Asks DPDK for a place.  Without one there are no stamps: returns a positive
 * errno. */
int ef_stamp_register(void);

static inline uint64_t
ef_stamp_get_flag(void)
{
    uint64_t flag;

    atomic_read_relaxed(&ef_stamp_flag, &flag);
    return flag;
}

static inline uint64_t *
ef_stamp_of(struct dp_packet *packet)
{
    uint32_t ofs;

    atomic_read_relaxed(&ef_stamp_ofs, &ofs);
    return (uint64_t *) (void *) ((char *) &packet->mbuf + ofs);
}

static inline void
ef_stamp_put(struct dp_packet *packet, uint64_t ticks)
{
    *ef_stamp_of(packet) = ticks;
    packet->mbuf.ol_flags |= ef_stamp_get_flag();
}

static inline bool
ef_stamp_is(struct dp_packet *packet, uint64_t flag, uint64_t ticks)
{
    return packet->mbuf.ol_flags & flag && *ef_stamp_of(packet) == ticks;
}

static inline void
ef_stamp_remove(struct dp_packet *packet, uint64_t flag)
{
    packet->mbuf.ol_flags &= ~flag;
}

#endif /* stats/stamp.h */
