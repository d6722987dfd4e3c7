/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_TESTS_RCU_FIXTURE_H
#define EF_TESTS_RCU_FIXTURE_H 1

/* Helpers of the tests of lib/rcu: threads that do what the test tells them,
 * one step after the other, and waits with a limit.
 *
 *     struct rcu_actor *a = rcu_actor_start("reader");    It is online.
 *
 *     rcu_actor_do(a, ovsrcu_quiesce_);                   Returns when done.
 *     rcu_actor_end(a);
 */

#include <semaphore.h>

#include "core/clock.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "rcu/deferral.h"
#include "rcu/registry.h"
#include "util.h"

#define RCU_LIMIT_US 10000000   /* For what should take no time. */

struct rcu_actor {
    pthread_t thread;
    pid_t tid;
    sem_t wanted, done;
    void (*step)(void *);       /* NULL: end. */
    void *aux;
};

static inline void
rcu_sem_wait(sem_t *sem)
{
    while (sem_wait(sem)) {
        continue;
    }
}

static inline void *
rcu_actor_main(void *actor_)
{
    struct rcu_actor *actor = actor_;

    actor->tid = ef_rcu_self()->tid;
    sem_post(&actor->done);
    for (;;) {
        rcu_sem_wait(&actor->wanted);
        if (!actor->step) {
            return NULL;
        }
        actor->step(actor->aux);
        sem_post(&actor->done);
    }
}

static inline struct rcu_actor *
rcu_actor_start(const char *name)
{
    struct rcu_actor *actor = xzalloc(sizeof *actor);

    sem_init(&actor->wanted, 0, 0);
    sem_init(&actor->done, 0, 0);
    actor->thread = ovs_thread_create(name, rcu_actor_main, actor);
    rcu_sem_wait(&actor->done);
    return actor;
}

/* Lets the actor begin a step; rcu_actor_finish() waits for its end. */
static inline void
rcu_actor_begin(struct rcu_actor *actor, void (*step)(void *), void *aux)
{
    actor->step = step;
    actor->aux = aux;
    sem_post(&actor->wanted);
}

static inline void
rcu_actor_finish(struct rcu_actor *actor)
{
    rcu_sem_wait(&actor->done);
}

static inline bool
rcu_actor_is_done(struct rcu_actor *actor)
{
    bool done = !sem_trywait(&actor->done);

    if (done) {
        sem_post(&actor->done);
    }
    return done;
}

static inline void
rcu_actor_do(struct rcu_actor *actor, void (*step)(void *), void *aux)
{
    rcu_actor_begin(actor, step, aux);
    rcu_actor_finish(actor);
}

static inline void
rcu_actor_end(struct rcu_actor *actor)
{
    rcu_actor_begin(actor, NULL, NULL);
    xpthread_join(actor->thread, NULL);
    sem_destroy(&actor->wanted);
    sem_destroy(&actor->done);
    free(actor);
}

/* Steps. */

static inline void
rcu_quiesce_step(void *aux OVS_UNUSED)
{
    ovsrcu_quiesce();
}

static inline void
rcu_offline_step(void *aux OVS_UNUSED)
{
    ovsrcu_quiesce_start();
}

static inline void
rcu_online_step(void *aux OVS_UNUSED)
{
    ovsrcu_quiesce_end();
}

/* Waits. */

static inline void
rcu_sleep_ms(unsigned ms)
{
    xnanosleep_no_quiesce(ms * 1000000ULL);
}

/* Waits until 'condition' holds, the calling thread being offline. */
#define rcu_wait_until(CONDITION)                                   \
    ({                                                              \
        long long rcu_end__ = ef_clock_us() + RCU_LIMIT_US;       \
        bool rcu_was_offline__ = ovsrcu_is_quiescent();             \
        ovsrcu_quiesce_start();                                     \
        while (!(CONDITION) && ef_clock_us() < rcu_end__) {       \
            rcu_sleep_ms(1);                                        \
        }                                                           \
        if (!rcu_was_offline__) {                                   \
            ovsrcu_quiesce_end();                                   \
        }                                                           \
        (CONDITION);                                                \
    })

static inline uint64_t
rcu_all_pending(void)
{
    struct ef_rcu_pending pending;
    uint64_t n = 0;

    ef_rcu_get_pending(&pending);
    for (int i = 0; i < EF_RCU_N_ROLES; i++) {
        n += pending.n[i];
    }
    return n;
}

/* Copies what is known about thread 'tid'.  Returns false if there is none. */
static inline bool
rcu_thread_info(pid_t tid, struct ef_rcu_thread_info *info)
{
    struct ef_rcu_thread_info *infos;
    size_t n = ef_rcu_get_threads(&infos);
    bool found = false;

    for (size_t i = 0; i < n; i++) {
        if (infos[i].tid == tid) {
            *info = infos[i];
            found = true;
        }
    }
    free(infos);
    return found;
}

#endif /* rcu-fixture.h */
