/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_COPY_H
#define EF_DPDK_TX_COPY_H 1

/* Packets of other ports, which are not in DPDK's memory, for drivers, which
 * can only send such. */

struct dp_packet;
struct rte_mempool;

/* Returns a copy of 'packet' in a buffer of DPDK's, with its offsets and what
 * it asks of the driver, or NULL.  'packet' stays the caller's.
 *
 * Threads: whoever has the tx queue. */
struct dp_packet *ef_tx_copy(struct rte_mempool *, const struct dp_packet *);

#endif /* dpdk/tx-copy.h */
