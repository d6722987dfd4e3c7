/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of action/meter.c, action/meter-table.c and action/bucket.h.
 *
 * Time is whatever the test says.  Packets have no contents, just sizes. */

#include <config.h>

#include "action/meter.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "action/bucket.h"
#include "dp-packet.h"
#include "ef-test.h"
#include "openflow/openflow-common.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "stats/drop.h"
#include "util.h"

#define START_US 1234567891LL
#define PKTPS (OFPMF13_PKTPS | OFPMF13_BURST | OFPMF13_STATS)
#define KBPS (OFPMF13_KBPS | OFPMF13_BURST | OFPMF13_STATS)

static struct ef_meter_table table;

/* Sets meter 'id' to one or, with 'rate2', two bands. */
static void
set_meter(uint32_t id, uint16_t flags, uint32_t rate, uint32_t burst,
          uint32_t rate2, uint32_t burst2)
{
    struct ofputil_meter_band bands[] = {
        { .type = OFPMBT13_DROP, .rate = rate, .burst_size = burst },
        { .type = OFPMBT13_DROP, .rate = rate2, .burst_size = burst2 },
    };
    struct ofputil_meter_config config = {
        .flags = flags, .n_bands = rate2 ? 2 : 1, .bands = bands,
    };

    EF_CHECK(ef_meter_set(&table, id, &config, START_US) == 0);
}

/* Sends 'n' packets of 'size' bytes at once; returns how many pass. */
static size_t
run(uint32_t id, size_t n, uint32_t size, long long now_us)
{
    struct dp_packet_batch batch;
    size_t n_passed;

    dp_packet_batch_init(&batch);
    for (size_t i = 0; i < n; i++) {
        struct dp_packet *packet = dp_packet_new(size);

        dp_packet_put_uninit(packet, size);
        dp_packet_batch_add(&batch, packet);
    }
    ef_meter_run(&table, id, &batch, now_us);
    n_passed = dp_packet_batch_size(&batch);
    dp_packet_delete_batch(&batch, true);
    return n_passed;
}

/* Same, one packet at a time. */
static size_t
run_singly(uint32_t id, size_t n, uint32_t size, long long now_us)
{
    size_t n_passed = 0;

    while (n--) {
        n_passed += run(id, 1, size, now_us);
    }
    return n_passed;
}

static void
check_stats(uint32_t id, uint64_t n_in, uint64_t bytes_in, int band,
            uint64_t n_dropped, uint64_t bytes_dropped)
{
    struct ofputil_meter_band_stats bands[2];
    struct ofputil_meter_stats stats = { .bands = bands };

    EF_CHECK(ef_meter_get(&table, id, &stats, 2) == 0);
    EF_CHECK_EQ(stats.packet_in_count, n_in);
    EF_CHECK_EQ(stats.byte_in_count, bytes_in);
    EF_CHECK(band < stats.n_bands);
    EF_CHECK_EQ(bands[band].packet_count, n_dropped);
    EF_CHECK_EQ(bands[band].byte_count, bytes_dropped);
}

/* The numbers of upstream's test "dpif-netdev - meters". */
EF_TEST(numbers_of_upstream)
{
    uint64_t dropped_before = ef_drop_read(EF_DROP_METER);
    long long now_us = START_US;

    ef_meter_table_init(&table);
    set_meter(1, PKTPS, 1, 1, 0, 0);
    set_meter(2, KBPS, 1, 2, 0, 0);

    now_us += 5000 * 1000;
    EF_CHECK(run_singly(2, 7, 60, now_us) == 4);
    EF_CHECK(run_singly(1, 5, 60, now_us) == 1);
    check_stats(1, 5, 300, 0, 4, 240);
    check_stats(2, 7, 420, 0, 3, 180);

    now_us += 870 * 1000;
    EF_CHECK(run_singly(2, 5, 60, now_us) == 1);
    EF_CHECK(run_singly(1, 5, 60, now_us) == 0);
    check_stats(1, 10, 600, 0, 9, 540);
    check_stats(2, 12, 720, 0, 7, 420);

    now_us += 10 * 1000;
    EF_CHECK(run_singly(2, 5, 60, now_us) == 1);
    check_stats(1, 10, 600, 0, 9, 540);
    check_stats(2, 17, 1020, 0, 11, 660);

    EF_CHECK_EQ(ef_drop_read(EF_DROP_METER) - dropped_before, 20);
    ef_meter_table_destroy(&table);
}

