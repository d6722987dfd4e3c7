/* SPDX-License-Identifier: Apache-2.0 */

/* The functions of the package's "ovs-rcu.h", in terms of readers
 * (rcu/epoch.h), deferral, pacing and the reclaimer.
 *
 * Any thread calls them.  While the process has one thread only, that thread
 * runs what it has postponed in its own quiescent states. */

#include <config.h>

#include "ovs-rcu.h"

#include <semaphore.h>

#include "openvswitch/vlog.h"
#include "ovs-thread.h"
#include "rcu/deferral.h"
#include "rcu/pacing.h"
#include "rcu/rcu.h"
#include "rcu/reclaimer.h"
#include "rcu/stall-watch.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(ovs_rcu);

/* Sleeps of ovsrcu_synchronize() between its looks. */
#define LOOK_MIN_US 20
#define LOOK_MAX_US 500
/* Calls that postpone calls that postpone calls: as far as ovsrcu_exit() goes.
 */
#define EXIT_ROUNDS 8

/* --- Quiescent states ---------------------------------------------------- */

/* The thread, offline, has given its chunk away: sees to it that somebody runs
 * the calls. */
static void
provide_for_calls(struct ef_rcu_thread *thread)
{
    if (single_threaded()) {
        ef_rcu_run_all(NULL);
    } else if (thread->role != EF_RCU_PMD) {
        ef_rcu_reclaimer_start();
    }
}

void
ovsrcu_quiesce_start(void)
{
    struct ef_rcu_thread *thread = ef_rcu_self();

    ef_rcu_flush(thread);
    ef_rcu_offline(&thread->reader);
    provide_for_calls(thread);
    if (ef_rcu_may_pace(thread)) {
        ef_rcu_pace(thread);
    }
}

void
ovsrcu_quiesce_end(void)
{
    struct ef_rcu_thread *thread = ef_rcu_self();

    if (ef_rcu_is_offline(&thread->reader)) {
        ef_rcu_online(&thread->reader);
    }
}

void
ovsrcu_quiesce(void)
{
    struct ef_rcu_thread *thread = ef_rcu_self();
    bool was_offline = ef_rcu_is_offline(&thread->reader);

    ef_rcu_flush(thread);
    if (was_offline || single_threaded() || ef_rcu_may_pace(thread)) {
        ovsrcu_quiesce_start();
        ovsrcu_quiesce_end();
    } else {
        ef_rcu_quiescent(&thread->reader);
        provide_for_calls(thread);
    }
}

/* Nothing can be in the way, so it returns 0. */
int
ovsrcu_try_quiesce(void)
{
    ovsrcu_quiesce();
    return 0;
}

bool
ovsrcu_is_quiescent(void)
{
    const struct ef_rcu_thread *thread = ef_rcu_self_or_null();

    return !thread || ef_rcu_is_offline(&thread->reader);
}

/* --- Postponed calls ----------------------------------------------------- */

void
ovsrcu_postpone__(void (*function)(void *aux), void *aux)
{
    struct ef_rcu_thread *thread = ef_rcu_self();

    if (OVS_UNLIKELY(ef_rcu_is_offline(&thread->reader))) {
        /* It may unlink the object yet, until it says that it is quiescent
         * again. */
        ef_rcu_online(&thread->reader);
    }
    ef_rcu_defer(thread, function, aux);
}

/* --- Waiting ------------------------------------------------------------- */

static void
wait_for_grace(void)
{
    unsigned sleep_us = LOOK_MIN_US;
    struct ef_rcu_grace grace;
    struct ef_rcu_watch watch;

    ef_rcu_grace_begin(&grace);
    ef_rcu_watch_start(&watch);
    while (!ef_rcu_grace_is_over(&grace)) {
        ef_rcu_watch_look(&watch, &grace);
        xnanosleep_no_quiesce(sleep_us * 1000);
        sleep_us = MIN(sleep_us * 2, LOOK_MAX_US);
    }
}

void
ovsrcu_synchronize(void)
{
    struct ef_rcu_thread *thread = ef_rcu_self();

    if (single_threaded()) {
        return;
    }
    ef_rcu_flush(thread);
    ef_rcu_offline(&thread->reader);
    provide_for_calls(thread);
    wait_for_grace();
    ef_rcu_online(&thread->reader);
}

static void
post(void *sem)
{
    sem_post(sem);
}

/* Waits for all calls that any thread had postponed. */
void
ovsrcu_barrier(void)
{
    struct ef_rcu_thread *thread = ef_rcu_self();
    sem_t sem;

    if (single_threaded()) {
        ef_rcu_flush(thread);
        ef_rcu_run_all(NULL);
        return;
    }

    /* After it every thread's calls have been given away... */
    ovsrcu_synchronize();

    /* ...so this one comes last. */
    sem_init(&sem, 0, 0);
    ef_rcu_defer(thread, post, &sem);
    ef_rcu_flush(thread);
    ef_rcu_offline(&thread->reader);
    while (sem_wait(&sem)) {
        continue;               /* EINTR. */
    }
    sem_destroy(&sem);
    ef_rcu_online(&thread->reader);
}

/* The calling thread runs calls afterwards, so it is online then. */
static void
wait_before_calls(void)
{
    struct ef_rcu_thread *thread = ef_rcu_self();

    ef_rcu_offline(&thread->reader);
    if (!single_threaded()) {
        wait_for_grace();
    }
    ef_rcu_online(&thread->reader);
}

/* Runs what is still postponed, so that leaks can be told from it.  The
 * process is about to end: calls that are postponed after it never run. */
void
ovsrcu_exit(void)
{
    struct ef_rcu_thread *thread = ef_rcu_self();

    ef_rcu_flush(thread);
    ef_rcu_offline(&thread->reader);
    ef_rcu_reclaimer_stop();

    /* After it every thread's calls have been given away. */
    wait_before_calls();
    for (int i = 0; i < EXIT_ROUNDS; i++) {
        if (!ef_rcu_run_all(wait_before_calls)) {
            break;
        }
        ef_rcu_flush(thread);
    }
}

/* --- Our own ------------------------------------------------------------- */

void
ef_rcu_set_pmd(void)
{
    ef_rcu_set_role(EF_RCU_PMD);
}

void
ef_rcu_no_wait_begin(void)
{
    ef_rcu_self()->no_wait++;
}

void
ef_rcu_no_wait_end(void)
{
    ef_rcu_self()->no_wait--;
}
