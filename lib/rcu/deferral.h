/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_RCU_DEFERRAL_H
#define EF_RCU_DEFERRAL_H 1

/* Postponed calls on their way from the thread that postpones them to the
 * reclaimer.
 *
 * A thread fills chunks of its own.  In the thread's next quiescent state all
 * of them go on a common stack, which the reclaimer takes as a whole.  Full
 * chunks do not go earlier: "ovs-rcu.h" lets a thread unlink an object after
 * it has postponed its end, as long as no quiescent state is between, so the
 * grace period must not begin before that state.
 *
 * Pending calls are counted from the time that their chunk is on the stack
 * until they have run, apart for each kind of producer. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rcu/registry.h"

struct ef_rcu_call {
    void (*function)(void *aux);
    void *aux;
};

struct ef_rcu_chunk {
    struct ef_rcu_chunk *next;  /* Older one; the newer one when taken. */
    enum ef_rcu_role role;      /* Of the producer. */
    unsigned capacity;
    unsigned n;                 /* Calls, in their order. */
    uint64_t bytes;             /* What free() among them will free. */
    long long since_us;         /* When the first one was postponed. */
    struct ef_rcu_call calls[];
};

/* --- Producers ----------------------------------------------------------- */

void ef_rcu_defer(struct ef_rcu_thread *, void (*function)(void *), void *aux);

/* Gives the thread's chunks away and, unless the thread is a PMD or the
 * reclaimer, wakes the latter.  Returns true if there was a chunk.
 * The thread has unlinked what the calls free. */
bool ef_rcu_flush(struct ef_rcu_thread *);

/* --- Reclaimer ----------------------------------------------------------- */

/* Takes all chunks that were given away, those of each thread in its order.
 * Returns NULL if there are none. */
struct ef_rcu_chunk *ef_rcu_take(void);
bool ef_rcu_has_chunks(void);

/* Waits until a control thread has given a chunk away or has called
 * ef_rcu_wake() since the last time, but no longer than the timeout: chunks of
 * PMDs come without a sound. */
void ef_rcu_wait_for_wake(long long timeout_us);
void ef_rcu_wake(void);

/* 'n' calls by producers of a kind, which were to free 'bytes', have run. */
void ef_rcu_count_run(enum ef_rcu_role, unsigned n, uint64_t bytes);

/* --- Any thread ---------------------------------------------------------- */

struct ef_rcu_pending {
    uint64_t n[EF_RCU_N_ROLES];         /* By kind of producer. */
    uint64_t n_run[EF_RCU_N_ROLES];     /* Calls that have run. */
    uint64_t bytes;                     /* As far as they are known. */
    uint64_t max_n;                     /* High-water marks of both sums. */
    uint64_t max_bytes;
};
void ef_rcu_get_pending(struct ef_rcu_pending *);

/* Pending calls that count against the limit: not those of PMDs. */
uint64_t ef_rcu_n_pending(void);

#endif /* rcu/deferral.h */
