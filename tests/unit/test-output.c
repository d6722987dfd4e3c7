/* SPDX-License-Identifier: Apache-2.0 */

/* Output of an instance: batches, flushing, tx queues, cost, replacement of
 * ports. */

#include <config.h>

#include "output/tx-port.h"

#include <string.h>

#include "core/counter.h"
#include "core/ticks.h"
#include "dummy.h"
#include "ef-test.h"
#include "fake-netdev.h"
#include "netdev.h"
#include "odp-util.h"
#include "output/tx-queue.h"
#include "ovs-thread.h"
#include "util.h"

/* An instance's output with what it needs. */
struct rig {
    struct ef_params params;
    struct pmd_perf_stats perf;
    struct ef_output out;
};

static struct rig *
rig_new(uint32_t flush_interval_us)
{
    struct rig *rig = xzalloc(sizeof *rig);

    ef_params_init(&rig->params);
    atomic_store_relaxed(&rig->params.tx_flush_interval_us,
                         flush_interval_us);
    pmd_perf_stats_init(&rig->perf);
    ef_output_init(&rig->out, &rig->params, &rig->perf, 5, true);
    return rig;
}

static void
rig_free(struct rig *rig)
{
    ef_output_destroy(&rig->out, 0);
    free(rig);
}

static uint64_t
rig_stat(const struct rig *rig, enum pmd_stat_type type)
{
    uint64_t n;

    atomic_read_relaxed(&CONST_CAST(struct rig *, rig)->perf.counters.n[type],
                        &n);
    return n;
}

static struct dp_packet *
packet_new(uint32_t rss_hash)
{
    struct dp_packet *packet = dp_packet_new(64);

    dp_packet_put_zeros(packet, 64);
    dp_packet_set_rss_hash(packet, rss_hash);
    return packet;
}

/* A packet of another kind: its data are not on the heap. */
static struct dp_packet *
stub_new(void)
{
    static uint64_t data[16];
    struct dp_packet *packet = xmalloc(sizeof *packet);

    dp_packet_use_stub(packet, data, sizeof data);
    dp_packet_put_zeros(packet, 64);
    return packet;
}

static void
fill(struct dp_packet_batch *batch, size_t n)
{
    dp_packet_batch_init(batch);
    for (size_t i = 0; i < n; i++) {
        dp_packet_batch_add(batch, packet_new(i));
    }
}

/* Queues 'n' packets to 'port_no'. */
static bool
put(struct rig *rig, uint32_t port_no, size_t n, struct ef_rxq *rxq,
    long long now_us)
{
    struct dp_packet_batch batch;
    bool ok;

    fill(&batch, n);
    ok = ef_output_packets(&rig->out, &batch, u32_to_odp(port_no), rxq,
                           now_us);
    EF_CHECK_EQ(dp_packet_batch_size(&batch), ok ? 0 : n);
    dp_packet_delete_batch(&batch, true);
    return ok;
}

EF_TEST(packets_wait_until_flushed)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct fake_netdev *fake = fake_of(port);
    struct rig *rig = rig_new(0);

    ef_output_set_ports(&rig->out, &port, 1, 0);
    rig->out.static_txq = 9;
    EF_CHECK(put(rig, 1, 3, NULL, 10));
    EF_CHECK(put(rig, 1, 4, NULL, 10));
    EF_CHECK_EQ(fake->n_calls, 0);
    EF_CHECK_EQ(rig->out.n_batches, 1);
    EF_CHECK(ef_output_flush(&rig->out, 10, false) == 7);
    EF_CHECK_EQ(fake->n_calls, 1);
    EF_CHECK_EQ(fake->calls[0].n, 7);
    EF_CHECK_EQ(fake->calls[0].txq, 9);
    EF_CHECK(!fake->calls[0].concurrent);
    EF_CHECK_EQ(rig->out.n_batches, 0);
    EF_CHECK(ef_output_flush(&rig->out, 11, true) == 0);
    EF_CHECK_EQ(rig_stat(rig, PMD_STAT_SENT_PKTS), 7);
    EF_CHECK_EQ(rig_stat(rig, PMD_STAT_SENT_BATCHES), 1);
    rig_free(rig);
    ef_port_destroy(port);
}

