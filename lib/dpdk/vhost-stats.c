/* SPDX-License-Identifier: Apache-2.0 */

/* Statistics of vhost ports, counted by us under the names that DPDK's vhost
 * library uses.  PMDs count; any thread reads, without a lock of the
 * library. */

#include <config.h>

#include "dpdk/vhost.h"

#include <rte_mbuf.h>

#include "dp-packet.h"
#include "dpdk/ethdev.h"
#include "netdev.h"
#include "packets.h"
#include "util.h"

/* Indexes of 'sizes', after the names below. */
enum {
    SIZE_UNDER_64,
    SIZE_64,
    SIZE_127,
    SIZE_255,
    SIZE_511,
    SIZE_1023,
    SIZE_1518,
    SIZE_MAX_,
};
BUILD_ASSERT_DECL(SIZE_MAX_ == EF_VHOST_N_SIZES - 1);

static const char *const size_names[EF_VHOST_N_SIZES] = {
    "undersize_packets",
    "size_64_packets",
    "size_65_127_packets",
    "size_128_255_packets",
    "size_256_511_packets",
    "size_512_1023_packets",
    "size_1024_1518_packets",
    "size_1519_max_packets",
};
#define N_COUNTERS (4 + EF_VHOST_N_SIZES)

static inline int
size_index(uint32_t len)
{
    if (len > 64 && len < 1024) {
        /* 6 bits and more: 65 to 127 is the first. */
        return SIZE_127 + (31 - __builtin_clz(len) - 6);
    }
    return (len < 64 ? SIZE_UNDER_64
            : len == 64 ? SIZE_64
            : len <= 1518 ? SIZE_1518
            : SIZE_MAX_);
}

void
ef_vhost_count(struct ef_vhost_counters *counters, struct rte_mbuf **mbufs,
               size_t n)
{
    unsigned sizes[EF_VHOST_N_SIZES] = { 0 };
    unsigned n_multicast = 0;
    unsigned n_broadcast = 0;
    uint64_t n_bytes = 0;

    for (size_t i = 0; i < n; i++) {
        const struct eth_addr *dst = rte_pktmbuf_mtod(mbufs[i],
                                                      struct eth_addr *);

        n_bytes += mbufs[i]->pkt_len;
        sizes[size_index(mbufs[i]->pkt_len)]++;
        if (OVS_UNLIKELY(eth_addr_is_multicast(*dst))) {
            if (eth_addr_is_broadcast(*dst)) {
                n_broadcast++;
            } else {
                n_multicast++;
            }
        }
    }

    ef_counter_add(&counters->packets, n);
    ef_counter_add(&counters->bytes, n_bytes);
    if (OVS_UNLIKELY(n_multicast)) {
        ef_counter_add(&counters->multicast, n_multicast);
    }
    if (OVS_UNLIKELY(n_broadcast)) {
        ef_counter_add(&counters->broadcast, n_broadcast);
    }
    for (int i = 0; i < EF_VHOST_N_SIZES; i++) {
        if (sizes[i]) {
            ef_counter_add(&counters->sizes[i], sizes[i]);
        }
    }
}

/* Values of one queue, or sums over some, in the order of their names. */
struct sums {
    uint64_t packets;
    uint64_t bytes;
    uint64_t multicast;
    uint64_t broadcast;
    uint64_t sizes[EF_VHOST_N_SIZES];
};

static void
add(struct sums *sums, const struct ef_vhost_counters *c)
{
    sums->packets += ef_counter_get(&c->packets);
    sums->bytes += ef_counter_get(&c->bytes);
    sums->multicast += ef_counter_get(&c->multicast);
    sums->broadcast += ef_counter_get(&c->broadcast);
    for (int i = 0; i < EF_VHOST_N_SIZES; i++) {
        sums->sizes[i] += ef_counter_get(&c->sizes[i]);
    }
}

static void
fill_rx(struct netdev_stats *stats, const struct sums *sums)
{
    stats->rx_packets = sums->packets;
    stats->rx_bytes = sums->bytes;
    stats->multicast = sums->multicast;
    stats->rx_broadcast_packets = sums->broadcast;
    stats->rx_1_to_64_packets = (sums->sizes[SIZE_UNDER_64]
                                 + sums->sizes[SIZE_64]);
    stats->rx_65_to_127_packets = sums->sizes[SIZE_127];
    stats->rx_128_to_255_packets = sums->sizes[SIZE_255];
    stats->rx_256_to_511_packets = sums->sizes[SIZE_511];
    stats->rx_512_to_1023_packets = sums->sizes[SIZE_1023];
    stats->rx_1024_to_1522_packets = sums->sizes[SIZE_1518];
    stats->rx_1523_to_max_packets = sums->sizes[SIZE_MAX_];
}

