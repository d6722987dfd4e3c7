/* SPDX-License-Identifier: Apache-2.0 */

/* Watches one transmit queue: marks packets, finds out what came back.
 *
 * The sender calls mark and sent around each burst, which nearly always only
 * count.  Each time that a spacing's worth of packets was offered, a "tick"
 * looks at the clock, at the oldest marks and at the ring, and marks a packet.
 * The PMD's loop calls idle once a millisecond.  The main thread reads. */

#include <config.h>

#include "dpdk/tx-watch.h"

#include <rte_cycles.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "core/random.h"
#include "dpdk/tx-driver.h"
#include "dpdk/tx-marks.h"
#include "dpdk/tx-window.h"
#include "util.h"

/* With more out than this, low rates are marked like high ones. */
#define MAX_DENSE 32
/* Packets of a burst that are tried for a mark. */
#define N_TRIES 4
/* Nothing is cleaned up in shorter gaps between packets: emptying the ring in
 * each would make it swing. */
#define QUIET_HZ 100
/* ef_tx_watch_mark(): this burst is not counted. */
#define NOT_WATCHED (-2)

struct ef_tx_watch {
    /* Owner, each burst; 'n_sent' is read by all. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) atomic_ullong n_sent;
    int64_t n_left;             /* Packets to be offered before a tick. */
    uint64_t burst;             /* Largest one since the last tick. */

    /* Owner, each tick. */
    int64_t interval;           /* From the last tick to the next. */
    uint64_t n_offered;         /* Up to the last tick. */
    uint32_t random;
    unsigned spacing;
    bool is_dense;              /* Low rate: each burst is marked. */
    struct rte_mbuf *pending;   /* Marked, in the burst under way. */
    uint64_t pending_tsc;
    uint64_t next_ring_tsc;     /* UINT64_MAX: the driver cannot tell. */
    uint64_t next_scan_tsc, next_urgent_tsc;
    struct ef_tx_marks marks;

    /* Owner, idle. */
    uint64_t idle_tsc;          /* Of the last call. */
    uint64_t idle_offered;
    uint64_t cleanup_tsc, cleanup_gap;
    bool cannot_clean;          /* The driver says so. */

    /* Owner writes, all read. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) atomic_ullong n_completed;
    atomic_ullong oldest_tsc;   /* 0: none is out. */
    atomic_ullong offer_tsc;    /* The last. */
    atomic_ullong ring_used;    /* As signed. */
    atomic_ullong n_lost, n_refused, n_unmarked;
    atomic_bool has_cleanup;
    struct ef_tx_window window;

    /* Fixed while the queue is in use. */
    uint64_t hz;
    uint16_t port_id, queue;
    unsigned ring_size;
};

static atomic_bool enabled = true;    /* Hardly ever written. */

void
ef_tx_watch_enable(bool on)
{
    /* Nothing else goes with it: a burst that sees the old value is counted,
     * or not, like those before. */
    atomic_store_relaxed(&enabled, on);
}

bool
ef_tx_watch_is_enabled(void)
{
    bool on;

    atomic_read_relaxed(&enabled, &on);
    return on;
}

/* Set-up. */

unsigned
ef_tx_watch_spacing(unsigned ring_size)
{
    unsigned spacing = MAX(ring_size / 16, EF_TX_WATCH_SPACING);

    return MAX(MIN(spacing, ring_size / 4), 1);
}

/* Everything that depends on the ring. */
static void
start(struct ef_tx_watch *watch, uint16_t port_id, unsigned ring_size)
{
    uint64_t now = rte_get_tsc_cycles();
    uint64_t n_sent = ef_counter_get(&watch->n_sent);

    watch->port_id = port_id;
    watch->ring_size = ring_size;
    watch->spacing = ef_tx_watch_spacing(ring_size);
    watch->marks.ring_size = ring_size;
    watch->marks.completed = n_sent;
    watch->is_dense = false;
    watch->interval = watch->n_left = 1;
    watch->n_offered = n_sent + ef_counter_get(&watch->n_refused);
    watch->idle_offered = watch->n_offered;
    watch->next_ring_tsc = 0;
    watch->next_scan_tsc = watch->next_urgent_tsc = 0;
    watch->cleanup_gap = 0;
    ef_counter_set(&watch->n_completed, n_sent);
    ef_counter_set(&watch->oldest_tsc, 0);
    ef_counter_set(&watch->ring_used, EF_TX_UNKNOWN);
    watch->cannot_clean = false;
    atomic_store_relaxed(&watch->has_cleanup, false);
    ef_tx_window_restart(&watch->window, now, n_sent);
}