/* Planted: a port with packets that is not in 'waiting'. */
EF_TEST_MUST_FAIL(packets_are_forgotten)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct rig *rig = rig_new(0);
    struct ovs_list *forgotten;

    ef_output_set_ports(&rig->out, &port, 1, 0);
    put(rig, 1, 3, NULL, 10);
    forgotten = ovs_list_pop_front(&rig->out.waiting);
    EF_CHECK(ef_output_flush(&rig->out, 20, true) == 3);
    ovs_list_push_back(&rig->out.waiting, forgotten);
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(full_batch_leaves)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct fake_netdev *fake = fake_of(port);
    struct rig *rig = rig_new(1000000);

    ef_output_set_ports(&rig->out, &port, 1, 0);
    EF_CHECK(put(rig, 1, 20, NULL, 10));
    EF_CHECK(put(rig, 1, 20, NULL, 10));        /* Would overflow. */
    EF_CHECK_EQ(fake->n_calls, 1);
    EF_CHECK_EQ(fake->calls[0].n, 20);
    EF_CHECK(put(rig, 1, 12, NULL, 10));        /* Fits exactly. */
    EF_CHECK_EQ(fake->n_calls, 2);
    EF_CHECK_EQ(fake->calls[1].n, 32);
    EF_CHECK_EQ(rig->out.n_batches, 0);
    EF_CHECK(put(rig, 1, 32, NULL, 10));
    EF_CHECK_EQ(fake->n_calls, 3);
    EF_CHECK_EQ(rig->out.n_batches, 0);
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(flush_interval)
{
    struct ef_port *ports[2] = { fake_port("f1", 1, 1, 1),
                                 fake_port("f2", 2, 1, 1) };
    struct rig *rig = rig_new(100);

    ef_output_set_ports(&rig->out, ports, 2, 0);
    EF_CHECK(put(rig, 1, 1, NULL, 1000));
    EF_CHECK(ef_output_flush(&rig->out, 1000, false) == 1); /* The first. */
    EF_CHECK(put(rig, 1, 1, NULL, 1050));
    EF_CHECK(ef_output_flush(&rig->out, 1099, false) == 0);

    /* A port that is due does not wait for one that is not. */
    EF_CHECK(put(rig, 2, 5, NULL, 1099));
    EF_CHECK(ef_output_flush(&rig->out, 1099, false) == 5);
    EF_CHECK_EQ(rig->out.n_batches, 1);
    EF_CHECK(ef_output_flush(&rig->out, 1100, false) == 1);
    EF_CHECK_EQ(rig->out.n_batches, 0);

    /* Forced. */
    EF_CHECK(put(rig, 1, 1, NULL, 1101));
    EF_CHECK(put(rig, 2, 2, NULL, 1101));
    EF_CHECK(ef_output_flush(&rig->out, 1101, false) == 0);
    EF_CHECK(ef_output_flush(&rig->out, 1101, true) == 3);
    EF_CHECK(ef_output_flush(&rig->out, 1101, true) == 0);
    rig_free(rig);
    ef_port_destroy(ports[0]);
    ef_port_destroy(ports[1]);
}

/* Latency targets. */

static void
set_target(struct ef_port *port, uint32_t target_us, uint32_t batch)
{
    atomic_store_relaxed(&port->output.latency_target_us, target_us);
    atomic_store_relaxed(&port->output.output_batch, batch);
    ef_params_output_changed();
}

/* A receive batch of 'n' packets for 'port_no' at 'ticks'.  The queue was
 * full, so that the PMD counts as behind.  Returns what is sent. */
static int
receive(struct rig *rig, uint32_t port_no, size_t n, uint64_t ticks)
{
    ef_output_received(&rig->out, ticks);
    EF_CHECK(put(rig, port_no, n, NULL, 0));
    ef_output_polled(&rig->out, ticks + 1, NETDEV_MAX_BURST,
                     NETDEV_MAX_BURST);
    return ef_output_flush(&rig->out, 0, false);
}

