/* SPDX-License-Identifier: Apache-2.0 */

/* Statistics of ports of type=dpdk, and what is counted by us for ports of
 * any type.
 *
 * Called by the main thread.  The driver is asked with the port's mutex held,
 * which the packet path never takes. */

#include <config.h>

#include "dpdk/ethdev.h"

#include "dpdk/log.h"
#include "dpdk/tx-watch.h"
#include "netdev.h"

static void
get_basic(const struct rte_eth_stats *from, struct netdev_stats *to)
{
    to->rx_packets = from->ipackets;
    to->rx_bytes = from->ibytes;
    to->rx_errors = from->ierrors;
    to->tx_packets = from->opackets;
    to->tx_bytes = from->obytes;
    to->tx_errors = from->oerrors;
    to->rx_missed_errors = from->imissed;
}

int
ef_ethdev_get_stats(const struct netdev *netdev, struct netdev_stats *stats)
{
    struct ef_ethdev *eth = ef_ethdev_cast(netdev);
    struct rte_eth_stats driver;
    int error = 0;

    ovs_mutex_lock(&eth->dev.mutex);
    if (eth->port_id == EF_ETHDEV_NONE) {
        error = ENODEV;
    } else if (rte_eth_stats_get(eth->port_id, &driver)) {
        VLOG_ERR("Can't get ETH statistics for port: %"PRIu16, eth->port_id);
        error = EPROTO;
    } else {
        ef_ethdev_check_link(eth);
        ef_xstats_get_standard(eth, stats);
        get_basic(&driver, stats);
        ef_dpdk_sum_drops(&eth->dev, &stats->rx_dropped, &stats->tx_dropped);
        /* No buffer in the pool; no descriptor in the ring. */
        stats->rx_dropped += driver.rx_nombuf + driver.imissed;
    }
    ovs_mutex_unlock(&eth->dev.mutex);
    return error;
}

static void append(struct netdev_custom_stats *, const char *name,
                   uint64_t value);

/* Appends what became of sent packets; what is not known is left out. */
static void
append_tx_watch(const struct ef_dpdk_dev *dev,
                struct netdev_custom_stats *stats)
{
    uint64_t in_flight = 0, ring_used = 0, n_completed = 0;
    bool knows_flight = dev->n_txqs > 0, knows_ring = dev->n_txqs > 0;
    enum { N_MAX = 3 };

    for (unsigned i = 0; i < dev->n_txqs; i++) {
        struct ef_tx_watch_stats watch = { .in_flight = EF_TX_UNKNOWN,
                                           .ring_used = EF_TX_UNKNOWN };

        if (dev->txqs[i].watch) {
            ef_tx_watch_get_flow(dev->txqs[i].watch, &watch);
        }
        knows_flight &= watch.in_flight != EF_TX_UNKNOWN;
        knows_ring &= watch.ring_used != EF_TX_UNKNOWN;
        in_flight += watch.in_flight;
        ring_used += watch.ring_used;
        n_completed += watch.n_completed;
    }
    stats->counters = xrealloc(stats->counters, (stats->size + N_MAX)
                               * sizeof *stats->counters);
    if (knows_flight) {
        append(stats, "ovs_tx_inflight", in_flight);
        append(stats, "ovs_tx_completed", n_completed);
    }
    if (knows_ring) {
        append(stats, "ovs_tx_ring_used", ring_used);
    }
}

int
ef_ethdev_get_custom_stats(const struct netdev *netdev,
                           struct netdev_custom_stats *stats)
{
    struct ef_ethdev *eth = ef_ethdev_cast(netdev);

    ovs_mutex_lock(&eth->dev.mutex);
    ef_dpdk_append_sw_stats(&eth->dev, stats);
    append_tx_watch(&eth->dev, stats);
    ef_xstats_append(eth, stats);
    ovs_mutex_unlock(&eth->dev.mutex);
    return 0;
}

