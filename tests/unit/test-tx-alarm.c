/* SPDX-License-Identifier: Apache-2.0 */

/* Alarms about completions and pools, from made-up figures: each comes with
 * its cause and for nothing else, once, and goes ten seconds after. */

#include <config.h>

#include "dpdk/tx-alarm.h"

#include "dpdk/pool-alarm.h"
#include "ef-test.h"
#include "openvswitch/vlog.h"
#include "util.h"

#define STEP_MS 250

struct rig {
    struct ef_tx_alarm *alarm;
    struct ef_tx_watch_stats queues[2];
    struct ef_tx_alarm_input input;
    long long now_ms;
};

static void
start(struct rig *rig)
{
    vlog_set_levels(NULL, VLF_ANY_DESTINATION, VLL_OFF);
    memset(rig, 0, sizeof *rig);
    rig->alarm = ef_tx_alarm_create();
    rig->input.name = "p0";
    rig->input.queues = rig->queues;
    rig->input.n_queues = 2;
    rig->input.thresh.free_source = EF_TX_THRESH_NOT_REPORTED;
    rig->input.thresh.rs_source = EF_TX_THRESH_NOT_REPORTED;
    for (int i = 0; i < 2; i++) {
        rig->queues[i] = (struct ef_tx_watch_stats) {
            .ring_size = 1024, .ring_used = EF_TX_UNKNOWN, .in_flight = 100,
            .max_burst = 32, .min_in_flight = 50, .max_in_flight = 150,
            .completed_pps = 1000000, .oldest_us = 100,
        };
    }
    rig->now_ms = 1000;
}

static void
finish(struct rig *rig)
{
    ef_tx_alarm_destroy(rig->alarm);
    ef_tx_alarm_destroy(NULL);
}

/* Judges for 'ms'; seconds become full.  Returns how often the text
 * changed. */
static int
run(struct rig *rig, int ms)
{
    int n_changes = 0;

    for (int i = 0; i < ms / STEP_MS; i++) {
        rig->now_ms += STEP_MS;
        if (!(rig->now_ms % 1000)) {
            rig->queues[0].n_windows++;
            rig->queues[1].n_windows++;
        }
        n_changes += ef_tx_alarm_judge(rig->alarm, &rig->input, rig->now_ms);
    }
    return n_changes;
}

static bool
says(const struct rig *rig, const char *what)
{
    const char *text = ef_tx_alarm_text(rig->alarm);

    return text && strstr(text, what);
}

EF_TEST(all_is_well)
{
    struct rig rig;

    start(&rig);
    EF_CHECK_EQ(run(&rig, 20000), 0);
    EF_CHECK_STR_EQ(ef_tx_alarm_text(rig.alarm), NULL);
    EF_CHECK_STR_EQ(ef_tx_alarm_text(NULL), NULL);
    /* Off. */
    for (int i = 0; i < 2; i++) {
        rig.queues[i].in_flight = rig.queues[i].min_in_flight
            = rig.queues[i].max_in_flight = EF_TX_UNKNOWN;
        rig.queues[i].oldest_us = 5000000;
    }
    EF_CHECK_EQ(run(&rig, 20000), 0);
    /* No queue at all, and again some. */
    rig.input.n_queues = 0;
    EF_CHECK_EQ(run(&rig, 2000), 0);
    rig.input.n_queues = 2;
    EF_CHECK_EQ(run(&rig, 2000), 0);
    finish(&rig);
}

EF_TEST(swing)
{
    struct rig rig;

    start(&rig);
    rig.queues[1].max_in_flight = 50 + 512;     /* Half is not over half. */
    EF_CHECK_EQ(run(&rig, 5000), 0);
    rig.queues[1].max_in_flight++;
    EF_CHECK_EQ(run(&rig, 2000), 0);
    EF_CHECK_EQ(run(&rig, 1000), 1);            /* Three seconds. */
    EF_CHECK(says(&rig, "tx queue 1: buffers in flight swing from 50 to 563 "
                  "of a ring of 1024"));
    EF_CHECK(says(&rig, "linger until a threshold frees many at once"));
    EF_CHECK(!says(&rig, "tx-free-thresh"));
    /* Not again; gone ten seconds after. */
    EF_CHECK_EQ(run(&rig, 20000), 0);
    rig.queues[1].max_in_flight = 100;
    EF_CHECK_EQ(run(&rig, 9750), 0);
    EF_CHECK(says(&rig, "swing"));
    EF_CHECK_EQ(run(&rig, 250), 1);
    EF_CHECK_STR_EQ(ef_tx_alarm_text(rig.alarm), NULL);
    finish(&rig);
}

