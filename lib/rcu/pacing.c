/* SPDX-License-Identifier: Apache-2.0 */

/* Waits of producers for the reclaimer.  Called in quiescent states of control
 * threads (rcu/ovs-rcu.c). */

#include <config.h>

#include "rcu/pacing.h"

#include "core/clock.h"
#include "core/counter.h"
#include "rcu/deferral.h"
#include "rcu/rcu.h"
#include "util.h"

/* Between two looks at what is pending. */
#define LOOK_US 100

static atomic_uint32_t max_pending
    = ATOMIC_VAR_INIT(EF_RCU_MAX_PENDING_DEFAULT);

void
ef_rcu_set_max_pending(uint32_t n)
{
    atomic_store_relaxed(&max_pending, n);
}

uint32_t
ef_rcu_get_max_pending(void)
{
    uint32_t n;

    atomic_read_relaxed(&max_pending, &n);
    return n;
}

bool
ef_rcu_may_pace(const struct ef_rcu_thread *thread)
{
    return (thread->has_produced && !thread->no_wait
            && thread->role == EF_RCU_CONTROL);
}

void
ef_rcu_pace(struct ef_rcu_thread *thread)
{
    long long began_us, now_us;

    thread->has_produced = false;
    if (ef_rcu_n_pending() <= ef_rcu_get_max_pending()) {
        return;
    }

    began_us = ef_clock_us();
    do {
        xnanosleep_no_quiesce(LOOK_US * 1000);
        now_us = ef_clock_us();
    } while (now_us - began_us < EF_RCU_PACE_MAX_US - LOOK_US
             && ef_rcu_n_pending() > ef_rcu_get_max_pending());
    ef_counter_add(&thread->n_paced, 1);
    ef_counter_add(&thread->paced_us, now_us - began_us);
}
