/* SPDX-License-Identifier: Apache-2.0 */

/* Egress QoS: values that are taken and refused, what passes, queues, and
 * that setting the same again changes nothing. */

#include <config.h>

#include "dpdk/qos.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "core/params.h"
#include "dpdk/qos-batching.h"
#include "ef-test.h"
#include "netdev.h"
#include "openvswitch/vlog.h"
#include "pool-fixture.h"
#include "smap.h"
#include "sset.h"

#define N 200

/* Keys and values, NULL at the end. */
static struct smap *
keys(const char *key, ...)
{
    static struct smap smap = SMAP_INITIALIZER(&smap);
    va_list args;

    smap_clear(&smap);
    va_start(args, key);
    while (key) {
        smap_add(&smap, key, va_arg(args, const char *));
        key = va_arg(args, const char *);
    }
    va_end(args);
    return &smap;
}
#define KEYS(...) keys(__VA_ARGS__, NULL)

static struct smap empty = SMAP_INITIALIZER(&empty);

static struct ef_qos_slot slot;

static bool
start(void)
{
    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    ef_qos_slot_init(&slot);
    return fx_start();
}

static int
set(const char *type, const struct smap *details)
{
    return ef_qos_set(&slot, "p0", type, details);
}

/* Sends 'n' packets of 'size' bytes to 'queue'; returns how many pass. */
static size_t
run(size_t n, uint16_t size, uint32_t queue)
{
    struct rte_mbuf *pkts[N];
    size_t n_kept;

    if (!EF_CHECK(make_packets(pkts, n, size))) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        CONTAINER_OF(pkts[i], struct dp_packet, mbuf)->md.skb_priority = queue;
    }
    n_kept = ef_qos_run(&slot, pkts, n);
    EF_CHECK_EQ(n_packets_out(), n_kept);
    rte_pktmbuf_free_bulk(pkts, n_kept);
    return n_kept;
}

/* Checks the port's type, and a key of it. */
static void
check_in_force(const char *type, const char *key, const char *value)
{
    struct smap details = SMAP_INITIALIZER(&details);
    const char *type_now;

    EF_CHECK_EQ(ef_qos_get(&slot, &type_now, &details), 0);
    EF_CHECK_STR_EQ(type_now, type);
    if (key) {
        EF_CHECK_STR_EQ(smap_get(&details, key), value);
    } else {
        EF_CHECK(smap_is_empty(&details));
    }
    smap_destroy(&details);
}

static void
check_queue(uint32_t id, const char *key, const char *value)
{
    struct smap details = SMAP_INITIALIZER(&details);

    EF_CHECK_EQ(ef_qos_get_queue(&slot, id, &details), value ? 0 : EINVAL);
    EF_CHECK_STR_EQ(smap_get(&details, key), value);
    smap_destroy(&details);
}

EF_TEST(no_qos_lets_all_pass)
{
    struct sset types = SSET_INITIALIZER(&types);
    struct netdev_queue_stats stats;
    uint32_t *ids;
    size_t n;

    EF_REQUIRE(start());
    EF_CHECK_EQ(run(N, 1514, 0), (size_t) N);
    check_in_force("", NULL, NULL);
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 0, &empty), EOPNOTSUPP);
    EF_CHECK_EQ(ef_qos_delete_queue(&slot, 0), EOPNOTSUPP);
    EF_CHECK_EQ(ef_qos_get_queue(&slot, 0, keys(NULL)), EOPNOTSUPP);
    EF_CHECK_EQ(ef_qos_get_queue_stats(&slot, 0, &stats), EOPNOTSUPP);
    EF_CHECK_EQ(ef_qos_list_queues(&slot, &ids, &n), EOPNOTSUPP);
    EF_CHECK_EQ(set("", &empty), 0);

    ef_qos_types(&types);
    EF_CHECK_EQ(sset_count(&types), 3u);
    EF_CHECK(sset_contains(&types, "egress-batching"));
    EF_CHECK(sset_contains(&types, "egress-policer"));
    EF_CHECK(sset_contains(&types, "trtcm-policer"));
    sset_destroy(&types);
    ef_qos_slot_destroy(&slot);
}

