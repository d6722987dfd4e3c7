/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_LATENCY_SHOW_H
#define EF_SHOW_LATENCY_SHOW_H 1

/* The answer to "dpif-netdev/latency-show [PORT] [json]": how long packets
 * stayed, for each pair of ports, and what others took of the threads' time.
 * stats/latency.h tells what the stages are.
 *
 * Threads: any.  Pure. */

#include <stddef.h>
#include <stdint.h>

#include "stats/latency.h"

struct ds;

struct ef_latency_show_pair {
    const char *in_port, *out_port;
    const struct ef_latency_pair *pair;
};

struct ef_latency_show_thread {
    unsigned core;              /* UINT32_MAX: the main thread. */
    struct ef_latency_taken taken;
    uint64_t n_full;
};

struct ef_latency_facts {
    uint32_t sample;            /* One packet in so many; 0: none. */
    uint64_t ticks_per_us;
    const struct ef_latency_show_pair *pairs;
    size_t n_pairs;
    const struct ef_latency_show_thread *threads;
    size_t n_threads;
};

void ef_show_latency(struct ds *, const struct ef_latency_facts *);
/* The same as a JSON object, on one line.  What is not known is null. */
void ef_show_latency_json(struct ds *, const struct ef_latency_facts *);

#endif /* show/latency-show.h */
