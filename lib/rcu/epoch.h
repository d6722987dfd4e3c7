/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_RCU_EPOCH_H
#define EF_RCU_EPOCH_H 1

/* The read side: one number for all threads, one number for each.
 *
 * 'ef_rcu_epoch' only grows.  Whoever wants a grace period increments it; the
 * result is the period's target.  Every thread has a reader, whose 'seen' is
 * the newest epoch that the thread had loaded when it last held no pointer to
 * shared objects, or EF_RCU_OFFLINE while it holds none.  The period ends when
 * each reader is offline or has seen the target (rcu/registry.c looks).
 *
 * Why that is enough.  Let an object be unlinked, then the epoch incremented
 * to E, and let thread T be seen with E or more, or offline.
 *
 *   - What T did with the object before it stored 'seen' is over: the store is
 *     a release, and the look at it an acquire.
 *   - What T does after loading an epoch of E or more finds the object
 *     unlinked: the increment is a release, the load in ef_rcu_quiescent() an
 *     acquire.  Later increments continue the release sequence.
 *   - A thread that comes back from being offline is the hard case, since it
 *     stores first and reads objects afterwards.  It stores with an exchange,
 *     and whoever takes it for offline has confirmed that with an addition of
 *     0, so the two are ordered: either the addition comes first, and the
 *     exchange acquires what it released, so that T finds the object unlinked;
 *     or the exchange does, and the thread is not taken for offline.
 *
 * There are no fences, so ThreadSanitizer follows all of this.
 * tests/model/rcu.pml has the protocol as a model, under sequential
 * consistency.
 *
 * A stale load of the epoch is harmless: the thread is waited for until its
 * next quiescent state. */

#include <stdbool.h>
#include <stdint.h>

#include "openvswitch/compiler.h"
#include "ovs-atomic.h"
#include "util.h"

#define EF_RCU_OFFLINE 0
#define EF_RCU_FIRST_EPOCH 1

/* On a cache line of its own: every thread reads it all the time. */
struct ef_rcu_epoch {
    PADDED_MEMBERS(CACHE_LINE_SIZE,
        atomic_uint64_t value;
    );
};
extern struct ef_rcu_epoch ef_rcu_epoch;

struct ef_rcu_reader {
    atomic_uint64_t seen;
};

/* --- The thread itself --------------------------------------------------- */

/* Load for the exchange of ef_rcu_online() and for ef_rcu_quiescent(). */
static inline uint64_t
ef_rcu_epoch_load(void)
{
    uint64_t epoch;

    /* Acquire: pairs with the release of ef_rcu_epoch_advance(). */
    atomic_read_explicit(&ef_rcu_epoch.value, &epoch, memory_order_acquire);
    return epoch;
}

/* The thread, which is online, holds no pointers at this moment.  Returns true
 * if the epoch had changed. */
static inline bool
ef_rcu_quiescent(struct ef_rcu_reader *reader)
{
    uint64_t epoch = ef_rcu_epoch_load();
    uint64_t seen;

    atomic_read_relaxed(&reader->seen, &seen);
    if (OVS_LIKELY(seen == epoch)) {
        return false;
    }
    /* Release: pairs with the acquire of ef_rcu_reader_seen(). */
    atomic_store_explicit(&reader->seen, epoch, memory_order_release);
    return true;
}

static inline void
ef_rcu_offline(struct ef_rcu_reader *reader)
{
    /* Release: pairs with the acquire of ef_rcu_reader_seen(). */
    atomic_store_explicit(&reader->seen, EF_RCU_OFFLINE, memory_order_release);
}

static inline void
ef_rcu_online(struct ef_rcu_reader *reader)
{
    uint64_t epoch = ef_rcu_epoch_load();

    /* Acquire and release: pairs with the addition in
     * ef_rcu_reader_seen(). */
    (void) atomic_exchange_explicit(&reader->seen, epoch,
                                    memory_order_acq_rel);
}

/* Owner only. */
static inline bool
ef_rcu_is_offline(const struct ef_rcu_reader *reader)
{
    uint64_t seen;

    atomic_read_relaxed(&CONST_CAST(struct ef_rcu_reader *, reader)->seen,
                        &seen);
    return seen == EF_RCU_OFFLINE;
}

/* --- Who waits ----------------------------------------------------------- */

/* Starts a grace period for everything that the caller has unlinked, or has
 * got from who unlinked it.  Returns its target. */
static inline uint64_t
ef_rcu_epoch_advance(void)
{
    uint64_t before;

    /* Release: pairs with ef_rcu_epoch_load(). */
    atomic_add_explicit(&ef_rcu_epoch.value, 1, &before, memory_order_acq_rel);
    return before + 1;
}

/* The epoch that the reader's thread has passed, EF_RCU_OFFLINE if it holds
 * nothing.  Called after ef_rcu_epoch_advance(). */
static inline uint64_t
ef_rcu_reader_seen(struct ef_rcu_reader *reader)
{
    uint64_t seen;

    /* Acquire: pairs with the releases of ef_rcu_quiescent() and
     * ef_rcu_offline(). */
    atomic_read_explicit(&reader->seen, &seen, memory_order_acquire);
    if (seen == EF_RCU_OFFLINE) {
        /* Acquire and release: pairs with the exchange of ef_rcu_online(). */
        atomic_add_explicit(&reader->seen, 0, &seen, memory_order_acq_rel);
    }
    return seen;
}

#endif /* rcu/epoch.h */
