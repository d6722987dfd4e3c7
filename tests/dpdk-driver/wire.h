/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_DRIVER_WIRE_H
#define EF_DPDK_DRIVER_WIRE_H 1

/* One direction of a wire between two devices of net_ef_tx.
 *
 * A frame takes no time.  It finds its place among the packets that the far
 * end's rx-rate makes, by when it was sent; if the receive ring there is full
 * of them at that moment, it is lost, as at a NIC.
 *
 * Threads: attach and detach, main; send, any; the others, the one that has
 * the far end's first receive queue, or main while that is stopped. */

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_ring;

struct ef_wire {
    struct rte_ring *frames;    /* Copies; mbuf->hash has the time. */
    struct rte_mbuf *head;      /* Taken from 'frames', but not due. */
    /* Of the ring at the far end: when the first packet of rx-rate came that
     * is still in it, ticks between two, descriptors. */
    uint64_t next_tsc, spacing;
    uint32_t size;
    uint64_t n_lost;            /* By those who send. */
};

/* Takes the next end of wire 'n': 'in' comes from, 'out' goes to the device
 * that takes the other.  Returns 0, EINVAL if there is no such wire, EBUSY if
 * both ends are taken, or ENOMEM. */
int ef_wire_attach(unsigned n, struct ef_wire **in, struct ef_wire **out);
void ef_wire_detach(struct ef_wire *in);

/* Sends a copy. */
void ef_wire_send(struct ef_wire *, const struct rte_mbuf *);

bool ef_wire_is_empty(const struct ef_wire *);
/* The next frame that was sent before 'until', or NULL. */
struct rte_mbuf *ef_wire_take(struct ef_wire *, uint64_t until);
void ef_wire_tell(struct ef_wire *, uint64_t next_tsc, uint64_t spacing,
                  uint32_t size);

#endif /* wire.h */