/* Long enough for an estimate of the rate, and for being behind. */
static uint64_t
warm_up(struct rig *rig, struct ef_port *port, size_t n, uint64_t gap)
{
    struct fake_netdev *fake = fake_of(port);
    uint32_t port_no = odp_to_u32(port->port_no);
    uint64_t ticks = ef_ticks_now();

    ef_output_flush(&rig->out, 0, false);
    for (int i = 0; i < 4000; i++) {
        fake->n_calls = 0;
        ticks += gap;
        receive(rig, port_no, n, ticks);
    }
    ef_output_flush(&rig->out, 0, true);
    fake->n_calls = 0;
    return ticks;
}

EF_TEST(a_target_holds_when_behind)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct fake_netdev *fake = fake_of(port);
    struct rig *rig = rig_new(0);
    uint64_t us = ef_ticks_per_us();
    uint64_t ticks;

    ef_output_set_ports(&rig->out, &port, 1, 0);
    set_target(port, 100, NETDEV_MAX_BURST);
    ticks = warm_up(rig, port, 4, us);
    EF_CHECK_EQ(rig->out.n_holding, 1);
    for (int i = 0; i < 7; i++) {
        EF_CHECK(receive(rig, 1, 4, ticks += us) == 0);
    }
    EF_CHECK_EQ(fake->n_calls, 0);
    receive(rig, 1, 4, ticks += us);
    EF_CHECK_EQ(fake->n_calls, 1);              /* Full. */
    EF_CHECK_EQ(fake->calls[0].n, 32);

    /* A smaller batch is full sooner. */
    set_target(port, 100, 6);
    EF_CHECK(receive(rig, 1, 4, ticks += us) == 0);
    EF_CHECK_EQ(fake->n_calls, 1);
    receive(rig, 1, 4, ticks += us);
    EF_CHECK_EQ(fake->n_calls, 2);
    EF_CHECK_EQ(fake->calls[1].n, 8);
    ef_output_flush(&rig->out, 0, true);
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(a_target_is_kept)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct rig *rig = rig_new(1000000);
    uint64_t us = ef_ticks_per_us();
    uint64_t ticks;

    ef_output_set_ports(&rig->out, &port, 1, 0);
    set_target(port, 20, NETDEV_MAX_BURST);
    ticks = warm_up(rig, port, 1, us);
    for (int i = 0; i < 20; i++) {
        EF_CHECK(receive(rig, 1, 1, ticks += us) == 0);
    }
    EF_CHECK(receive(rig, 1, 1, ticks += us) == 21);
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(a_new_target_counts_from_the_first_packet)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct rig *rig = rig_new(0);
    uint64_t us = ef_ticks_per_us();
    uint64_t ticks;

    ef_output_set_ports(&rig->out, &port, 1, 0);
    set_target(port, 1000, NETDEV_MAX_BURST);
    ticks = warm_up(rig, port, 1, us);
    EF_CHECK(receive(rig, 1, 1, ticks += us) == 0);
    set_target(port, 10, NETDEV_MAX_BURST);
    for (int i = 1; i < 10; i++) {
        EF_CHECK(receive(rig, 1, 1, ticks += us) == 0);
    }
    EF_CHECK(receive(rig, 1, 1, ticks += us) == 11);
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(no_wait_without_load)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct rig *rig = rig_new(1000000);
    uint64_t us = ef_ticks_per_us();
    uint64_t ticks;

    ef_output_set_ports(&rig->out, &port, 1, 0);
    set_target(port, 100, NETDEV_MAX_BURST);
    ticks = warm_up(rig, port, 1, us);
    for (int i = 0; i < 1000; i++) {
        ef_output_received(&rig->out, ++ticks);
        ef_output_polled(&rig->out, ticks += us, 0, NETDEV_MAX_BURST);
    }
    ef_output_received(&rig->out, ++ticks);
    EF_CHECK(put(rig, 1, 1, NULL, 0));
    ef_output_polled(&rig->out, ++ticks, 1, NETDEV_MAX_BURST);
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 1);
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(target_of_the_port_wins)
{
    struct ef_port *ports[2] = { fake_port("f1", 1, 1, 1),
                                 fake_port("f2", 2, 1, 1) };
    struct rig *rig = rig_new(1000000);

    ef_output_set_ports(&rig->out, ports, 2, 0);
    EF_CHECK_EQ(rig->out.n_holding, 0);
    atomic_store_relaxed(&rig->params.latency_target_us, 50);
    set_target(ports[0], 0, NETDEV_MAX_BURST);
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 0);
    EF_CHECK_EQ(rig->out.n_holding, 1);
    EF_CHECK(put(rig, 1, 1, NULL, 0));
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 1);
    EF_CHECK(put(rig, 1, 1, NULL, 1));
    EF_CHECK(ef_output_flush(&rig->out, 1, false) == 1);

    /* Neither: the interval. */
    atomic_store_relaxed(&rig->params.latency_target_us,
                         EF_LATENCY_TARGET_UNSET);
    set_target(ports[0], EF_LATENCY_TARGET_UNSET, NETDEV_MAX_BURST);
    EF_CHECK(ef_output_flush(&rig->out, 2, false) == 0);
    EF_CHECK_EQ(rig->out.n_holding, 0);
    EF_CHECK(put(rig, 1, 1, NULL, 2));
    EF_CHECK(ef_output_flush(&rig->out, 2, false) == 0);
    EF_CHECK(ef_output_flush(&rig->out, 1000001, false) == 1);
    rig_free(rig);
    ef_port_destroy(ports[0]);
    ef_port_destroy(ports[1]);
}

