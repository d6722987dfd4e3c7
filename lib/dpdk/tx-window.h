/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_WINDOW_H
#define EF_DPDK_TX_WINDOW_H 1

/* What a transmit queue did in the last full second: the least and the most
 * in flight, how much completed, the largest burst.
 *
 * Threads: the owner of the queue writes; ef_tx_window_get(), any.  A reader
 * may get values of two neighbouring windows: each is one that was. */

#include <stdint.h>

#include "core/counter.h"

#define EF_TX_WINDOW_BURST_S 10

struct ef_tx_window {
    /* Owner. */
    uint64_t hz;
    uint64_t start_tsc;
    uint64_t start_completed;
    int64_t min, max;
    uint64_t next_slot_tsc;

    /* Of the last full one. */
    atomic_ullong n;            /* How many were full. */
    atomic_ullong end_tsc;
    atomic_ullong last_min, last_max;
    atomic_ullong pps;

    /* Largest bursts, of this slot of EF_TX_WINDOW_BURST_S and of the one
     * before. */
    atomic_ullong burst, burst_before;
};

struct ef_tx_window_facts {
    uint64_t n;                 /* A number that grows with each window. */
    uint64_t end_tsc;           /* 0: none was full yet. */
    int64_t min, max;
    uint64_t pps;
};

void ef_tx_window_init(struct ef_tx_window *, uint64_t hz, uint64_t now_tsc,
                       uint64_t completed);
/* Closes the window without publishing it: counting starts anew. */
void ef_tx_window_restart(struct ef_tx_window *, uint64_t now_tsc,
                          uint64_t completed);

static inline void
ef_tx_window_note(struct ef_tx_window *window, int64_t in_flight)
{
    if (in_flight > window->max) {
        window->max = in_flight;
    }
    if (in_flight < window->min) {
        window->min = in_flight;
    }
}

/* Publishes what has become a full second. */
void ef_tx_window_run(struct ef_tx_window *, uint64_t now_tsc,
                      uint64_t completed);

/* Notes the largest of some bursts. */
void ef_tx_window_burst(struct ef_tx_window *, uint64_t now_tsc, uint64_t n);

/* Any thread. */

uint64_t ef_tx_window_max_burst(const struct ef_tx_window *);
void ef_tx_window_get(const struct ef_tx_window *,
                      struct ef_tx_window_facts *);

#endif /* dpdk/tx-window.h */
