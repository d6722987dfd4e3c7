/* SPDX-License-Identifier: Apache-2.0 */

/* What becomes of sent packets: the test is the driver, which takes buffers
 * and returns them in order, out of order, late or never. */

#include <config.h>

#include "dpdk/tx-watch.h"

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_ethdev.h>

#include "dpdk-fixture.h"
#include "dpdk/tx-driver.h"
#include "dpdk/tx-marks.h"
#include "dpdk/tx-window.h"
#include "ef-test.h"

#define RING 512                /* Spacing 64. */
#define N_BUFFERS 4000
#define BURST 32
#define HZ 1000000ULL           /* Of marks on their own: us. */

static struct rte_mempool *pool;
static uint16_t port_id;

static bool
start(void)
{
    static bool tried;

    if (!tried) {
        tried = true;
        if (fx_start()) {
            pool = fx_pool(N_BUFFERS, 128);
            if (rte_eal_hotplug_add("vdev", "net_null0", "")
                || rte_eth_dev_get_port_by_name("net_null0", &port_id)) {
                pool = NULL;
            }
        }
    }
    ef_tx_watch_enable(true);
    return pool != NULL;
}

static unsigned
n_out_of_pool(void)
{
    return rte_mempool_in_use_count(pool);
}

/* Buffers that the driver has. */
struct driver {
    struct rte_mbuf *mbufs[N_BUFFERS];
    size_t n;
};

static void
driver_free(struct driver *driver, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++) {
        if (driver->mbufs[i]) {
            rte_pktmbuf_free_seg(driver->mbufs[i]);
            driver->mbufs[i] = NULL;
        }
    }
}

/* Sends 'n' packets, of which the driver takes 'n_taken'. */
static void
send_burst(struct ef_tx_watch *watch, struct driver *driver, size_t n,
           size_t n_taken)
{
    struct rte_mbuf *mbufs[BURST];
    int marked;

    ovs_assert(!rte_pktmbuf_alloc_bulk(pool, mbufs, n));
    marked = ef_tx_watch_mark(watch, mbufs, n);
    memcpy(&driver->mbufs[driver->n], mbufs, n_taken * sizeof *mbufs);
    driver->n += n_taken;
    ef_tx_watch_sent(watch, marked, n_taken);
    for (size_t i = n_taken; i < n; i++) {
        EF_CHECK_EQ(rte_mbuf_refcnt_read(mbufs[i]), 1);
        rte_pktmbuf_free(mbufs[i]);
    }
}

static void
send_many(struct ef_tx_watch *watch, struct driver *driver, size_t n)
{
    for (size_t i = 0; i < n; i += BURST) {
        send_burst(watch, driver, BURST, BURST);
    }
}

static struct ef_tx_watch_stats
get(const struct ef_tx_watch *watch)
{
    struct ef_tx_watch_stats stats;

    ef_tx_watch_get(watch, &stats);
    return stats;
}

/* A millisecond and the call that belongs to it. */
static void
idle(struct ef_tx_watch *watch)
{
    rte_delay_us_block(1000);
    ef_tx_watch_idle(watch);
}

static size_t
count_marked(const struct driver *driver)
{
    size_t n = 0;

    for (size_t i = 0; i < driver->n; i++) {
        n += driver->mbufs[i] && rte_mbuf_refcnt_read(driver->mbufs[i]) == 2;
    }
    return n;
}

EF_TEST(marks_come_back_in_order)
{
    static struct driver driver;
    struct ef_tx_watch *watch;

    EF_REQUIRE(start());
    watch = ef_tx_watch_create(port_id, 0, RING, 0);
    send_many(watch, &driver, RING);
    EF_CHECK_EQ(get(watch).n_sent, RING);
    EF_CHECK_EQ(get(watch).in_flight, RING);
    /* One in 64 on average, from 48 to 96, and the first. */
    EF_CHECK(count_marked(&driver) >= RING / 96);
    EF_CHECK(count_marked(&driver) <= RING / 48 + 1);

    driver_free(&driver, 0, RING / 2);
    idle(watch);
    EF_CHECK(get(watch).in_flight >= RING / 2);
    EF_CHECK(get(watch).in_flight <= RING / 2 + 96);
    EF_CHECK(get(watch).oldest_us >= 1000);
    EF_CHECK(get(watch).life_max_us >= 1000);

    driver_free(&driver, RING / 2, RING / 2);
    idle(watch);
    EF_CHECK(get(watch).in_flight <= 96);
    EF_CHECK_EQ(get(watch).oldest_us, 0);
    EF_CHECK_EQ(get(watch).n_lost, 0u);
    EF_CHECK_EQ(n_out_of_pool(), 0u);

    /* At low rates the last packet of each burst is marked. */
    send_burst(watch, &driver, 3, 3);
    EF_CHECK_EQ(rte_mbuf_refcnt_read(driver.mbufs[driver.n - 1]), 2);
    idle(watch);
    EF_CHECK_EQ(get(watch).max_burst, BURST);
    driver_free(&driver, RING, 3);
    idle(watch);
    EF_CHECK_EQ(get(watch).in_flight, 0);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
    ef_tx_watch_destroy(watch);
}