/* 14-byte packets of upstream's controller meter: 8 packets, 2 pass. */
EF_TEST(no_burst_size_means_a_second)
{
    ef_meter_table_init(&table);
    set_meter(7, OFPMF13_PKTPS, 2, 0, 0, 0);
    EF_CHECK(run_singly(7, 8, 14, START_US) == 2);
    check_stats(7, 8, 112, 0, 6, 84);
    EF_CHECK(run(7, 8, 14, START_US + 999999) == 1);
    EF_CHECK(run(7, 8, 14, START_US + 1000000) == 1);
    EF_CHECK(run(7, 8, 14, START_US + 99000000) == 2);
    ef_meter_table_destroy(&table);
}

/* A burst that fills in less than a millisecond, and one that fills in less
 * than a microsecond, fill up again. */
EF_TEST(small_burst_of_high_rate)
{
    ef_meter_table_init(&table);
    set_meter(1, PKTPS, 1000000, 5, 0, 0);
    set_meter(2, PKTPS, UINT32_MAX, 1, 0, 0);
    EF_CHECK(run(1, 10, 64, START_US) == 5);
    EF_CHECK(run(1, 10, 64, START_US) == 0);
    EF_CHECK(run(1, 10, 64, START_US + 3) == 3);
    EF_CHECK(run(1, 10, 64, START_US + 100) == 5);
    EF_CHECK(run(2, 10, 64, START_US) == 1);
    EF_CHECK(run(2, 10, 64, START_US + 1) == 1);
    ef_meter_table_destroy(&table);
}

/* What a meter with a coarser clock would see. */
static long long clock_step_us = 1;

/* Packets arrive 'mpps' to the microsecond, in batches, for 'time_us'. */
static void
check_rate(double mpps, uint16_t flags, uint32_t rate, uint32_t burst,
           uint32_t size, long long time_us)
{
    size_t n_batches = mpps * time_us / NETDEV_MAX_BURST;
    double expected = (double) rate * time_us / 1e6 + burst;
    size_t n_passed = 0;

    if (flags & OFPMF13_KBPS) {
        expected = expected * 1000 / (size * 8);
    }
    ef_meter_table_init(&table);
    set_meter(3, flags, rate, burst, 0, 0);
    for (size_t i = 0; i < n_batches; i++) {
        long long now_us = START_US + i * NETDEV_MAX_BURST / mpps;

        now_us -= now_us % clock_step_us;
        n_passed += run(3, NETDEV_MAX_BURST, size, now_us);
    }
    EF_CHECK(n_passed >= expected * 0.999);
    EF_CHECK(n_passed <= expected * 1.001);
    ef_meter_table_destroy(&table);
}

EF_TEST(one_mpps)
{
    check_rate(1, PKTPS, 500000, 64, 64, 200000);
    check_rate(1, PKTPS, 999000, 64, 64, 200000);
    check_rate(1, PKTPS, 5000, 5, 64, 200000);
    check_rate(1, KBPS, 100000, 100, 64, 200000);
}

EF_TEST(ten_mpps)
{
    check_rate(10, PKTPS, 1000000, 64, 64, 30000);
    check_rate(10, PKTPS, 9900000, 64, 64, 30000);
    check_rate(10, KBPS, 1000000, 100, 64, 30000);
    check_rate(10, KBPS, 50000000, 1000, 1500, 30000);
}

EF_TEST(hundred_mpps)
{
    check_rate(100, PKTPS, 50000000, 64, 64, 8000);
    check_rate(100, PKTPS, 1000000, 64, 64, 8000);
    check_rate(100, KBPS, 10000000, 100, 64, 8000);
}

EF_TEST_MUST_FAIL(clock_of_milliseconds)
{
    clock_step_us = 1000;
    check_rate(1, PKTPS, 500000, 64, 64, 100000);
    clock_step_us = 1;
}

EF_TEST(time_that_goes_backwards)
{
    ef_meter_table_init(&table);
    set_meter(1, PKTPS, 1, 10, 0, 0);
    EF_CHECK(run(1, 32, 64, START_US) == 10);
    EF_CHECK(run(1, 32, 64, START_US + 2000000) == 2);
    EF_CHECK(run(1, 32, 64, START_US + 1000000) == 0);
    EF_CHECK(run(1, 32, 64, 0) == 0);
    EF_CHECK(run(1, 32, 64, LLONG_MIN) == 0);
    /* The time between was counted once already. */
    EF_CHECK(run(1, 32, 64, START_US + 2000000) == 0);
    EF_CHECK(run(1, 32, 64, START_US + 3000000) == 1);
    ef_meter_table_destroy(&table);
}

