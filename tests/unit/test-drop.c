/* SPDX-License-Identifier: Apache-2.0 */

/* Drop reasons: names, totals, coverage counters, threads. */

#include <config.h>

#include "stats/drop.h"

#include <sched.h>
#include <string.h>

#include "coverage.h"
#include "dp-packet.h"
#include "ef-test.h"
#include "ovs-thread.h"
#include "util.h"

EF_TEST(names_are_distinct)
{
    EF_CHECK(!strcmp(ef_drop_name(EF_DROP_METER), "meter"));
    EF_CHECK(!strcmp(ef_drop_name(EF_DROP_HW_MISS_RECOVER),
                     "hw_miss_recover"));
    for (int i = 0; i < EF_N_DROPS; i++) {
        EF_CHECK(ef_drop_text(i)[0] != '\0');
        for (int j = 0; j < i; j++) {
            EF_CHECK(strcmp(ef_drop_name(i), ef_drop_name(j)));
        }
    }
}

EF_TEST(counts_go_to_their_reason)
{
    uint64_t before[EF_N_DROPS];

    for (int i = 0; i < EF_N_DROPS; i++) {
        before[i] = ef_drop_read(i);
    }
    for (int i = 0; i < EF_N_DROPS; i++) {
        ef_drop_count(i, 100 + i);
        ef_drop_count(i, 0);
    }
    for (int i = 0; i < EF_N_DROPS; i++) {
        EF_CHECK_EQ(ef_drop_read(i) - before[i], 100 + i);
    }
}

/* Planted: a drop under the wrong reason. */
EF_TEST_MUST_FAIL(wrong_reason)
{
    uint64_t before = ef_drop_read(EF_DROP_METER);

    ef_drop_count(EF_DROP_METER + 1, 1);
    EF_CHECK_EQ(ef_drop_read(EF_DROP_METER) - before, 1);
}

#define X(ENUM, NAME, TEXT) \
    extern struct coverage_counter counter_datapath_drop_##NAME;
EF_DROP_REASONS
#undef X

static const struct coverage_counter *const coverage[EF_N_DROPS] = {
#define X(ENUM, NAME, TEXT) &counter_datapath_drop_##NAME,
    EF_DROP_REASONS
#undef X
};

EF_TEST(coverage_counters_follow)
{
    for (int i = 0; i < EF_N_DROPS; i++) {
        unsigned n;

        EF_CHECK(!strncmp(coverage[i]->name, "datapath_drop_", 14));
        EF_CHECK(!strcmp(coverage[i]->name + 14, ef_drop_name(i)));

        /* What this thread counted since it was asked last. */
        coverage[i]->count();
        ef_drop_count(i, 3);
        n = coverage[i]->count();
        EF_CHECK_EQ(n, 3);
    }
}

static struct dp_packet *
new_packet(void)
{
    struct dp_packet *packet = dp_packet_new(64);

    dp_packet_put_zeros(packet, 64);
    return packet;
}

EF_TEST(packets_are_freed_if_owned)
{
    uint64_t before = ef_drop_read(EF_DROP_METER);
    struct dp_packet_batch batch;

    ef_drop_packet(EF_DROP_METER, new_packet());
    EF_CHECK_EQ(ef_drop_read(EF_DROP_METER) - before, 1);

    dp_packet_batch_init(&batch);
    dp_packet_batch_add(&batch, new_packet());
    dp_packet_batch_add(&batch, new_packet());
    ef_drop_batch(EF_DROP_METER, &batch, false);
    EF_CHECK_EQ(ef_drop_read(EF_DROP_METER) - before, 3);
    EF_CHECK_EQ(dp_packet_batch_size(&batch), 2);

    ef_drop_batch(EF_DROP_METER, &batch, true);
    EF_CHECK_EQ(ef_drop_read(EF_DROP_METER) - before, 5);
    EF_CHECK_EQ(dp_packet_batch_size(&batch), 0);
}

/* Threads run at once.  drop.c has fewer slots, so some threads share one;
 * only those of one slot count, all at the same time, which makes them
 * meet. */
#define N_SLOTS 32
#define N_THREADS (3 * N_SLOTS)
#define N_ROUNDS 1000000

static struct ovs_barrier all_known;
static atomic_count n_chosen = ATOMIC_COUNT_INIT(0);
static atomic_count n_ready = ATOMIC_COUNT_INIT(0);

static void *
drop_thread(void *aux OVS_UNUSED)
{
    bool chosen = ovsthread_id_self() % N_SLOTS == 7;

    if (chosen) {
        atomic_count_inc(&n_chosen);
    }
    ovs_barrier_block(&all_known);
    if (chosen) {
        atomic_count_inc(&n_ready);
        while (atomic_count_get(&n_ready) < atomic_count_get(&n_chosen)) {
            sched_yield();
        }
        for (int i = 0; i < N_ROUNDS; i++) {
            ef_drop_count(EF_DROP_RECIRC_ERROR, 2);
        }
    }
    return NULL;
}

EF_TEST(threads_lose_nothing)
{
    uint64_t before = ef_drop_read(EF_DROP_RECIRC_ERROR);
    pthread_t threads[N_THREADS];
    uint64_t n;

    ovs_barrier_init(&all_known, N_THREADS);
    for (int i = 0; i < N_THREADS; i++) {
        threads[i] = ovs_thread_create("drop", drop_thread, NULL);
    }
    for (int i = 0; i < N_THREADS; i++) {
        xpthread_join(threads[i], NULL);
    }
    ovs_barrier_destroy(&all_known);
    n = atomic_count_get(&n_chosen);
    EF_CHECK(n >= 2);
    EF_CHECK_EQ(ef_drop_read(EF_DROP_RECIRC_ERROR) - before,
                2 * N_ROUNDS * n);
}
