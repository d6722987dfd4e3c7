/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_DRIVER_H
#define EF_DPDK_TX_DRIVER_H 1

/* What a driver tells of a transmit queue, and does for it, if asked.
 *
 * Both are of no use with drivers that cannot: whoever gets EF_TX_UNKNOWN or a
 * negative number asks no more.
 *
 * Threads: the owner of the queue. */

#include <stdint.h>

/* Descriptors that the device has not done yet, or EF_TX_UNKNOWN.  Some dozen
 * reads of the ring. */
int64_t ef_tx_driver_ring_used(uint16_t port_id, uint16_t queue,
                               unsigned ring_size);

/* Lets the driver free up to EF_TX_DRIVER_CLEANUP buffers that the device is
 * done with.  Returns their number, or -1: it cannot. */
#define EF_TX_DRIVER_CLEANUP 256
int ef_tx_driver_cleanup(uint16_t port_id, uint16_t queue);

#endif /* dpdk/tx-driver.h */
