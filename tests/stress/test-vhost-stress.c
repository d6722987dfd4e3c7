/* SPDX-License-Identifier: Apache-2.0 */

/* Ports of ours against DPDK's own guest, net_virtio_user, in one process:
 *
 *     net_virtio_user0 --- socket --- vhu0 --- thread that polls, as a PMD
 *                                       \----- thread that reads everything
 *
 * Packets both ways with their counters, guests that come and go, ports that
 * are deleted under a guest, other paths. */

#include <config.h>

#include "dpdk/vhost.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_dev.h>
#include <unistd.h>

#include "dp-packet.h"
#include "dpdk/buffer-store.h"
#include "ef-test.h"
#include "fatal-signal.h"
#include "netdev.h"
#include "ovs-thread.h"
#include "smap.h"
#include "timeval.h"

#define N_PACKETS 32
#define WAIT_MS 10000

static char dir[] = "/tmp/ef-vhost-XXXXXX";
static struct rte_mempool *guest_pool;

static const char *
socket_path(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void
remove_dir(void)
{
    rmdir(dir);
}

/* Returns false if EAL cannot start here. */
static bool
start_eal(void)
{
    static bool tried, ok;
    char *argv[] = {
        "test", "--no-huge", "--no-pci", "--no-telemetry", "-m", "128",
        "--no-shconf", "-l", "0", "--log-level=lib.*:1", NULL,
    };

    if (tried) {
        return ok;
    }
    tried = true;
    fatal_ignore_sigpipe();
    if (!mkdtemp(dir) || rte_eal_init(ARRAY_SIZE(argv) - 1, argv) < 0
        || ef_store_register()) {
        return false;
    }
    atexit(remove_dir);
    setenv("OVS_RUNDIR", dir, 1);
    guest_pool = rte_pktmbuf_pool_create("guest", 2047, 0, 0, 2176, -1);
    netdev_register_provider(&ef_vhost_client_class);
    netdev_register_provider(&ef_vhost_server_class);
    ok = guest_pool != NULL;
    return ok;
}

/* The guest.  Its messages are answered by callbacks that wait for grace
 * periods, so this thread must be quiescent meanwhile. */

static bool
start_guest(const char *path, bool is_server, int n_queues, uint16_t *idp)
{
    /* Without interrupts it would not notice that our side is gone. */
    struct rte_eth_conf conf = { .intr_conf.lsc = is_server };
    char *args = xasprintf("path=%s,server=%d,queues=%d", path, is_server,
                           n_queues);
    bool ok;

    ovsrcu_quiesce_start();
    ok = (!rte_eal_hotplug_add("vdev", "net_virtio_user0", args)
          && !rte_eth_dev_get_port_by_name("net_virtio_user0", idp)
          && !rte_eth_dev_configure(*idp, n_queues, n_queues, &conf));
    for (int i = 0; ok && i < n_queues; i++) {
        ok = (!rte_eth_rx_queue_setup(*idp, i, 256, -1, NULL, guest_pool)
              && !rte_eth_tx_queue_setup(*idp, i, 256, -1, NULL));
    }
    ok = ok && !rte_eth_dev_start(*idp);
    ovsrcu_quiesce_end();
    free(args);
    return ok;
}

static void
stop_guest(uint16_t id)
{
    ovsrcu_quiesce_start();
    rte_eth_dev_stop(id);
    rte_eal_hotplug_remove("vdev", "net_virtio_user0");
    ovsrcu_quiesce_end();
}

static void
guest_send(uint16_t id, int queue, int n, int len)
{
    for (int i = 0; i < n; i++) {
        struct rte_mbuf *mbuf = rte_pktmbuf_alloc(guest_pool);
        uint8_t *data;

        if (!EF_CHECK(mbuf != NULL)) {
            return;
        }
        data = (uint8_t *) rte_pktmbuf_append(mbuf, len);
        memset(data, 0xff, 6);
        memset(data + 6, i, len - 6);
        if (!rte_eth_tx_burst(id, queue, &mbuf, 1)) {
            rte_pktmbuf_free(mbuf);
        }
    }
}

/* The switch: polls all rx queues and sends back what comes. */

struct poller {
    struct netdev *netdev;
    struct netdev_rxq *rxqs[8];
    int n_rxqs;
    pthread_t thread;
    atomic_bool must_stop;
    uint64_t n_received;        /* Of the poller, or after it stopped. */
};

static void *
poller_main(void *poller_)
{
    struct poller *p = poller_;
    bool must_stop = false;

    while (!must_stop) {
        for (int i = 0; i < p->n_rxqs; i++) {
            struct dp_packet_batch batch;
            int qfill;

            dp_packet_batch_init(&batch);
            if (netdev_rxq_enabled(p->rxqs[i])
                && !netdev_rxq_recv(p->rxqs[i], &batch, &qfill)) {
                p->n_received += dp_packet_batch_size(&batch);
                netdev_send(p->netdev, i, &batch, true);
            }
        }
        ovsrcu_quiesce();
        atomic_read_explicit(&p->must_stop, &must_stop, memory_order_acquire);
    }
    return NULL;
}

static void
start_poller(struct poller *p)
{
    p->n_rxqs = MIN(netdev_n_rxq(p->netdev), ARRAY_SIZE(p->rxqs));
    for (int i = 0; i < p->n_rxqs; i++) {
        EF_CHECK_EQ(netdev_rxq_open(p->netdev, &p->rxqs[i], i), 0);
    }
    atomic_store_explicit(&p->must_stop, false, memory_order_release);
    p->thread = ovs_thread_create("pmd-c", poller_main, p);
}

static void
stop_poller(struct poller *p)
{
    atomic_store_explicit(&p->must_stop, true, memory_order_release);
    xpthread_join(p->thread, NULL);
    for (int i = 0; i < p->n_rxqs; i++) {
        netdev_rxq_close(p->rxqs[i]);
    }
}

/* What the data path does in each round of the main loop. */
static void
run_switch(struct poller *p)
{
    if (netdev_is_reconf_required(p->netdev)) {
        stop_poller(p);
        EF_CHECK_EQ(netdev_reconfigure(p->netdev), 0);
        start_poller(p);
    }
}

static void
open_port(struct poller *p, const char *name, const char *type,
          const char *path)
{
    struct smap args = SMAP_INITIALIZER(&args);
    char *error = NULL;

    memset(p, 0, sizeof *p);
    if (!EF_CHECK_EQ(netdev_open(name, type, &p->netdev), 0)) {
        exit(EXIT_FAILURE);
    }
    if (path) {
        smap_add(&args, "vhost-server-path", path);
        EF_CHECK_EQ(netdev_set_config(p->netdev, &args, &error), 0);
        smap_destroy(&args);
    }
    EF_CHECK_EQ(netdev_reconfigure(p->netdev), 0);
    start_poller(p);
}

static void
close_port(struct poller *p)
{
    stop_poller(p);
    netdev_close(p->netdev);
    p->netdev = NULL;
}

/* Returns whether the carrier of 'p' becomes 'up'. */
static bool
wait_carrier(struct poller *p, bool up, int n_queues)
{
    long long deadline = time_msec() + WAIT_MS;

    for (;;) {
        bool carrier;

        run_switch(p);
        carrier = netdev_get_carrier(p->netdev);
        if (carrier == up && (!up || netdev_n_rxq(p->netdev) == n_queues)) {
            return true;
        }
        if (time_msec() > deadline) {
            return false;
        }
        xnanosleep(2 * 1000 * 1000);
    }
}

static struct netdev_stats
get_stats(const struct poller *p)
{
    struct netdev_stats stats;

    netdev_get_stats(p->netdev, &stats);
    return stats;
}

static uint64_t
custom_sum(const struct poller *p, const char *end)
{
    struct netdev_custom_stats stats;
    uint64_t sum = 0;

    netdev_get_custom_stats(p->netdev, &stats);
    for (int i = 0; i < stats.size; i++) {
        if (string_ends_with(stats.counters[i].name, end)) {
            sum += stats.counters[i].value;
        }
    }
    netdev_free_custom_stats_counters(&stats);
    return sum;
}

/* Sends packets on every queue of the guest and gets them back. */
static void
check_traffic(struct poller *p, uint16_t id, int n_queues)
{
    struct netdev_stats before = get_stats(p);
    long long deadline = time_msec() + WAIT_MS;
    struct netdev_stats after;
    int n_back = 0;

    for (int i = 0; i < n_queues; i++) {
        guest_send(id, i, N_PACKETS, 100);
    }
    while (n_back < n_queues * N_PACKETS && time_msec() < deadline) {
        for (int i = 0; i < n_queues; i++) {
            struct rte_mbuf *mbufs[32];
            int n = rte_eth_rx_burst(id, i, mbufs, 32);

            for (int j = 0; j < n; j++) {
                EF_CHECK_EQ(rte_pktmbuf_pkt_len(mbufs[j]), 100);
            }
            rte_pktmbuf_free_bulk(mbufs, n);
            n_back += n;
        }
    }
    EF_CHECK_EQ(n_back, n_queues * N_PACKETS);

    /* The guest may have them before they are counted. */
    do {
        after = get_stats(p);
    } while (after.tx_packets - before.tx_packets < n_back
             && time_msec() < deadline);
    EF_CHECK_EQ(after.rx_packets - before.rx_packets, n_back);
    EF_CHECK_EQ(after.rx_bytes - before.rx_bytes, 100 * n_back);
    EF_CHECK_EQ(after.rx_broadcast_packets - before.rx_broadcast_packets,
                n_back);
    EF_CHECK_EQ(after.rx_65_to_127_packets - before.rx_65_to_127_packets,
                n_back);
    EF_CHECK_EQ(after.tx_packets - before.tx_packets, n_back);
    EF_CHECK_EQ(after.rx_packets + after.tx_packets,
                custom_sum(p, "_good_packets"));
    EF_CHECK_EQ(after.tx_dropped, before.tx_dropped);
}

static void
check_status(const struct poller *p, const char *key, const char *value)
{
    struct smap status = SMAP_INITIALIZER(&status);

    netdev_get_status(p->netdev, &status);
    EF_CHECK_STR_EQ(smap_get(&status, key), value);
    smap_destroy(&status);
}

/* Tests. */

EF_TEST(client_with_two_queues)
{
    const char *path;
    static struct poller p;     /* Its thread outlives a failed test. */
    uint16_t id = 0;

    if (!start_eal()) {
        EF_TEST_SKIP("EAL does not start");
    }
    path = socket_path("client");
    open_port(&p, "vhu0", "dpdkvhostuserclient", path);
    check_status(&p, "mode", "client");
    check_status(&p, "status", "disconnected");
    EF_REQUIRE(start_guest(path, true, 2, &id));
    EF_CHECK(wait_carrier(&p, true, 2));
    check_status(&p, "status", "connected");
    check_status(&p, "socket", path);
    check_status(&p, "num_of_vrings", "4");
    check_status(&p, "vring_3_size", "256");
    check_traffic(&p, id, 2);

    /* The guest's side restarts. */
    stop_guest(id);
    EF_CHECK(wait_carrier(&p, false, 0));
    EF_REQUIRE(start_guest(path, true, 1, &id));
    EF_CHECK(wait_carrier(&p, true, 1));
    EF_CHECK_EQ(get_stats(&p).rx_packets, 0);
    check_traffic(&p, id, 1);

    /* Our side does. */
    close_port(&p);
    open_port(&p, "vhu0", "dpdkvhostuserclient", path);
    EF_CHECK(wait_carrier(&p, true, 1));
    check_traffic(&p, id, 1);

    close_port(&p);
    stop_guest(id);
}

static void
set_path(struct poller *p, const char *path)
{
    struct smap args = SMAP_INITIALIZER(&args);
    char *error = NULL;

    if (path) {
        smap_add(&args, "vhost-server-path", path);
    }
    EF_CHECK_EQ(netdev_set_config(p->netdev, &args, &error), 0);
    smap_destroy(&args);
}

/* Two ports, one path: the second gets it when the first lets go of it. */
EF_TEST(path_moves)
{
    static struct poller a, b;
    char *path, *other;
    uint16_t id = 0;

    if (!start_eal()) {
        EF_TEST_SKIP("EAL does not start");
    }
    path = xstrdup(socket_path("move"));
    other = xstrdup(socket_path("other"));
    open_port(&a, "vhu0", "dpdkvhostuserclient", path);
    EF_REQUIRE(start_guest(path, true, 1, &id));
    EF_CHECK(wait_carrier(&a, true, 1));
    open_port(&b, "vhu1", "dpdkvhostuserclient", path);
    run_switch(&b);
    EF_CHECK(!ef_vhost_is_running(ef_vhost_cast(b.netdev)));

    set_path(&a, other);
    EF_CHECK(wait_carrier(&a, false, 0));
    EF_CHECK(wait_carrier(&b, true, 1));
    check_traffic(&b, id, 1);
    set_path(&b, NULL);
    EF_CHECK(wait_carrier(&b, false, 0));
    set_path(&a, path);
    EF_CHECK(wait_carrier(&a, true, 1));
    check_traffic(&a, id, 1);

    close_port(&b);
    close_port(&a);
    stop_guest(id);
    free(path);
    free(other);
}

static atomic_bool reader_must_stop = false;

/* Reads all that can be read until it is told to end. */
static void *
reader_main(void *poller_)
{
    const struct poller *p = poller_;
    bool must_stop = false;

    while (!must_stop) {
        struct smap status = SMAP_INITIALIZER(&status);

        get_stats(p);
        custom_sum(p, "x");
        netdev_get_status(p->netdev, &status);
        smap_destroy(&status);
        xnanosleep(100 * 1000);
        atomic_read_relaxed(&reader_must_stop, &must_stop);
    }
    return NULL;
}

/* Guests come and go while everything is read; none is stuck. */
EF_TEST(server_with_churn)
{
    unsigned seconds = ef_test_seconds(1);
    long long end = time_msec() + 1000 * seconds;
    long long longest = 0;
    pthread_t reader;
    static struct poller p;     /* Its thread outlives a failed test. */
    int n_rounds = 0;
    uint16_t id = 0;

    if (!start_eal()) {
        EF_TEST_SKIP("EAL does not start");
    }
    open_port(&p, "vhost-churn", "dpdkvhostuser", NULL);
    check_status(&p, "mode", "server");
    reader = ovs_thread_create("reader", reader_main, &p);
    while (time_msec() < end || n_rounds < 3) {
        int n_queues = 1 + n_rounds % 3;
        long long start = time_msec();

        EF_REQUIRE(start_guest(socket_path("vhost-churn"), false, n_queues,
                               &id));
        EF_REQUIRE(wait_carrier(&p, true, n_queues));
        if (n_rounds % 4 == 0) {
            check_traffic(&p, id, n_queues);
        } else {
            guest_send(id, 0, 100, 60 + n_rounds % 1400);
        }
        stop_guest(id);
        EF_REQUIRE(wait_carrier(&p, false, 0));
        longest = MAX(longest, time_msec() - start);
        n_rounds++;
    }
    printf("# %d guests, the longest took %lld ms\n", n_rounds, longest);

    atomic_store_relaxed(&reader_must_stop, true);
    xpthread_join(reader, NULL);
    close_port(&p);
}

/* Until then the path may be that of the port before, which is on its way
 * out. */
static bool
wait_bound(struct poller *p)
{
    const struct ef_vhost *port = ef_vhost_cast(p->netdev);
    long long deadline = time_msec() + WAIT_MS;

    while (!port->bound_path && time_msec() < deadline) {
        run_switch(p);
        xnanosleep(1000 * 1000);
    }
    return port->bound_path != NULL;
}

/* A port is deleted under its guest and comes back under the same name. */
EF_TEST(delete_and_add)
{
    static struct poller p;     /* Its thread outlives a failed test. */
    uint16_t id = 0;

    if (!start_eal()) {
        EF_TEST_SKIP("EAL does not start");
    }
    for (int i = 0; i < 6; i++) {
        open_port(&p, "vhost-again", "dpdkvhostuser", NULL);
        EF_REQUIRE(wait_bound(&p));
        EF_REQUIRE(start_guest(socket_path("vhost-again"), false, 1, &id));
        EF_REQUIRE(wait_carrier(&p, true, 1));
        if (i % 2) {
            stop_guest(id);
            close_port(&p);
        } else {
            close_port(&p);
            stop_guest(id);
        }
    }
}

/* A guest that takes nothing costs drops, not time, and no buffers. */
EF_TEST(guest_that_does_not_drain)
{
    static struct poller p;     /* Its thread outlives a failed test. */
    uint16_t id = 0;
    uint64_t sent, dropped;

    if (!start_eal()) {
        EF_TEST_SKIP("EAL does not start");
    }
    open_port(&p, "vhost-full", "dpdkvhostuser", NULL);
    EF_REQUIRE(start_guest(socket_path("vhost-full"), false, 1, &id));
    EF_REQUIRE(wait_carrier(&p, true, 1));
    for (int i = 0; i < 100; i++) {
        guest_send(id, 0, 32, 60);
        xnanosleep(1000 * 1000);
    }
    sent = get_stats(&p).tx_packets;
    dropped = get_stats(&p).tx_dropped;
    EF_CHECK(sent >= 200 && sent <= 256);
    EF_CHECK(dropped > 0);
    EF_CHECK_EQ(custom_sum(&p, "ovs_tx_failure_drops"), dropped);
    stop_guest(id);
    close_port(&p);
}

EF_TEST(bad_options)
{
    struct smap args = SMAP_INITIALIZER(&args);
    struct netdev *netdev;
    char *error = NULL;

    if (!start_eal()) {
        EF_TEST_SKIP("EAL does not start");
    }
    EF_CHECK_EQ(netdev_open("a/b", "dpdkvhostuser", &netdev), EINVAL);
    EF_REQUIRE_EQ(netdev_open("vhu9", "dpdkvhostuserclient", &netdev), 0);
    smap_add(&args, "tx-retries-max", "33");
    EF_CHECK_EQ(netdev_set_config(netdev, &args, &error), EINVAL);
    EF_CHECK_STR_EQ(error, "'tx-retries-max=33': "
                    "must be a number from 0 to 32");
    free(error);

    /* Once it was good, a port keeps the last good value. */
    smap_replace(&args, "tx-retries-max", "32");
    EF_CHECK_EQ(netdev_set_config(netdev, &args, &error), 0);
    smap_replace(&args, "tx-retries-max", "0x");
    smap_replace(&args, "vhost-server-path", "");
    EF_CHECK_EQ(netdev_set_config(netdev, &args, &error), 0);
    {
        struct poller p = { .netdev = netdev };
        int retries;

        atomic_read_relaxed(&ef_vhost_cast(netdev)->retries_max, &retries);
        EF_CHECK_EQ(retries, 32);
        check_status(&p, "mode", "client");
        check_status(&p, "status", "disconnected");
    }
    smap_destroy(&args);
    netdev_close(netdev);
}
