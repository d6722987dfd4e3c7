/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_MARKS_H
#define EF_DPDK_TX_MARKS_H 1

/* Packets of one transmit queue that went to the driver with a second
 * reference, ours, until the driver has dropped its own.
 *
 *     out     in the order they were sent; only the oldest are looked at
 *     astray  not back although later ones are: out of order, or lost
 *
 * A mark is overtaken when a later one comes back.  By more than the ring, or
 * for EF_TX_MARKS_LOST_US, and it is astray; astray and older than
 * EF_TX_MARKS_LOST_US, and it counts as lost.  It goes home all the same if it
 * is returned later, and does not count any more then.
 *
 * A buffer is looked at only while we hold a reference to it.
 *
 * Threads: the owner of the queue; 'life' can be read by any. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dpdk/tx-watch.h"

/* When full, the one that has waited longest is let go: our reference is
 * dropped, and only the driver's keeps the buffer. */
#define EF_TX_MARKS_ASTRAY 32
#define EF_TX_MARKS_LOST_US 500000

struct ef_tx_mark {
    struct rte_mbuf *mbuf;      /* NULL in 'out': back out of order. */
    uint64_t seq;               /* Packets sent up to it. */
    uint64_t tsc;               /* When. */
    bool is_lost;               /* Astray only. */
};

struct ef_tx_marks {
    unsigned head, tail;        /* In 'out', modulo its size. */
    unsigned n_astray;
    unsigned ring_size;
    uint64_t lost_cycles;       /* EF_TX_MARKS_LOST_US. */
    uint64_t us_per_cycle;      /* Times 2**32. */
    uint64_t completed;         /* Latest 'seq' that came back. */
    uint64_t n_lost;            /* Of those let go and those astray. */
    struct ef_tx_mark out[EF_TX_WATCH_MARKS];
    struct ef_tx_mark astray[EF_TX_MARKS_ASTRAY];
    struct ef_histogram life;   /* us. */
};

/* 'hz' of the time stamps. */
void ef_tx_marks_init(struct ef_tx_marks *, unsigned ring_size, uint64_t hz);
/* Drops our reference to all. */
void ef_tx_marks_give_up(struct ef_tx_marks *);

static inline unsigned
ef_tx_marks_n_out(const struct ef_tx_marks *marks)
{
    return marks->tail - marks->head;
}

/* The oldest that is out and not astray, or NULL. */
static inline const struct ef_tx_mark *
ef_tx_marks_oldest(const struct ef_tx_marks *marks)
{
    return (marks->head == marks->tail ? NULL
            : &marks->out[marks->head % EF_TX_WATCH_MARKS]);
}

static inline uint64_t
ef_tx_marks_to_us(const struct ef_tx_marks *marks, uint64_t cycles)
{
    return (unsigned __int128) cycles * marks->us_per_cycle >> 32;
}

/* Needs ef_tx_marks_n_out() below EF_TX_WATCH_MARKS.  'mbuf' has one segment
 * and carries our reference already. */
void ef_tx_marks_push(struct ef_tx_marks *, struct rte_mbuf *, uint64_t seq,
                      uint64_t tsc);
/* Takes the oldest that are back. */
void ef_tx_marks_look(struct ef_tx_marks *, uint64_t now_tsc);
/* Looks at all, those astray too.  Returns whether any was back. */
bool ef_tx_marks_scan(struct ef_tx_marks *, uint64_t now_tsc);

#endif /* dpdk/tx-marks.h */