EF_TEST(egress_policer_polices)
{
    EF_REQUIRE(start());
    EF_REQUIRE_EQ(set("egress-policer", KEYS("cir", "1", "cbs", "10000")), 0);
    check_in_force("egress-policer", "cir", "1");
    check_in_force("egress-policer", "cbs", "10000");
    EF_CHECK_EQ(run(N, 114, 0), 100u);
    EF_CHECK_EQ(run(1, 114, 0), 0u);
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 0, &empty), EOPNOTSUPP);

    EF_CHECK_EQ(set("", &empty), 0);
    check_in_force("", NULL, NULL);
    EF_CHECK_EQ(run(N, 114, 0), (size_t) N);
    ef_qos_slot_destroy(&slot);
}

EF_TEST(same_again_keeps_the_fill)
{
    EF_REQUIRE(start());
    EF_REQUIRE_EQ(set("egress-policer", KEYS("cir", "1", "cbs", "1000")), 0);
    EF_CHECK_EQ(run(10, 114, 0), 10u);
    EF_CHECK_EQ(set("egress-policer", KEYS("cir", "1", "cbs", "1000")), 0);
    EF_CHECK_EQ(run(10, 114, 0), 0u);
    /* Another value is another bucket. */
    EF_CHECK_EQ(set("egress-policer", KEYS("cir", "1", "cbs", "1100")), 0);
    EF_CHECK_EQ(run(20, 114, 0), 11u);

    EF_REQUIRE_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "1000")), 0);
    EF_CHECK_EQ(run(10, 114, 0), 10u);
    EF_CHECK_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "1000")), 0);
    /* What the bridge does with a queue 0 that is not in the database. */
    EF_CHECK_EQ(ef_qos_delete_queue(&slot, 0), 0);
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 0, &empty), 0);
    EF_CHECK_EQ(run(10, 114, 0), 0u);
    ef_qos_slot_destroy(&slot);
}

EF_TEST(bad_values_leave_what_is_in_force)
{
    static const struct { const char *cir, *cbs; } bad[] = {
        { NULL, "1" }, { "1", NULL }, { "0", "1" }, { "1", "0" },
        { "", "1" }, { "x", "1" }, { "1x", "1" }, { "-1", "1" },
        { "1", "-1" }, { "+1", "1" }, { " 1", "1" }, { "0x10", "1" },
        { "18446744073709551616", "1" }, { "1", "99999999999999999999999" },
        { "1.5", "1" },
    };

    EF_REQUIRE(start());
    for (int set_before = 0; set_before < 2; set_before++) {
        if (set_before) {
            EF_REQUIRE_EQ(set("egress-policer",
                              KEYS("cir", "77", "cbs", "1000")), 0);
        }
        for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
            struct smap details = SMAP_INITIALIZER(&details);

            if (bad[i].cir) {
                smap_add(&details, "cir", bad[i].cir);
            }
            if (bad[i].cbs) {
                smap_add(&details, "cbs", bad[i].cbs);
            }
            if (!EF_CHECK_EQ(set("egress-policer", &details), EINVAL)
                || !EF_CHECK_EQ(set("trtcm-policer", &details), EINVAL)) {
                printf("# cir=%s, cbs=%s\n", bad[i].cir, bad[i].cbs);
            }
            smap_destroy(&details);
        }
        EF_CHECK_EQ(set("linux-htb", &empty), EOPNOTSUPP);
        check_in_force(set_before ? "egress-policer" : "",
                       set_before ? "cir" : NULL, "77");
    }
    EF_CHECK_EQ(run(20, 114, 0), 10u);
    ef_qos_slot_destroy(&slot);
}