EF_TEST(refused_packets_are_not_marked)
{
    static struct driver driver;
    struct ef_tx_watch *watch;

    EF_REQUIRE(start());
    watch = ef_tx_watch_create(port_id, 0, RING, 0);
    for (int i = 0; i < 60; i++) {
        /* send_burst() checks the others' references. */
        send_burst(watch, &driver, BURST, i % 3);
    }
    EF_CHECK_EQ(get(watch).n_sent, 60u);
    EF_CHECK(get(watch).n_refused >= 60 * 31 - 96 - 60);
    EF_CHECK(get(watch).n_refused <= 60 * 31);
    EF_CHECK(!get(watch).is_idle);
    driver_free(&driver, 0, driver.n);
    ef_tx_watch_destroy(watch);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
}

EF_TEST(shared_and_chained_are_not_marked)
{
    struct ef_tx_watch *watch;
    struct rte_mbuf *mbufs[3];

    EF_REQUIRE(start());
    watch = ef_tx_watch_create(port_id, 0, RING, 0);
    EF_REQUIRE(!rte_pktmbuf_alloc_bulk(pool, mbufs, 3));
    rte_mbuf_refcnt_update(mbufs[0], 1);
    EF_CHECK(ef_tx_watch_mark(watch, &mbufs[0], 1) < 0);
    ef_tx_watch_sent(watch, -1, 1);
    EF_CHECK_EQ(rte_mbuf_refcnt_read(mbufs[0]), 2);
    rte_pktmbuf_free(mbufs[0]);
    rte_pktmbuf_free(mbufs[0]);
    rte_pktmbuf_chain(mbufs[1], mbufs[2]);
    ef_tx_watch_reset(watch, port_id, RING);    /* It is time again. */
    EF_CHECK(ef_tx_watch_mark(watch, &mbufs[1], 1) < 0);
    ef_tx_watch_sent(watch, -1, 1);
    rte_pktmbuf_free(mbufs[1]);
    ef_tx_watch_destroy(watch);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
}

/* The device stops: marks are given up, the driver's references stay. */
EF_TEST(reset_gives_up)
{
    static struct driver driver;
    struct ef_tx_watch *watch;
    size_t n_marked;

    EF_REQUIRE(start());
    watch = ef_tx_watch_create(port_id, 0, RING, 0);
    send_many(watch, &driver, RING);
    n_marked = count_marked(&driver);
    EF_CHECK(n_marked > 3);
    driver_free(&driver, 0, RING / 2);
    EF_CHECK(n_out_of_pool() > RING / 2);
    ef_tx_watch_reset(watch, port_id, 2 * RING);
    EF_CHECK_EQ(n_out_of_pool(), RING / 2);
    EF_CHECK_EQ(count_marked(&driver), 0u);
    EF_CHECK_EQ(get(watch).in_flight, 0);
    EF_CHECK_EQ(get(watch).n_sent, RING);
    EF_CHECK_EQ(get(watch).ring_size, 2 * RING);
    EF_CHECK_EQ(get(watch).oldest_us, 0);
    driver_free(&driver, RING / 2, RING / 2);
    EF_CHECK_EQ(n_out_of_pool(), 0u);

    send_many(watch, &driver, RING);
    EF_CHECK_EQ(get(watch).n_sent, 2 * RING);
    driver_free(&driver, RING, RING);
    idle(watch);
    EF_CHECK(get(watch).in_flight <= 96);
    ef_tx_watch_destroy(watch);
    ef_tx_watch_destroy(NULL);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
}

