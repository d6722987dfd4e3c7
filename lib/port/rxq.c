/* SPDX-License-Identifier: Apache-2.0 */

/* Load of receive queues: a sum that grows and a ring of finished sums.
 *
 * PMDs add after every batch and close an interval every five seconds; the
 * main thread sums the ring for the plan and for show commands.  All accesses
 * are relaxed.  The writer fills a slot before it moves 'next', and keeps
 * 'next' below EF_LOAD_INTERVALS, so a reader indexes the ring whatever it
 * sees. */

#include <config.h>

#include "port/rxq.h"

#include "core/counter.h"
#include "util.h"

void
ef_load_reset(struct ef_load *load)
{
    ef_counter_set(&load->current, 0);
    for (unsigned i = 0; i < EF_LOAD_INTERVALS; i++) {
        ef_counter_set(&load->intervals[i], 0);
    }
    atomic_count_set(&load->next, 0);
}

void
ef_load_add(struct ef_load *load, uint64_t cycles)
{
    ef_counter_add(&load->current, cycles);
}

void
ef_load_store_interval(struct ef_load *load)
{
    ef_load_store(load, ef_counter_get(&load->current));
    ef_counter_set(&load->current, 0);
}

void
ef_load_store(struct ef_load *load, uint64_t cycles)
{
    unsigned slot = atomic_count_get(&load->next);

    ef_counter_set(&load->intervals[slot], cycles);
    atomic_count_set(&load->next, (slot + 1) % EF_LOAD_INTERVALS);
}

uint64_t
ef_load_sum(const struct ef_load *load, unsigned n)
{
    unsigned slot = atomic_count_get(CONST_CAST(atomic_count *, &load->next));
    uint64_t sum = 0;

    ovs_assert(n >= 1 && n <= EF_LOAD_INTERVALS);
    while (n--) {
        slot = (slot ? slot : EF_LOAD_INTERVALS) - 1;
        sum += ef_counter_get(&load->intervals[slot]);
    }
    return sum;
}