EF_TEST(largest_values_pass_all)
{
    const char *max = "18446744073709551615";

    EF_REQUIRE(start());
    EF_CHECK_EQ(set("egress-policer", KEYS("cir", max, "cbs", max)), 0);
    check_in_force("egress-policer", "cir", max);
    EF_CHECK_EQ(run(N, 1514, 0), (size_t) N);
    EF_CHECK_EQ(set("trtcm-policer", KEYS("cir", max, "cbs", max, "eir", max,
                                          "ebs", max)), 0);
    EF_CHECK_EQ(run(N, 1514, 0), (size_t) N);
    ef_qos_slot_destroy(&slot);
}

EF_TEST(trtcm_has_two_levels)
{
    struct netdev_queue_stats stats;

    EF_REQUIRE(start());
    /* The port lets 1,000 green and 500 yellow bytes pass. */
    EF_REQUIRE_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "1000",
                                            "eir", "1", "ebs", "500")), 0);
    check_in_force("trtcm-policer", "ebs", "500");
    /* Green 300, yellow 800; the rest is red. */
    EF_REQUIRE_EQ(ef_qos_set_queue(&slot, "p0", 7,
                                   KEYS("cir", "1", "cbs", "300",
                                        "eir", "1", "ebs", "800")), 0);
    check_queue(7, "cbs", "300");

    /* Of 20 packets, 3 are green, 8 yellow; of these the port passes 5. */
    EF_CHECK_EQ(run(20, 114, 7), 8u);
    EF_REQUIRE_EQ(ef_qos_get_queue_stats(&slot, 7, &stats), 0);
    EF_CHECK_EQ(stats.tx_packets, 11u);
    EF_CHECK_EQ(stats.tx_bytes, 1100u);
    EF_CHECK_EQ(stats.tx_errors, 9u);
    EF_CHECK(stats.created > 0);

    /* Queues that do not exist use queue 0, which has the port's rates; the
     * port has 700 green bytes left. */
    EF_CHECK_EQ(run(20, 114, 99), 7u);
    EF_REQUIRE_EQ(ef_qos_get_queue_stats(&slot, 0, &stats), 0);
    EF_CHECK_EQ(stats.tx_packets, 15u);
    EF_CHECK_EQ(stats.tx_errors, 5u);
    EF_CHECK_EQ(ef_qos_get_queue_stats(&slot, 99, &stats), EINVAL);
    ef_qos_slot_destroy(&slot);
}

EF_TEST(excess_rate_alone_is_enough)
{
    EF_REQUIRE(start());
    EF_CHECK_EQ(set("trtcm-policer", KEYS("eir", "1", "ebs", "1000")), 0);
    check_in_force("trtcm-policer", "cir", "0");
    EF_CHECK_EQ(run(20, 114, 0), 10u);
    EF_CHECK_EQ(set("trtcm-policer", KEYS("eir", "1")), EINVAL);
    EF_CHECK_EQ(set("trtcm-policer", &empty), EINVAL);
    EF_CHECK_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "1",
                                          "eir", "x")), EINVAL);
    check_in_force("trtcm-policer", "ebs", "1000");
    ef_qos_slot_destroy(&slot);
}

EF_TEST(packets_of_one_burst_go_to_their_queues)
{
    struct rte_mbuf *pkts[N];
    struct netdev_queue_stats stats;
    size_t n_kept;

    EF_REQUIRE(start());
    EF_REQUIRE_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "99999")), 0);
    for (uint32_t id = 1; id < 3; id++) {
        EF_REQUIRE_EQ(ef_qos_set_queue(&slot, "p0", id,
                                       KEYS("cir", "1", "cbs", "9999")), 0);
    }
    EF_REQUIRE(make_packets(pkts, N, 114));
    for (uint32_t i = 0; i < N; i++) {
        CONTAINER_OF(pkts[i], struct dp_packet, mbuf)->md.skb_priority = i % 4;
    }
    n_kept = ef_qos_run(&slot, pkts, N);
    EF_CHECK_EQ(n_kept, (size_t) N);
    rte_pktmbuf_free_bulk(pkts, n_kept);

    EF_REQUIRE_EQ(ef_qos_get_queue_stats(&slot, 0, &stats), 0);
    EF_CHECK_EQ(stats.tx_packets, N / 2u);      /* Its own, and those of 3. */
    for (uint32_t id = 1; id < 3; id++) {
        EF_REQUIRE_EQ(ef_qos_get_queue_stats(&slot, id, &stats), 0);
        EF_CHECK_EQ(stats.tx_packets, N / 4u);
    }
    ef_qos_slot_destroy(&slot);
}

