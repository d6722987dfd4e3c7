/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of show/tx-show.c: made-up ports as text and as JSON. */

#include <config.h>

#include "show/tx-show.h"

#include "dpdk/tx-facts.h"
#include "ef-test.h"
#include "openvswitch/dynamic-string.h"

static struct ef_tx_queue_facts queues[] = {
    { 0, { .n_sent = 1000000, .n_completed = 999000, .in_flight = 1000,
           .min_in_flight = 40, .max_in_flight = 1010, .ring_used = 990,
           .ring_size = 1024, .completed_pps = 250000, .oldest_us = 4000,
           .n_lost = 1, .max_burst = 32, .life_p50_us = 2000,
           .life_p99_us = 4100, .life_max_us = 5000,
           .n_refused = 77, .n_unmarked = 78, .n_windows = 79 } },
    { 1, { .in_flight = EF_TX_UNKNOWN, .min_in_flight = EF_TX_UNKNOWN,
           .max_in_flight = EF_TX_UNKNOWN, .ring_used = EF_TX_UNKNOWN,
           .ring_size = 1024, .is_idle = true, .has_cleanup = true } },
};

#define HEADS                                                           \
    "  queue           sent      completed in_flight     min     max"   \
    " ring_used   ring completed/s oldest_us  lost  refused burst"       \
    " life_p50_us life_p99_us life_max_us\n"
#define QUEUE0                                                          \
    "      0        1000000         999000      1000      40    1010"   \
    "       990   1024      250000      4000     1       77    32"       \
    "        2000        4100        5000\n"
#define QUEUE1                                                          \
    "      1              0              0   unknown unknown unknown"   \
    "   unknown   1024           0         0     0        0     0"       \
    "           0           0           0 idle cleans-up\n"

/* Text of thresholds, as "  ..." lines. */
static const struct {
    struct ef_tx_port_facts facts;
    const char *text;
} cases[] = {
    { { .name = "p0", .driver = "net_x", .watched = true,
        .thresh = { EF_TX_THRESH_SET, EF_TX_THRESH_DEFAULT, 992, 32 },
        .proposed_free = 64, .proposed_rs = 32, .alarm = "in-flight swings",
        .queues = queues, .n_queues = 2 },
      "port p0 (net_x)\n"
      "  alarm: in-flight swings\n"
      "  tx-free-thresh 992 (set), tx-rs-thresh 32 (the driver's)\n"
      "  hint: for this ring and its bursts options:tx-free-thresh=64 "
      "options:tx-rs-thresh=32\n"
      HEADS QUEUE0 QUEUE1 },

    /* In force is what would be proposed. */
    { { .name = "p0", .driver = "net_x", .watched = true,
        .thresh = { EF_TX_THRESH_SET, EF_TX_THRESH_SET, 64, 32 },
        .proposed_free = 64, .proposed_rs = 32 },
      "port p0 (net_x)\n"
      "  tx-free-thresh 64 (set), tx-rs-thresh 32 (set)\n" },
    { { .name = "p0", .driver = "net_x", .watched = true,
        .thresh = { EF_TX_THRESH_SET, EF_TX_THRESH_SET, 64, 64 },
        .proposed_free = 64, .proposed_rs = 32 },
      "port p0 (net_x)\n"
      "  tx-free-thresh 64 (set), tx-rs-thresh 64 (set)\n"
      "  hint: for this ring and its bursts options:tx-free-thresh=64 "
      "options:tx-rs-thresh=32\n" },

    { { .name = "p0", .driver = "net_null", .watched = false,
        .thresh = { EF_TX_THRESH_NOT_REPORTED, EF_TX_THRESH_NOT_REPORTED } },
      "port p0 (net_null)\n"
      "  tx-free-thresh unknown (the driver has none or does not say), "
      "tx-rs-thresh unknown (the driver has none or does not say)\n"
      "  not watched: other_config:tx-telemetry is false\n" },

    { { .name = "vhu0", .driver = "vhost", .copies = true },
      "port vhu0 (vhost): copied to the guest, nothing is ever in flight\n" },
    { { .name = "p0", .driver = "net_ring", .unwatchable = true,
        .thresh = { EF_TX_THRESH_NOT_REPORTED, EF_TX_THRESH_SET, 0, 16 } },
      "port p0 (net_ring)\n"
      "  tx-free-thresh unknown (the driver has none or does not say), "
      "tx-rs-thresh 16 (set)\n"
      "  not watched: marks would say nothing with this driver\n" },
    { { .name = "p0", .driver = "being set up", .is_busy = true },
      "port p0 (being set up)\n" },
    { { .name = "vhu0", .copies = true, .alarm = "a" },
      "port vhu0 (no driver): copied to the guest, nothing is ever in flight"
      "\n  alarm: a\n" },
};

static const char json_of_first[] =
    "{\"ports\":[{\"alarm\":\"in-flight swings\",\"busy\":false,"
    "\"copies\":false,"
    "\"driver\":\"net_x\",\"name\":\"p0\",\"proposed_free\":64,"
    "\"proposed_rs\":32,\"queues\":["
    "{\"queue\":0,\"watch\":{\"completed_pps\":250000,"
    "\"has_cleanup\":false,\"in_flight\":1000,\"is_idle\":false,"
    "\"life_max_us\":5000,\"life_p50_us\":2000,\"life_p99_us\":4100,"
    "\"max_burst\":32,\"max_in_flight\":1010,\"min_in_flight\":40,"
    "\"n_completed\":999000,\"n_lost\":1,\"n_refused\":77,"
    "\"n_sent\":1000000,\"n_unmarked\":78,\"n_windows\":79,"
    "\"oldest_us\":4000,\"ring_size\":1024,\"ring_used\":990}},"
    "{\"queue\":1,\"watch\":{\"completed_pps\":0,\"has_cleanup\":true,"
    "\"in_flight\":null,\"is_idle\":true,\"life_max_us\":0,"
    "\"life_p50_us\":0,\"life_p99_us\":0,\"max_burst\":0,"
    "\"max_in_flight\":null,\"min_in_flight\":null,\"n_completed\":0,"
    "\"n_lost\":0,\"n_refused\":0,\"n_sent\":0,\"n_unmarked\":0,"
    "\"n_windows\":0,\"oldest_us\":0,\"ring_size\":1024,"
    "\"ring_used\":null}}],"
    "\"thresh\":{\"free_source\":\"set\",\"free_thresh\":992,"
    "\"rs_source\":\"default\",\"rs_thresh\":32},"
    "\"unwatchable\":false,\"watched\":true}]}\n";

static void
check(const struct ef_tx_port_facts *facts, size_t n, const char *text,
      const char *json)
{
    struct ds ds = DS_EMPTY_INITIALIZER;

    ef_show_tx(&ds, facts, n);
    EF_CHECK_STR_EQ(ds_cstr(&ds), text);
    if (json) {
        ds_clear(&ds);
        ef_show_tx_json(&ds, facts, n);
        EF_CHECK_STR_EQ(ds_cstr(&ds), json);
    }
    ds_destroy(&ds);
}

EF_TEST(table)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check(&cases[i].facts, 1, cases[i].text, NULL);
    }
}

EF_TEST(json)
{
    check(&cases[0].facts, 1, cases[0].text, json_of_first);
}

EF_TEST(no_ports)
{
    check(NULL, 0, "no ports of DPDK\n", "{\"ports\":[]}\n");
}

EF_TEST_MUST_FAIL(expects_what_is_wrong)
{
    check(&cases[1].facts, 1, cases[2].text, NULL);
}
