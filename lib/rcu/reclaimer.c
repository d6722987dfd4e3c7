/* SPDX-License-Identifier: Apache-2.0 */

/* Runs postponed calls, in slices, when their grace periods are over.
 *
 * The thread "urcu", a name that the package's netdev-offload knows.  Without
 * it, the thread that calls ef_rcu_run_all() works on the same state. */

#include <config.h>

#include "rcu/reclaimer.h"

#include <stdlib.h>

#include "core/clock.h"
#include "core/counter.h"
#include "ovs-thread.h"
#include "rcu/call-stats.h"
#include "rcu/deferral.h"
#include "rcu/log.h"
#include "rcu/registry.h"
#include "rcu/stall-watch.h"
#include "util.h"

/* Grace periods under way at once. */
#define MAX_PERIODS 4
/* Until the next one may begin while the one before is not over. */
#define PERIOD_US 1000
/* Longest sleep without work; PMDs do not wake the reclaimer. */
#define IDLE_US 1000000
#define IDLE_WITH_PMDS_US 20000
/* Sleeps while a grace period is not over. */
#define POLL_MIN_US 20
#define POLL_MAX_US 1000
/* free() is run this often between two looks at the clock. */
#define FREE_BULK 32

/* Chunks that wait for, or have passed, one grace period. */
struct period {
    struct ef_rcu_grace grace;
    bool is_over;
    struct ef_rcu_chunk *first;
    unsigned next_call;         /* Of the first chunk. */
};

/* Oldest first.  Owned by the reclaimer, or by who takes its place. */
static struct period periods[MAX_PERIODS];
static unsigned n_periods;

static struct {
    atomic_ullong n_periods;
    atomic_ullong n_chunks;
    atomic_ullong n_slices;
    atomic_ullong busy_us;
    atomic_ullong max_slice_us;
    atomic_ullong oldest_us;
} stats;

enum state { NONE, RUNNING, STOPPED };
static struct ovs_mutex state_mutex = OVS_MUTEX_INITIALIZER;
static ATOMIC(enum state) state = ATOMIC_VAR_INIT(NONE);
static pthread_t reclaimer OVS_GUARDED_BY(state_mutex);

/* --- Running calls ------------------------------------------------------- */

/* Runs calls of 'chunk' from 'begin' on: one, or some of free().  Returns
 * where to go on.  '*clock_ns' is the time, before and after. */
static unsigned
run_some(const struct ef_rcu_chunk *chunk, unsigned begin, uint64_t *clock_ns)
{
    const struct ef_rcu_call *calls = chunk->calls;
    void (*function)(void *) = calls[begin].function;
    unsigned limit = MIN(chunk->n, begin + (function == free ? FREE_BULK : 1));
    uint64_t began_ns = *clock_ns;
    unsigned i = begin;
    uint64_t mean_ns;

    do {
        function(calls[i].aux);
    } while (++i < limit && calls[i].function == function);

    *clock_ns = ef_clock_ns();
    mean_ns = (*clock_ns - began_ns) / (i - begin);
    ef_rcu_count_calls(function, i - begin, *clock_ns - began_ns, mean_ns);
    return i;
}

/* Runs calls of a chunk from 'begin' on, until 'until_ns'.  Returns where to
 * go on. */
static unsigned
run_chunk(const struct ef_rcu_chunk *chunk, unsigned begin,
          uint64_t *clock_ns, uint64_t until_ns)
{
    unsigned next = begin;

    while (next < chunk->n && *clock_ns < until_ns) {
        next = run_some(chunk, next, clock_ns);
    }
    ef_rcu_count_run(chunk->role, next - begin,
                     next == chunk->n ? chunk->bytes : 0);
    return next;
}

/* Runs calls of a period until 'until_ns'.  Returns true if all have run. */
static bool
run_until(struct period *period, uint64_t *clock_ns, uint64_t until_ns)
{
    while (period->first) {
        struct ef_rcu_chunk *chunk = period->first;

        period->next_call = run_chunk(chunk, period->next_call, clock_ns,
                                      until_ns);
        if (period->next_call < chunk->n) {
            return false;
        }
        period->first = chunk->next;
        period->next_call = 0;
        free(chunk);
    }
    return true;
}

static void
drop_oldest(void)
{
    n_periods--;
    for (unsigned i = 0; i < n_periods; i++) {
        periods[i] = periods[i + 1];
    }
}

static void
publish_oldest(void)
{
    ef_counter_set(&stats.oldest_us,
                   n_periods ? periods[0].first->since_us : 0);
}

/* One slice of the oldest period's calls. */
static void
run_slice(struct ef_rcu_thread *self)
{
    uint64_t began_ns, clock_ns, slice_us;

    ef_rcu_online(&self->reader);
    began_ns = clock_ns = ef_clock_ns();
    if (run_until(&periods[0], &clock_ns, began_ns + EF_RCU_SLICE_US * 1000)) {
        drop_oldest();
    }
    publish_oldest();
    /* What the calls themselves have postponed. */
    ef_rcu_flush(self);
    ef_rcu_offline(&self->reader);

    slice_us = (clock_ns - began_ns) / 1000;
    ef_counter_add(&stats.n_slices, 1);
    ef_counter_add(&stats.busy_us, slice_us);
    if (slice_us > ef_counter_get(&stats.max_slice_us)) {
        ef_counter_set(&stats.max_slice_us, slice_us);
    }
}