EF_TEST(queues_come_and_go)
{
    uint32_t *ids;
    size_t n;

    EF_REQUIRE(start());
    EF_REQUIRE_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "9000")), 0);
    for (uint32_t id = 5; id > 0; id--) {
        EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", id,
                                     KEYS("cir", "1", "cbs", "100")), 0);
    }
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", UINT32_MAX,
                                 KEYS("cir", "1", "cbs", "100")), 0);

    /* Bad values: as it was, or not at all. */
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 3, KEYS("cir", "x")), EINVAL);
    check_queue(3, "cbs", "100");
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 9, &empty), EINVAL);
    check_queue(9, "cbs", NULL);

    EF_CHECK_EQ(ef_qos_delete_queue(&slot, 2), 0);
    EF_CHECK_EQ(ef_qos_delete_queue(&slot, 2), 0);
    EF_REQUIRE_EQ(ef_qos_list_queues(&slot, &ids, &n), 0);
    EF_REQUIRE_EQ(n, 6u);
    EF_CHECK_EQ(ids[0], 0u);
    EF_CHECK_EQ(ids[2], 3u);
    EF_CHECK_EQ(ids[5], UINT32_MAX);
    free(ids);

    /* The same again does not fill a queue up, nor take its counts away. */
    EF_CHECK_EQ(run(2, 114, 5), 1u);
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 5,
                                 KEYS("cir", "1", "cbs", "100")), 0);
    EF_CHECK_EQ(run(2, 114, 5), 0u);
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 5,
                                 KEYS("cir", "1", "cbs", "200")), 0);
    EF_CHECK_EQ(run(3, 114, 5), 2u);
    ef_qos_slot_destroy(&slot);
}

EF_TEST(queue_0_follows_the_port)
{
    EF_REQUIRE(start());
    EF_REQUIRE_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "100")), 0);
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 4,
                                 KEYS("cir", "1", "cbs", "100")), 0);
    EF_CHECK_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "200")), 0);
    check_queue(0, "cbs", "200");
    check_queue(4, "cbs", "100");       /* Queues outlive new rates. */

    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 0,
                                 KEYS("cir", "1", "cbs", "50")), 0);
    EF_CHECK_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "300")), 0);
    check_queue(0, "cbs", "50");
    EF_CHECK_EQ(ef_qos_delete_queue(&slot, 0), 0);
    check_queue(0, "cbs", "300");
    ef_qos_slot_destroy(&slot);
}

/* What PMDs get of queue 'id'; a target of -1: none. */
static void
check_class(uint32_t id, bool exists, long long target_us, uint32_t batch)
{
    struct ef_batching_class classes[EF_BATCHING_CLASSES];

    memset(classes, 0, sizeof classes);
    ef_batching_get(&slot, classes);
    EF_CHECK_EQ(classes[id].exists, exists);
    if (exists) {
        EF_CHECK_EQ(classes[id].latency_target_us,
                    target_us < 0 ? EF_LATENCY_TARGET_UNSET : target_us);
        EF_CHECK_EQ(classes[id].output_batch, batch);
    }
}

