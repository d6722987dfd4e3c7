/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_WATCH_H
#define EF_DPDK_TX_WATCH_H 1

/* What becomes of the packets of a transmit queue, after they were given to
 * the driver.
 *
 * A packet that was given away is not ours any more, and no driver says when
 * it frees one.  So of every EF_TX_WATCH_SPACING packets or so, one is marked:
 * it goes with a second reference, which is ours, as a packet goes that is
 * sent twice.  The driver drops its reference when it is done with the buffer;
 * the next look at the oldest marks finds that, and gives the buffer back.
 * Since a queue completes in order, a mark that is back says that all before
 * it are.
 *
 *     sent       packets given to the driver since the start
 *     completed  those before (and with) the latest mark that came back
 *     in flight  the difference, more than the truth by the spacing at most;
 *                at low rates, every burst's last packet is marked
 *     ring used  descriptors that the device has not done yet, where the
 *                driver has rte_eth_tx_descriptor_status(); else unknown
 *
 * A mark that stays while later ones, by more than the ring, came back is
 * lost: nothing will return it (see dpdk/tx-marks.h).
 *
 *     marked = ef_tx_watch_mark(watch, mbufs, n);
 *     n_sent = rte_eth_tx_burst(port_id, queue, mbufs, n);
 *     ef_tx_watch_sent(watch, marked, n_sent);
 *     ... and only now what the driver did not take is freed ...
 *
 * The clock is looked at once per spacing, not per burst.
 *
 *   tx-marks   the second references
 *   tx-window  what happened in a second
 *   tx-driver  what the driver is asked
 *   tx-watch   one queue's all
 *
 * Threads: sending and polling, the owner of the queue, alone or under the
 * queue's lock; ef_tx_watch_get(), any.  Clearing: nobody uses the queue. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/counter.h"
#include "stats/histogram.h"

struct rte_mbuf;

/* Packets between two marks, on average: a sixteenth of the ring, at least
 * this; no more than a quarter of a short ring. */
#define EF_TX_WATCH_SPACING 64
/* Marks that can be out at once.  When that many are, none is made. */
#define EF_TX_WATCH_MARKS 128

struct ef_tx_watch;             /* One per queue. */

/* Packets between two marks, on average, in a ring of this size. */
unsigned ef_tx_watch_spacing(unsigned ring_size);

/* Set-up, main thread, while nobody uses the queue. */

/* 'ring_size' descriptors.  NULL without memory. */
struct ef_tx_watch *ef_tx_watch_create(uint16_t port_id, uint16_t queue,
                                       unsigned ring_size, int socket_id);
/* Gives up all marks, after the device has stopped; counts go on. */
void ef_tx_watch_reset(struct ef_tx_watch *, uint16_t port_id,
                       unsigned ring_size);
void ef_tx_watch_destroy(struct ef_tx_watch *); /* NULL is accepted. */

/* All watches, at any time: whether packets are marked ("tx-telemetry").
 * While they are not, nothing is counted. */
void ef_tx_watch_enable(bool);
bool ef_tx_watch_is_enabled(void);

/* Packet path. */

/* Before 'mbufs' go to the driver: marks one if it is time.  Returns its index
 * or a negative number. */
int ef_tx_watch_mark(struct ef_tx_watch *, struct rte_mbuf *const *mbufs,
                     size_t n);
/* After: the driver took 'n_sent'; 'marked' is what ef_tx_watch_mark()
 * returned. */
void ef_tx_watch_sent(struct ef_tx_watch *, int marked, size_t n_sent);
/* About every millisecond, or less often: looks at the marks; if nothing was
 * sent for 10 ms, asks the driver to free what is done
 * (rte_eth_tx_done_cleanup()) where it can. */
void ef_tx_watch_idle(struct ef_tx_watch *);
/* Nobody may look for a while: gives up all marks. */
void ef_tx_watch_rest(struct ef_tx_watch *);

/* Any thread. */

enum { EF_TX_UNKNOWN = -1 };

struct ef_tx_watch_stats {
    uint64_t n_sent, n_completed;
    int64_t in_flight;          /* Or EF_TX_UNKNOWN. */
    int64_t min_in_flight, max_in_flight;   /* Of the last full second. */
    int64_t ring_used;          /* Or EF_TX_UNKNOWN. */
    unsigned ring_size;
    uint64_t completed_pps;     /* Of the last full second. */
    int64_t oldest_us;          /* Age of the oldest unfreed mark, or 0. */
    bool is_idle;               /* Nothing was sent for 100 ms. */
    uint64_t n_lost;            /* Marks that nothing will return. */
    bool has_cleanup;           /* The driver was asked to free what is done,
                                 * and did. */
    uint64_t max_burst;         /* Of the bursts sent in the last 10 to 20
                                 * seconds of traffic. */
    uint64_t life_p50_us, life_p99_us, life_max_us;
    uint64_t n_refused;         /* Packets that the driver did not take. */
    uint64_t n_unmarked;        /* Marks not made: too many were out. */
    uint64_t n_windows;         /* Full seconds seen. */
};

void ef_tx_watch_get(const struct ef_tx_watch *, struct ef_tx_watch_stats *);
/* The same without 'life_*'; cheap. */
void ef_tx_watch_get_flow(const struct ef_tx_watch *,
                          struct ef_tx_watch_stats *);
/* Time from sending to return, of marked packets, us. */
const struct ef_histogram *ef_tx_watch_life(const struct ef_tx_watch *);

#endif /* dpdk/tx-watch.h */
