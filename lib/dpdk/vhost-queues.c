/* SPDX-License-Identifier: Apache-2.0 */

/* Which queues of a vhost port the guest has enabled, and which of them each
 * tx queue of ours goes to.  The library's callbacks tell changes, with its
 * queue locks held, and the main thread new numbers of queues; PMDs read the
 * result without a lock. */

#include <config.h>

#include "dpdk/vhost.h"

#include "dpdk/log.h"
#include "openvswitch/dynamic-string.h"
#include "util.h"

void
ef_vhost_queues_init(struct ef_vhost *port)
{
    ovs_mutex_init(&port->queues_mutex);
    port->tx_map = xcalloc(EF_VHOST_MAX_QUEUES, sizeof *port->tx_map);
    port->rxq_enabled = xcalloc(EF_VHOST_MAX_QUEUES,
                                sizeof *port->rxq_enabled);
    port->txq_enabled = xcalloc(EF_VHOST_MAX_QUEUES,
                                sizeof *port->txq_enabled);
    for (int i = 0; i < EF_VHOST_MAX_QUEUES; i++) {
        atomic_init(&port->tx_map[i], -1);
        atomic_init(&port->rxq_enabled[i], false);
    }
    ovs_mutex_lock(&port->queues_mutex);
    ef_vhost_queues_reset(port);
    ovs_mutex_unlock(&port->queues_mutex);
}

void
ef_vhost_queues_destroy(struct ef_vhost *port)
{
    free(port->tx_map);
    free(port->rxq_enabled);
    free(port->txq_enabled);
    port->tx_map = NULL;
    port->rxq_enabled = NULL;
    port->txq_enabled = NULL;
    ovs_mutex_destroy(&port->queues_mutex);
}

/* Needs queues_mutex.  Enabled queues are their own, the others take turns
 * over them.  PMDs may see some entries of the old map and some of the new
 * one: each is a queue that was enabled a moment ago, and the library drops
 * what is sent to one that is not. */
static void
remap(struct ef_vhost *port)
{
    int enabled[EF_VHOST_MAX_QUEUES];
    int n_enabled = 0;
    int next = 0;

    for (int i = 0; i < port->n_txq; i++) {
        if (port->txq_enabled[i]) {
            enabled[n_enabled++] = i;
        }
    }
    for (int i = 0; i < port->n_txq; i++) {
        int to = -1;

        if (port->txq_enabled[i]) {
            to = i;
        } else if (n_enabled) {
            to = enabled[next++ % n_enabled];
        }
        atomic_store_relaxed(&port->tx_map[i], to);
    }
}

/* Holding no lock of ours but the table's. */
static void
log_map(const struct ef_vhost *port, int n_txq)
{
    struct ds s = DS_EMPTY_INITIALIZER;

    if (!VLOG_IS_DBG_ENABLED()) {
        return;
    }
    ds_put_format(&s, "TX queue mapping for port '%s':\n",
                  netdev_get_name(&port->dev.up));
    for (int i = 0; i < n_txq; i++) {
        int to;

        atomic_read_relaxed(&port->tx_map[i], &to);
        ds_put_format(&s, "%2d --> %2d\n", i, to);
    }
    VLOG_DBG("%s", ds_cstr(&s));
    ds_destroy(&s);
}

void
ef_vhost_queues_reset(struct ef_vhost *port)
{
    for (int i = 0; i < EF_VHOST_MAX_QUEUES; i++) {
        port->txq_enabled[i] = !i;
        atomic_store_relaxed(&port->rxq_enabled[i], !i);
    }
    remap(port);
}

/* A guest may bring a queue that it did not have when it came. */
static bool
grow_guest(struct ef_vhost *port, int queue)
{
    if (ovsrcu_index_get(&port->vid) < 0 || queue < port->guest.n_queues) {
        return false;
    }
    port->guest.n_queues = queue + 1;
    return true;
}

void
ef_vhost_queue_changed(struct ef_vhost *port, unsigned vring, bool enabled)
{
    bool is_rx = vring == ef_vhost_rx_vring(vring / 2);
    bool grown = false;
    bool was = enabled;
    int queue = vring / 2;
    int n_txq;

    if (queue >= EF_VHOST_MAX_QUEUES) {
        return;
    }

    ovs_mutex_lock(&port->queues_mutex);
    if (is_rx) {
        atomic_read_relaxed(&port->rxq_enabled[queue], &was);
        atomic_store_relaxed(&port->rxq_enabled[queue], enabled);
    } else {
        port->txq_enabled[queue] = enabled;
        remap(port);
    }
    if (enabled) {
        grown = grow_guest(port, queue);
    }
    n_txq = port->n_txq;
    ovs_mutex_unlock(&port->queues_mutex);

    if (!is_rx) {
        log_map(port, n_txq);
    }
    if (grown) {
        netdev_request_reconfigure(&port->dev.up);
    }
    if (was != enabled) {
        /* PMDs poll enabled queues only. */
        netdev_change_seq_changed(&port->dev.up);
    }
}

void
ef_vhost_queues_remap(struct ef_vhost *port)
{
    int n_txq = MIN(port->dev.up.n_txq, EF_VHOST_MAX_QUEUES);

    ovs_mutex_lock(&port->queues_mutex);
    port->n_txq = n_txq;
    remap(port);
    ovs_mutex_unlock(&port->queues_mutex);
    log_map(port, n_txq);
}