static void
fill_tx(struct netdev_stats *stats, const struct sums *sums)
{
    stats->tx_packets = sums->packets;
    stats->tx_bytes = sums->bytes;
    stats->tx_multicast_packets = sums->multicast;
    stats->tx_broadcast_packets = sums->broadcast;
    stats->tx_1_to_64_packets = (sums->sizes[SIZE_UNDER_64]
                                 + sums->sizes[SIZE_64]);
    stats->tx_65_to_127_packets = sums->sizes[SIZE_127];
    stats->tx_128_to_255_packets = sums->sizes[SIZE_255];
    stats->tx_256_to_511_packets = sums->sizes[SIZE_511];
    stats->tx_512_to_1023_packets = sums->sizes[SIZE_1023];
    stats->tx_1024_to_1522_packets = sums->sizes[SIZE_1518];
    stats->tx_1523_to_max_packets = sums->sizes[SIZE_MAX_];
}

int
ef_vhost_get_stats(const struct netdev *netdev, struct netdev_stats *stats)
{
    struct ef_vhost *port = ef_vhost_cast(netdev);
    struct sums rx = { .packets = 0 };
    struct sums tx = { .packets = 0 };
    bool is_running;

    ovs_mutex_lock(&port->dev.mutex);
    is_running = ef_vhost_is_running(port);
    if (is_running) {
        for (int i = 0; i < port->n_counters; i++) {
            add(&rx, &port->rx_counters[i]);
            add(&tx, &port->tx_counters[i]);
        }
        fill_rx(stats, &rx);
        fill_tx(stats, &tx);
        ef_dpdk_sum_drops(&port->dev, &stats->rx_dropped, &stats->tx_dropped);
    } else if (port->memory_error && ef_vhost_get_vid(port) >= 0) {
        /* Statistics are read every few seconds: as often as a guest for
         * which there was no memory gets another chance. */
        netdev_request_reconfigure(&port->dev.up);
    }
    ovs_mutex_unlock(&port->dev.mutex);
    return is_running ? 0 : EPROTO;
}

static void
append(struct netdev_custom_stats *stats, const char *direction, int queue,
       const char *name, uint64_t value)
{
    struct netdev_custom_counter *counter = &stats->counters[stats->size++];

    snprintf(counter->name, sizeof counter->name, "%s_q%d_%s",
             direction, queue, name);
    counter->value = value;
}

static void
append_queue(struct netdev_custom_stats *stats, const char *direction,
             int queue, const struct ef_vhost_counters *counters)
{
    struct sums sums = { .packets = 0 };

    add(&sums, counters);
    append(stats, direction, queue, "good_packets", sums.packets);
    append(stats, direction, queue, "good_bytes", sums.bytes);
    append(stats, direction, queue, "multicast_packets", sums.multicast);
    append(stats, direction, queue, "broadcast_packets", sums.broadcast);
    for (int i = 0; i < EF_VHOST_N_SIZES; i++) {
        append(stats, direction, queue, size_names[i], sums.sizes[i]);
    }
}

int
ef_vhost_get_custom_stats(const struct netdev *netdev,
                          struct netdev_custom_stats *stats)
{
    struct ef_vhost *port = ef_vhost_cast(netdev);

    ovs_mutex_lock(&port->dev.mutex);
    ef_dpdk_append_sw_stats(&port->dev, stats);
    if (ef_vhost_is_running(port)) {
        size_t n = stats->size + 2 * N_COUNTERS * port->n_counters;

        stats->counters = xrealloc(stats->counters,
                                   n * sizeof *stats->counters);
        for (int i = 0; i < port->n_counters; i++) {
            append_queue(stats, "rx", i, &port->rx_counters[i]);
        }
        for (int i = 0; i < port->n_counters; i++) {
            append_queue(stats, "tx", i, &port->tx_counters[i]);
        }
    }
    ovs_mutex_unlock(&port->dev.mutex);
    return 0;
}
