/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_RCU_RCU_H
#define EF_RCU_RCU_H 1

/* What our own code may do beyond the package's "ovs-rcu.h", which describes
 * how objects are protected and freed: say which threads are PMDs, pass
 * quiescent states at little cost, and keep waits out of places where a lock
 * is held.
 *
 * What is promised beyond "ovs-rcu.h":
 *
 *   - A postponed call runs when a grace period is over that began after the
 *     next quiescent state of the thread that postponed it: until then, that
 *     thread may yet unlink what the call frees.
 *   - ovsrcu_try_quiesce() always succeeds, and no quiescent state takes a
 *     lock.
 *   - A control thread waits up to EF_RCU_PACE_MAX_US in a quiescent state
 *     if it has postponed since the last one and more calls are pending than
 *     other_config:rcu-max-pending says.
 *
 * Documentation/topics/bounded-rcu.rst tells the whole. */

#include <stdint.h>

#include "ovs-rcu.h"
#include "rcu/epoch.h"

/* --- Any thread, about itself -------------------------------------------- */

/* The calling thread is a PMD from now on, until it ends.  It never waits for
 * the reclaimer, never wakes it, and is never shown as anything else. */
void ef_rcu_set_pmd(void);

/* Between these, quiescent states of the calling thread do not wait for the
 * reclaimer, since it holds a lock.  They nest. */
void ef_rcu_no_wait_begin(void);
void ef_rcu_no_wait_end(void);

/* --- PMDs, after each receive batch -------------------------------------- */

/* What a thread needs for ef_rcu_quiesce_batch(), good while it runs. */
struct ef_rcu_thread;
struct ef_rcu_thread *ef_rcu_self(void);

/* As ovsrcu_quiesce(); one load of the epoch and two of the thread's own cache
 * line if nothing has happened. */
static inline void ef_rcu_quiesce_batch(struct ef_rcu_thread *);

/* --- Any thread ---------------------------------------------------------- */

#define EF_RCU_MAX_PENDING_DEFAULT 65536
#define EF_RCU_MAX_PENDING_MAX 1000000000
#define EF_RCU_STALL_MS_DEFAULT 1000
#define EF_RCU_STALL_MS_MAX 3600000
#define EF_RCU_PACE_MAX_US 5000

/* Calls that may be pending before producers are slowed. */
void ef_rcu_set_max_pending(uint32_t n);
uint32_t ef_rcu_get_max_pending(void);
/* Age from which a thread is reported as late; 0: never. */
void ef_rcu_set_stall_ms(uint32_t ms);
uint32_t ef_rcu_get_stall_ms(void);

#include "rcu/registry.h"

static inline void
ef_rcu_quiesce_batch(struct ef_rcu_thread *thread)
{
    if (OVS_UNLIKELY(thread->chunk)) {
        ovsrcu_quiesce();
    } else {
        ef_rcu_quiescent(&thread->reader);
    }
}

#endif /* rcu/rcu.h */
