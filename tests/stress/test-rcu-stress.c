/* SPDX-License-Identifier: Apache-2.0 */

/* Stress test of lib/rcu: threads of all kinds on shared pointers.  Runs for
 * EF_TEST_SECONDS, default 3; meant for ThreadSanitizer and AddressSanitizer
 * too, but an object's end is noticed without them: the postponed call poisons
 * it and keeps it for a while.
 *
 *     4 producers   replace objects, some before and some after they postpone
 *                   the end of the old ones, some in large bundles
 *     5 readers     follow pointers all the time: one is quiescent now and
 *                   then, one offline and back, one waits for grace periods,
 *                   one for all calls, one is a PMD
 *     5 comers      threads that start, read, postpone and end
 *     1 watcher     reads counters, changes the limits
 *     1 reclaimer
 *
 * In the end every postponed call must have run once, those of one thread in
 * their order, and nothing may be pending. */

#include <config.h>

#include "rcu/rcu.h"

#include "ef-test.h"
#include "openvswitch/vlog.h"
#include "ovs-thread.h"
#include "random.h"
#include "rcu-fixture.h"
#include "rcu/call-stats.h"
#include "rcu/reclaimer.h"

#define N_SLOTS 64
#define N_PRODUCERS 4
#define N_COMERS 5
#define N_READERS 5

#define ALIVE 0xa11fe
#define DEAD 0xdead

struct object {
    atomic_uint32_t state;      /* ALIVE, or DEAD once its call has run. */
    uint32_t payload[4];        /* Equal; plain, for ThreadSanitizer. */
};

/* Postponed calls of one thread, in their order. */
struct sequence {
    atomic_ullong n_postponed;  /* Its thread only. */
    atomic_ullong n_run;        /* Reclaimer only. */
};

struct call {
    struct sequence *sequence;
    unsigned long long number;
    struct object *object;      /* To be killed, or NULL. */
    unsigned depth;             /* Of calls that it postpones. */
};

static struct shared {
    OVSRCU_TYPE(struct object *) slots[N_SLOTS];
    struct ovs_mutex mutexes[N_SLOTS];
    struct sequence sequences[N_PRODUCERS];
    struct sequence of_comers;  /* Any order. */
    struct sequence nested;     /* Any order. */
    atomic_bool stop;

    atomic_ullong n_reads, n_dead, n_torn, n_disorder, n_comers;
} shared;

/* --- Objects and calls --------------------------------------------------- */

static void
count(atomic_ullong *counter)
{
    unsigned long long before;

    atomic_add_relaxed(counter, 1ull, &before);
}

static unsigned long long
value(atomic_ullong *counter)
{
    unsigned long long n;

    atomic_read_relaxed(counter, &n);
    return n;
}

static struct object *
new_object(void)
{
    struct object *object = xmalloc(sizeof *object);
    uint32_t x = random_uint32();

    atomic_init(&object->state, ALIVE);
    for (size_t i = 0; i < ARRAY_SIZE(object->payload); i++) {
        object->payload[i] = x;
    }
    return object;
}

static void run_call(void *);

static void
postpone(struct sequence *sequence, struct object *object, unsigned depth)
{
    struct call *call = xmalloc(sizeof *call);
    unsigned long long number;

    atomic_add_relaxed(&sequence->n_postponed, 1ull, &number);
    *call = (struct call) { sequence, number, object, depth };
    ovsrcu_postpone(run_call, call);
}

static void
kill_object(struct object *object)
{
    uint32_t state;

    atomic_read_relaxed(&object->state, &state);
    if (state != ALIVE) {
        count(&shared.n_dead);
    }
    atomic_store_relaxed(&object->state, DEAD);
    for (size_t i = 0; i < ARRAY_SIZE(object->payload); i++) {
        object->payload[i] = i;
    }
    /* Kept dead for one more period: memory of its own, that is, unless the
     * protocol is broken twice over. */
    ovsrcu_postpone(free, object);
}

static void
run_call(void *call_)
{
    struct call *call = call_;
    unsigned long long n_before;

    atomic_add_relaxed(&call->sequence->n_run, 1ull, &n_before);
    if (call->sequence != &shared.of_comers
        && call->sequence != &shared.nested && n_before != call->number) {
        count(&shared.n_disorder);
    }
    if (call->object) {
        kill_object(call->object);
    }
    if (call->depth) {
        postpone(&shared.nested, NULL, call->depth - 1);
    }
    free(call);
}

