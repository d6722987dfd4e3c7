/* SPDX-License-Identifier: Apache-2.0 */

/* Counters of vhost ports: packets in, counters out, and the names and sums
 * that they are shown as. */

#include <config.h>

#include "dpdk/vhost.h"

#include <rte_mbuf.h>

#include "ef-test.h"
#include "netdev.h"
#include "seq.h"

/* A buffer with nothing behind it but an Ethernet header. */
struct fake_packet {
    struct rte_mbuf mbuf;
    uint8_t data[16];
};

static struct rte_mbuf *
make_packet(struct fake_packet *packet, uint32_t len, uint8_t first,
            uint8_t rest)
{
    memset(packet, 0, sizeof *packet);
    memset(packet->data, rest, 6);
    packet->data[0] = first;
    packet->mbuf.buf_addr = packet->data;
    packet->mbuf.pkt_len = len;
    return &packet->mbuf;
}

EF_TEST(sizes)
{
    static const struct {
        uint32_t len;
        int size;
    } cases[] = {
        { 14, 0 }, { 63, 0 }, { 64, 1 }, { 65, 2 }, { 127, 2 }, { 128, 3 },
        { 255, 3 }, { 256, 4 }, { 511, 4 }, { 512, 5 }, { 1023, 5 },
        { 1024, 6 }, { 1518, 6 }, { 1519, 7 }, { 65535, 7 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct ef_vhost_counters c;
        struct fake_packet packet;
        struct rte_mbuf *mbuf = make_packet(&packet, cases[i].len, 2, 0);

        memset(&c, 0, sizeof c);
        ef_vhost_count(&c, &mbuf, 1);
        EF_CHECK_EQ(ef_counter_get(&c.packets), 1);
        EF_CHECK_EQ(ef_counter_get(&c.bytes), cases[i].len);
        EF_CHECK_EQ(ef_counter_get(&c.multicast), 0);
        EF_CHECK_EQ(ef_counter_get(&c.broadcast), 0);
        for (int j = 0; j < EF_VHOST_N_SIZES; j++) {
            EF_CHECK_EQ(ef_counter_get(&c.sizes[j]), j == cases[i].size);
        }
    }
}

/* Three packets: unicast, multicast, broadcast. */
static void
count_three(struct ef_vhost_counters *c)
{
    struct fake_packet packets[3];
    struct rte_mbuf *mbufs[3];

    mbufs[0] = make_packet(&packets[0], 60, 0x02, 0x55);
    mbufs[1] = make_packet(&packets[1], 64, 0x01, 0x00);
    mbufs[2] = make_packet(&packets[2], 1500, 0xff, 0xff);
    ef_vhost_count(c, mbufs, 3);
}

EF_TEST(kinds)
{
    struct ef_vhost_counters c;

    memset(&c, 0, sizeof c);
    count_three(&c);
    count_three(&c);
    ef_vhost_count(&c, NULL, 0);
    EF_CHECK_EQ(ef_counter_get(&c.packets), 6);
    EF_CHECK_EQ(ef_counter_get(&c.bytes), 2 * (60 + 64 + 1500));
    EF_CHECK_EQ(ef_counter_get(&c.multicast), 2);
    EF_CHECK_EQ(ef_counter_get(&c.broadcast), 2);
}

static struct ef_vhost *
new_port(int n)
{
    struct ef_vhost *port = xzalloc_cacheline(sizeof *port);

    ovs_mutex_init(&port->dev.mutex);
    port->dev.kind = EF_DPDK_VHOST_CLIENT;
    port->dev.up.reconfigure_seq = seq_create();
    ovsrcu_index_init(&port->vid, -1);
    ef_vhost_queues_init(port);
    ef_vhost_guest_set_counters(port, n);
    ef_vhost_guest_publish(port, n, 0);
    return port;
}

static void
free_port(struct ef_vhost *port)
{
    ef_vhost_queues_destroy(port);
    ovs_mutex_destroy(&port->dev.mutex);
    seq_destroy(port->dev.up.reconfigure_seq);
    free_cacheline(port->rx_counters);
    free_cacheline(port->tx_counters);
    free(port->memory_error);
    free_cacheline(port);
}

static void
connect_guest(struct ef_vhost *port, int n)
{
    struct ef_vhost_guest guest = { .n_queues = n, .socket_id = -1 };

    ef_vhost_guest_set(port, 1, &guest);
}

EF_TEST(sums_over_queues)
{
    struct ef_vhost *port = new_port(2);
    struct netdev_stats stats;

    memset(&stats, 0xff, sizeof stats);
    EF_CHECK_EQ(ef_vhost_get_stats(&port->dev.up, &stats), EPROTO);
    connect_guest(port, 2);
    count_three(&port->rx_counters[0]);
    count_three(&port->rx_counters[1]);
    count_three(&port->tx_counters[1]);
    EF_CHECK_EQ(ef_vhost_get_stats(&port->dev.up, &stats), 0);
    EF_CHECK_EQ(stats.rx_packets, 6);
    EF_CHECK_EQ(stats.rx_bytes, 2 * 1624);
    EF_CHECK_EQ(stats.multicast, 2);
    EF_CHECK_EQ(stats.rx_broadcast_packets, 2);
    EF_CHECK_EQ(stats.rx_1_to_64_packets, 4);
    EF_CHECK_EQ(stats.rx_1024_to_1522_packets, 2);
    EF_CHECK_EQ(stats.rx_dropped, 0);
    EF_CHECK_EQ(stats.tx_packets, 3);
    EF_CHECK_EQ(stats.tx_multicast_packets, 1);
    EF_CHECK_EQ(stats.tx_broadcast_packets, 1);
    EF_CHECK_EQ(stats.tx_1_to_64_packets, 2);
    /* Not counted. */
    EF_CHECK_EQ(stats.rx_undersized_errors, UINT64_MAX);
    EF_CHECK_EQ(stats.rx_errors, UINT64_MAX);
    free_port(port);
}

static uint64_t
custom(const struct netdev_custom_stats *stats, const char *name)
{
    for (int i = 0; i < stats->size; i++) {
        if (!strcmp(stats->counters[i].name, name)) {
            return stats->counters[i].value;
        }
    }
    return UINT64_MAX;
}

EF_TEST(custom_names)
{
    struct ef_vhost *port = new_port(2);
    struct netdev_custom_stats stats;

    memset(&stats, 0, sizeof stats);
    EF_CHECK_EQ(ef_vhost_get_custom_stats(&port->dev.up, &stats), 0);
    EF_CHECK_EQ(custom(&stats, "rx_q0_good_packets"), UINT64_MAX);
    netdev_free_custom_stats_counters(&stats);

    connect_guest(port, 2);
    count_three(&port->rx_counters[1]);
    count_three(&port->tx_counters[0]);
    memset(&stats, 0, sizeof stats);
    EF_CHECK_EQ(ef_vhost_get_custom_stats(&port->dev.up, &stats), 0);
    EF_CHECK_EQ(custom(&stats, "rx_q0_good_packets"), 0);
    EF_CHECK_EQ(custom(&stats, "rx_q1_good_packets"), 3);
    EF_CHECK_EQ(custom(&stats, "rx_q1_good_bytes"), 1624);
    EF_CHECK_EQ(custom(&stats, "rx_q1_multicast_packets"), 1);
    EF_CHECK_EQ(custom(&stats, "rx_q1_broadcast_packets"), 1);
    EF_CHECK_EQ(custom(&stats, "rx_q1_undersize_packets"), 1);
    EF_CHECK_EQ(custom(&stats, "rx_q1_size_64_packets"), 1);
    EF_CHECK_EQ(custom(&stats, "rx_q1_size_1024_1518_packets"), 1);
    EF_CHECK_EQ(custom(&stats, "tx_q0_good_packets"), 3);
    EF_CHECK_EQ(custom(&stats, "tx_q1_size_1519_max_packets"), 0);
    netdev_free_custom_stats_counters(&stats);
    free_port(port);
}

/* A guest for which there was no memory gets another chance. */
EF_TEST(reading_retries)
{
    struct ef_vhost *port = new_port(1);
    struct netdev_stats stats;
    uint64_t before;

    ef_vhost_guest_publish(port, 0, 0);
    connect_guest(port, 1);
    before = seq_read(port->dev.up.reconfigure_seq);
    EF_CHECK_EQ(ef_vhost_get_stats(&port->dev.up, &stats), EPROTO);
    EF_CHECK_EQ(seq_read(port->dev.up.reconfigure_seq), before);
    port->memory_error = xstrdup("no memory");
    EF_CHECK_EQ(ef_vhost_get_stats(&port->dev.up, &stats), EPROTO);
    EF_CHECK(seq_read(port->dev.up.reconfigure_seq) != before);
    free_port(port);
}

/* Planted: a packet counted twice. */
EF_TEST_MUST_FAIL(counted_twice)
{
    struct ef_vhost_counters c;

    memset(&c, 0, sizeof c);
    count_three(&c);
    count_three(&c);
    EF_CHECK_EQ(ef_counter_get(&c.packets), 3);
}