EF_TEST(disabled_does_nothing)
{
    static struct driver driver;
    struct ef_tx_watch *watch;

    EF_REQUIRE(start());
    watch = ef_tx_watch_create(port_id, 0, RING, 0);
    send_many(watch, &driver, RING);
    EF_CHECK(count_marked(&driver) > 0);
    ef_tx_watch_enable(false);
    send_many(watch, &driver, RING);
    EF_CHECK_EQ(get(watch).n_sent, RING);
    EF_CHECK_EQ(get(watch).in_flight, EF_TX_UNKNOWN);
    EF_CHECK_EQ(get(watch).max_in_flight, EF_TX_UNKNOWN);
    EF_CHECK_EQ(get(watch).ring_used, EF_TX_UNKNOWN);
    for (size_t i = RING; i < 2 * RING; i++) {
        EF_CHECK_EQ(rte_mbuf_refcnt_read(driver.mbufs[i]), 1);
    }
    /* What is out goes home all the same. */
    driver_free(&driver, 0, 2 * RING);
    idle(watch);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
    EF_CHECK_EQ(get(watch).oldest_us, 0);

    ef_tx_watch_enable(true);
    send_many(watch, &driver, RING);
    EF_CHECK_EQ(get(watch).n_sent, 2 * RING);
    EF_CHECK(get(watch).in_flight >= RING);
    driver_free(&driver, 0, driver.n);
    ef_tx_watch_destroy(watch);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
}

/* Nothing comes back: no more marks than there is room for. */
EF_TEST(nothing_comes_back)
{
    static struct driver driver;
    struct ef_tx_watch *watch;

    EF_REQUIRE(start());
    watch = ef_tx_watch_create(port_id, 0, 16, 0);      /* Spacing 4. */
    send_many(watch, &driver, 3200);
    /* Each burst is more than the spacing, so that it has a mark. */
    EF_CHECK_EQ(count_marked(&driver), 100u);
    driver_free(&driver, 0, driver.n);
    driver.n = 0;
    ef_tx_watch_reset(watch, port_id, 16);
    for (int i = 0; i < 500; i++) {
        send_burst(watch, &driver, 5, 5);
    }
    EF_CHECK_EQ(count_marked(&driver), EF_TX_WATCH_MARKS);
    EF_CHECK(get(watch).n_unmarked > 0);
    EF_CHECK_EQ(get(watch).n_lost, 0u);
    EF_CHECK_EQ(get(watch).n_completed, 3200u);
    driver_free(&driver, 0, driver.n);
    idle(watch);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
    ef_tx_watch_destroy(watch);
}

/* A window of a second: what was least and most in flight. */
EF_TEST(windows)
{
    struct ef_tx_window window;
    struct ef_tx_window_facts facts;

    ef_tx_window_init(&window, HZ, 1000, 50);
    ef_tx_window_note(&window, 10);
    ef_tx_window_note(&window, 300);
    ef_tx_window_note(&window, 40);
    ef_tx_window_run(&window, HZ, 500);
    ef_tx_window_get(&window, &facts);
    EF_CHECK_EQ(facts.n, 0u);
    ef_tx_window_run(&window, 1000 + 2 * HZ, 1050);
    ef_tx_window_get(&window, &facts);
    EF_CHECK_EQ(facts.n, 1u);
    EF_CHECK_EQ(facts.min, 10);
    EF_CHECK_EQ(facts.max, 300);
    EF_CHECK_EQ(facts.pps, 500u);

    ef_tx_window_note(&window, 20);
    ef_tx_window_run(&window, 1000 + 3 * HZ, 2050);
    ef_tx_window_get(&window, &facts);
    EF_CHECK_EQ(facts.min, 20);
    EF_CHECK_EQ(facts.max, 20);
    EF_CHECK_EQ(facts.pps, 1000u);

    ef_tx_window_burst(&window, 1, 32);
    ef_tx_window_burst(&window, 2, 5);
    EF_CHECK_EQ(ef_tx_window_max_burst(&window), 32u);
    ef_tx_window_burst(&window, 11 * HZ, 5);
    EF_CHECK_EQ(ef_tx_window_max_burst(&window), 32u);
    ef_tx_window_burst(&window, 22 * HZ, 7);
    EF_CHECK_EQ(ef_tx_window_max_burst(&window), 7u);
}

