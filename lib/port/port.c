/* SPDX-License-Identifier: Apache-2.0 */

/* A port: opens a device, applies its configuration, closes it; and counts
 * which transmit queue is used by how many threads.
 *
 * The main thread does everything except ef_port_txq_get() and
 * ef_port_txq_put(), which PMDs call. */

#include <config.h>

#include "port/port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "core/params.h"
#include "dp-packet.h"
#include "netdev.h"
#include "ovs-numa.h"
#include "util.h"

static void close_rxqs(struct ef_port *);
static int open_rxqs(struct ef_port *);
static void reset_txq_users(struct ef_port *, unsigned n_txq);
static int apply_affinity(struct ef_port *, const char *list);

int
ef_port_open(const char *name, const char *type, odp_port_t port_no,
             struct ef_port **portp)
{
    enum netdev_flags flags;
    struct netdev *netdev;
    struct ef_port *port;
    int error;

    *portp = NULL;
    error = netdev_open(name, type, &netdev);
    if (error) {
        return error;
    }

    /* A device that cannot tell its flags reports none. */
    netdev_get_flags(netdev, &flags);
    if (flags & NETDEV_LOOPBACK) {
        VLOG_ERR("%s: cannot add a loopback device", name);
        netdev_close(netdev);
        return EINVAL;
    }

    port = xzalloc(sizeof *port);
    port->netdev = netdev;
    port->type = xstrdup(type);
    port->port_no = port_no;
    port->emc_enabled = true;
    port->need_reconfigure = true;
    port->txq_mode = EF_TXQ_STATIC;
    ovs_mutex_init(&port->txq_users.mutex);
    atomic_init(&port->output.latency_target_us, EF_LATENCY_TARGET_UNSET);
    atomic_init(&port->output.output_batch, NETDEV_MAX_BURST);
    *portp = port;
    return 0;
}

void
ef_port_destroy(struct ef_port *port)
{
    if (!port) {
        return;
    }
    close_rxqs(port);
    free(port->rxqs);
    reset_txq_users(port, 0);
    ovs_mutex_destroy(&port->txq_users.mutex);
    netdev_restore_flags(port->saved_flags);
    netdev_close(port->netdev);
    free(port->affinity_list);
    free(port->type);
    free(port);
}

int
ef_port_set_promisc(struct ef_port *port)
{
    int error;

    if (port->saved_flags) {
        return 0;
    }
    error = netdev_turn_flags_on(port->netdev, NETDEV_PROMISC,
                                 &port->saved_flags);
    if (error) {
        VLOG_ERR("%s: cannot set promisc flag",
                 netdev_get_name(port->netdev));
    }
    return error;
}

static enum ef_txq_mode
wanted_txq_mode(const struct ef_port *port, unsigned n_threads)
{
    int n_txq = netdev_n_txq(port->netdev);

    if (port->hash_requested && n_txq > 1) {
        return EF_TXQ_HASH;
    }
    return n_txq < n_threads ? EF_TXQ_XPS : EF_TXQ_STATIC;
}

bool
ef_port_needs_setup(const struct ef_port *port)
{
    return port->need_reconfigure || netdev_is_reconf_required(port->netdev);
}

bool
ef_port_is_stale(const struct ef_port *port, unsigned n_threads)
{
    return ef_port_needs_setup(port)
           || port->txq_mode != wanted_txq_mode(port, n_threads);
}

void
ef_port_set_txq_mode(struct ef_port *port, unsigned n_threads)
{
    port->txq_mode = wanted_txq_mode(port, n_threads);
}

int
ef_port_reconfigure(struct ef_port *port)
{
    struct netdev *netdev = port->netdev;
    int error;

    close_rxqs(port);
    if (ef_port_needs_setup(port)) {
        error = netdev_reconfigure(netdev);
        if (error && error != EOPNOTSUPP) {
            VLOG_ERR("Failed to set interface %s new configuration",
                     netdev_get_name(netdev));
            port->n_rxq = 0;
            return error;
        }
    }

    reset_txq_users(port, netdev_n_txq(netdev));
    error = open_rxqs(port);
    if (error) {
        return error;
    }
    /* The list was checked when it was set. */
    apply_affinity(port, port->affinity_list);
    port->need_reconfigure = false;
    return 0;
}

