/* SPDX-License-Identifier: Apache-2.0 */

/* Windows of a second of a transmit queue.
 *
 * Called by tx-watch.c on the thread that owns the queue; read by the main
 * thread. */

#include <config.h>

#include "dpdk/tx-window.h"

#include <string.h>

#include "util.h"

void
ef_tx_window_init(struct ef_tx_window *window, uint64_t hz, uint64_t now_tsc,
                  uint64_t completed)
{
    memset(window, 0, sizeof *window);
    window->hz = hz;
    ef_tx_window_restart(window, now_tsc, completed);
}

void
ef_tx_window_restart(struct ef_tx_window *window, uint64_t now_tsc,
                     uint64_t completed)
{
    window->start_tsc = now_tsc;
    window->start_completed = completed;
    window->min = INT64_MAX;
    window->max = 0;
}

void
ef_tx_window_run(struct ef_tx_window *window, uint64_t now_tsc,
                 uint64_t completed)
{
    uint64_t cycles = now_tsc - window->start_tsc;
    double seconds = (double) cycles / window->hz;

    if (now_tsc < window->start_tsc || cycles < window->hz) {
        return;
    }
    ef_counter_set(&window->pps,
                   (completed - window->start_completed) / seconds);
    ef_counter_set(&window->last_min,
                   window->min <= window->max ? window->min : 0);
    ef_counter_set(&window->last_max, window->max);
    ef_counter_set(&window->end_tsc, now_tsc);
    ef_counter_add(&window->n, 1);
    ef_tx_window_restart(window, now_tsc, completed);
}

void
ef_tx_window_burst(struct ef_tx_window *window, uint64_t now_tsc, uint64_t n)
{
    if (now_tsc >= window->next_slot_tsc) {
        ef_counter_set(&window->burst_before, ef_counter_get(&window->burst));
        ef_counter_set(&window->burst, 0);
        window->next_slot_tsc = now_tsc + EF_TX_WINDOW_BURST_S * window->hz;
    }
    if (n > ef_counter_get(&window->burst)) {
        ef_counter_set(&window->burst, n);
    }
}

uint64_t
ef_tx_window_max_burst(const struct ef_tx_window *window)
{
    return MAX(ef_counter_get(&window->burst),
               ef_counter_get(&window->burst_before));
}

void
ef_tx_window_get(const struct ef_tx_window *window,
                 struct ef_tx_window_facts *facts)
{
    facts->n = ef_counter_get(&window->n);
    facts->end_tsc = ef_counter_get(&window->end_tsc);
    facts->min = ef_counter_get(&window->last_min);
    facts->max = ef_counter_get(&window->last_max);
    facts->pps = ef_counter_get(&window->pps);
}
