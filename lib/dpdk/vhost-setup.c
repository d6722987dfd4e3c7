/* SPDX-License-Identifier: Apache-2.0 */

/* Reconfiguration of a vhost port: another socket, or queues and a pool for
 * the guest that came.  The main thread, while no PMD uses the port.
 *
 * What fails later than a port's first reconfiguration leaves the port as it
 * is, shows in Interface:status and is tried again the next time: an error
 * returned would make the data path delete the port. */

#include <config.h>

#include "dpdk/vhost.h"

#include <stdarg.h>

#include "dpdk/log.h"
#include "userspace-tso.h"
#include "util.h"

/* Sets '*errorp', one of the port's, to a message, or to NULL.  Logs what is
 * new.  Needs dev.mutex. */
static void OVS_PRINTF_FORMAT(3, 4)
set_error(struct ef_vhost *port, char **errorp, const char *format, ...)
{
    char *error = NULL;

    if (format) {
        va_list args;

        va_start(args, format);
        error = xvasprintf(format, args);
        va_end(args);
    }
    if (!nullable_string_is_equal(error, *errorp)) {
        if (error) {
            VLOG_WARN("%s: %s", netdev_get_name(&port->dev.up), error);
        }
        netdev_change_seq_changed(&port->dev.up);
    }
    free(*errorp);
    *errorp = error;
}

static void
note_socket_error(struct ef_vhost *port, const char *path, int error)
{
    switch (error) {
    case 0:
    case EBUSY:
        /* With EBUSY the library lets the path go at this moment. */
        set_error(port, &port->socket_error, NULL);
        break;

    case EEXIST:
        set_error(port, &port->socket_error,
                  "socket '%s' is used by another port", path);
        break;

    default:
        set_error(port, &port->socket_error, "cannot use socket '%s' (%s)",
                  path, ovs_strerror(error));
        break;
    }
}

/* Lets the guest of the former socket go, if any.  No PMD uses it. */
static void
close_socket(struct ef_vhost *port)
{
    ef_vhost_table_remove(port);
    ef_vhost_guest_disconnect(port);
}

/* Moves to the socket that is wanted.  'mutex' is not held while the library
 * is called: its callbacks do not take it, but other threads do, and would
 * wait for locks of the library then. */
static int
change_socket(struct ef_vhost *port)
{
    struct ovs_mutex *mutex = &port->dev.mutex;
    char *path = NULL;
    int error = 0;

    ovs_mutex_lock(mutex);
    if (nullable_string_is_equal(port->path, port->bound_path)) {
        set_error(port, &port->socket_error, NULL);
        ovs_mutex_unlock(mutex);
        return 0;
    }
    path = nullable_xstrdup(port->path);
    free(port->bound_path);
    port->bound_path = NULL;
    ovs_mutex_unlock(mutex);

    close_socket(port);
    if (path) {
        error = ef_vhost_socket_open(port, path);
    }

    ovs_mutex_lock(mutex);
    note_socket_error(port, path, error);
    if (error) {
        free(path);
    } else {
        port->bound_path = path;
    }
    ovs_mutex_unlock(mutex);
    return error == EBUSY || error == EEXIST ? 0 : error;
}

static void
clear_software_counters(struct ef_dpdk_dev *dev)
{
    for (unsigned i = 0; i < dev->n_txqs; i++) {
        struct ef_dpdk_txq_counters *n = &dev->txqs[i].n;

        ef_counter_set(&n->retries, 0);
        ef_counter_set(&n->failure_drops, 0);
        ef_counter_set(&n->mtu_exceeded_drops, 0);
        ef_counter_set(&n->qos_drops, 0);
        ef_counter_set(&n->invalid_hwol_drops, 0);
        ef_counter_set(&n->down_drops, 0);
    }
    for (unsigned i = 0; i < dev->n_rxqs; i++) {
        ef_counter_set(&dev->rxq_counters[i].qos_drops, 0);
        ef_counter_set(&dev->rxq_counters[i].join_drops, 0);
    }
}

static int
set_queues(struct ef_vhost *port, int n)
{
    struct ef_dpdk_dev *dev = &port->dev;
    int error;

    dev->want.n_rxq = n;
    dev->want.n_txq = n;
    error = ef_dpdk_dev_set_queues(dev, n, n);
    if (error) {
        return error;
    }
    ef_vhost_guest_set_counters(port, n);
    clear_software_counters(dev);
    dev->up.n_rxq = n;
    dev->up.n_txq = n;
    ef_vhost_queues_remap(port);
    return 0;
}

/* Whether the pool that a port has is for other options than it has now: what
 * the next guest finds is not looked at when it comes. */
static bool
has_old_pool(const struct ef_dpdk_dev *dev)
{
    return dev->rte_pool
           && (dev->pools.is_stale || dev->mtu != dev->want.mtu);
}

/* A port without a guest needs no pool, but keeps one that it has. */
static int
set_up(struct ef_vhost *port)
{
    struct ef_dpdk_dev *dev = &port->dev;
    struct ef_vhost_guest guest;
    int n, error;

    ef_vhost_guest_get(port, &guest);
    n = MAX(guest.n_queues, 1);
    if (guest.socket_id >= 0) {
        dev->want.socket_id = guest.socket_id;
    }

    error = set_queues(port, n);
    if (error) {
        set_error(port, &port->memory_error, "no memory for %d queues", n);
        return error;
    }
    if (ef_vhost_get_vid(port) >= 0 || has_old_pool(dev)) {
        error = ef_dpdk_dev_set_pool(dev);
        if (error) {
            set_error(port, &port->memory_error,
                      "no packet buffers for MTU %d on NUMA node %d (%s)",
                      dev->want.mtu, dev->want.socket_id,
                      ovs_strerror(error));
        }
    }
    if (!error) {
        set_error(port, &port->memory_error, NULL);
    }
    /* An older pool, smaller or farther away, is better than none. */
    ef_vhost_guest_publish(port, dev->rte_pool ? n : 0, dev->want.socket_id);
    return 0;
}

static void
set_offloads(struct netdev *netdev)
{
    /* What the guest does not take is done in software, so that nothing has
     * to be dropped before it comes here. */
    if (userspace_tso_enabled()) {
        netdev->ol_flags |= EF_DPDK_TX_OFFLOADS;
        VLOG_DBG("%s: TSO enabled on vhost port", netdev_get_name(netdev));
    }
}

int
ef_vhost_reconfigure(struct netdev *netdev)
{
    struct ef_vhost *port = ef_vhost_cast(netdev);
    int error, socket_error;

    set_offloads(netdev);
    socket_error = change_socket(port);

    ovs_mutex_lock(&port->dev.mutex);
    error = set_up(port);
    error = error ? error : socket_error;
    if (port->is_set_up) {
        error = 0;
    } else if (!error) {
        port->is_set_up = true;
    }
    ovs_mutex_unlock(&port->dev.mutex);
    return error;
}
