/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_FILL_H
#define EF_DPDK_TX_FILL_H 1

/* How full a transmit ring or a guest's queue is, cheaply: with one or two
 * looks, for decisions between two bursts.  dpdk/tx-driver.h counts.
 *
 * Threads: the PMD that sends to the queue. */

#include <stdbool.h>

struct netdev;

/* Whether more than 'percent' of the places of 'txq' are taken: 1, 0, or -1 if
 * it cannot be known (not a port of DPDK, a driver that does not tell, no
 * guest, or another thread that uses a 'shared' queue just now). */
int ef_tx_is_filled(const struct netdev *, int txq, unsigned percent,
                    bool shared);

#endif /* dpdk/tx-fill.h */
