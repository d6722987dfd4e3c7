/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_COUNTER_H
#define EF_CORE_COUNTER_H 1

/* Counters with one writer and any number of readers.
 *
 * The writer adds with a plain load, add and store, so counting costs no
 * locked instruction.  Load and store are each atomic (relaxed): a reader
 * never sees half a value, but nothing orders a counter against other
 * memory.  With two writers at once, increments get lost.
 *
 *     ef_counter_add(&flow->stats.n_packets, n);          owner
 *     total += ef_counter_get(&flow->stats.n_packets);    anybody */

#include "ovs-atomic.h"

static inline void
ef_counter_add(atomic_ullong *counter, unsigned long long n)
{
    unsigned long long value;

    atomic_read_relaxed(counter, &value);
    atomic_store_relaxed(counter, value + n);
}

static inline void
ef_counter_set(atomic_ullong *counter, unsigned long long value)
{
    atomic_store_relaxed(counter, value);
}

static inline unsigned long long
ef_counter_get(const atomic_ullong *counter)
{
    unsigned long long value;

    atomic_read_relaxed(CONST_CAST(atomic_ullong *, counter), &value);
    return value;
}

#endif /* core/counter.h */