/* Marks on their own, in time of the test's. */

static struct rte_mbuf *
push(struct ef_tx_marks *marks, uint64_t seq, uint64_t now)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);

    rte_mbuf_refcnt_update(mbuf, 1);
    ef_tx_marks_push(marks, mbuf, seq, now);
    return mbuf;
}

EF_TEST(out_of_order)
{
    struct rte_mbuf *mbufs[4];
    struct ef_tx_marks marks;

    EF_REQUIRE(start());
    ef_tx_marks_init(&marks, 200, HZ);
    for (int i = 0; i < 4; i++) {
        mbufs[i] = push(&marks, 100 * (i + 1), i);
    }
    rte_pktmbuf_free(mbufs[2]);
    ef_tx_marks_look(&marks, 10);
    EF_CHECK_EQ(marks.completed, 0u);           /* Only the oldest. */
    EF_CHECK(ef_tx_marks_scan(&marks, 10));
    EF_CHECK_EQ(marks.completed, 300u);
    EF_CHECK(!ef_tx_marks_scan(&marks, 10));
    EF_CHECK_EQ(marks.n_astray, 0u);            /* 200 is not over 200. */
    rte_pktmbuf_free(mbufs[0]);
    rte_pktmbuf_free(mbufs[1]);
    ef_tx_marks_look(&marks, 20);
    EF_CHECK_EQ(ef_tx_marks_n_out(&marks), 1u);
    EF_CHECK_EQ(marks.completed, 300u);
    rte_pktmbuf_free(mbufs[3]);
    ef_tx_marks_look(&marks, 30);
    EF_CHECK_EQ(marks.completed, 400u);
    EF_CHECK_EQ(ef_counter_get(&marks.life.n), 4u);
    EF_CHECK_EQ(ef_counter_get(&marks.life.max), 27u);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
}

EF_TEST(lost_and_found)
{
    struct rte_mbuf *late, *next, *never;
    struct ef_tx_marks marks;

    EF_REQUIRE(start());
    ef_tx_marks_init(&marks, 200, HZ);
    late = push(&marks, 100, 0);
    next = push(&marks, 301, 0);
    rte_pktmbuf_free(next);
    EF_CHECK(ef_tx_marks_scan(&marks, 10));
    EF_CHECK_EQ(marks.n_astray, 1u);
    EF_CHECK_EQ(marks.n_lost, 0u);              /* It may just be slow. */
    EF_CHECK_EQ(ef_tx_marks_n_out(&marks), 0u);
    ef_tx_marks_scan(&marks, EF_TX_MARKS_LOST_US - 1);
    EF_CHECK_EQ(marks.n_lost, 0u);
    ef_tx_marks_scan(&marks, EF_TX_MARKS_LOST_US);
    EF_CHECK_EQ(marks.n_lost, 1u);
    ef_tx_marks_scan(&marks, EF_TX_MARKS_LOST_US + 1);
    EF_CHECK_EQ(marks.n_lost, 1u);

    /* At low rates, time is enough. */
    never = push(&marks, 310, HZ);
    next = push(&marks, 320, HZ);
    rte_pktmbuf_free(next);
    ef_tx_marks_scan(&marks, 2 * HZ);
    EF_CHECK_EQ(marks.n_lost, 2u);

    rte_pktmbuf_free(late);
    EF_CHECK(ef_tx_marks_scan(&marks, 3 * HZ));
    EF_CHECK_EQ(marks.n_lost, 1u);
    EF_CHECK_EQ(n_out_of_pool(), 1u);
    EF_CHECK_EQ(rte_mbuf_refcnt_read(never), 2);
    ef_tx_marks_give_up(&marks);
    EF_CHECK_EQ(rte_mbuf_refcnt_read(never), 1);
    rte_pktmbuf_free(never);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
}

