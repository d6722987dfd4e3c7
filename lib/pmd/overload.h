/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_OVERLOAD_H
#define EF_PMD_OVERLOAD_H 1

/* What a PMD does that does not keep up: it makes room in a receive ring that
 * runs full and sheds data there, so that the frames that matter
 * (dpdk/rx-priority.h) find room and are not lost at the device.
 *
 * A queue is in overload from the moment its ring is EF_OVERLOAD_HIGH percent
 * full after a full burst, until it is less than EF_OVERLOAD_LOW percent full
 * or a burst is not full.  Each turn of such a queue is
 *
 *     1. its burst, priority frames first; of a queue whose packets take long,
 *        most often since each is a new flow, only so many of the others as
 *        fit into EF_OVERLOAD_TURN cycles, and the rest is shed: else the ring
 *        would fill meanwhile;
 *     2. up to EF_OVERLOAD_BURSTS more bursts, as long as the ring is
 *        EF_OVERLOAD_LOW percent full: priority frames are kept and handled,
 *        all else is shed;
 *     3. no more of them after NETDEV_MAX_BURST priority frames.
 *
 * so that data gets at least half of the PMD whatever comes in.  As many data
 * packets as before are forwarded, but for the time that looking takes.  That
 * time is limited: of every cycle that passes, 'percent' hundredths of one may
 * be spent on it, and up to EF_OVERLOAD_SAVED cycles not spent are kept for
 * later.  Queues in overload at the same time share what there is.
 *
 *     ef_overload_reset(&overload, rxqs, n);              queues changed
 *     if (overload.percent
 *         && ef_overload_is_near(&rxq->overload, n, burst)) { each batch
 *         ... ef_overload_enter() ...                     pmd/overload-input.h
 *     }
 *
 * Ticks are those of the PMD's cycle counter.
 *
 * Threads: the owner of the instance. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openvswitch/compiler.h"
#include "port/rxq.h"

#define EF_OVERLOAD_HIGH 75
#define EF_OVERLOAD_LOW 50
#define EF_OVERLOAD_BURSTS 32
/* Full bursts in a row before the ring is looked at. */
#define EF_OVERLOAD_ROW 8
#define EF_OVERLOAD_TURN 0x20000                /* 52 us at 2.5 GHz. */
#define EF_OVERLOAD_SAVED INT64_C(0x4000000)    /* 27 ms at 2.5 GHz. */

/* One per PMD. */
struct ef_overload {
    uint8_t percent;            /* Budget, set by the owner; 0: off. */
    int64_t credit;             /* Ticks to spend; less than 0: overdrawn. */
    uint64_t last;              /* When 'credit' was brought up to date. */
    unsigned n_on;              /* Queues in overload. */
};

/* Forgets what is known of the queues; they are the PMD's from now on. */
void ef_overload_reset(struct ef_overload *, struct ef_rxq *const rxqs[],
                       size_t n);

/* A queue gave 'n' packets of at most 'burst'.  Returns whether its ring is
 * worth a look. */
static inline bool
ef_overload_is_near(struct ef_rxq_overload *q, unsigned n, unsigned burst)
{
    if (OVS_LIKELY(n < burst)) {
        q->n_full = 0;
        return false;
    }
    q->n_full = MIN(q->n_full + 1, EF_OVERLOAD_ROW);
    return q->n_full == EF_OVERLOAD_ROW || q->on;
}

/* The ring of 'q' was looked at: how full it has to be for overload, in
 * percent, and whether it is at least that full (-1: not known).  The latter
 * returns whether the queue is in overload. */
unsigned ef_overload_threshold(const struct ef_rxq_overload *);
bool ef_overload_set(struct ef_overload *, struct ef_rxq_overload *,
                     int is_filled);

/* 'n' packets took so many ticks; how many may be handled in a turn, 1 to
 * NETDEV_MAX_BURST. */
void ef_overload_took(struct ef_rxq_overload *, uint64_t ticks, size_t n);
unsigned ef_overload_share(const struct ef_rxq_overload *);

/* Adds what has been earned until 'now'.  Returns how many ticks one of the
 * queues in overload may spend in this turn: 0 if none. */
uint64_t ef_overload_earn(struct ef_overload *, uint64_t now);
static inline void
ef_overload_spend(struct ef_overload *overload, uint64_t ticks)
{
    overload->credit -= ticks;
}

#endif /* pmd/overload.h */