EF_TEST(swing_names_thresholds)
{
    struct rig rig;

    start(&rig);
    rig.input.thresh.free_source = EF_TX_THRESH_SET;
    rig.input.thresh.free_thresh = 900;
    rig.queues[0].max_in_flight = 1000;
    EF_CHECK_EQ(run(&rig, 4000), 1);
    EF_CHECK(says(&rig, "tx-free-thresh is 900; try tx-free-thresh="));

    /* The port is set up with another. */
    ef_tx_alarm_forget(rig.alarm);
    ef_tx_alarm_forget(NULL);
    EF_CHECK_STR_EQ(ef_tx_alarm_text(rig.alarm), NULL);
    rig.input.thresh.free_thresh = 800;
    EF_CHECK_EQ(run(&rig, 2000), 0);
    EF_CHECK_EQ(run(&rig, 1000), 1);
    EF_CHECK(says(&rig, "tx-free-thresh is 800"));
    finish(&rig);
}

EF_TEST(unsteady_rate_may_swing)
{
    struct rig rig;

    start(&rig);
    rig.queues[0].max_in_flight = 1000;
    for (int i = 0; i < 10; i++) {
        rig.queues[0].completed_pps = i % 2 ? 1000000 : 790000;
        EF_CHECK_EQ(run(&rig, 1000), 0);
    }
    for (int i = 0; i < 2; i++) {
        rig.queues[0].completed_pps = i % 2 ? 1000000 : 810000;
        run(&rig, 1000);
    }
    EF_CHECK(says(&rig, "swing"));
    finish(&rig);
}

EF_TEST(lag)
{
    struct rig rig;
    struct ef_tx_watch_stats *q = &rig.queues[0];

    start(&rig);
    q->in_flight = 900;
    q->oldest_us = 999999;
    EF_CHECK_EQ(run(&rig, 2000), 0);
    q->oldest_us = 1000000;
    q->is_idle = true;                          /* Lingers. */
    EF_CHECK_EQ(run(&rig, 2000), 0);
    q->is_idle = false;
    /* Of a driver of which nothing is known, only what it refuses tells. */
    EF_CHECK_EQ(run(&rig, 2000), 0);
    rig.input.thresh.free_source = EF_TX_THRESH_DEFAULT;
    rig.input.thresh.free_thresh = 512;
    q->in_flight = 512 + 64 + 16;               /* May linger, or seems to. */
    EF_CHECK_EQ(run(&rig, 2000), 0);
    q->in_flight++;
    rig.input.link_is_down = true;
    EF_CHECK_EQ(run(&rig, 2000), 0);
    rig.input.link_is_down = false;
    EF_CHECK_EQ(run(&rig, 250), 1);
    EF_CHECK(says(&rig, "tx queue 0: the oldest of 593 buffers in flight was "
                  "sent 1000 ms ago"));
    EF_CHECK(says(&rig, "does not complete"));
    finish(&rig);

    /* What the driver keeps because of its threshold, or the device has done,
     * is no lag. */
    start(&rig);
    q->oldest_us = 3000000;
    q->in_flight = 1000;
    rig.input.thresh.free_source = EF_TX_THRESH_DEFAULT;
    rig.input.thresh.free_thresh = 24;
    EF_CHECK_EQ(run(&rig, 2000), 0);
    q->ring_used = 32;
    EF_CHECK_EQ(run(&rig, 2000), 0);
    q->ring_used = 33;
    EF_CHECK_EQ(run(&rig, 250), 1);
    finish(&rig);
}

EF_TEST(stuck)
{
    struct rig rig;
    struct ef_tx_watch_stats *q = &rig.queues[1];

    start(&rig);
    q->in_flight = 1024;
    q->n_refused = 500;
    q->oldest_us = 400000;
    EF_CHECK_EQ(run(&rig, 250), 0);             /* Just full. */
    q->oldest_us = 600000;
    EF_CHECK_EQ(run(&rig, 250), 0);             /* Takes some again. */
    q->n_refused++;
    EF_CHECK_EQ(run(&rig, 250), 1);
    EF_CHECK(says(&rig, "tx queue 1: the ring is full"));
    finish(&rig);
}

