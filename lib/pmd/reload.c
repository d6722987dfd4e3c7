/* SPDX-License-Identifier: Apache-2.0 */

/* Handshake by which an instance takes over new rx queues and ports.  The
 * main thread (dpif/reconfigure.c) edits the lists, asks and waits; the PMD
 * (pmd/thread.c) takes the lists over and answers. */

#include <config.h>

#include "pmd/reload.h"

#include <sched.h>

#include "core/log.h"
#include "seq.h"
#include "timeval.h"
#include "util.h"

/* Polls of the answer between two looks at the clock. */
#define WAIT_SPINS 64
#define WAIT_WARN_MS 5000

void
ef_reload_init(struct ef_reload *reload)
{
    ovs_mutex_init(&reload->mutex);
    reload->rxqs = NULL;
    reload->n_rxqs = 0;
    reload->ports = NULL;
    reload->n_ports = 0;
    reload->needed = false;
    atomic_init(&reload->busy_wait, false);
    atomic_init(&reload->new_txq, false);
    atomic_init(&reload->exit, false);
    atomic_init(&reload->requested, false);
    reload->seq = seq_create();
    reload->last_seq = seq_read(reload->seq);
}

void
ef_reload_destroy(struct ef_reload *reload)
{
    free(reload->rxqs);
    free(reload->ports);
    seq_destroy(reload->seq);
    ovs_mutex_destroy(&reload->mutex);
}

static bool
contains(void *const items[], size_t n, const void *item)
{
    for (size_t i = 0; i < n; i++) {
        if (items[i] == item) {
            return true;
        }
    }
    return false;
}

/* Neither list has an item twice. */
static bool
same_items(void *const a[], size_t n_a, void *const b[], size_t n_b)
{
    if (n_a != n_b) {
        return false;
    }
    for (size_t i = 0; i < n_a; i++) {
        if (!contains(b, n_b, a[i])) {
            return false;
        }
    }
    return true;
}

/* Replaces '*list' unless it has the same items.  Returns whether it did. */
static bool
replace_list(void ***list, size_t *n_list, void *const items[], size_t n)
{
    if (same_items(*list, *n_list, items, n)) {
        return false;
    }
    free(*list);
    *list = n ? xmemdup(items, n * sizeof *items) : NULL;
    *n_list = n;
    return true;
}

void
ef_reload_set_rxqs(struct ef_reload *reload, struct ef_rxq *const rxqs[],
                   size_t n)
{
    ovs_mutex_lock(&reload->mutex);
    if (replace_list((void ***) &reload->rxqs, &reload->n_rxqs,
                     (void *const *) rxqs, n)) {
        reload->needed = true;
    }
    ovs_mutex_unlock(&reload->mutex);
}

void
ef_reload_set_ports(struct ef_reload *reload, struct ef_port *const ports[],
                    size_t n)
{
    ovs_mutex_lock(&reload->mutex);
    if (replace_list((void ***) &reload->ports, &reload->n_ports,
                     (void *const *) ports, n)) {
        reload->needed = true;
    }
    ovs_mutex_unlock(&reload->mutex);
}

void
ef_reload_filter_rxqs(struct ef_reload *reload,
                      bool (*keep)(const struct ef_rxq *, void *aux),
                      void *aux)
{
    size_t n = 0;

    ovs_mutex_lock(&reload->mutex);
    for (size_t i = 0; i < reload->n_rxqs; i++) {
        if (keep(reload->rxqs[i], aux)) {
            reload->rxqs[n++] = reload->rxqs[i];
        } else {
            reload->needed = true;
        }
    }
    reload->n_rxqs = n;
    ovs_mutex_unlock(&reload->mutex);
}

void
ef_reload_filter_ports(struct ef_reload *reload,
                       bool (*keep)(const struct ef_port *, void *aux),
                       void *aux)
{
    size_t n = 0;

    ovs_mutex_lock(&reload->mutex);
    for (size_t i = 0; i < reload->n_ports; i++) {
        if (keep(reload->ports[i], aux)) {
            reload->ports[n++] = reload->ports[i];
        } else {
            reload->needed = true;
        }
    }
    reload->n_ports = n;
    ovs_mutex_unlock(&reload->mutex);
}

size_t
ef_reload_n_rxqs(struct ef_reload *reload)
{
    size_t n;

    ovs_mutex_lock(&reload->mutex);
    n = reload->n_rxqs;
    ovs_mutex_unlock(&reload->mutex);
    return n;
}

void
ef_reload_request(struct ef_reload *reload)
{
    seq_change(reload->seq);
    /* Pairs with the load in ef_reload_is_requested(): the PMD sees the flags
     * and lists that were written before. */
    atomic_store_explicit(&reload->requested, true, memory_order_release);
}

void
ef_reload_wait(struct ef_reload *reload, unsigned core_id)
{
    long long next_warn = time_msec() + WAIT_WARN_MS;
    unsigned spins = 0;

    for (;;) {
        bool requested;

        /* Pairs with the store in ef_reload_done(): what the PMD did before
         * it answered, it did before we free anything. */
        atomic_read_explicit(&reload->requested, &requested,
                             memory_order_acquire);
        if (!requested) {
            return;
        }
        if (++spins % WAIT_SPINS == 0) {
            /* The PMD may share this core. */
            sched_yield();
            if (time_msec() >= next_warn) {
                VLOG_WARN("PMD thread on core %u has not taken over its "
                          "configuration for %d seconds", core_id,
                          WAIT_WARN_MS / 1000);
                next_warn = time_msec() + WAIT_WARN_MS;
            }
        }
    }
}

void
ef_reload_done(struct ef_reload *reload)
{
    atomic_store_relaxed(&reload->busy_wait, false);
    atomic_store_relaxed(&reload->new_txq, false);
    reload->last_seq = seq_read(reload->seq);
    /* Pairs with the load in ef_reload_wait(). */
    atomic_store_explicit(&reload->requested, false, memory_order_release);
}