int
ef_port_set_affinity(struct ef_port *port, const char *list)
{
    int error = apply_affinity(port, list);

    if (!error) {
        char *copy = nullable_xstrdup(list);

        free(port->affinity_list);
        port->affinity_list = copy;
    }
    return error;
}

/* Ignores a queue that the device does not have (any more). */
static void
give_back(struct ef_txq_users *users, int txq)
    OVS_REQUIRES(users->mutex)
{
    if (txq >= 0 && txq < users->n && users->n_users[txq]) {
        users->n_users[txq]--;
    }
}

/* Takes the queue that fewest threads use, the first of several. */
int
ef_port_txq_get(struct ef_port *port, int old)
{
    struct ef_txq_users *users = &port->txq_users;
    unsigned best = 0;

    ovs_mutex_lock(&users->mutex);
    give_back(users, old);
    for (unsigned i = 1; i < users->n; i++) {
        if (users->n_users[i] < users->n_users[best]) {
            best = i;
        }
    }
    if (users->n) {
        users->n_users[best]++;
    }
    ovs_mutex_unlock(&users->mutex);
    return best;
}

void
ef_port_txq_put(struct ef_port *port, int old)
{
    struct ef_txq_users *users = &port->txq_users;

    ovs_mutex_lock(&users->mutex);
    give_back(users, old);
    ovs_mutex_unlock(&users->mutex);
}

/* Closes the queues but leaves 'n_rxq' and what was measured. */
static void
close_rxqs(struct ef_port *port)
{
    for (unsigned i = 0; i < port->n_rxq; i++) {
        netdev_rxq_close(port->rxqs[i].rx);
        port->rxqs[i].rx = NULL;
    }
}

static void
init_rxq(struct ef_rxq *rxq)
{
    memset(rxq, 0, sizeof *rxq);
    rxq->pinned_core = OVS_CORE_UNSPEC;
    rxq->core_id = OVS_CORE_UNSPEC;
    ef_load_reset(&rxq->load);
}

/* Opens as many queues as the device has now.  Queues that were there before
 * keep their load and their core; their addresses change. */
static int
open_rxqs(struct ef_port *port)
{
    bool is_vhost = !strncmp(port->type, "dpdkvhost", 9);
    unsigned n = netdev_n_rxq(port->netdev);
    unsigned n_kept = MIN(port->n_rxq, n);

    port->rxqs = xrealloc(port->rxqs, n * sizeof *port->rxqs);
    port->n_rxq = n_kept;
    for (unsigned i = 0; i < n; i++) {
        struct ef_rxq *rxq = &port->rxqs[i];
        int error;

        if (i >= n_kept) {
            init_rxq(rxq);
            port->n_rxq = i + 1;
        }
        rxq->port = port;
        rxq->is_vhost = is_vhost;
        rxq->burst = NETDEV_MAX_BURST;
        error = netdev_rxq_open(port->netdev, &rxq->rx, i);
        if (error) {
            return error;
        }
    }
    return 0;
}

/* Starts counting anew, for 'n_txq' queues.  No thread uses the port now, so
 * none has a queue to give back; if one tried, it would be ignored. */
static void
reset_txq_users(struct ef_port *port, unsigned n_txq)
{
    struct ef_txq_users *users = &port->txq_users;

    ovs_mutex_lock(&users->mutex);
    free(users->n_users);
    users->n_users = n_txq ? xcalloc(n_txq, sizeof *users->n_users) : NULL;
    users->n = n_txq;
    ovs_mutex_unlock(&users->mutex);
}

static int
apply_affinity(struct ef_port *port, const char *list)
{
    unsigned *cores = xmalloc(port->n_rxq * sizeof *cores);
    int error = ef_rxq_affinity_parse(list, cores, port->n_rxq);

    for (unsigned i = 0; !error && i < port->n_rxq; i++) {
        port->rxqs[i].pinned_core = cores[i];
    }
    free(cores);
    return error;
}