EF_TEST(lost)
{
    struct rig rig;

    start(&rig);
    rig.queues[0].n_lost = 3;
    EF_CHECK_EQ(run(&rig, 250), 1);
    EF_CHECK(says(&rig, "tx queue 0: 3 of the packets"));
    EF_CHECK(says(&rig, "no completion returns"));
    EF_CHECK_EQ(run(&rig, 9750), 0);
    EF_CHECK_EQ(run(&rig, 250), 1);             /* Not more: gone. */
    rig.queues[0].n_lost = 2;                   /* One came home. */
    EF_CHECK_EQ(run(&rig, 1000), 0);
    rig.queues[0].n_lost = 3;
    EF_CHECK_EQ(run(&rig, 250), 1);

    /* Together with another. */
    rig.queues[1].n_refused = 1;
    rig.queues[1].oldest_us = 700000;
    EF_CHECK_EQ(run(&rig, 250), 1);
    EF_CHECK(says(&rig, "no completion returns"));
    EF_CHECK(says(&rig, "ring is full"));
    finish(&rig);
}

EF_TEST(pool_cause_is_shown)
{
    struct rig rig;

    start(&rig);
    rig.input.pool_cause = "pool x: dry";
    EF_CHECK_EQ(run(&rig, 1000), 1);
    EF_CHECK_STR_EQ(ef_tx_alarm_text(rig.alarm), "pool x: dry");
    rig.input.pool_cause = NULL;
    EF_CHECK_EQ(run(&rig, 11000), 1);
    EF_CHECK_STR_EQ(ef_tx_alarm_text(rig.alarm), NULL);
    finish(&rig);
}

/* Pools. */

static struct ef_mempool_core_facts cores[3];
static char pool_name[] = "ovs1";
static struct ef_mempool_facts pool = {
    .rte_name = pool_name, .cores = cores, .n_cores = 3,
};

static const char *
judge_pool(uint64_t refills0, uint64_t refills1, uint64_t empty2,
           long long now_ms)
{
    for (unsigned i = 0; i < 3; i++) {
        cores[i].lcore = i;
        cores[i].core = 10 + i;
    }
    cores[0].store.n_refills += refills0;
    cores[1].store.n_refills += refills1;
    cores[2].store.n_empty += empty2;
    ef_pool_alarm_judge(&pool, 1, now_ms);
    return ef_pool_alarm_get("ovs1");
}

EF_TEST(stores_run_dry)
{
    const char *text;

    vlog_set_levels(NULL, VLF_ANY_DESTINATION, VLL_OFF);
    EF_CHECK(!judge_pool(50000, 50000, 7, 1000));   /* Nothing to compare. */
    EF_CHECK(!judge_pool(5000, 1000, 0, 2000));     /* One core. */
    text = judge_pool(1001, 1001, 0, 3000);
    EF_REQUIRE(text != NULL);
    EF_CHECK(strstr(text, "pool ovs1: the stores of cores 10 (1001/s), 11 "
                    "(1001/s) run dry together") != NULL);
    EF_CHECK(strstr(text, "freed on another") != NULL);
    EF_CHECK(strstr(text, "mempool-cache-size") != NULL);
    EF_CHECK(judge_pool(2000, 2000, 0, 6000) != NULL); /* 667 a second. */
    EF_CHECK(judge_pool(0, 0, 0, 12999) != NULL);
    EF_CHECK(!judge_pool(0, 0, 0, 13000));

    text = judge_pool(0, 0, 1, 14000);
    EF_REQUIRE(text != NULL);
    EF_CHECK(strstr(text, "no buffers left for cores 12") != NULL);
    /* The pool goes, another of its name comes. */
    ef_pool_alarm_judge(NULL, 0, 15000);
    EF_CHECK(!ef_pool_alarm_get("ovs1"));
    EF_CHECK(!judge_pool(9000, 9000, 9, 16000));
    ef_pool_alarm_judge(NULL, 0, 17000);
}