/* Puts a new object in place of another.  Both orders are right. */
static void
replace(struct sequence *sequence)
{
    unsigned i = random_range(N_SLOTS);
    unsigned depth = random_range(16) ? 0 : random_range(4);
    bool unlink_first = random_range(2);
    struct object *new = new_object();
    struct object *old;

    ovs_mutex_lock(&shared.mutexes[i]);
    old = ovsrcu_get_protected(struct object *, &shared.slots[i]);
    if (unlink_first) {
        ovsrcu_set(&shared.slots[i], new);
    }
    postpone(sequence, old, depth);
    if (!unlink_first) {
        ovsrcu_set(&shared.slots[i], new);
    }
    ovs_mutex_unlock(&shared.mutexes[i]);
}

/* Looks at an object twice, so that it may die between. */
static void
check_object(const struct object *object, uint32_t expected)
{
    uint32_t state;

    atomic_read_relaxed(&CONST_CAST(struct object *, object)->state, &state);
    if (state != ALIVE) {
        count(&shared.n_dead);
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(object->payload); i++) {
        if (object->payload[i] != expected) {
            count(&shared.n_torn);
        }
    }
}

static void
read_some(unsigned n)
{
    const struct object *held[8];
    uint32_t payload[8];

    n = MIN(n, ARRAY_SIZE(held));
    for (unsigned i = 0; i < n; i++) {
        held[i] = ovsrcu_get(struct object *,
                             &shared.slots[random_range(N_SLOTS)]);
        payload[i] = held[i]->payload[0];
    }
    if (!random_range(64)) {
        sched_yield();
    }
    for (unsigned i = 0; i < n; i++) {
        check_object(held[i], payload[i]);
    }
    count(&shared.n_reads);
}

static bool
stopped(void)
{
    bool stop;

    atomic_read_relaxed(&shared.stop, &stop);
    return stop;
}

/* --- Threads ------------------------------------------------------------- */

static void *
producer_main(void *sequence)
{
    while (!stopped()) {
        unsigned n = random_range(100) ? random_range(20) : random_range(2000);

        for (unsigned i = 0; i < n; i++) {
            replace(sequence);
            if (!random_range(8)) {
                read_some(2);
            }
        }
        if (!random_range(8)) {
            ef_rcu_no_wait_begin();
            ovsrcu_quiesce();
            ef_rcu_no_wait_end();
        } else if (random_range(2)) {
            ovsrcu_try_quiesce();
        } else {
            xnanosleep(1000 * random_range(300));
        }
    }
    return NULL;
}

static void *
reader_main(void *aux OVS_UNUSED)
{
    while (!stopped()) {
        for (int i = 0; i < 100; i++) {
            read_some(8);
        }
        ovsrcu_quiesce();
    }
    return NULL;
}

static void *
flicker_main(void *aux OVS_UNUSED)
{
    while (!stopped()) {
        read_some(8);
        ovsrcu_quiesce_start();
        if (!random_range(16)) {
            postpone(&shared.of_comers, NULL, 0);
            sched_yield();
        }
        ovsrcu_quiesce_end();
    }
    return NULL;
}

static void *
synchronizer_main(void *aux OVS_UNUSED)
{
    while (!stopped()) {
        unsigned i = random_range(N_SLOTS);
        struct object *new = new_object();
        struct object *old;

        read_some(4);
        ovs_mutex_lock(&shared.mutexes[i]);
        old = ovsrcu_get_protected(struct object *, &shared.slots[i]);
        ovsrcu_set(&shared.slots[i], new);
        ovs_mutex_unlock(&shared.mutexes[i]);
        ovsrcu_synchronize();
        kill_object(old);
    }
    return NULL;
}

/* After a barrier, what was postponed before it has run. */
static void *
barrier_main(void *aux OVS_UNUSED)
{
    while (!stopped()) {
        unsigned long long before[N_PRODUCERS];

        for (int i = 0; i < N_PRODUCERS; i++) {
            atomic_read(&shared.sequences[i].n_postponed, &before[i]);
        }
        /* A call is counted just before it is postponed. */
        ovsrcu_barrier();
        for (int i = 0; i < N_PRODUCERS; i++) {
            if (value(&shared.sequences[i].n_run) < before[i]) {
                count(&shared.n_disorder);
            }
        }
        read_some(4);
        xnanosleep(2000000);
    }
    return NULL;
}

static void *
pmd_main(void *aux OVS_UNUSED)
{
    struct ef_rcu_thread *self;

    ef_rcu_set_pmd();
    self = ef_rcu_self();
    for (unsigned i = 0; !stopped(); i++) {
        read_some(8);
        if (!(i % 256)) {
            postpone(&shared.of_comers, NULL, 0);
        }
        ef_rcu_quiesce_batch(self);
    }
    return NULL;
}

