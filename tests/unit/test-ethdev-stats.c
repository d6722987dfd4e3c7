/* SPDX-License-Identifier: Apache-2.0 */

/* Statistics, status, flags and the packet path of a port of type=dpdk, with
 * DPDK's null device: it takes all that is sent and always has more. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_dev.h>

#include "dpdk-fixture.h"
#include "ef-test.h"
#include "netdev.h"
#include "smap.h"

static struct rte_mempool *pool;
static struct ef_dpdk_txq txqs[2];
static struct ef_dpdk_rxq_counters rxqs[1];
static struct ef_ethdev eth;
static struct fx_frame frame;

static bool
start_device(const char *name, const char *args, int n_txq)
{
    struct rte_eth_conf conf;
    uint16_t port_id;

    memset(&conf, 0, sizeof conf);
    return !rte_eal_hotplug_add("vdev", name, args)
           && !rte_eth_dev_get_port_by_name(name, &port_id)
           && !rte_eth_dev_configure(port_id, 1, n_txq, &conf)
           && !rte_eth_rx_queue_setup(port_id, 0, 64, 0, NULL, pool)
           && !rte_eth_tx_queue_setup(port_id, 0, 64, 0, NULL)
           && (n_txq < 2
               || !rte_eth_tx_queue_setup(port_id, 1, 64, 0, NULL))
           && !rte_eth_dev_start(port_id)
           && (eth.port_id = port_id, true);
}

static bool
start(void)
{
    static bool started;

    if (!started && fx_start()) {
        pool = fx_pool(1200, 2048);
        eth.dev.up.name = "p0";
        eth.dev.up.n_txq = 2;
        eth.dev.up.n_rxq = 1;
        eth.dev.kind = EF_DPDK_ETH;
        eth.dev.mtu = 1500;
        eth.dev.max_frame = 1518;
        eth.dev.rte_pool = pool;
        eth.dev.flags = NETDEV_UP | NETDEV_PROMISC;
        atomic_init(&eth.dev.is_up, true);
        eth.dev.txqs = txqs;
        eth.dev.n_txqs = 2;
        eth.dev.rxq_counters = rxqs;
        eth.dev.n_rxqs = 1;
        ovs_mutex_init(&eth.dev.mutex);
        ovsrcu_init(&eth.dev.policer, NULL);
        ef_qos_slot_init(&eth.dev.qos);
        started = start_device("net_null0", "size=100", 2);
    }
    memset(txqs, 0, sizeof txqs);
    return started;
}

static void
make_batch(struct dp_packet_batch *batch, size_t n, size_t payload)
{
    struct fx_spec spec = { .proto = IPPROTO_UDP, .payload = payload };

    fx_build(&spec, &frame);
    dp_packet_batch_init(batch);
    for (size_t i = 0; i < n; i++) {
        dp_packet_batch_add(batch, fx_packet(&spec, &frame, pool));
    }
}

static void
send_packets(int qid, size_t n, size_t payload, bool concurrent)
{
    struct dp_packet_batch batch;

    make_batch(&batch, n, payload);
    EF_CHECK_EQ(ef_ethdev_send(&eth.dev.up, qid, &batch, concurrent), 0);
}

static struct netdev_stats
get_stats(void)
{
    struct netdev_stats stats;

    memset(&stats, 0xff, sizeof stats);
    EF_CHECK_EQ(ef_ethdev_get_stats(&eth.dev.up, &stats), 0);
    return stats;
}

/* UINT64_MAX if there is none of this name. */
static uint64_t
custom(const char *name)
{
    struct netdev_custom_stats stats = { 0, NULL };
    uint64_t value = UINT64_MAX;

    EF_CHECK_EQ(ef_ethdev_get_custom_stats(&eth.dev.up, &stats), 0);
    for (int i = 0; i < stats.size; i++) {
        if (!strcmp(stats.counters[i].name, name)) {
            value = stats.counters[i].value;
        }
    }
    free(stats.counters);
    return value;
}

EF_TEST(sent_and_dropped)
{
    struct netdev_stats before, after;

    EF_REQUIRE(start());
    before = get_stats();
    send_packets(0, 7, 50, false);
    send_packets(7, 3, 50, true);       /* Queue 1. */
    send_packets(1, 2, 1500, false);
    send_packets(0, 4, 1500, true);
    after = get_stats();
    EF_CHECK_EQ(after.tx_packets - before.tx_packets, 10);
    EF_CHECK_EQ(after.tx_dropped, 6);
    EF_CHECK_EQ(ef_counter_get(&txqs[0].n.mtu_exceeded_drops), 4);
    EF_CHECK_EQ(ef_counter_get(&txqs[1].n.mtu_exceeded_drops), 2);
    EF_CHECK_EQ(custom("ovs_tx_mtu_exceeded_drops"), 6);
    EF_CHECK_EQ(custom("ovs_tx_failure_drops"), 0);
    EF_CHECK_EQ(after.tx_errors, 0);
    EF_CHECK_EQ(after.collisions, UINT64_MAX);  /* Not known. */
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0);
    EF_CHECK(rte_spinlock_trylock(&txqs[0].lock));
    rte_spinlock_unlock(&txqs[0].lock);
}

