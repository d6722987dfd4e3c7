/* SPDX-License-Identifier: Apache-2.0 */

/* Chunks of postponed calls, and the stack that they are handed over on.
 *
 * Producers are all threads; the reclaimer takes.  When there is none any
 * more, or not yet, whoever runs calls in its place does. */

#include <config.h>

#include "rcu/deferral.h"

#include <malloc.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/counter.h"
#include "ovs-thread.h"
#include "util.h"

/* Most flushes are of a call or two; who fills a chunk gets larger ones. */
#define SMALL_CAPACITY 14
#define LARGE_CAPACITY 252

/* Producers of different kinds do not share a line. */
struct counts {
    PADDED_MEMBERS(CACHE_LINE_SIZE,
        atomic_ullong n;
        atomic_ullong n_run;
    );
};

static ATOMIC(struct ef_rcu_chunk *) stack = ATOMIC_VAR_INIT(NULL);

/* The reclaimer sleeps on 'wanted'.  No PMD touches these. */
static pthread_mutex_t wake_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted;
static bool is_woken;           /* Guarded by 'wake_mutex'. */

static struct counts counts[EF_RCU_N_ROLES];
static atomic_ullong bytes;
static atomic_ullong max_n;
static atomic_ullong max_bytes;

/* --- Counting ------------------------------------------------------------ */

static uint64_t
read_count(const atomic_ullong *counter)
{
    return ef_counter_get(counter);
}

static uint64_t
add_to(atomic_ullong *counter, unsigned long long n)
{
    unsigned long long before;

    atomic_add_relaxed(counter, n, &before);
    return before + n;
}

static void
subtract_from(atomic_ullong *counter, unsigned long long n)
{
    unsigned long long before;

    atomic_sub_relaxed(counter, n, &before);
}

static void
raise_to(atomic_ullong *max, unsigned long long value)
{
    unsigned long long old = read_count(max);

    while (value > old
           && !atomic_compare_exchange_weak_relaxed(max, &old, value)) {
        continue;
    }
}

static uint64_t
n_pending(bool with_pmds)
{
    uint64_t n = 0;

    for (int i = 0; i < EF_RCU_N_ROLES; i++) {
        if (with_pmds || i != EF_RCU_PMD) {
            n += read_count(&counts[i].n);
        }
    }
    return n;
}

uint64_t
ef_rcu_n_pending(void)
{
    return n_pending(false);
}

static void
count_given(const struct ef_rcu_chunk *chunk)
{
    add_to(&counts[chunk->role].n, chunk->n);
    raise_to(&max_n, n_pending(true));
    raise_to(&max_bytes, add_to(&bytes, chunk->bytes));
}

void
ef_rcu_count_run(enum ef_rcu_role role, unsigned n, uint64_t n_bytes)
{
    subtract_from(&counts[role].n, n);
    add_to(&counts[role].n_run, n);
    subtract_from(&bytes, n_bytes);
}

void
ef_rcu_get_pending(struct ef_rcu_pending *pending)
{
    for (int i = 0; i < EF_RCU_N_ROLES; i++) {
        pending->n[i] = read_count(&counts[i].n);
        pending->n_run[i] = read_count(&counts[i].n_run);
    }
    pending->bytes = read_count(&bytes);
    pending->max_n = read_count(&max_n);
    pending->max_bytes = read_count(&max_bytes);
}

/* --- Handing over -------------------------------------------------------- */

static struct ef_rcu_chunk *
new_chunk(struct ef_rcu_thread *thread)
{
    unsigned capacity = MAX(thread->next_capacity, SMALL_CAPACITY);
    struct ef_rcu_chunk *chunk;

    chunk = xmalloc(sizeof *chunk + capacity * sizeof chunk->calls[0]);
    chunk->next = thread->chunk;
    chunk->role = thread->role;
    chunk->capacity = capacity;
    chunk->n = 0;
    chunk->bytes = 0;
    chunk->since_us = ef_clock_us();
    if (!chunk->next) {
        atomic_store_relaxed(&thread->deferred_us, chunk->since_us);
    }
    return chunk;
}