struct ef_tx_watch *
ef_tx_watch_create(uint16_t port_id, uint16_t queue, unsigned ring_size,
                   int socket_id)
{
    struct ef_tx_watch *watch = rte_zmalloc_socket("ef_tx_watch",
                                                   sizeof *watch,
                                                   CACHE_LINE_SIZE,
                                                   socket_id);

    if (watch) {
        watch->queue = queue;
        watch->hz = rte_get_tsc_hz();
        watch->random = port_id * 7919 + queue * 104729 + 1;
        ef_tx_marks_init(&watch->marks, ring_size, watch->hz);
        ef_tx_window_init(&watch->window, watch->hz, 0, 0);
        start(watch, port_id, ring_size);
    }
    return watch;
}

void
ef_tx_watch_reset(struct ef_tx_watch *watch, uint16_t port_id,
                  unsigned ring_size)
{
    ef_tx_marks_give_up(&watch->marks);
    start(watch, port_id, ring_size);
}

void
ef_tx_watch_destroy(struct ef_tx_watch *watch)
{
    if (watch) {
        ef_tx_marks_give_up(&watch->marks);
        rte_free(watch);
    }
}

/* Looking. */

static int64_t
in_flight(const struct ef_tx_watch *watch)
{
    return ef_counter_get(&watch->n_sent) - watch->marks.completed;
}

/* A mark at the head that does not come back hides the later ones: they are
 * looked at once in ten milliseconds; at once when the ring must have gone
 * round since, unless that was of no use the last time. */
static void
scan_if_due(struct ef_tx_watch *watch, uint64_t now)
{
    struct ef_tx_marks *marks = &watch->marks;
    const struct ef_tx_mark *oldest = ef_tx_marks_oldest(marks);
    bool is_urgent = false;

    if (!oldest && !marks->n_astray) {
        return;
    }
    if (oldest) {
        uint64_t n_since = ef_counter_get(&watch->n_sent) - oldest->seq;

        is_urgent = n_since > watch->ring_size + watch->ring_size / 2
                    && now >= watch->next_urgent_tsc;
    }
    if (is_urgent || now >= watch->next_scan_tsc) {
        bool any = ef_tx_marks_scan(marks, now);

        watch->next_urgent_tsc = any ? now : now + watch->hz / 500;
        watch->next_scan_tsc = now + watch->hz / 100;
    }
}

static void
sample_ring(struct ef_tx_watch *watch, uint64_t now)
{
    int64_t used;

    if (now < watch->next_ring_tsc) {
        return;
    }
    used = ef_tx_driver_ring_used(watch->port_id, watch->queue,
                                  watch->ring_size);
    ef_counter_set(&watch->ring_used, used);
    watch->next_ring_tsc = (used == EF_TX_UNKNOWN ? UINT64_MAX
                            : now + watch->hz / 1000);
}

static void
publish(struct ef_tx_watch *watch)
{
    const struct ef_tx_mark *oldest = ef_tx_marks_oldest(&watch->marks);

    ef_counter_set(&watch->oldest_tsc, oldest ? oldest->tsc : 0);
    ef_counter_set(&watch->n_completed, watch->marks.completed);
    ef_counter_set(&watch->n_lost, watch->marks.n_lost);
}

static void
look(struct ef_tx_watch *watch, uint64_t now)
{
    struct ef_tx_marks *marks = &watch->marks;

    ef_tx_window_note(&watch->window, in_flight(watch));
    ef_tx_marks_look(marks, now);
    scan_if_due(watch, now);
    ef_tx_window_note(&watch->window, in_flight(watch));

    publish(watch);
    ef_tx_window_run(&watch->window, now, marks->completed);
    sample_ring(watch, now);
}

/* Sending. */

/* Only a packet that nobody else holds: else its return says nothing.  A
 * driver that inserts tags by itself would refuse to, for a second holder's
 * sake. */
static bool
can_be_marked(const struct rte_mbuf *mbuf)
{
    return mbuf->nb_segs == 1 && RTE_MBUF_DIRECT(mbuf)
           && !(mbuf->ol_flags & (RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_QINQ))
           && rte_mbuf_refcnt_read(mbuf) == 1;
}

/* The last packet at low rates, so that what was sent and what completed can
 * become equal; else any, or a device that does something to each so many
 * packets might do it to none of ours. */
