/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of stats/latency.c and stats/stamp.h: which packets are stamped,
 * what of a stamp counts, merging, clearing, a full table. */

#include <config.h>

#include "stats/latency.h"

#include <unistd.h>

#include "core/counter.h"
#include "ef-test.h"
#include "odp-util.h"
#include "stats/cpu-taken.h"

#define CORE 0
#define IN u32_to_odp(3)

static struct dp_packet_batch *
batch_new(size_t n)
{
    struct dp_packet_batch *batch = xmalloc(sizeof *batch);

    dp_packet_batch_init(batch);
    for (size_t i = 0; i < n; i++) {
        dp_packet_batch_add(batch, dp_packet_new(64));
    }
    return batch;
}

static void
batch_free(struct dp_packet_batch *batch)
{
    dp_packet_delete_batch(batch, true);
    free(batch);
}

static size_t
n_stamped(const struct ef_latency *lat, const struct dp_packet_batch *batch)
{
    size_t n = 0;

    for (size_t i = 0; lat->pending && i < batch->count; i++) {
        n += ef_stamp_is(batch->packets[i], ef_stamp_get_flag(),
                         lat->received);
    }
    return n;
}

static size_t
merge(const struct ef_latency *lats[], size_t n_lats,
      struct ef_latency_pair ***pairs)
{
    size_t n = 0;

    *pairs = NULL;
    for (size_t i = 0; i < n_lats; i++) {
        ef_latency_merge(lats[i], pairs, &n);
    }
    return n;
}

static void
pairs_free(struct ef_latency_pair **pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(pairs[i]);
    }
    free(pairs);
}

static uint64_t
count(const struct ef_histogram *h)
{
    return ef_counter_get(&h->n);
}

/* A packet with the given times, to 'out'. */
static void
send_one(struct ef_latency *lat, uint32_t out, uint64_t hold, uint64_t total)
{
    struct ef_latency_batch samples = {
        .n = 1,
        .samples = { { .received = 1000, .joined = 2000 - hold, .wait = 7,
                       .lookup = 5, .in_port = 3 } },
    };

    ef_latency_sent(lat, &samples, u32_to_odp(out), 0, 4, 2000, 1000 + total);
    EF_CHECK_EQ(samples.n, 0);
}

static size_t
stamp_share(uint32_t every, size_t n_batches, size_t batch_size)
{
    struct dp_packet_batch *batch = batch_new(batch_size);
    uint64_t flag = ef_stamp_get_flag();
    struct ef_latency lat;
    size_t n = 0;

    ef_latency_init(&lat, CORE);
    for (size_t i = 0; i < n_batches; i++) {
        ef_latency_received(&lat, every, 0, batch, IN);
        n += n_stamped(&lat, batch);
        for (size_t j = 0; j < batch_size; j++) {
            ef_stamp_remove(batch->packets[j], flag);
        }
    }
    ef_latency_destroy(&lat);
    batch_free(batch);
    return n;
}

EF_TEST(one_in_n)
{
    EF_CHECK_EQ(stamp_share(0, 100, 32), 0);
    EF_CHECK_EQ(stamp_share(1, 100, 32), 3200);
    EF_CHECK_EQ(stamp_share(1, 100, 1), 100);
    for (size_t size = 1; size <= 32; size = size * 3 + 1) {
        size_t n = stamp_share(64, 640000 / size, size);

        EF_CHECK(n > 9500 && n < 10500);
    }
}

EF_TEST(less_rare_at_once)
{
    struct dp_packet_batch *batch = batch_new(32);
    struct ef_latency lat;

    ef_latency_init(&lat, CORE);
    lat.until = 1999999;
    for (size_t i = 0; i < 10; i++) {
        ef_latency_received(&lat, 2, 0, batch, IN);
    }
    EF_CHECK(n_stamped(&lat, batch) >= 8);
    ef_latency_received(&lat, 0, 0, batch, IN);
    EF_CHECK(!lat.pending);
    ef_latency_destroy(&lat);
    batch_free(batch);
}

/* The times of each packet, and that nothing stays in it. */
EF_TEST(from_receive_to_join)
{
    struct dp_packet_batch *batch = batch_new(8);
    struct ef_latency_batch samples = { .n = 0 };
    struct ef_latency lat;

    ef_latency_init(&lat, CORE);
    ef_latency_received(&lat, 1, ef_ticks_now(), batch, IN);
    EF_CHECK_EQ(n_stamped(&lat, batch), 8);
    ef_latency_classified(&lat);
    ef_latency_joined(&lat, &samples, batch->packets, 8);
    EF_CHECK_EQ(samples.n, 8);
    for (size_t i = 0; i < samples.n; i++) {
        const struct ef_latency_sample *s = &samples.samples[i];

        EF_CHECK_EQ(s->received, lat.received);
        EF_CHECK(s->wait < UINT64_MAX);
        EF_CHECK(s->lookup > 0 && s->lookup <= s->joined - s->received);
        EF_CHECK_EQ(s->in_port, 3);
    }
    EF_CHECK_EQ(n_stamped(&lat, batch), 0);
    ef_latency_joined(&lat, &samples, batch->packets, 8);
    EF_CHECK_EQ(samples.n, 8);
    ef_latency_destroy(&lat);
    batch_free(batch);
}