EF_TEST(extreme_values)
{
    struct ef_bucket bucket;

    ef_bucket_init(&bucket, UINT32_MAX, UINT32_MAX);
    EF_CHECK_EQ(bucket.level, UINT32_MAX * EF_BUCKET_UNITS);
    EF_CHECK(ef_bucket_take(&bucket, bucket.level));
    EF_CHECK(!ef_bucket_take(&bucket, 1));
    ef_bucket_refill(&bucket, 999999);
    EF_CHECK_EQ(bucket.level, 999999ULL * UINT32_MAX);
    ef_bucket_refill(&bucket, UINT64_MAX);
    EF_CHECK_EQ(bucket.level, bucket.capacity);
    ef_bucket_refill(&bucket, 999999);
    EF_CHECK_EQ(bucket.level, bucket.capacity);

    ef_bucket_init(&bucket, 1, UINT32_MAX);
    EF_CHECK(ef_bucket_take(&bucket, bucket.level));
    ef_bucket_refill(&bucket, 365LL * 86400 * 1000000);
    EF_CHECK_EQ(bucket.level, 365LL * 86400 * 1000000);
    ef_bucket_refill(&bucket, UINT64_MAX / 2);
    EF_CHECK_EQ(bucket.level, bucket.capacity);

    ef_bucket_init(&bucket, 7, 1);
    EF_CHECK(ef_bucket_take(&bucket, bucket.level));
    ef_bucket_refill(&bucket, bucket.fill_us - 1);
    EF_CHECK(bucket.level < bucket.capacity);
    ef_bucket_refill(&bucket, 1);
    EF_CHECK_EQ(bucket.level, bucket.capacity);

    ef_meter_table_init(&table);
    set_meter(1, KBPS, UINT32_MAX, UINT32_MAX, 0, 0);
    EF_CHECK(run(1, 32, 65535, LLONG_MAX) == 32);
    EF_CHECK(run(1, 32, 65535, LLONG_MIN) == 32);
    ef_meter_table_destroy(&table);
}

/* The highest rate that a packet exceeds drops it, whatever the order. */
EF_TEST(bands)
{
    for (int high = 0; high < 2; high++) {
        ef_meter_table_init(&table);
        set_meter(1, PKTPS, high ? 5 : 20, high ? 2 : 6,
                  high ? 20 : 5, high ? 6 : 2);
        EF_CHECK(run(1, 10, 100, START_US) == 2);
        check_stats(1, 10, 1000, high, 4, 400);
        check_stats(1, 10, 1000, !high, 4, 400);
        ef_meter_table_destroy(&table);
    }
}

/* A small packet passes after a large one did not. */
EF_TEST(packets_of_different_sizes)
{
    static const uint32_t sizes[] = { 100, 300, 20, 10 };
    struct dp_packet_batch batch;

    ef_meter_table_init(&table);
    set_meter(1, KBPS, 1, 1, 0, 0);     /* 125 bytes. */
    dp_packet_batch_init(&batch);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct dp_packet *packet = dp_packet_new(sizes[i]);

        dp_packet_put_uninit(packet, sizes[i]);
        dp_packet_batch_add(&batch, packet);
    }
    ef_meter_run(&table, 1, &batch, START_US);
    EF_CHECK_EQ(dp_packet_batch_size(&batch), 2);
    EF_CHECK_EQ(dp_packet_size(batch.packets[0]), 100);
    EF_CHECK_EQ(dp_packet_size(batch.packets[1]), 20);
    check_stats(1, 4, 430, 0, 2, 310);
    dp_packet_delete_batch(&batch, true);
    ef_meter_table_destroy(&table);
}

