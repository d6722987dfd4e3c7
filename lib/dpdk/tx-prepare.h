/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_PREPARE_H
#define EF_DPDK_TX_PREPARE_H 1

/* Makes a batch fit to be given to a driver: every packet a buffer of DPDK's,
 * no longer than the port takes, every offload either one that the driver
 * announces or done here in software with the same bytes on the wire, and
 * within the port's QoS.
 *
 * Segmentation in software makes more packets out of one, so the result does
 * not fit the batch: it goes to 'out', in pieces of at most
 * EF_TX_PREPARED_MAX, by calling 'send' as often as needed.
 *
 * Threads: the PMD (or main thread) that has the tx queue, alone or under its
 * lock: drops are counted in the queue's counters. */

#include <stddef.h>
#include <stdint.h>

#include "dpdk/dev.h"

struct dp_packet_batch;
struct rte_mbuf;

#define EF_TX_PREPARED_MAX 64

/* Gives 'n' packets to the driver; they are not the caller's any more. */
typedef void ef_tx_send_func(struct ef_dpdk_dev *, unsigned qid,
                             struct rte_mbuf **, size_t n);

/* Takes all packets of 'batch'.  'hw_offloads' are those of
 * RTE_ETH_TX_OFFLOAD_* that the driver does on this port. */
void ef_tx_prepare(struct ef_dpdk_dev *, unsigned qid, uint64_t hw_offloads,
                   struct dp_packet_batch *batch, ef_tx_send_func *send);

#endif /* dpdk/tx-prepare.h */
