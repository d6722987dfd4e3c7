/* SPDX-License-Identifier: Apache-2.0 */

/* A small table from function to what its calls cost.
 *
 * The reclaimer fills it; rcu/show reads it from another.  Entries are
 * never removed. */

#include <config.h>

#include "rcu/call-stats.h"

#include <stdlib.h>

#include "core/counter.h"
#include "hash.h"
#include "util.h"

typedef void call_function(void *);

struct entry {
    ATOMIC(call_function *) function;
    atomic_ullong n;
    atomic_ullong total_ns;
    atomic_ullong max_ns;
};

/* The last one is for functions that find the others taken. */
static struct entry entries[EF_RCU_N_FUNCTIONS + 1];

static call_function *
get_function(const struct entry *entry)
{
    call_function *function;

    atomic_read_relaxed(&CONST_CAST(struct entry *, entry)->function,
                        &function);
    return function;
}

static struct entry *
find_or_add(call_function *function)
{
    unsigned start = hash_pointer(CONST_CAST(void *, function), 0);

    for (unsigned i = 0; i < EF_RCU_N_FUNCTIONS; i++) {
        struct entry *entry = &entries[(start + i) % EF_RCU_N_FUNCTIONS];
        call_function *found = get_function(entry);

        if (found == function) {
            return entry;
        }
        if (!found) {
            /* A reader may see it with counters of 0, which is true. */
            atomic_store_relaxed(&entry->function, function);
            return entry;
        }
    }
    return &entries[EF_RCU_N_FUNCTIONS];
}

void
ef_rcu_count_calls(call_function *function, unsigned n, uint64_t ns,
                   uint64_t max_ns)
{
    struct entry *entry = find_or_add(function);

    ef_counter_add(&entry->n, n);
    ef_counter_add(&entry->total_ns, ns);
    if (max_ns > ef_counter_get(&entry->max_ns)) {
        ef_counter_set(&entry->max_ns, max_ns);
    }
}

static int
compare_max(const void *a_, const void *b_)
{
    const struct ef_rcu_function_stats *a = a_;
    const struct ef_rcu_function_stats *b = b_;

    return a->max_ns < b->max_ns ? 1 : a->max_ns > b->max_ns ? -1 : 0;
}

size_t
ef_rcu_get_function_stats(
    struct ef_rcu_function_stats stats[EF_RCU_N_FUNCTIONS + 1])
{
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
        const struct entry *entry = &entries[i];

        if (ef_counter_get(&entry->n)) {
            stats[n++] = (struct ef_rcu_function_stats) {
                .function = get_function(entry),
                .n = ef_counter_get(&entry->n),
                .total_ns = ef_counter_get(&entry->total_ns),
                .max_ns = ef_counter_get(&entry->max_ns),
            };
        }
    }
    qsort(stats, n, sizeof *stats, compare_max);
    return n;
}