EF_TEST(down)
{
    enum netdev_flags old;
    struct netdev_stats before, after;
    struct netdev_rxq *rxq;
    struct dp_packet_batch batch;

    EF_REQUIRE(start());
    atomic_init(&eth.dev.rx_burst, NETDEV_MAX_BURST);
    rxq = ef_ethdev_rxq_alloc();
    rxq->netdev = &eth.dev.up;
    ef_ethdev_rxq_construct(rxq);

    before = get_stats();
    ef_ethdev_update_flags(&eth.dev.up, NETDEV_UP, 0, &old);
    EF_CHECK_EQ(old, NETDEV_UP | NETDEV_PROMISC);
    send_packets(1, 5, 50, true);
    send_packets(0, 5, 50, false);
    EF_CHECK_EQ(ef_ethdev_rxq_recv(rxq, &batch, NULL), EAGAIN);
    after = get_stats();
    EF_CHECK_EQ(after.tx_packets, before.tx_packets);
    EF_CHECK_EQ(after.tx_dropped, 10);
    EF_CHECK_EQ(custom("ovs_tx_failure_drops"), 0);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0);

    ef_ethdev_update_flags(&eth.dev.up, 0, NETDEV_UP, &old);
    EF_CHECK_EQ(old, NETDEV_PROMISC);
    EF_CHECK_EQ(ef_ethdev_rxq_recv(rxq, &batch, NULL), 0);
    EF_CHECK_EQ(batch.count, NETDEV_MAX_BURST);
    dp_packet_delete_batch(&batch, true);
    EF_CHECK_EQ(ef_ethdev_update_flags(&eth.dev.up, NETDEV_LOOPBACK, 0,
                                       &old), EINVAL);

    ef_ethdev_rxq_destruct(rxq);
    ef_ethdev_rxq_dealloc(rxq);
}

EF_TEST(received)
{
    struct netdev_stats before, after;
    struct dp_packet_batch batch;
    struct netdev_rxq *rxq;
    int qfill = 0;

    EF_REQUIRE(start());
    atomic_init(&eth.dev.rx_burst, NETDEV_MAX_BURST);
    rxq = ef_ethdev_rxq_alloc();
    rxq->netdev = &eth.dev.up;
    ef_ethdev_rxq_construct(rxq);
    before = get_stats();
    for (int i = 0; i < 3; i++) {
        EF_CHECK_EQ(ef_ethdev_rxq_recv(rxq, &batch, &qfill), 0);
        EF_CHECK_EQ(batch.count, NETDEV_MAX_BURST);
        EF_CHECK_EQ(dp_packet_size(batch.packets[0]), 100);
        dp_packet_delete_batch(&batch, true);
    }
    after = get_stats();
    EF_CHECK_EQ(after.rx_packets - before.rx_packets, 96);
    EF_CHECK_EQ(after.rx_dropped, 0);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0);
    ef_ethdev_rxq_destruct(rxq);
    ef_ethdev_rxq_dealloc(rxq);
}

EF_TEST(names_of_custom_statistics)
{
    EF_REQUIRE(start());
    ovs_mutex_lock(&eth.dev.mutex);
    ef_xstats_learn(&eth);
    ovs_mutex_unlock(&eth.dev.mutex);
    ef_counter_set(&rxqs[0].qos_drops, 3);
    EF_CHECK_EQ(custom("ovs_rx_qos_drops"), 3);
    EF_CHECK_EQ(custom("ovs_rx_join_drops"), UINT64_MAX);
    ef_counter_set(&rxqs[0].join_drops, 2);
    EF_CHECK_EQ(custom("ovs_rx_join_drops"), 2);
    EF_CHECK_EQ(custom("ovs_rx_overload_drops"), UINT64_MAX);
    EF_CHECK_EQ(custom("ovs_rx_priority_packets"), UINT64_MAX);
    ef_counter_set(&rxqs[0].overload_drops, 7);
    EF_CHECK_EQ(custom("ovs_rx_overload_drops"), 7);
    EF_CHECK_EQ(custom("ovs_rx_priority_packets"), 0);
    EF_CHECK_EQ(get_stats().rx_dropped, 12);
    memset(rxqs, 0, sizeof rxqs);

    EF_CHECK_EQ(custom("ovs_tx_retries"), UINT64_MAX);
    EF_CHECK_EQ(custom("ovs_tx_qos_drops"), 0);
    EF_CHECK_EQ(custom("ovs_tx_invalid_hwol_drops"), 0);
    EF_CHECK(custom("rx_q0_packets") != UINT64_MAX);
    EF_CHECK(custom("tx_q1_bytes") != UINT64_MAX);
    EF_CHECK(custom("rx_errors") != UINT64_MAX);
    EF_CHECK_EQ(custom("rx_good_packets"), UINT64_MAX);
    EF_CHECK_EQ(custom("rx_q0_errors"), 0);

    eth.dev.kind = EF_DPDK_VHOST_CLIENT;
    EF_CHECK_EQ(custom("ovs_tx_retries"), 0);
    eth.dev.kind = EF_DPDK_ETH;
    ef_xstats_clear(&eth.xstats);
    EF_CHECK_EQ(custom("rx_q0_packets"), UINT64_MAX);
}