static void *
comer_main(void *aux OVS_UNUSED)
{
    unsigned n = random_range(40);

    for (unsigned i = 0; i < n; i++) {
        replace(&shared.of_comers);
        read_some(4);
    }
    if (random_range(2)) {
        ovsrcu_quiesce();
        read_some(8);
    }
    count(&shared.n_comers);
    return NULL;
}

static void *
comers_main(void *aux OVS_UNUSED)
{
    while (!stopped()) {
        pthread_t thread = ovs_thread_create("comer", comer_main, NULL);

        ovsrcu_quiesce_start();
        xpthread_join(thread, NULL);
        ovsrcu_quiesce_end();
    }
    return NULL;
}

static void *
watcher_main(void *aux OVS_UNUSED)
{
    while (!stopped()) {
        struct ef_rcu_function_stats functions[EF_RCU_N_FUNCTIONS + 1];
        struct ef_rcu_reclaimer_stats reclaimer;
        struct ef_rcu_grace_stats grace;
        struct ef_rcu_thread_info *infos;

        ef_rcu_set_max_pending(1 + random_range(3000));
        ef_rcu_probe(1000);
        free(ef_rcu_get_threads(&infos) ? infos : NULL);
        ef_rcu_get_grace_stats(&grace);
        ef_rcu_get_reclaimer_stats(&reclaimer);
        ef_rcu_get_function_stats(functions);
        xnanosleep(3000000);
    }
    return NULL;
}

/* --- The test ------------------------------------------------------------ */

static void
start_threads(pthread_t threads[], size_t *n)
{
    static void *(*const readers[N_READERS])(void *) = {
        reader_main, flicker_main, synchronizer_main, barrier_main, pmd_main
    };

    *n = 0;
    for (int i = 0; i < N_READERS; i++) {
        threads[(*n)++] = ovs_thread_create("reader", readers[i], NULL);
    }
    for (int i = 0; i < N_PRODUCERS; i++) {
        threads[(*n)++] = ovs_thread_create("producer", producer_main,
                                            &shared.sequences[i]);
    }
    for (int i = 0; i < N_COMERS; i++) {
        threads[(*n)++] = ovs_thread_create("comers", comers_main, NULL);
    }
    threads[(*n)++] = ovs_thread_create("watcher", watcher_main, NULL);
}

static void
check_sequence(struct sequence *sequence)
{
    EF_CHECK(value(&sequence->n_postponed) > 0);
    EF_CHECK_EQ(value(&sequence->n_run), value(&sequence->n_postponed));
}

static void
check_end(void)
{
    EF_CHECK(value(&shared.n_reads) > 0);
    EF_CHECK(value(&shared.n_comers) > 0);
    EF_CHECK_EQ(value(&shared.n_dead), 0);
    EF_CHECK_EQ(value(&shared.n_torn), 0);
    EF_CHECK_EQ(value(&shared.n_disorder), 0);
    for (int i = 0; i < N_PRODUCERS; i++) {
        check_sequence(&shared.sequences[i]);
    }
    check_sequence(&shared.of_comers);
    check_sequence(&shared.nested);
}

EF_TEST(all_kinds_of_threads)
{
    pthread_t threads[N_READERS + N_PRODUCERS + N_COMERS + 1];
    struct ef_rcu_pending pending;
    size_t n_threads;

    vlog_set_levels(NULL, VLF_CONSOLE, VLL_ERR);
    for (int i = 0; i < N_SLOTS; i++) {
        ovs_mutex_init(&shared.mutexes[i]);
        ovsrcu_init(&shared.slots[i], new_object());
    }
    start_threads(threads, &n_threads);
    xsleep(ef_test_seconds(3));
    atomic_store_relaxed(&shared.stop, true);
    ovsrcu_quiesce_start();
    for (size_t i = 0; i < n_threads; i++) {
        xpthread_join(threads[i], NULL);
    }
    ovsrcu_quiesce_end();
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
    ovsrcu_quiesce_start();

    ef_rcu_get_pending(&pending);
    printf("# %llu reads, %llu threads came and went, at most %"PRIu64" calls "
           "pending\n", value(&shared.n_reads), value(&shared.n_comers),
           pending.max_n);
    EF_CHECK_EQ(pending.bytes, 0);
    check_end();
    for (int i = 0; i < N_SLOTS; i++) {
        free(ovsrcu_get_protected(struct object *, &shared.slots[i]));
        ovs_mutex_destroy(&shared.mutexes[i]);
    }
}

/* An object's end that is not postponed. */
EF_TEST_MUST_FAIL(planted)
{
    struct object *object = new_object();
    uint32_t payload = object->payload[0];

    kill_object(object);
    check_object(object, payload);
    check_end();
}