/* Counted by us, in ports of any type. */

/* Sums over the queues.  A queue's counters go on while this runs: each value
 * is one that the counter had, which is all that statistics promise. */
struct sums {
    uint64_t tx_retries;
    uint64_t tx_failure_drops;
    uint64_t tx_mtu_exceeded_drops;
    uint64_t tx_qos_drops;
    uint64_t tx_invalid_hwol_drops;
    uint64_t tx_down_drops;
    uint64_t rx_qos_drops;
    uint64_t rx_join_drops;
    uint64_t rx_overload_drops;
    uint64_t rx_priority_packets;
};

static struct sums
sum_queues(const struct ef_dpdk_dev *dev)
{
    struct sums s = { 0 };

    for (unsigned i = 0; i < dev->n_txqs; i++) {
        const struct ef_dpdk_txq_counters *n = &dev->txqs[i].n;

        s.tx_retries += ef_counter_get(&n->retries);
        s.tx_failure_drops += ef_counter_get(&n->failure_drops);
        s.tx_mtu_exceeded_drops += ef_counter_get(&n->mtu_exceeded_drops);
        s.tx_qos_drops += ef_counter_get(&n->qos_drops);
        s.tx_invalid_hwol_drops += ef_counter_get(&n->invalid_hwol_drops);
        s.tx_down_drops += ef_counter_get(&n->down_drops);
    }
    for (unsigned i = 0; i < dev->n_rxqs; i++) {
        const struct ef_dpdk_rxq_counters *n = &dev->rxq_counters[i];

        s.rx_qos_drops += ef_counter_get(&n->qos_drops);
        s.rx_join_drops += ef_counter_get(&n->join_drops);
        s.rx_overload_drops += ef_counter_get(&n->overload_drops);
        s.rx_priority_packets += ef_counter_get(&n->priority_packets);
    }
    return s;
}

static void
append(struct netdev_custom_stats *stats, const char *name, uint64_t value)
{
    struct netdev_custom_counter *counter = &stats->counters[stats->size++];

    ovs_strlcpy(counter->name, name, sizeof counter->name);
    counter->value = value;
}

void
ef_dpdk_append_sw_stats(const struct ef_dpdk_dev *dev,
                        struct netdev_custom_stats *stats)
{
    struct sums s = sum_queues(dev);
    enum { N_MAX = 9 };

    stats->counters = xrealloc(stats->counters, (stats->size + N_MAX)
                               * sizeof *stats->counters);
    if (dev->kind != EF_DPDK_ETH) {
        append(stats, "ovs_tx_retries", s.tx_retries);
    }
    append(stats, "ovs_tx_failure_drops", s.tx_failure_drops);
    append(stats, "ovs_tx_mtu_exceeded_drops", s.tx_mtu_exceeded_drops);
    append(stats, "ovs_tx_qos_drops", s.tx_qos_drops);
    append(stats, "ovs_rx_qos_drops", s.rx_qos_drops);
    append(stats, "ovs_tx_invalid_hwol_drops", s.tx_invalid_hwol_drops);
    /* Readers know the names above and expect no other without need. */
    if (s.rx_overload_drops || s.rx_priority_packets) {
        append(stats, "ovs_rx_overload_drops", s.rx_overload_drops);
        append(stats, "ovs_rx_priority_packets", s.rx_priority_packets);
    }
    if (s.rx_join_drops) {
        append(stats, "ovs_rx_join_drops", s.rx_join_drops);
    }
}

void
ef_dpdk_sum_drops(const struct ef_dpdk_dev *dev, uint64_t *rx, uint64_t *tx)
{
    struct sums s = sum_queues(dev);

    *rx = s.rx_qos_drops + s.rx_join_drops + s.rx_overload_drops;
    *tx = s.tx_failure_drops + s.tx_mtu_exceeded_drops + s.tx_qos_drops
          + s.tx_invalid_hwol_drops + s.tx_down_drops;
}