EF_TEST(status)
{
    struct smap status = SMAP_INITIALIZER(&status);

    EF_REQUIRE(start());
    EF_CHECK_EQ(ef_ethdev_get_status(&eth.dev.up, &status), 0);
    EF_CHECK_STR_EQ(smap_get(&status, "driver_name"), "net_null");
    EF_CHECK_STR_EQ(smap_get(&status, "max_rx_pktlen"), "1518");
    EF_CHECK_STR_EQ(smap_get(&status, "if_type"), "6");
    EF_CHECK_STR_EQ(smap_get(&status, "bus_info"), "bus_name=vdev");
    EF_CHECK(smap_get(&status, "if_descr") != NULL);
    EF_CHECK(smap_get(&status, "link_speed") != NULL);
    EF_CHECK(!smap_get(&status, "config-error"));
    EF_CHECK(!smap_get(&status, "rx-steering"));
    EF_CHECK(!smap_get(&status, "dpdk-vf-mac"));
    EF_CHECK_EQ(smap_count(&status), 15);
    smap_clear(&status);

    eth.dev.config_error = "'n_rxq=x': must be a number";
    eth.want.steer_lacp = true;
    EF_CHECK_EQ(ef_ethdev_get_status(&eth.dev.up, &status), 0);
    EF_CHECK_STR_EQ(smap_get(&status, "config-error"),
                    "'n_rxq=x': must be a number");
    EF_CHECK_STR_EQ(smap_get(&status, "rx-steering"), "unsupported");
    smap_clear(&status);

    eth.dev.config_error = NULL;
    eth.steering.is_on = true;
    eth.steering.rxq = 3;
    EF_CHECK_EQ(ef_ethdev_get_status(&eth.dev.up, &status), 0);
    EF_CHECK_STR_EQ(smap_get(&status, "rx_steering_queue"), "3");
    EF_CHECK_STR_EQ(smap_get(&status, "rss_queues"), "0-2");
    EF_CHECK(!smap_get(&status, "rx-steering"));
    smap_destroy(&status);
    eth.want.steer_lacp = eth.steering.is_on = false;
}

EF_TEST(link)
{
    enum netdev_features current, others[3];
    bool carrier;

    EF_REQUIRE(start());
    EF_CHECK_EQ(ef_ethdev_get_carrier(&eth.dev.up, &carrier), 0);
    EF_CHECK(carrier);
    EF_CHECK_EQ(ef_ethdev_get_features(&eth.dev.up, &current, &others[0],
                                       &others[1], &others[2]), 0);
    EF_CHECK(current & NETDEV_F_10GB_FD);
    EF_CHECK_EQ(others[0] | others[1] | others[2], 0);
}

/* Until options name a device. */
EF_TEST(no_device)
{
    struct smap status = SMAP_INITIALIZER(&status);
    uint16_t port_id;
    struct netdev_stats stats;

    EF_REQUIRE(start());
    port_id = eth.port_id;
    eth.port_id = EF_ETHDEV_NONE;
    EF_CHECK_EQ(ef_ethdev_get_stats(&eth.dev.up, &stats), ENODEV);
    EF_CHECK_EQ(ef_ethdev_get_status(&eth.dev.up, &status), ENODEV);
    EF_CHECK_EQ(custom("ovs_tx_qos_drops"), 0);
    eth.port_id = port_id;
    smap_destroy(&status);
}

/* A ring that nobody empties takes 1,023 packets. */
EF_TEST(full)
{
    struct netdev_stats stats;
    uint16_t null_port;

    EF_REQUIRE(start());
    null_port = eth.port_id;
    EF_REQUIRE(start_device("net_ring0", "", 1));
    for (int i = 0; i < 33; i++) {
        send_packets(0, 32, 50, false);
    }
    stats = get_stats();
    EF_CHECK_EQ(stats.tx_packets, 1023);
    EF_CHECK_EQ(stats.tx_dropped, 33);
    EF_CHECK_EQ(custom("ovs_tx_failure_drops"), 33);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 1023);

    rte_eth_dev_stop(eth.port_id);
    rte_eth_dev_close(eth.port_id);
    ef_xstats_clear(&eth.xstats);
    eth.port_id = null_port;
}

EF_TEST_MUST_FAIL(planted_wrong_counter)
{
    EF_REQUIRE(start());
    ef_counter_set(&txqs[1].n.qos_drops, 1);
    EF_CHECK_EQ(custom("ovs_tx_qos_drops"), 0);
}
