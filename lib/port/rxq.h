/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PORT_RXQ_H
#define EF_PORT_RXQ_H 1

/* A receive queue of a port, and how many cycles it cost its PMD.
 *
 * Load is kept as a sum for the current interval of EF_LOAD_INTERVAL_US and
 * a ring with the sums of the last EF_LOAD_INTERVALS intervals.  The PMD that
 * polls the queue writes; the main thread and show commands read, relaxed.
 * A reader that races with the PMD's step to the next interval sees sums that
 * are one interval older, which the plan does not mind.
 *
 *     ef_load_add(&rxq->load, cycles);            owning PMD, per batch
 *     ef_load_store_interval(&rxq->load);         owning PMD, every interval
 *     busy = ef_load_sum(&rxq->load, 12);         anybody */

#include <stdbool.h>
#include <stdint.h>

#include "ovs-atomic.h"

struct ef_port;
struct netdev_rxq;

#define EF_LOAD_INTERVAL_US 5000000LL
#define EF_LOAD_INTERVALS 12

struct ef_load {
    atomic_ullong current;      /* Cycles since the interval began. */
    atomic_count next;          /* Interval to be written next, modulo
                                 * EF_LOAD_INTERVALS. */
    atomic_ullong intervals[EF_LOAD_INTERVALS];
};

/* Whether the ring of a queue runs full: see pmd/overload.h. */
struct ef_rxq_overload {
    uint8_t n_full;             /* Full bursts in a row, so far as it matters.
                                 */
    bool on;
    uint32_t each;              /* Ticks that a packet took of late. */
};

struct ef_rxq {
    /* Set by the main thread while no PMD polls the queue. */
    struct ef_port *port;
    struct netdev_rxq *rx;
    bool is_vhost;              /* The driver tells how much more waits. */
    unsigned pinned_core;       /* OVS_CORE_UNSPEC if not pinned. */

    /* Set by the main thread when it carries out a plan. */
    unsigned core_id;           /* PMD that polls; OVS_CORE_UNSPEC: none. */

    /* Written by the PMD that polls. */
    struct ef_load load;
    unsigned burst;             /* Packets that it asks for at a time; read by
                                 * nobody else. */
    struct ef_rxq_overload overload;    /* Read by nobody else. */
    uint64_t emptied_ticks;     /* When the last poll that got less than it
                                 * asked for began; 0: the last got that.
                                 * Read by nobody else. */
};

/* Owner only: the PMD that polls the queue (or measures itself). */
void ef_load_reset(struct ef_load *);
void ef_load_add(struct ef_load *, uint64_t cycles);
/* Moves the current sum into the ring and starts a new interval. */
void ef_load_store_interval(struct ef_load *);
/* Writes 'cycles' into the ring and leaves the current sum alone. */
void ef_load_store(struct ef_load *, uint64_t cycles);

/* Any thread.  Returns the cycles of the newest 'n' intervals, with 'n' in
 * 1...EF_LOAD_INTERVALS. */
uint64_t ef_load_sum(const struct ef_load *, unsigned n);

/* Any thread.  Parses 'list' ("QUEUE:CORE,...", a null pointer counts as
 * empty) into 'cores', which has 'n' elements; queues that are not listed
 * become OVS_CORE_UNSPEC, queues beyond 'n' are ignored.  Returns 0, or EINVAL
 * if 'list' is malformed, in which case 'cores' is unspecified. */
int ef_rxq_affinity_parse(const char *list, unsigned cores[], unsigned n);

#endif /* port/rxq.h */