/* A thread's chunks, linked from the newest to the oldest. */
static void
push(struct ef_rcu_chunk *newest, struct ef_rcu_chunk *oldest)
{
    struct ef_rcu_chunk *top;

    atomic_read_relaxed(&stack, &top);
    do {
        oldest->next = top;
        /* Release: pairs with the acquire of ef_rcu_take(). */
    } while (!atomic_compare_exchange_weak_explicit(
                 &stack, &top, newest, memory_order_release,
                 memory_order_relaxed));
}

bool
ef_rcu_flush(struct ef_rcu_thread *thread)
{
    struct ef_rcu_chunk *newest = thread->chunk;
    struct ef_rcu_chunk *oldest = newest;

    if (!newest) {
        return false;
    }
    thread->chunk = NULL;
    thread->has_produced = true;
    thread->next_capacity = newest->next ? LARGE_CAPACITY : SMALL_CAPACITY;
    count_given(newest);
    while (oldest->next) {
        oldest = oldest->next;
        count_given(oldest);
    }
    atomic_store_relaxed(&thread->n_deferred, 0);
    push(newest, oldest);
    if (thread->role == EF_RCU_CONTROL) {
        ef_rcu_wake();
    }
    return true;
}

void
ef_rcu_defer(struct ef_rcu_thread *thread, void (*function)(void *),
             void *aux)
{
    struct ef_rcu_chunk *chunk = thread->chunk;
    unsigned n_deferred;

    if (!chunk || chunk->n == chunk->capacity) {
        thread->next_capacity = chunk ? LARGE_CAPACITY : thread->next_capacity;
        chunk = thread->chunk = new_chunk(thread);
    }
    chunk->calls[chunk->n++] = (struct ef_rcu_call) { function, aux };
    if (function == free) {
        chunk->bytes += malloc_usable_size(aux);
    }
    atomic_read_relaxed(&thread->n_deferred, &n_deferred);
    atomic_store_relaxed(&thread->n_deferred, n_deferred + 1);
}

/* --- Taking -------------------------------------------------------------- */

static void
init_wanted(void)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&wanted, &attr);
    pthread_condattr_destroy(&attr);
}

static void
init_wanted_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, init_wanted);
}

void
ef_rcu_wake(void)
{
    init_wanted_once();
    pthread_mutex_lock(&wake_mutex);
    if (!is_woken) {
        is_woken = true;
        pthread_cond_signal(&wanted);
    }
    pthread_mutex_unlock(&wake_mutex);
}

void
ef_rcu_wait_for_wake(long long timeout_us)
{
    long long until_us = ef_clock_us() + timeout_us;
    struct timespec until = {
        .tv_sec = until_us / 1000000,
        .tv_nsec = until_us % 1000000 * 1000,
    };

    init_wanted_once();
    pthread_mutex_lock(&wake_mutex);
    while (!is_woken
           && !pthread_cond_timedwait(&wanted, &wake_mutex, &until)) {
        continue;
    }
    is_woken = false;
    pthread_mutex_unlock(&wake_mutex);
}

bool
ef_rcu_has_chunks(void)
{
    struct ef_rcu_chunk *top;

    atomic_read_relaxed(&stack, &top);
    return top != NULL;
}

struct ef_rcu_chunk *
ef_rcu_take(void)
{
    struct ef_rcu_chunk *first = NULL;
    struct ef_rcu_chunk *chunk;

    /* Acquire: pairs with the release of ef_rcu_flush(). */
    chunk = atomic_exchange_explicit(&stack, NULL, memory_order_acquire);
    while (chunk) {
        struct ef_rcu_chunk *next = chunk->next;

        chunk->next = first;
        first = chunk;
        chunk = next;
    }
    return first;
}