static int
choose(struct ef_tx_watch *watch, struct rte_mbuf *const *mbufs, size_t n)
{
    size_t i = (watch->is_dense ? n - 1
                : (uint64_t) watch->random * n >> 32);

    for (int n_tries = 0; n_tries < N_TRIES; n_tries++) {
        if (can_be_marked(mbufs[i])) {
            return i;
        }
        i = i ? i - 1 : n - 1;
    }
    return -1;
}

static void
set_interval(struct ef_tx_watch *watch)
{
    unsigned spacing = watch->spacing;
    uint64_t random = ef_random_next(&watch->random);

    if (watch->is_dense && ef_tx_marks_n_out(&watch->marks) < MAX_DENSE) {
        watch->interval = 1;
    } else {
        watch->interval = spacing - spacing / 4
                          + (random * (spacing / 2 + 1) >> 32);
    }
    watch->n_left = watch->interval;
}

static int __attribute__((noinline))
tick(struct ef_tx_watch *watch, struct rte_mbuf *const *mbufs, size_t n)
{
    uint64_t now = rte_get_tsc_cycles();
    int marked = -1;

    watch->n_offered += watch->interval - watch->n_left;
    /* Without this burst. */
    ef_counter_set(&watch->n_refused, watch->n_offered - n
                   - ef_counter_get(&watch->n_sent));
    ef_counter_set(&watch->offer_tsc, now);
    look(watch, now);
    ef_tx_window_burst(&watch->window, now, watch->burst);
    watch->burst = 0;

    if (ef_tx_marks_n_out(&watch->marks) == EF_TX_WATCH_MARKS) {
        ef_counter_add(&watch->n_unmarked, 1);
    } else {
        marked = choose(watch, mbufs, n);
    }
    if (marked >= 0) {
        watch->pending = mbufs[marked];
        watch->pending_tsc = now;
        rte_mbuf_refcnt_update(watch->pending, 1);
    }
    set_interval(watch);
    return marked;
}

int
ef_tx_watch_mark(struct ef_tx_watch *watch, struct rte_mbuf *const *mbufs,
                 size_t n)
{
    if (OVS_UNLIKELY(!ef_tx_watch_is_enabled() || !n)) {
        return NOT_WATCHED;
    }
    watch->n_left -= n;
    return OVS_LIKELY(watch->n_left > 0) ? -1 : tick(watch, mbufs, n);
}

static void __attribute__((noinline))
settle_pending(struct ef_tx_watch *watch, size_t marked, size_t n_sent)
{
    if (marked < n_sent) {
        ef_tx_marks_push(&watch->marks, watch->pending,
                         ef_counter_get(&watch->n_sent) + marked + 1,
                         watch->pending_tsc);
        if (!ef_counter_get(&watch->oldest_tsc)) {
            ef_counter_set(&watch->oldest_tsc, watch->pending_tsc);
        }
    } else {
        /* Not a reference less unseen: net_bonding moves what its members did
         * not take to the end, so this one may be sent, and free already. */
        rte_pktmbuf_free_seg(watch->pending);
    }
    watch->pending = NULL;
}

void
ef_tx_watch_sent(struct ef_tx_watch *watch, int marked, size_t n_sent)
{
    if (OVS_UNLIKELY(marked >= 0)) {
        settle_pending(watch, marked, n_sent);
    } else if (OVS_UNLIKELY(marked == NOT_WATCHED)) {
        return;
    }
    ef_counter_add(&watch->n_sent, n_sent);
    if (OVS_UNLIKELY(n_sent > watch->burst)) {
        watch->burst = n_sent;
    }
}

/* Idle. */

/* Less and less often: what the driver did not free the last times, it hardly
 * will now. */
static void
clean_up(struct ef_tx_watch *watch, uint64_t now)
{
    if (now - watch->cleanup_tsc < watch->cleanup_gap) {
        return;
    }
    watch->cleanup_tsc = now;
    watch->cleanup_gap = MIN(watch->cleanup_gap * 2 + watch->hz / 1000,
                             watch->hz);
    if (ef_tx_driver_cleanup(watch->port_id, watch->queue) < 0) {
        watch->cannot_clean = true;
    } else {
        atomic_store_relaxed(&watch->has_cleanup, true);
        look(watch, now);
    }
}