/* --- Grace periods ------------------------------------------------------- */

/* Begins a period for what producers have given away, if it is time. */
static void
begin_period(void)
{
    struct period *newest = n_periods ? &periods[n_periods - 1] : NULL;
    struct period *period;

    if (n_periods == MAX_PERIODS || !ef_rcu_has_chunks()
        || (newest && !newest->is_over
            && ef_clock_us() - newest->grace.began_us < PERIOD_US)) {
        return;
    }
    period = &periods[n_periods];
    *period = (struct period) { .first = ef_rcu_take() };
    ef_rcu_grace_begin(&period->grace);
    n_periods++;
    publish_oldest();

    ef_counter_add(&stats.n_periods, 1);
    for (const struct ef_rcu_chunk *c = period->first; c; c = c->next) {
        ef_counter_add(&stats.n_chunks, 1);
    }
}

/* Finds out which periods are over; they end in their order. */
static void
end_periods(struct ef_rcu_watch *watch)
{
    for (unsigned i = 0; i < n_periods; i++) {
        struct period *period = &periods[i];

        if (!period->is_over) {
            if (!ef_rcu_grace_is_over(&period->grace)) {
                ef_rcu_watch_look(watch, &period->grace);
                return;
            }
            period->is_over = true;
            ef_rcu_watch_start(watch);
        }
    }
}

static void
sleep_while_not_over(const struct period *period)
{
    long long age_us = ef_clock_us() - period->grace.began_us;

    xnanosleep_no_quiesce(MIN(MAX(age_us / 2, POLL_MIN_US), POLL_MAX_US)
                          * 1000);
}

static enum state
get_state(void)
{
    enum state now;

    atomic_read_explicit(&state, &now, memory_order_acquire);
    return now;
}

static void *
reclaimer_main(void *arg OVS_UNUSED)
{
    struct ef_rcu_thread *self;
    struct ef_rcu_watch watch;

    ef_rcu_set_role(EF_RCU_RECLAIMER);
    self = ef_rcu_self();
    ef_rcu_offline(&self->reader);
    ef_rcu_watch_start(&watch);

    while (get_state() == RUNNING) {
        begin_period();
        end_periods(&watch);
        if (!n_periods) {
            ef_rcu_wait_for_wake(ef_rcu_has_pmds() ? IDLE_WITH_PMDS_US
                                 : IDLE_US);
        } else if (periods[0].is_over) {
            run_slice(self);
        } else {
            sleep_while_not_over(&periods[0]);
        }
    }
    return NULL;
}

/* --- Start and end ------------------------------------------------------- */

void
ef_rcu_reclaimer_start(void)
{
    if (OVS_LIKELY(get_state() != NONE)) {
        return;
    }
    ovs_mutex_lock(&state_mutex);
    if (get_state() == NONE) {
        /* Release: pairs with the acquire of get_state(), as for what those
         * who ran calls before have left. */
        atomic_store_explicit(&state, RUNNING, memory_order_release);
        reclaimer = ovs_thread_create("urcu", reclaimer_main, NULL);
    }
    ovs_mutex_unlock(&state_mutex);
}

void
ef_rcu_reclaimer_stop(void)
{
    ovs_mutex_lock(&state_mutex);
    if (get_state() == RUNNING) {
        atomic_store_explicit(&state, STOPPED, memory_order_release);
        ef_rcu_wake();
        xpthread_join(reclaimer, NULL);
    }
    atomic_store_explicit(&state, STOPPED, memory_order_release);
    ovs_mutex_unlock(&state_mutex);
}

bool
ef_rcu_run_all(void (*wait)(void))
{
    struct period taken = { .first = ef_rcu_take() };
    bool any = n_periods || taken.first;
    uint64_t clock_ns;

    if (any && wait) {
        wait();
    }
    clock_ns = ef_clock_ns();
    while (n_periods) {
        run_until(&periods[0], &clock_ns, UINT64_MAX);
        drop_oldest();
    }
    run_until(&taken, &clock_ns, UINT64_MAX);
    publish_oldest();
    return any;
}

void
ef_rcu_get_reclaimer_stats(struct ef_rcu_reclaimer_stats *copy)
{
    *copy = (struct ef_rcu_reclaimer_stats) {
        .n_periods = ef_counter_get(&stats.n_periods),
        .n_chunks = ef_counter_get(&stats.n_chunks),
        .n_slices = ef_counter_get(&stats.n_slices),
        .busy_us = ef_counter_get(&stats.busy_us),
        .max_slice_us = ef_counter_get(&stats.max_slice_us),
        .oldest_us = ef_counter_get(&stats.oldest_us),
    };
}
