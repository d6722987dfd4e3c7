/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_OUTPUT_HOLD_H
#define EF_OUTPUT_HOLD_H 1

/* Whether a batch that is not full yet waits for company or goes now.
 *
 * Packets may wait for 'target' ticks at most.  A batch of n packets, of which
 * the first has 'rest' ticks left, waits if and only if all of these hold:
 *
 *     n < limit  and  rest > 0                                   (promise)
 *     the latest packet came no more than SPAN ago               (going on)
 *     rest * rate > 1/2                                          (company)
 *     behind >= EF_HOLD_FACTOR * n * MIN(rest, (limit - n) / rate)   (gain)
 *
 * 'rate' is packets per tick of this port: over the last eight or so receive
 * batches that had packets for it, which took SPAN.  Without a packet for
 * SPAN the traffic has stopped, and a pause longer than the target makes the
 * estimate start anew: nothing is held for packets that will not come.
 *
 * 'behind' is the PMD's, in ticks: how long it has received nothing but full
 * bursts.  A loop that keeps up has time for small batches, and its bursts
 * grow with its load by themselves: a hold would only delay.  A loop that
 * receives full bursts does not keep up, and every send that it saves is time
 * for packets that wait to be received.  Sending n packets at a time costs
 * SEND / n each, beside PACKET for the rest of the work on them.  Fuller
 * batches spare about SEND / (n * PACKET) of the time; if the loop stays
 * behind for as long again as it has been, that is
 *
 *     behind * SEND / (n * PACKET)
 *
 * which has to be worth the wait, the shorter of 'rest' and the time until the
 * batch is full.  EF_HOLD_FACTOR is PACKET / SEND, rounded up.  So a burst
 * that is over soon is sent as it comes.
 *
 * When batches are held, bursts are not full any more, because holding helps;
 * then only empty ones count against 'behind'.  Empty ones count eightfold,
 * and so do full ones in spite of holding.
 *
 * Ticks are those of the PMD's cycle counter: a loop iteration takes about a
 * microsecond, so that microseconds are too coarse.  No division anywhere.
 *
 *     ef_hold_arrived(&hold, now, n, empty);     packets join a port's batch
 *     ef_hold_polled(&load, now, n, burst, held);     after each receive batch
 *     if (!ef_hold_waits(&hold, now, n, load.behind)) {
 *         send;                                       each waiting port
 *     }
 *
 * No packet waits longer than 'target' and until the next call of
 * ef_hold_waits(), which needs a fresh 'now': a loop that calls it once per
 * iteration keeps the promise to one iteration.
 *
 * Threads: the owner of the instance. */

#include <stdbool.h>
#include <stdint.h>

#define EF_HOLD_FACTOR 2
/* The longest target, in ticks: 50 ms at 5 GHz. */
#define EF_HOLD_TARGET_MAX (UINT32_C(1) << 28)

/* One per PMD. */
struct ef_hold_load {
    uint64_t last;              /* When 'behind' was brought up to date. */
    uint32_t behind;            /* Ticks. */
    uint32_t behind_max;        /* How much of the past counts. */
};

/* One per port, or per class of a port. */
struct ef_hold {
    uint64_t last;              /* Latest arrival. */
    uint64_t deadline;          /* Of the first packet in the batch. */
    uint32_t target;            /* Ticks that a packet may wait. */
    uint32_t limit;             /* Packets that make a batch full. */
    uint32_t span;              /* Fading sum of the ticks between arrivals. */
    uint32_t packets;           /* Of the packets that came; 1/16 packets. */
};

/* 'behind_max' ticks: 2 ms; with less, the pauses between bursts that follow
 * each other closely make a PMD forget that it is behind. */
void ef_hold_load_init(struct ef_hold_load *, uint64_t now,
                       uint32_t behind_max);
/* The time until 'now' was spent on something else than packets. */
void ef_hold_load_skip(struct ef_hold_load *, uint64_t now);
/* 'target' is cut to EF_HOLD_TARGET_MAX; 'limit' is at least 1. */
void ef_hold_init(struct ef_hold *, uint32_t target, uint32_t limit);
/* The same for one that is in use: what it knows of its traffic stays, and a
 * packet that waits has no more time than the new target gives. */
void ef_hold_set(struct ef_hold *, uint32_t target, uint32_t limit);

/* A receive queue gave 'n' packets of at most 'burst', and they have been
 * dealt with; or, with an 'n' of 0, a whole iteration of the loop got none: a
 * queue that is empty beside a full one says nothing.  'held': a batch waited
 * meanwhile. */
void ef_hold_polled(struct ef_hold_load *, uint64_t now, uint32_t n,
                    uint32_t burst, bool held);

/* 'n' packets join a batch, which was 'empty' before.  Calls with the same
 * 'now' count as one arrival. */
void ef_hold_arrived(struct ef_hold *, uint64_t now, uint32_t n, bool empty);

/* Whether a batch of 'n' packets waits.  A pure function. */
bool ef_hold_waits(const struct ef_hold *, uint64_t now, uint32_t n,
                   uint32_t behind);

#endif /* output/hold.h */