EF_TEST(batching_has_classes)
{
    struct ef_batching_class classes[EF_BATCHING_CLASSES];
    uint32_t seq, seq_now;
    uint32_t *ids;
    size_t n;

    EF_REQUIRE(start());
    EF_CHECK(!ef_batching_get(&slot, classes));
    EF_REQUIRE_EQ(set("egress-batching", &empty), 0);
    check_in_force("egress-batching", NULL, NULL);
    EF_CHECK(!ef_batching_get(&slot, classes));
    EF_CHECK_EQ(ef_qos_delete_queue(&slot, 0), 0);
    EF_CHECK_EQ(ef_qos_delete_queue(&slot, 1), ENOENT);

    atomic_read_relaxed(&ef_params_output_seq, &seq);
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 7, &empty), 0);
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 0,
                                 KEYS("latency-target", "0", "output-batch",
                                      "4")), 0);
    atomic_read_relaxed(&ef_params_output_seq, &seq_now);
    EF_CHECK_EQ(seq_now, seq + 2);
    EF_CHECK(ef_batching_get(&slot, classes));
    check_class(7, true, -1, 32);
    check_class(0, true, 0, 4);
    check_class(1, false, 0, 0);
    check_queue(0, "latency-target", "0");
    check_queue(7, "output-batch", "32");

    EF_CHECK_EQ(ef_qos_list_queues(&slot, &ids, &n), 0);
    EF_CHECK_EQ(n, 2u);
    EF_CHECK(n == 2 && ids[0] == 0 && ids[1] == 7);
    free(ids);
    EF_CHECK_EQ(ef_qos_delete_queue(&slot, 0), 0);
    check_class(0, false, 0, 0);

    /* Another type: no classes. */
    EF_REQUIRE_EQ(set("egress-policer", KEYS("cir", "1", "cbs", "1")), 0);
    EF_CHECK(!ef_batching_get(&slot, classes));
    ef_qos_slot_destroy(&slot);
}

EF_TEST(batching_refuses_bad_queues)
{
    static const struct {
        const char *key, *value;
    } bad[] = {
        { "latency-target", "-1" }, { "latency-target", "10001" },
        { "latency-target", "" }, { "latency-target", "1us" },
        { "output-batch", "0" }, { "output-batch", "33" },
        { "output-batch", "x" },
    };

    EF_REQUIRE(start());
    EF_REQUIRE_EQ(set("egress-batching", &empty), 0);
    EF_REQUIRE_EQ(ef_qos_set_queue(&slot, "p0", 3,
                                   KEYS("latency-target", "20",
                                        "output-batch", "8")), 0);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 3,
                                     KEYS(bad[i].key, bad[i].value)), EINVAL);
        check_class(3, true, 20, 8);
    }
    EF_CHECK_EQ(ef_qos_set_queue(&slot, "p0", 8, &empty), EINVAL);
    EF_CHECK_EQ(ef_qos_get_queue(&slot, 8, keys(NULL)), EINVAL);
    ef_qos_slot_destroy(&slot);
}

EF_TEST(batching_counts)
{
    struct netdev_queue_stats stats;

    EF_REQUIRE(start());
    EF_REQUIRE_EQ(set("egress-batching", &empty), 0);
    EF_REQUIRE_EQ(ef_qos_set_queue(&slot, "p0", 2, &empty), 0);
    EF_CHECK_EQ(run(N, 100, 2), (size_t) N);
    EF_CHECK_EQ(run(3, 200, 1), 3u);
    EF_CHECK_EQ(run(3, 200, 12), 3u);
    EF_CHECK_EQ(ef_qos_get_queue_stats(&slot, 2, &stats), 0);
    EF_CHECK_EQ(stats.tx_packets, N);
    EF_CHECK_EQ(stats.tx_bytes, N * 100);
    EF_CHECK_EQ(ef_qos_get_queue_stats(&slot, 1, &stats), EINVAL);
    ef_qos_slot_destroy(&slot);
}

/* Planted: a queue that was never made. */
EF_TEST_MUST_FAIL(missing_queue)
{
    EF_REQUIRE(start());
    EF_REQUIRE_EQ(set("trtcm-policer", KEYS("cir", "1", "cbs", "100")), 0);
    check_queue(1, "cbs", "100");
    ef_qos_slot_destroy(&slot);
}
