/* SPDX-License-Identifier: Apache-2.0 */

/* Asks the driver how full a transmit ring is, and to free what is done.
 *
 * Called by tx-watch.c on the thread that owns the queue. */

#include <config.h>

#include "dpdk/tx-driver.h"

#include <rte_ethdev.h>

#include "dpdk/tx-watch.h"

/* Drivers that have one descriptor in 32 reported may call the latest ones
 * done before they are. */
#define LATEST_STEP 32
#define N_LATEST 3

struct ring {
    uint16_t port_id, queue;
    unsigned size;
};

static bool
is_full(const struct ring *ring, unsigned offset)
{
    return (rte_eth_tx_descriptor_status(ring->port_id, ring->queue, offset)
            == RTE_ETH_TX_DESC_FULL);
}

/* Of the offsets from 'lo' on, the first whose state is 'full'; 'hi' has it.
 * All after the first are supposed to be like it. */
static unsigned
find_first(const struct ring *ring, unsigned lo, unsigned hi, bool full)
{
    while (lo < hi) {
        unsigned middle = lo + (hi - lo) / 2;

        if (is_full(ring, middle) == full) {
            hi = middle;
        } else {
            lo = middle + 1;
        }
    }
    return lo;
}

int64_t
ef_tx_driver_ring_used(uint16_t port_id, uint16_t queue, unsigned ring_size)
{
    const struct ring ring = { port_id, queue, ring_size };

    if (!ring_size
        || rte_eth_tx_descriptor_status(port_id, queue, 0) < 0) {
        return EF_TX_UNKNOWN;
    }
    /* Offset 0 is where the next packet will go, the one before it is the last
     * of the ring: what is used ends there.  But some drivers count from the
     * oldest: what is used starts at offset 0. */
    if (is_full(&ring, 0)) {
        return (is_full(&ring, ring_size - 1) ? ring_size
                : find_first(&ring, 1, ring_size, false));
    }
    for (unsigned i = 0; i < N_LATEST && i * LATEST_STEP < ring_size; i++) {
        unsigned latest = ring_size - 1 - i * LATEST_STEP;

        if (is_full(&ring, latest)) {
            return ring_size - find_first(&ring, 0, latest, true);
        }
    }
    return 0;
}

int
ef_tx_driver_cleanup(uint16_t port_id, uint16_t queue)
{
    int n = rte_eth_tx_done_cleanup(port_id, queue, EF_TX_DRIVER_CLEANUP);

    return n < 0 ? -1 : n;
}
