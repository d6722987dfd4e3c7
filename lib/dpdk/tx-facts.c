/* SPDX-License-Identifier: Apache-2.0 */

/* Collects what is known of the tx queues of ports of DPDK's.
 *
 * Called by show commands on the thread "ctl"; what it returns is a copy. */

#include <config.h>

#include "dpdk/tx-facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpdk/ethdev.h"
#include "dpdk/tx-alarm.h"
#include "netdev.h"
#include "util.h"

static void
propose(struct ef_tx_port_facts *port, int ring_size)
{
    unsigned burst = 0;
    int free_thresh, rs_thresh;

    for (size_t i = 0; i < port->n_queues; i++) {
        burst = MAX(burst, port->queues[i].watch.max_burst);
    }
    if (!burst || (port->thresh.free_source == EF_TX_THRESH_NOT_REPORTED
                   && port->thresh.rs_source == EF_TX_THRESH_NOT_REPORTED)) {
        return;
    }
    ef_tx_thresh_propose(ring_size, burst, &free_thresh, &rs_thresh);
    if (free_thresh != port->thresh.free_thresh
        || rs_thresh != port->thresh.rs_thresh) {
        port->proposed_free = free_thresh;
        port->proposed_rs = rs_thresh;
    }
}

static void
fill_ethdev(struct ef_tx_port_facts *port, const struct ef_dpdk_dev *dev)
{
    const struct ef_ethdev *eth = CONTAINER_OF(dev, struct ef_ethdev, dev);
    struct rte_eth_dev_info info;

    port->watched = ef_tx_watch_is_enabled();
    port->thresh = eth->thresh;
    port->alarm = nullable_xstrdup(ef_tx_alarm_text(dev->alarm));
    if (rte_eth_dev_is_valid_port(eth->port_id)
        && !rte_eth_dev_info_get(eth->port_id, &info)) {
        port->driver = xstrdup(info.driver_name);
    } else {
        port->driver = xstrdup("none");
    }

    port->queues = xcalloc(dev->n_txqs, sizeof *port->queues);
    for (unsigned i = 0; i < dev->n_txqs; i++) {
        struct ef_tx_queue_facts *queue;

        if (dev->txqs[i].watch) {
            queue = &port->queues[port->n_queues++];
            queue->queue = i;
            ef_tx_watch_get(dev->txqs[i].watch, &queue->watch);
        }
    }
    port->unwatchable = dev->n_txqs && !port->n_queues;
    propose(port, dev->txq_size);
}

static void
fill(struct ef_tx_port_facts *port, struct ef_dpdk_dev *dev, int *n_tries)
{
    memset(port, 0, sizeof *port);
    port->name = xstrdup(netdev_get_name(&dev->up));
    port->thresh.free_source = EF_TX_THRESH_NOT_REPORTED;
    port->thresh.rs_source = EF_TX_THRESH_NOT_REPORTED;
    port->copies = dev->kind != EF_DPDK_ETH;
    if (port->copies) {
        port->driver = xstrdup("vhost");
        return;
    }
    if (!ef_dpdk_try_lock(&dev->mutex, n_tries)) {
        port->is_busy = true;
        port->driver = xstrdup("being set up");
        return;
    }
    fill_ethdev(port, dev);
    ovs_mutex_unlock(&dev->mutex);
}

static int
compare(const void *a_, const void *b_)
{
    const struct ef_tx_port_facts *a = a_, *b = b_;

    return strcmp(a->name, b->name);
}

int
ef_tx_facts_get(const char *name, struct ef_tx_port_facts **portsp,
                size_t *np)
{
    struct ef_tx_port_facts *ports = NULL;
    struct ef_dpdk_dev *dev;
    int n_tries = EF_DPDK_TRIES;
    size_t n = 0;

    *portsp = NULL;
    *np = 0;
    if (!ef_dpdk_try_lock(&ef_dpdk_dev_list_mutex, &n_tries)) {
        return EBUSY;
    }
    ports = xcalloc(ovs_list_size(&ef_dpdk_dev_list) + 1, sizeof *ports);
    LIST_FOR_EACH (dev, list_node, &ef_dpdk_dev_list) {
        if (!name || !strcmp(name, netdev_get_name(&dev->up))) {
            fill(&ports[n++], dev, &n_tries);
        }
    }
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);

    if (name && !n) {
        free(ports);
        return ENODEV;
    }
    qsort(ports, n, sizeof *ports, compare);
    *portsp = ports;
    *np = n;
    return 0;
}

void
ef_tx_facts_free(struct ef_tx_port_facts *ports, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(ports[i].name);
        free(ports[i].driver);
        free(ports[i].alarm);
        free(ports[i].queues);
    }
    free(ports);
}
