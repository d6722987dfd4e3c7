/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_RELOAD_H
#define EF_PMD_RELOAD_H 1

/* How the main thread gives an instance new queues and ports.
 *
 * The main thread writes the wanted lists under 'mutex' and, if they differ
 * from what the PMD has, asks for a reload and waits until the PMD answers.
 * The PMD answers after the batch at hand:
 *
 *     main                                PMD
 *     ef_reload_set_rxqs(), ..._ports()
 *     ef_reload_request()   ------------> ef_reload_is_requested()
 *                                         takes the lists under 'mutex'
 *     ef_reload_wait()      <------------ ef_reload_done()
 *
 * After ef_reload_wait() the PMD uses nothing but the new lists, so what is
 * not in them may be freed.  The instance without a thread is reloaded by the
 * main thread itself. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ovs-atomic.h"
#include "ovs-thread.h"
#include "port/port.h"

struct seq;

struct ef_reload {
    struct ovs_mutex mutex;     /* Protects the lists. */
    struct ef_rxq **rxqs OVS_GUARDED;
    size_t n_rxqs OVS_GUARDED;
    struct ef_port **ports OVS_GUARDED;
    size_t n_ports OVS_GUARDED;

    /* Main thread: the PMD must look at the lists again. */
    bool needed;

    /* Set by the main thread before the request, cleared by the PMD. */
    atomic_bool busy_wait;      /* More queues follow at once: do not sleep. */
    atomic_bool new_txq;        /* Choose the static tx queue anew. */
    atomic_bool exit;           /* End the thread. */

    /* The request.  Main stores true with release, the PMD loads with acquire
     * and thus sees everything above; the PMD stores false with release when
     * it is done, main loads with acquire. */
    atomic_bool requested;

    /* Wakes a PMD that has nothing to poll. */
    struct seq *seq;
    uint64_t last_seq;          /* PMD. */
};

void ef_reload_init(struct ef_reload *);
void ef_reload_destroy(struct ef_reload *);

/* Main thread.  Replaces the wanted list by a copy of the argument and sets
 * 'needed' if it differs in anything but order. */
void ef_reload_set_rxqs(struct ef_reload *, struct ef_rxq *const rxqs[],
                        size_t n);
void ef_reload_set_ports(struct ef_reload *, struct ef_port *const ports[],
                         size_t n);
/* Same, but only takes away: keeps the members for which the function returns
 * true. */
void ef_reload_filter_rxqs(struct ef_reload *,
                           bool (*keep)(const struct ef_rxq *, void *aux),
                           void *aux);
void ef_reload_filter_ports(struct ef_reload *,
                            bool (*keep)(const struct ef_port *, void *aux),
                            void *aux);
size_t ef_reload_n_rxqs(struct ef_reload *);

/* Main thread: asks; waits for the answer.  A PMD answers after the batch at
 * hand, so the wait is bounded by that.  A PMD that takes longer than five
 * seconds is named in the log, again every five seconds. */
void ef_reload_request(struct ef_reload *);
void ef_reload_wait(struct ef_reload *, unsigned core_id);

/* PMD. */
static inline bool
ef_reload_is_requested(struct ef_reload *reload)
{
    bool requested;

    /* Pairs with the store in ef_reload_request(). */
    atomic_read_explicit(&reload->requested, &requested,
                         memory_order_acquire);
    return requested;
}
/* Clears the flags and answers. */
void ef_reload_done(struct ef_reload *);

#endif /* pmd/reload.h */