EF_TEST(whoever_sleeps_does_not_hold)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct rig *rig = rig_new(0);

    rig->out.may_hold = false;
    ef_output_set_ports(&rig->out, &port, 1, 0);
    set_target(port, 10000, NETDEV_MAX_BURST);
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 0);
    EF_CHECK_EQ(rig->out.n_holding, 0);
    EF_CHECK(put(rig, 1, 1, NULL, 0));
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 1);
    rig_free(rig);
    ef_port_destroy(port);
}

/* A packet of 64 bytes, or longer ones, all of the same queue. */
static void
put_sized(struct rig *rig, size_t size, size_t n)
{
    struct dp_packet_batch batch;

    dp_packet_batch_init(&batch);
    for (size_t i = 0; i < n; i++) {
        struct dp_packet *packet = dp_packet_new(size);

        dp_packet_put_zeros(packet, size);
        dp_packet_batch_add(&batch, packet);
    }
    EF_CHECK(ef_output_packets(&rig->out, &batch, u32_to_odp(1), NULL, 0));
}

EF_TEST(small_packets_do_not_wait)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct fake_netdev *fake = fake_of(port);
    struct rig *rig = rig_new(1000000);

    ef_output_set_ports(&rig->out, &port, 1, 0);
    atomic_store_relaxed(&rig->params.small_packet, 64);
    ef_params_output_changed();
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 0);

    put_sized(rig, 65, 5);
    put_sized(rig, 64, 2);
    put_sized(rig, 1000, 4);
    put_sized(rig, 60, 1);
    EF_CHECK_EQ(rig->out.n_batches, 2);
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 12);
    EF_CHECK_EQ(fake->n_calls, 2);
    EF_CHECK_EQ(fake->calls[0].n, 3);           /* The small ones first. */
    EF_CHECK_EQ(fake->calls[1].n, 9);

    /* The interval runs now; small ones do not care. */
    put_sized(rig, 1000, 4);
    put_sized(rig, 60, 1);
    EF_CHECK(ef_output_flush(&rig->out, 1, false) == 1);

    /* What waits in a class that goes leaves, too. */
    put_sized(rig, 60, 2);
    atomic_store_relaxed(&rig->params.small_packet, 0);
    ef_params_output_changed();
    EF_CHECK(ef_output_flush(&rig->out, 2, false) == 2);
    put_sized(rig, 60, 1);
    EF_CHECK(ef_output_flush(&rig->out, 3, false) == 0);
    EF_CHECK(ef_output_flush(&rig->out, 1000000, false) == 5);
    rig_free(rig);
    ef_port_destroy(port);
}