EF_TEST(configuration_errors)
{
    struct ofputil_meter_band bands[EF_METER_BANDS_MAX + 1];
    struct ofputil_meter_config config = {
        .flags = PKTPS, .n_bands = EF_METER_BANDS_MAX, .bands = bands,
    };

    ef_meter_table_init(&table);
    for (size_t i = 0; i < ARRAY_SIZE(bands); i++) {
        bands[i] = (struct ofputil_meter_band) {
            .type = OFPMBT13_DROP, .rate = 10,
        };
    }
    EF_CHECK(ef_meter_set(&table, EF_METER_MAX, &config, 0) == EFBIG);
    EF_CHECK(ef_meter_set(&table, UINT32_MAX, &config, 0) == EFBIG);
    EF_CHECK(ef_meter_set(&table, EF_METER_MAX - 1, &config, 0) == 0);

    config.flags = 1 << 10;
    EF_CHECK(ef_meter_set(&table, 1, &config, 0) == EBADF);
    config.flags = PKTPS;
    config.n_bands++;
    EF_CHECK(ef_meter_set(&table, 1, &config, 0) == EINVAL);
    config.n_bands--;
    bands[3].rate = 0;
    EF_CHECK(ef_meter_set(&table, 1, &config, 0) == EINVAL);
    bands[2].type = OFPMBT13_DSCP_REMARK;
    EF_CHECK(ef_meter_set(&table, 1, &config, 0) == ENODEV);

    EF_CHECK(ef_meter_get(&table, 1, NULL, 0) == ENOENT);
    EF_CHECK(ef_meter_get(&table, EF_METER_MAX, NULL, 0) == EFBIG);
    EF_CHECK(ef_meter_del(&table, 1, NULL, 0) == ENOENT);
    EF_CHECK(ef_meter_del(&table, EF_METER_MAX, NULL, 0) == EFBIG);

    /* No meter lets everything through; so does one without bands. */
    EF_CHECK(run(1, 32, 64, START_US) == 32);
    EF_CHECK(run(UINT32_MAX, 32, 64, START_US) == 32);
    config.n_bands = 0;
    EF_CHECK(ef_meter_set(&table, 1, &config, 0) == 0);
    EF_CHECK(run(1, 32, 64, START_US) == 32);
    ef_meter_table_destroy(&table);
}

EF_TEST(replace_and_delete)
{
    struct ofputil_meter_band_stats bands[1] = { { 0, 0 } };
    struct ofputil_meter_stats stats = { .bands = bands };

    ef_meter_table_init(&table);
    set_meter(1, PKTPS, 1, 3, 0, 0);
    EF_CHECK(run(1, 10, 64, START_US) == 3);
    set_meter(1, PKTPS, 1, 4, 0, 0);
    EF_CHECK(run(1, 10, 64, START_US) == 4);
    EF_CHECK_EQ(cmap_count(&table.meters), 1);

    EF_CHECK(ef_meter_del(&table, 1, &stats, 0) == 0);
    EF_CHECK_EQ(stats.packet_in_count, 10);
    EF_CHECK_EQ(stats.n_bands, 0);
    EF_CHECK_EQ(bands[0].packet_count, 0);
    EF_CHECK(ef_meter_del(&table, 1, &stats, 0) == ENOENT);
    ef_meter_table_destroy(&table);
}

/* Many threads, one meter, while others come and go. */
#define N_THREADS 4
#define THREAD_BATCHES 20000

static atomic_llong clock_us;
static atomic_ullong n_passed_all;

static void *
meter_thread(void *arg OVS_UNUSED)
{
    size_t n_passed = 0;
    unsigned long long before;
    long long ticks;

    for (size_t i = 0; i < THREAD_BATCHES; i++) {
        atomic_add(&clock_us, 1, &ticks);
        n_passed += run(1, 8, 64, START_US + ticks);
        if (!(i % 64)) {
            set_meter(2, PKTPS, 1, 1, 0, 0);
            run(2, 1, 64, START_US + ticks);
            ef_meter_del(&table, 2, NULL, 0);
            ovsrcu_quiesce();
        }
    }
    atomic_add(&n_passed_all, n_passed, &before);
    return NULL;
}

EF_TEST(threads)
{
    const size_t n_sent = N_THREADS * THREAD_BATCHES * 8;
    const double expected = 100000 + N_THREADS * THREAD_BATCHES;
    pthread_t threads[N_THREADS];
    unsigned long long n_passed;

    ef_meter_table_init(&table);
    set_meter(1, PKTPS, 1000000, 100000, 0, 0);
    for (size_t i = 0; i < N_THREADS; i++) {
        threads[i] = ovs_thread_create("meter", meter_thread, NULL);
    }
    for (size_t i = 0; i < N_THREADS; i++) {
        xpthread_join(threads[i], NULL);
    }

    atomic_read(&n_passed_all, &n_passed);
    EF_CHECK(n_passed >= expected * 0.999);
    EF_CHECK(n_passed <= expected);
    check_stats(1, n_sent, n_sent * 64, 0, n_sent - n_passed,
                (n_sent - n_passed) * 64);
    ef_meter_table_destroy(&table);
}