/* A flag that came back in a reused buffer, with an older time. */
EF_TEST(stale_stamps_do_not_count)
{
    struct dp_packet_batch *batch = batch_new(4);
    struct ef_latency_batch samples = { .n = 0 };
    struct ef_latency lat;

    ef_latency_init(&lat, CORE);
    for (size_t i = 0; i < 4; i++) {
        ef_stamp_put(batch->packets[i], 12345);
    }
    lat.until = 2;
    ef_latency_received(&lat, 64, 0, batch, IN);
    ef_latency_joined(&lat, &samples, batch->packets, 4);
    EF_CHECK_EQ(samples.n, 1);
    EF_CHECK_EQ(samples.samples[0].wait, UINT64_MAX);
    for (size_t i = 0; i < 4; i++) {
        EF_CHECK(!(batch->packets[i]->mbuf.ol_flags & ef_stamp_get_flag()));
    }
    ef_latency_destroy(&lat);
    batch_free(batch);
}

EF_TEST(copies_are_measured_too)
{
    struct dp_packet_batch *batch = batch_new(4);
    struct dp_packet_batch copies;
    struct ef_latency lat;

    ef_latency_init(&lat, CORE);
    ef_latency_received(&lat, 1, 0, batch, IN);
    dp_packet_batch_clone(&copies, batch);
    EF_CHECK_EQ(n_stamped(&lat, &copies), 0);
    ef_latency_copied(&lat, &copies, batch);
    EF_CHECK_EQ(n_stamped(&lat, &copies), 4);
    EF_CHECK_EQ(n_stamped(&lat, batch), 4);
    dp_packet_delete_batch(&copies, true);
    ef_latency_destroy(&lat);
    batch_free(batch);
}

/* Values of two instances against what they add up to. */
static void
check_merged(uint64_t wanted_n)
{
    struct ef_latency a, b;
    const struct ef_latency *both[] = { &a, &b };
    struct ef_latency_pair **pairs;
    size_t n;

    ef_latency_init(&a, CORE);
    ef_latency_init(&b, CORE);
    for (uint64_t i = 1; i <= 100; i++) {
        send_one(i % 2 ? &a : &b, 9, i, 1000 + 10 * i);
    }
    send_one(&b, 8, 1, 1100);
    n = merge(both, 2, &pairs);
    EF_CHECK_EQ(n, 2);
    for (size_t i = 0; i < n; i++) {
        const struct ef_histogram *stages = pairs[i]->stages;
        uint32_t out;

        atomic_read_relaxed(&pairs[i]->key.out_port, &out);
        if (out == 9) {
            uint64_t p50 = ef_histogram_percentile(&stages[EF_LATENCY_HOLD],
                                                   50);

            EF_CHECK_EQ(count(&stages[EF_LATENCY_TOTAL]), wanted_n);
            EF_CHECK(p50 >= 50 && p50 <= 50 + 50 / 16);
            EF_CHECK_EQ(ef_counter_get(&stages[EF_LATENCY_TOTAL].max), 2000);
            EF_CHECK_EQ(ef_counter_get(&stages[EF_LATENCY_WORK].max), 1900);
            EF_CHECK_EQ(ef_counter_get(&stages[EF_LATENCY_LOOKUP].max), 5);
            EF_CHECK_EQ(ef_counter_get(&pairs[i]->batch.max), 4);
        } else {
            EF_CHECK_EQ(count(&stages[EF_LATENCY_TOTAL]), 1);
        }
    }
    pairs_free(pairs, n);
    ef_latency_destroy(&a);
    ef_latency_destroy(&b);
}

EF_TEST(instances_are_merged)
{
    check_merged(100);
}

/* A sample that nobody took. */
EF_TEST_MUST_FAIL(planted)
{
    check_merged(101);
}

EF_TEST(cleared)
{
    struct ef_latency lat;
    const struct ef_latency *one[] = { &lat };
    struct ef_latency_pair **pairs;
    size_t n;

    ef_latency_init(&lat, CORE);
    send_one(&lat, 9, 1, 1100);
    send_one(&lat, 8, 1, 1100);
    ef_latency_clear(&lat);
    n = merge(one, 1, &pairs);
    EF_CHECK_EQ(n, 0);
    pairs_free(pairs, n);

    send_one(&lat, 9, 1, 1100);
    n = merge(one, 1, &pairs);
    EF_CHECK_EQ(n, 1);
    EF_CHECK_EQ(count(&pairs[0]->stages[EF_LATENCY_HOLD]), 1);
    pairs_free(pairs, n);
    ef_latency_destroy(&lat);
}

EF_TEST(more_pairs_than_there_is_room_for)
{
    struct ef_latency lat;
    const struct ef_latency *one[] = { &lat };
    struct ef_latency_pair **pairs;
    size_t n;

    ef_latency_init(&lat, CORE);
    for (int round = 0; round < 2; round++) {
        for (uint32_t out = 0; out < EF_LATENCY_PAIRS + 10; out++) {
            send_one(&lat, 1000 * round + out, 1, 1100);
        }
        EF_CHECK_EQ(ef_latency_n_full(&lat), 10);
        n = merge(one, 1, &pairs);
        EF_CHECK_EQ(n, EF_LATENCY_PAIRS);
        pairs_free(pairs, n);
        ef_latency_clear(&lat);
        EF_CHECK_EQ(ef_latency_n_full(&lat), 0);
    }
    ef_latency_destroy(&lat);
}

EF_TEST(taken_time)
{
    struct ef_latency lat;

    ef_latency_init(&lat, 99999);
    EF_CHECK_EQ(ef_latency_get_taken(&lat).run_delay_us, -1);
    EF_CHECK_EQ(ef_latency_get_taken(&lat).steal_ms, -1);
    ef_latency_set_thread(&lat);
    ef_latency_clear(&lat);
    EF_CHECK(ef_latency_get_taken(&lat).run_delay_us
             < MAX(ef_cpu_run_delay_us(getpid()), 0) + 1000000);
    EF_CHECK_EQ(ef_cpu_run_delay_us(1 << 30), -1);
    EF_CHECK(ef_cpu_steal_ms(0) >= 0);
    ef_latency_destroy(&lat);
}