/* Planted: nobody was told. */
EF_TEST_MUST_FAIL(a_target_is_not_taken_over)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct rig *rig = rig_new(0);

    ef_output_set_ports(&rig->out, &port, 1, 0);
    atomic_store_relaxed(&port->output.latency_target_us, 10);
    ef_output_flush(&rig->out, 0, false);
    EF_CHECK_EQ(rig->out.n_holding, 1);
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(missing_port_takes_nothing)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct ef_port *no_txq = fake_port("f3", 3, 0, 1);
    struct ef_port *ports[] = { port, no_txq };
    struct rig *rig = rig_new(0);

    EF_CHECK(!put(rig, 1, 4, NULL, 0));
    ef_output_set_ports(&rig->out, ports, 2, 0);
    EF_CHECK(put(rig, 1, 4, NULL, 0));
    EF_CHECK(!put(rig, 2, 4, NULL, 0));
    EF_CHECK(!put(rig, 3, 4, NULL, 0));         /* Has no tx queue. */
    EF_CHECK(!put(rig, 1 + EF_OUTPUT_CACHE_SIZE, 4, NULL, 0));
    EF_CHECK(!put(rig, odp_to_u32(ODPP_NONE), 4, NULL, 0));
    EF_CHECK(put(rig, 1, 0, NULL, 0));          /* No packets: no batch. */
    EF_CHECK_EQ(rig->out.n_batches, 1);
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 4);
    EF_CHECK(put(rig, 1, 0, NULL, 0));
    EF_CHECK_EQ(rig->out.n_batches, 0);
    EF_CHECK(!ef_output_find_tunnel(&rig->out, u32_to_odp(1)));
    rig_free(rig);
    ef_port_destroy(port);
    ef_port_destroy(no_txq);
}

EF_TEST(cache_collisions)
{
    struct ef_port *a = fake_port("f1", 3, 1, 1);
    struct ef_port *b = fake_port("f2", 3 + EF_OUTPUT_CACHE_SIZE, 1, 1);
    struct ef_port *ports[] = { a, b };
    struct rig *rig = rig_new(0);

    ef_output_set_ports(&rig->out, ports, 2, 0);
    for (int i = 0; i < 3; i++) {
        EF_CHECK(put(rig, 3, 1, NULL, 0));
        EF_CHECK(put(rig, 3 + EF_OUTPUT_CACHE_SIZE, 2, NULL, 0));
    }
    ef_output_flush(&rig->out, 0, false);
    EF_CHECK_EQ(fake_of(a)->calls[0].n, 3);
    EF_CHECK_EQ(fake_of(b)->calls[0].n, 6);

    /* The cache forgets a port that is gone. */
    ef_output_set_ports(&rig->out, &b, 1, 0);
    EF_CHECK(!put(rig, 3, 1, NULL, 0));
    EF_CHECK(put(rig, 3 + EF_OUTPUT_CACHE_SIZE, 1, NULL, 0));
    rig_free(rig);
    ef_port_destroy(a);
    ef_port_destroy(b);
}

