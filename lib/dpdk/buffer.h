/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_BUFFER_H
#define EF_DPDK_BUFFER_H 1

/* A buffer for one packet in one piece, whatever its length.
 *
 * The data path and drivers without scattered transmission need packets in
 * one piece.  A pool's buffers hold a frame of the port's MTU; what TCP
 * segmentation offload brings is longer and gets memory of DPDK's heap,
 * attached to a buffer of the pool and freed with it.
 *
 * Threads: any; only packets too long for the pool's buffers take the lock of
 * DPDK's heap. */

#include <stdint.h>

struct rte_mbuf;
struct rte_mempool;

/* The longest packet: lengths and offsets of a buffer have 16 bits, and room
 * in front and bookkeeping behind take their share. */
#define EF_BUFFER_MAX (UINT16_MAX - 256)

/* Returns an empty buffer with room for 'size' bytes behind the usual
 * headroom, or NULL. */
struct rte_mbuf *ef_buffer_alloc(struct rte_mempool *, uint32_t size);

#endif /* dpdk/buffer.h */