void
ef_tx_watch_idle(struct ef_tx_watch *watch)
{
    uint64_t now = rte_get_tsc_cycles();
    uint64_t n_offered = watch->n_offered + watch->interval - watch->n_left;
    uint64_t n_new = n_offered - watch->idle_offered;

    if (now - watch->idle_tsc < watch->hz / 2000) {
        /* Another thread that shares the queue was here. */
        return;
    }
    watch->idle_tsc = now;
    watch->idle_offered = n_offered;
    if (!ef_tx_watch_is_enabled()) {
        /* What is out still goes home. */
        ef_tx_marks_scan(&watch->marks, now);
        publish(watch);
        return;
    }

    watch->is_dense = n_new < watch->spacing;
    if (watch->is_dense && watch->n_left > 1) {
        watch->n_offered = n_offered;
        watch->interval = watch->n_left = 1;
    }
    if (n_new) {
        ef_counter_set(&watch->offer_tsc, now);
        watch->cleanup_gap = 0;
    }
    look(watch, now);
    if (!watch->cannot_clean && in_flight(watch) > 0
        && now >= ef_counter_get(&watch->offer_tsc) + watch->hz / QUIET_HZ) {
        clean_up(watch, now);
    }
}

void
ef_tx_watch_rest(struct ef_tx_watch *watch)
{
    ef_tx_marks_scan(&watch->marks, rte_get_tsc_cycles());
    ef_tx_marks_give_up(&watch->marks);
    publish(watch);
}

/* Reading. */

static uint64_t
age_us(const struct ef_tx_watch *watch, uint64_t now, uint64_t then)
{
    return then && now > then ? ef_tx_marks_to_us(&watch->marks, now - then)
           : 0;
}

static void
get_in_flight(const struct ef_tx_watch *watch, uint64_t now,
              struct ef_tx_watch_stats *stats)
{
    struct ef_tx_window_facts window;

    /* In this order it cannot be less than 0 by more than a burst. */
    stats->n_completed = ef_counter_get(&watch->n_completed);
    stats->n_sent = ef_counter_get(&watch->n_sent);
    stats->in_flight = stats->n_sent > stats->n_completed
                       ? stats->n_sent - stats->n_completed : 0;

    ef_tx_window_get(&watch->window, &window);
    stats->n_windows = window.n;
    if (window.n && now < window.end_tsc + 2 * watch->hz) {
        stats->min_in_flight = window.min;
        stats->max_in_flight = window.max;
        stats->completed_pps = window.pps;
    } else {
        /* Too old. */
        stats->min_in_flight = stats->max_in_flight = stats->in_flight;
    }
    if (!ef_tx_watch_is_enabled()) {
        stats->in_flight = EF_TX_UNKNOWN;
        stats->min_in_flight = stats->max_in_flight = EF_TX_UNKNOWN;
        stats->completed_pps = 0;
    }
}

void
ef_tx_watch_get_flow(const struct ef_tx_watch *watch,
                     struct ef_tx_watch_stats *stats)
{
    uint64_t now = rte_get_tsc_cycles();
    uint64_t offer_tsc = ef_counter_get(&watch->offer_tsc);

    memset(stats, 0, sizeof *stats);
    get_in_flight(watch, now, stats);
    stats->ring_used = (ef_tx_watch_is_enabled()
                        ? (int64_t) ef_counter_get(&watch->ring_used)
                        : EF_TX_UNKNOWN);
    stats->ring_size = watch->ring_size;
    stats->oldest_us = age_us(watch, now, ef_counter_get(&watch->oldest_tsc));
    stats->is_idle = !offer_tsc
                     || (now > offer_tsc && now - offer_tsc > watch->hz / 10);
    stats->n_lost = ef_counter_get(&watch->n_lost);
    stats->n_refused = ef_counter_get(&watch->n_refused);
    stats->n_unmarked = ef_counter_get(&watch->n_unmarked);
    stats->max_burst = ef_tx_window_max_burst(&watch->window);
    atomic_read_relaxed(&CONST_CAST(struct ef_tx_watch *, watch)->has_cleanup,
                        &stats->has_cleanup);
}

void
ef_tx_watch_get(const struct ef_tx_watch *watch,
                struct ef_tx_watch_stats *stats)
{
    const struct ef_histogram *life = &watch->marks.life;

    ef_tx_watch_get_flow(watch, stats);
    stats->life_p50_us = ef_histogram_percentile(life, 50);
    stats->life_p99_us = ef_histogram_percentile(life, 99);
    stats->life_max_us = ef_counter_get(&life->max);
}

const struct ef_histogram *
ef_tx_watch_life(const struct ef_tx_watch *watch)
{
    return &watch->marks.life;
}