EF_TEST(kinds_are_not_mixed)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct fake_netdev *fake = fake_of(port);
    struct rig *rig = rig_new(0);
    struct dp_packet_batch batch;

    ef_output_set_ports(&rig->out, &port, 1, 0);
    EF_CHECK(put(rig, 1, 2, NULL, 0));

    fill(&batch, 2);
    dp_packet_batch_add(&batch, stub_new());
    dp_packet_batch_add(&batch, stub_new());
    dp_packet_batch_add(&batch, packet_new(0));
    EF_CHECK(ef_output_packets(&rig->out, &batch, u32_to_odp(1), NULL, 0));
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 1);

    EF_CHECK_EQ(fake->n_calls, 3);
    EF_CHECK_EQ(fake->calls[0].n, 4);
    EF_CHECK_EQ(fake->calls[1].n, 2);
    EF_CHECK_EQ(fake->calls[1].kind, DPBUF_STUB);
    EF_CHECK_EQ(fake->calls[2].n, 1);
    for (int i = 0; i < 3; i++) {
        EF_CHECK(!fake->calls[i].mixed);
    }
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(cost_goes_to_rxqs)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct ef_rxq a, b;
    struct rig *rig = rig_new(0);
    unsigned long long cost_a, cost_b;

    ef_load_reset(&a.load);
    ef_load_reset(&b.load);
    ef_output_set_ports(&rig->out, &port, 1, 0);
    EF_CHECK(put(rig, 1, 6, &a, 0));
    EF_CHECK(put(rig, 1, 3, &b, 0));
    EF_CHECK(put(rig, 1, 5, NULL, 0));
    EF_CHECK(put(rig, 1, 6, &a, 0));
    ef_output_flush(&rig->out, 0, false);
    cost_a = ef_counter_get(&a.load.current);
    cost_b = ef_counter_get(&b.load.current);
    EF_CHECK(cost_b > 0);
    EF_CHECK_EQ(cost_a, 4 * cost_b);
    EF_CHECK(!rig->perf.cur_timer);
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(xps_least_used)
{
    struct ef_port *port = fake_port("f1", 1, 2, 3);
    struct ef_txq_users *users = &port->txq_users;
    struct fake_netdev *fake = fake_of(port);
    struct rig *rigs[3];
    long long t = 1000000;

    EF_CHECK_EQ(port->txq_mode, EF_TXQ_XPS);
    for (int i = 0; i < 3; i++) {
        rigs[i] = rig_new(0);
        ef_output_set_ports(&rigs[i]->out, &port, 1, 0);
        EF_CHECK(put(rigs[i], 1, 1, NULL, t));
        ef_output_flush(&rigs[i]->out, t, false);
        EF_CHECK_EQ(fake->calls[i].txq, i % 2);
        EF_CHECK(fake->calls[i].concurrent);
    }

    /* In use, a queue is kept; unused for long, given back. */
    t += EF_XPS_TIMEOUT_US - 1;
    EF_CHECK(put(rigs[1], 1, 1, NULL, t));
    ef_output_flush(&rigs[1]->out, t, false);
    EF_CHECK_EQ(fake->calls[3].txq, 1);
    EF_CHECK_EQ(users->n_users[0], 2);
    ef_output_xps_expire(&rigs[0]->out, t);
    EF_CHECK_EQ(users->n_users[0], 2);
    ef_output_xps_expire(&rigs[0]->out, t + 1);
    EF_CHECK_EQ(users->n_users[0], 1);
    ef_output_xps_expire(&rigs[0]->out, t + 1);
    EF_CHECK_EQ(users->n_users[0], 1);

    /* Chosen anew at the next use, after giving back what it has. */
    t += EF_XPS_TIMEOUT_US;
    EF_CHECK(put(rigs[1], 1, 1, NULL, t));
    ef_output_flush(&rigs[1]->out, t, false);
    EF_CHECK_EQ(fake->calls[4].txq, 1);
    EF_CHECK_EQ(users->n_users[0] + users->n_users[1], 2);

    for (int i = 0; i < 3; i++) {
        rig_free(rigs[i]);
    }
    EF_CHECK_EQ(users->n_users[0] + users->n_users[1], 0);
    ef_port_destroy(port);
}

EF_TEST(xps_choice_expires_others)
{
    struct ef_port *a = fake_port("f1", 1, 1, 2);
    struct ef_port *b = fake_port("f2", 2, 1, 2);
    struct ef_port *ports[] = { a, b };
    struct rig *rig = rig_new(0);

    ef_output_set_ports(&rig->out, ports, 2, 0);
    EF_CHECK(put(rig, 1, 1, NULL, EF_XPS_TIMEOUT_US));
    ef_output_flush(&rig->out, EF_XPS_TIMEOUT_US, true);
    EF_CHECK_EQ(a->txq_users.n_users[0], 1);
    EF_CHECK(put(rig, 2, 1, NULL, 2 * EF_XPS_TIMEOUT_US));
    ef_output_flush(&rig->out, 2 * EF_XPS_TIMEOUT_US, true);
    EF_CHECK_EQ(a->txq_users.n_users[0], 0);
    EF_CHECK_EQ(b->txq_users.n_users[0], 1);
    rig_free(rig);
    EF_CHECK_EQ(b->txq_users.n_users[0], 0);
    ef_port_destroy(a);
    ef_port_destroy(b);
}

