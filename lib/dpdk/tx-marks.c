/* SPDX-License-Identifier: Apache-2.0 */

/* Second references to some packets of a transmit queue, in a ring buffer, and
 * those that did not come back in order, in a short list.
 *
 * Called by tx-watch.c, on the thread that owns the queue; the main thread,
 * when the device has stopped. */

#include <config.h>

#include "dpdk/tx-marks.h"

#include <string.h>

#include <rte_mbuf.h>

#include "util.h"

BUILD_ASSERT_DECL(IS_POW2(EF_TX_WATCH_MARKS));

void
ef_tx_marks_init(struct ef_tx_marks *marks, unsigned ring_size, uint64_t hz)
{
    memset(marks, 0, sizeof *marks);
    marks->ring_size = ring_size;
    marks->lost_cycles = hz / 1000000.0 * EF_TX_MARKS_LOST_US;
    marks->us_per_cycle = (1000000ULL << 32) / hz;
}

/* Drops our reference.  Frees the buffer if that was the last; if not,
 * whoever has it will.  Never the chain: a receiver of it may have made it
 * part of one. */
static void
let_go(struct rte_mbuf *mbuf)
{
    rte_pktmbuf_free_seg(mbuf);
}

void
ef_tx_marks_give_up(struct ef_tx_marks *marks)
{
    for (; marks->head != marks->tail; marks->head++) {
        struct ef_tx_mark *mark = &marks->out[marks->head
                                              % EF_TX_WATCH_MARKS];

        if (mark->mbuf) {
            let_go(mark->mbuf);
        }
    }
    for (unsigned i = 0; i < marks->n_astray; i++) {
        let_go(marks->astray[i].mbuf);
    }
    marks->n_astray = 0;
}

void
ef_tx_marks_push(struct ef_tx_marks *marks, struct rte_mbuf *mbuf,
                 uint64_t seq, uint64_t tsc)
{
    marks->out[marks->tail++ % EF_TX_WATCH_MARKS] = (struct ef_tx_mark) {
        .mbuf = mbuf, .seq = seq, .tsc = tsc,
    };
}

/* Pairs with the release in the decrement of whoever had the buffer, who may
 * be another thread: it is done with it. */
static bool
is_back(const struct ef_tx_mark *mark)
{
    return __atomic_load_n(&mark->mbuf->refcnt, __ATOMIC_ACQUIRE) == 1;
}

/* Threads that share a queue may be on cores whose clocks differ. */
static uint64_t
age(const struct ef_tx_mark *mark, uint64_t now_tsc)
{
    return now_tsc > mark->tsc ? now_tsc - mark->tsc : 0;
}

/* One that is_back(). */
static void
take_back(struct ef_tx_marks *marks, const struct ef_tx_mark *mark,
          uint64_t now_tsc)
{
    ef_histogram_add(&marks->life,
                     ef_tx_marks_to_us(marks, age(mark, now_tsc)));
    let_go(mark->mbuf);
}

void
ef_tx_marks_look(struct ef_tx_marks *marks, uint64_t now_tsc)
{
    while (marks->head != marks->tail) {
        const struct ef_tx_mark *mark = &marks->out[marks->head
                                                    % EF_TX_WATCH_MARKS];

        if (mark->mbuf) {
            if (!is_back(mark)) {
                return;
            }
            take_back(marks, mark, now_tsc);
            marks->completed = MAX(marks->completed, mark->seq);
        }
        marks->head++;
    }
}

/* Those astray. */

static void
remove_astray(struct ef_tx_marks *marks, unsigned i)
{
    marks->n_astray--;
    memmove(&marks->astray[i], &marks->astray[i + 1],
            (marks->n_astray - i) * sizeof marks->astray[i]);
}

static void
add_astray(struct ef_tx_marks *marks, const struct ef_tx_mark *mark)
{
    if (marks->n_astray == EF_TX_MARKS_ASTRAY) {
        /* Counts as lost from now on, for ever. */
        marks->n_lost += !marks->astray[0].is_lost;
        let_go(marks->astray[0].mbuf);
        remove_astray(marks, 0);
    }
    marks->astray[marks->n_astray++] = *mark;
}

static bool
scan_astray(struct ef_tx_marks *marks, uint64_t now_tsc)
{
    bool any = false;

    for (unsigned i = 0; i < marks->n_astray; ) {
        struct ef_tx_mark *mark = &marks->astray[i];

        if (is_back(mark)) {
            take_back(marks, mark, now_tsc);
            marks->n_lost -= mark->is_lost;
            remove_astray(marks, i);
            any = true;
            continue;
        }
        if (!mark->is_lost && age(mark, now_tsc) >= marks->lost_cycles) {
            mark->is_lost = true;
            marks->n_lost++;
        }
        i++;
    }
    return any;
}

/* Whether a mark that is not back should have been. */
static bool
is_astray(const struct ef_tx_marks *marks, const struct ef_tx_mark *mark,
          uint64_t now_tsc)
{
    return marks->completed > mark->seq
           && (marks->completed - mark->seq > marks->ring_size
               || age(mark, now_tsc) >= marks->lost_cycles);
}

bool
ef_tx_marks_scan(struct ef_tx_marks *marks, uint64_t now_tsc)
{
    bool any = false;

    for (unsigned i = marks->head; i != marks->tail; i++) {
        struct ef_tx_mark *mark = &marks->out[i % EF_TX_WATCH_MARKS];

        if (mark->mbuf && is_back(mark)) {
            take_back(marks, mark, now_tsc);
            mark->mbuf = NULL;
            marks->completed = MAX(marks->completed, mark->seq);
            any = true;
        }
    }
    for (; marks->head != marks->tail; marks->head++) {
        const struct ef_tx_mark *mark = &marks->out[marks->head
                                                    % EF_TX_WATCH_MARKS];

        if (mark->mbuf) {
            if (!is_astray(marks, mark, now_tsc)) {
                break;
            }
            add_astray(marks, mark);
        }
    }
    return scan_astray(marks, now_tsc) || any;
}