/* More are lost than are kept: all count, and the driver's references stay. */
EF_TEST(many_are_lost)
{
    enum { N = EF_TX_MARKS_ASTRAY + 5 };
    struct rte_mbuf *mbufs[N], *next;
    struct ef_tx_marks marks;

    EF_REQUIRE(start());
    ef_tx_marks_init(&marks, 200, HZ);
    for (int i = 0; i < N; i++) {
        mbufs[i] = push(&marks, i + 1, 0);
    }
    next = push(&marks, 1000, 0);
    rte_pktmbuf_free(next);
    ef_tx_marks_scan(&marks, HZ);
    EF_CHECK_EQ(marks.n_lost, N);
    EF_CHECK_EQ(marks.n_astray, EF_TX_MARKS_ASTRAY);
    for (int i = 0; i < N; i++) {
        EF_CHECK_EQ(rte_mbuf_refcnt_read(mbufs[i]), i < 5 ? 1 : 2);
        rte_pktmbuf_free(mbufs[i]);
    }
    ef_tx_marks_scan(&marks, HZ);
    EF_CHECK_EQ(marks.n_lost, 5u);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
}

/* Seams of the driver. */

struct fake_ring {
    unsigned size, n_used;
    bool from_oldest;           /* Counts offsets from there. */
    unsigned n_blind;           /* Of the latest: called done too early. */
    unsigned n_asked;
};
static struct fake_ring ring;

static int
fake_status(void *txq OVS_UNUSED, uint16_t offset)
{
    unsigned age = ring.size - offset;          /* 1: the latest. */

    ring.n_asked++;
    if (offset >= ring.size) {
        return -EINVAL;
    }
    if (ring.from_oldest) {
        return (offset < ring.n_used
                ? RTE_ETH_TX_DESC_FULL : RTE_ETH_TX_DESC_DONE);
    }
    return (age <= ring.n_used && age > ring.n_blind
            ? RTE_ETH_TX_DESC_FULL : RTE_ETH_TX_DESC_DONE);
}

EF_TEST(ring_used)
{
    static const unsigned sizes[] = { 8, 64, 500, 512, 4096 };
    struct rte_eth_fp_ops *ops;
    struct rte_eth_fp_ops saved;

    EF_REQUIRE(start());
    EF_CHECK_EQ(ef_tx_driver_ring_used(port_id, 0, RING), EF_TX_UNKNOWN);
    ops = &rte_eth_fp_ops[port_id];
    saved = *ops;
    ops->tx_descriptor_status = fake_status;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        for (int from_oldest = 0; from_oldest < 2; from_oldest++) {
            ring = (struct fake_ring) {
                .size = sizes[i], .from_oldest = from_oldest,
            };
            for (unsigned n = 0; n < sizes[i];
                 n += 1 + n / 7 + (n > 40 ? sizes[i] / 20 : 0)) {
                ring.n_used = n;
                ring.n_asked = 0;
                EF_CHECK_EQ(ef_tx_driver_ring_used(port_id, 0, sizes[i]), n);
                EF_CHECK(ring.n_asked < 20);
            }
        }
    }
    ring = (struct fake_ring) { .size = 512, .n_used = 300, .n_blind = 31 };
    EF_CHECK_EQ(ef_tx_driver_ring_used(port_id, 0, 512), 300);
    *ops = saved;
}

EF_TEST(driver_is_asked_once_a_millisecond)
{
    static struct driver driver;
    struct rte_eth_fp_ops saved;
    struct ef_tx_watch *watch;

    EF_REQUIRE(start());
    saved = rte_eth_fp_ops[port_id];
    rte_eth_fp_ops[port_id].tx_descriptor_status = fake_status;
    ring = (struct fake_ring) { .size = RING, .n_used = 100 };
    watch = ef_tx_watch_create(port_id, 0, RING, 0);
    for (int i = 0; i < 50; i++) {
        send_many(watch, &driver, BURST);
    }
    EF_CHECK(ring.n_asked > 0);
    EF_CHECK(ring.n_asked <= 40);
    EF_CHECK_EQ(get(watch).ring_used, 100);
    ring.n_used = 0;
    idle(watch);
    EF_CHECK_EQ(get(watch).ring_used, 0);
    rte_delay_us_block(10000);
    idle(watch);
    EF_CHECK(!get(watch).has_cleanup);          /* net_null has none. */
    rte_eth_fp_ops[port_id] = saved;
    driver_free(&driver, 0, driver.n);
    ef_tx_watch_destroy(watch);
    EF_CHECK_EQ(n_out_of_pool(), 0u);
}
