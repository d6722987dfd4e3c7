/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_STATS_LATENCY_H
#define EF_STATS_LATENCY_H 1

/* How long packets stay in the switch, measured on one in so many.
 *
 *     received     the receive call has returned
 *     classified   the batch has its flows, actions are next
 *     joined       the packet is in the batch of an output port
 *     sent         the driver was called (start) and has returned (end)
 *
 * 'received' travels in the packet (stats/stamp.h) as far as 'joined'; from
 * then on the output batch has the times in a list of its own, since a packet
 * that was given to a driver is not ours to look at.  What is the same for
 * all packets of a receive batch is in struct ef_latency.  A packet that is
 * dropped is not counted; one that is sent twice counts for each.
 *
 *     EF_LATENCY_WAIT     before 'received'.  Nobody writes down when a packet
 *                         comes into a receive ring.  What is known is that it
 *                         was not there when the ring was last found empty:
 *                         this is the time since, so the longest that the
 *                         packet may have waited.  After a full burst not
 *                         even that is known ('n_wait_unknown').
 *     EF_LATENCY_LOOKUP   received to classified; a part of the next
 *     EF_LATENCY_WORK     the total without the next: lookup, actions, driver
 *     EF_LATENCY_HOLD     joined to start: in wait for other packets
 *     EF_LATENCY_TOTAL    received to end
 *
 * Time in which the thread was not run is in whatever stage it was in.
 *
 * Each instance has EF_LATENCY_PAIRS sets of histograms, taken by the first
 * sample of a pair of ports and class; without a free one it is counted in
 * 'n_full' only.  A request to clear makes all sets old; the owner empties an
 * old one when it has something to put into it or needs it for another pair.
 * Sets are kept after their ports are gone.
 *
 * Threads: the owner of the instance, unless stated otherwise. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ticks.h"
#include "dp-packet.h"
#include "openvswitch/types.h"
#include "stats/histogram.h"
#include "stats/stamp.h"
#include "util.h"

#define EF_LATENCY_PAIRS 128    /* A power of 2. */

enum ef_latency_stage {
    EF_LATENCY_WAIT,
    EF_LATENCY_LOOKUP,
    EF_LATENCY_WORK,
    EF_LATENCY_HOLD,
    EF_LATENCY_TOTAL,
    EF_LATENCY_N_STAGES
};

/* Who and where. */
struct ef_latency_key {
    atomic_uint32_t in_port;
    atomic_uint32_t out_port;
    atomic_uint32_t class;
};

/* Samples of a pair of ports and a class.  The owner writes, any thread
 * reads. */
struct ef_latency_pair {
    atomic_uint32_t era;        /* Of the table, 0: being changed or free. */
    struct ef_latency_key key;
    atomic_ullong n_wait_unknown;
    struct ef_histogram stages[EF_LATENCY_N_STAGES];    /* Ticks. */
    struct ef_histogram batch;  /* Packets sent together with it. */
};

struct ef_latency_table;

struct ef_latency {
    bool pending;               /* Packets of the batch at hand are stamped. */
    uint32_t until;             /* Packets before the next that will be. */
    uint32_t random;
    uint32_t in_port;           /* Of the batch at hand, and its times: */
    uint64_t received;
    uint64_t classified;        /* 0: not yet. */
    uint64_t wait;              /* UINT64_MAX: not known. */
    struct ef_latency_table *table;
};

/* The stamped packets of an output batch. */
struct ef_latency_sample {
    uint64_t received, joined;  /* Times. */
    uint64_t wait, lookup;      /* Durations. */
    uint32_t in_port;
};
struct ef_latency_batch {
    unsigned n;
    struct ef_latency_sample samples[NETDEV_MAX_BURST];
};

/* Main thread.  'core' may be one that there is not. */
void ef_latency_init(struct ef_latency *, unsigned core);
/* No thread uses it any more. */
void ef_latency_destroy(struct ef_latency *);
/* The thread that runs the instance, at its start: says who it is. */
void ef_latency_set_thread(struct ef_latency *);

/* --- The packet path ----------------------------------------------------- */

void ef_latency_stamp(struct ef_latency *, uint32_t every,
                      uint64_t emptied_ticks, struct dp_packet_batch *,
                      odp_port_t in_port);
void ef_latency_join(struct ef_latency *, struct ef_latency_batch *,
                     struct dp_packet *const packets[], size_t n);
void ef_latency_copy(const struct ef_latency *, struct dp_packet_batch *to,
                     struct dp_packet_batch *from);
void ef_latency_send(struct ef_latency *, struct ef_latency_batch *,
                     odp_port_t out_port, unsigned class, size_t n_packets,
                     uint64_t start, uint64_t end);

/* A batch came by 'in_port'; stamps one in 'every' packets on average (0:
 * none), not each so many, since batches have their rhythm, too.  The queue
 * was last found empty at 'emptied_ticks' (0: there was more in it). */
static inline void
ef_latency_received(struct ef_latency *lat, uint32_t every,
                    uint64_t emptied_ticks, struct dp_packet_batch *batch,
                    odp_port_t in_port)
{
    lat->pending = false;
    if (every) {
        /* It may have been more a moment ago. */
        lat->until = MIN(lat->until, 2 * every);
        if (lat->until >= batch->count) {
            lat->until -= batch->count;
        } else {
            ef_latency_stamp(lat, every, emptied_ticks, batch, in_port);
        }
    }
}

/* The batch at hand, or a part of it, has its flows. */
static inline void
ef_latency_classified(struct ef_latency *lat)
{
    if (lat->pending) {
        lat->classified = ef_ticks_now();
    }
}

/* Packets join an output batch, which has room for them. */
static inline void
ef_latency_joined(struct ef_latency *lat, struct ef_latency_batch *samples,
                  struct dp_packet *const packets[], size_t n)
{
    if (lat->pending) {
        ef_latency_join(lat, samples, packets, n);
    }
}

/* 'to' are copies of the packets 'from', in the same order. */
static inline void
ef_latency_copied(const struct ef_latency *lat, struct dp_packet_batch *to,
                  struct dp_packet_batch *from)
{
    if (lat->pending) {
        ef_latency_copy(lat, to, from);
    }
}

/* A batch of 'n_packets' was given to the driver of 'out_port' from 'start' to
 * 'end'. */
static inline void
ef_latency_sent(struct ef_latency *lat, struct ef_latency_batch *samples,
                odp_port_t out_port, unsigned class, size_t n_packets,
                uint64_t start, uint64_t end)
{
    if (samples->n) {
        ef_latency_send(lat, samples, out_port, class, n_packets, start, end);
    }
}

/* --- Readers, main thread ------------------------------------------------ */

/* Adds what the instance has to the 'n' pairs of '*pairsp', of which there may
 * be none, and those that are new.  The caller frees each and the array. */
void ef_latency_merge(const struct ef_latency *,
                      struct ef_latency_pair ***pairsp, size_t *n);

/* Samples that found no set of histograms. */
uint64_t ef_latency_n_full(const struct ef_latency *);

/* Everything before counts no more. */
void ef_latency_clear(struct ef_latency *);

/* What others took of the processor's time since the thread began, or the last
 * clear; negative if not known. */
struct ef_latency_taken {
    int64_t run_delay_us;       /* The thread was ready and not run. */
    int64_t steal_ms;           /* A host ran others on the processor. */
};
struct ef_latency_taken ef_latency_get_taken(const struct ef_latency *);

#endif /* stats/latency.h */
