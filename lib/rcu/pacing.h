/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_RCU_PACING_H
#define EF_RCU_PACING_H 1

/* Keeps control threads from postponing calls faster than the reclaimer can
 * run them.
 *
 * A control thread that has postponed calls since its last quiescent state
 * waits in this one, while more calls are pending than the limit, and for at
 * most EF_RCU_PACE_MAX_US: work that cannot wait, such as LACP's, is late by
 * no more.  PMDs, the reclaimer, and threads between ef_rcu_no_wait_begin()
 * and ef_rcu_no_wait_end() do not wait, nor does anybody in
 * ovsrcu_synchronize(), ovsrcu_barrier() or ovsrcu_exit(). */

#include <stdbool.h>

struct ef_rcu_thread;

/* In a quiescent state of 'thread', the calling one, which is offline. */
void ef_rcu_pace(struct ef_rcu_thread *thread);

/* Whether ef_rcu_pace() might wait, without a look at the limit. */
bool ef_rcu_may_pace(const struct ef_rcu_thread *thread);

#endif /* rcu/pacing.h */
