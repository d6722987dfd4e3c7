/* SPDX-License-Identifier: Apache-2.0 */

/* The driver's own statistics: those with a place in struct netdev_stats, and
 * those that are shown under the driver's names.
 *
 * Main thread, with the port's mutex.  Names are asked for once, after the
 * port was started, and again when the driver's number of them changes. */

#include <config.h>

#include "dpdk/ethdev.h"

#include "dpdk/log.h"
#include "netdev.h"

static const struct {
    const char *name;
    size_t ofs;
} standard[] = {
#define STANDARD(NAME, MEMBER) \
    { NAME, offsetof(struct netdev_stats, MEMBER) }
    STANDARD("rx_multicast_packets", multicast),
    STANDARD("rx_broadcast_packets", rx_broadcast_packets),
    STANDARD("rx_undersized_errors", rx_undersized_errors),
    STANDARD("rx_oversize_errors", rx_oversize_errors),
    STANDARD("rx_fragmented_errors", rx_fragmented_errors),
    STANDARD("rx_jabber_errors", rx_jabber_errors),
    STANDARD("rx_size_64_packets", rx_1_to_64_packets),
    STANDARD("rx_size_65_to_127_packets", rx_65_to_127_packets),
    STANDARD("rx_size_128_to_255_packets", rx_128_to_255_packets),
    STANDARD("rx_size_256_to_511_packets", rx_256_to_511_packets),
    STANDARD("rx_size_512_to_1023_packets", rx_512_to_1023_packets),
    STANDARD("rx_size_1024_to_1522_packets", rx_1024_to_1522_packets),
    STANDARD("rx_size_1523_to_max_packets", rx_1523_to_max_packets),
    STANDARD("tx_multicast_packets", tx_multicast_packets),
    STANDARD("tx_broadcast_packets", tx_broadcast_packets),
    STANDARD("tx_size_64_packets", tx_1_to_64_packets),
    STANDARD("tx_size_65_to_127_packets", tx_65_to_127_packets),
    STANDARD("tx_size_128_to_255_packets", tx_128_to_255_packets),
    STANDARD("tx_size_256_to_511_packets", tx_256_to_511_packets),
    STANDARD("tx_size_512_to_1023_packets", tx_512_to_1023_packets),
    STANDARD("tx_size_1024_to_1522_packets", tx_1024_to_1522_packets),
    STANDARD("tx_size_1523_to_max_packets", tx_1523_to_max_packets),
#undef STANDARD
};

/* "rx_q0_packets", "tx_q12_bytes" and the like. */
static bool
is_queue_counter(const char *name)
{
    unsigned queue;
    int n = 0;

    return (name[0] == 'r' || name[0] == 't')
           && ovs_scan(name + 1, "x_q%u_%n", &queue, &n) && n
           && (!strncmp(name + 1 + n, "packets", strlen("packets"))
               || !strncmp(name + 1 + n, "bytes", strlen("bytes")));
}

static bool
is_shown(const char *name)
{
    return is_queue_counter(name)
           || string_ends_with(name, "_errors")
           || string_ends_with(name, "_dropped")
           || strstr(name, "_management_");
}

void
ef_xstats_clear(struct ef_xstats *xstats)
{
    free(xstats->names);
    free(xstats->ids);
    memset(xstats, 0, sizeof *xstats);
}

void
ef_xstats_learn(struct ef_ethdev *eth)
{
    struct ef_xstats *xstats = &eth->xstats;
    int n = rte_eth_xstats_get_names(eth->port_id, NULL, 0);

    ef_xstats_clear(xstats);
    if (n > 0) {
        xstats->names = xcalloc(n, sizeof *xstats->names);
        xstats->n_names = n;
        n = rte_eth_xstats_get_names(eth->port_id, xstats->names, n);
    }
    if (n < 0 || n != xstats->n_names) {
        VLOG_WARN("Cannot get XSTATS names for port: %"PRIu16, eth->port_id);
        ef_xstats_clear(xstats);
        return;
    }
    /* A counter's id is its place among the names. */
    xstats->ids = xcalloc(n, sizeof *xstats->ids);
    for (int id = 0; id < n; id++) {
        if (is_shown(xstats->names[id].name)) {
            xstats->ids[xstats->n_ids++] = id;
        }
    }
}

static void
set_standard(struct netdev_stats *stats, const char *name, uint64_t value)
{
    for (size_t i = 0; i < ARRAY_SIZE(standard); i++) {
        if (!strcmp(standard[i].name, name)) {
            memcpy((char *) stats + standard[i].ofs, &value, sizeof value);
            return;
        }
    }
}

/* Returns the number of values in '*valuesp', which the caller frees, in
 * accordance with the names known, or a negative number. */
static int
get_all(struct ef_ethdev *eth, struct rte_eth_xstat **valuesp)
{
    int n = rte_eth_xstats_get(eth->port_id, NULL, 0);

    if (n != eth->xstats.n_names) {
        ef_xstats_learn(eth);
        n = eth->xstats.n_names;
    }
    if (!n) {
        *valuesp = NULL;
        return 0;
    }
    *valuesp = xcalloc(n, sizeof **valuesp);
    return rte_eth_xstats_get(eth->port_id, *valuesp, n);
}

void
ef_xstats_get_standard(struct ef_ethdev *eth, struct netdev_stats *stats)
{
    struct ef_xstats *xstats = &eth->xstats;
    struct rte_eth_xstat *values;
    int n = get_all(eth, &values);

    if (n < 0 || n > xstats->n_names) {
        VLOG_WARN("Cannot get XSTATS values for port: %"PRIu16,
                  eth->port_id);
        n = 0;
    }
    for (int i = 0; i < n; i++) {
        if (values[i].id < xstats->n_names) {
            set_standard(stats, xstats->names[values[i].id].name,
                         values[i].value);
        }
    }
    free(values);
}

void
ef_xstats_append(struct ef_ethdev *eth, struct netdev_custom_stats *stats)
{
    struct ef_xstats *xstats = &eth->xstats;
    uint64_t *values;
    int n;

    if (!xstats->n_ids) {
        return;
    }
    values = xcalloc(xstats->n_ids, sizeof *values);
    n = rte_eth_xstats_get_by_id(eth->port_id, xstats->ids, values,
                                 xstats->n_ids);
    if (n <= 0 || n > xstats->n_ids) {
        VLOG_WARN("Cannot get XSTATS values for port: %"PRIu16,
                  eth->port_id);
        n = 0;
    }
    stats->counters = xrealloc(stats->counters, (stats->size + n)
                               * sizeof *stats->counters);
    for (int i = 0; i < n; i++) {
        struct netdev_custom_counter *counter;

        counter = &stats->counters[stats->size++];
        ovs_strlcpy(counter->name, xstats->names[xstats->ids[i]].name,
                    sizeof counter->name);
        counter->value = values[i];
    }
    free(values);
}