EF_TEST(hash_mode)
{
    struct ef_port *port = fake_port("f1", 1, 3, 1);
    struct fake_netdev *fake = fake_of(port);
    struct rig *rig = rig_new(0);
    size_t n = 0;

    port->hash_requested = true;
    ef_port_set_txq_mode(port, 1);
    ef_output_set_ports(&rig->out, &port, 1, 0);
    EF_CHECK(put(rig, 1, 10, NULL, 0));         /* Hashes 0 to 9. */
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 10);
    EF_CHECK_EQ(fake->n_calls, 3);
    for (int i = 0; i < 3; i++) {
        EF_CHECK_EQ(fake->calls[i].txq, i);
        EF_CHECK_EQ(fake->calls[i].n, i ? 3 : 4);
        EF_CHECK(fake->calls[i].concurrent);
    }

    /* No hash: computed, the same for the same packet. */
    fake->n_calls = 0;
    for (int i = 0; i < 8; i++) {
        struct dp_packet_batch batch;

        fill(&batch, 1);
        dp_packet_reset_offload(batch.packets[0]);
        EF_CHECK(!dp_packet_rss_valid(batch.packets[0]));
        ef_output_packets(&rig->out, &batch, u32_to_odp(1), NULL, 0);
    }
    EF_CHECK(ef_output_flush(&rig->out, 0, false) == 8);
    EF_CHECK_EQ(fake->n_calls, 1);
    EF_CHECK_EQ(fake->calls[0].n, 8);
    n = rig_stat(rig, PMD_STAT_SENT_PKTS);
    EF_CHECK_EQ(n, 18);
    EF_CHECK_EQ(rig_stat(rig, PMD_STAT_SENT_BATCHES), 2);
    rig_free(rig);
    ef_port_destroy(port);
}

EF_TEST(set_ports_sends_first)
{
    struct ef_port *a = fake_port("f1", 1, 1, 2);
    struct ef_port *b = fake_port("f2", 2, 1, 2);
    struct ef_port *ports[] = { a, b };
    struct netdev *netdev = netdev_ref(a->netdev);
    struct rig *rig = rig_new(1000000);

    ef_output_set_ports(&rig->out, ports, 2, 0);
    EF_CHECK(put(rig, 1, 32, NULL, 5)); /* Leaves; the next have to wait. */
    EF_CHECK(put(rig, 1, 2, NULL, 5));
    EF_CHECK(put(rig, 2, 3, NULL, 5));
    ef_output_set_ports(&rig->out, &b, 1, 6);
    EF_CHECK_EQ(fake_cast(netdev)->n_calls, 2);
    EF_CHECK_EQ(fake_of(b)->n_calls, 1);
    EF_CHECK_EQ(rig->out.n_batches, 0);
    EF_CHECK_EQ(a->txq_users.n_users[0], 0);
    EF_CHECK_EQ(b->txq_users.n_users[0], 0);

    ef_port_destroy(a);         /* Nothing refers to it any more. */
    EF_CHECK(!put(rig, 1, 2, NULL, 7));
    EF_CHECK(put(rig, 2, 3, NULL, 7));
    ef_output_xps_expire(&rig->out, 10000000);
    rig_free(rig);
    EF_CHECK_EQ(fake_of(b)->n_calls, 2);        /* Sent when freed. */
    ef_port_destroy(b);
    netdev_close(netdev);
    EF_CHECK_EQ(fake_n_devices, 0);
}

EF_TEST(dummy_device_sends)
{
    struct netdev_stats stats;
    struct ef_port *port;
    struct rig *rig = rig_new(0);

    netdev_dummy_register(DUMMY_OVERRIDE_NONE);
    EF_CHECK(ef_port_open("p1", "dummy", u32_to_odp(1), &port) == 0);
    EF_CHECK(ef_port_reconfigure(port) == 0);
    ef_output_set_ports(&rig->out, &port, 1, 0);
    for (int i = 0; i < 10; i++) {
        EF_CHECK(put(rig, 1, 7, NULL, i));
    }
    ef_output_flush(&rig->out, 10, false);
    EF_CHECK(netdev_get_stats(port->netdev, &stats) == 0);
    EF_CHECK_EQ(stats.tx_packets, 70);
    EF_CHECK_EQ(stats.tx_bytes, 70 * 64);
    rig_free(rig);
    ef_port_destroy(port);
}
