/* SPDX-License-Identifier: Apache-2.0 */

/* What callbacks of DPDK's vhost library and the main thread tell each other
 * about the guest of a port: it comes, it goes, the port is set up for it.
 * Either may happen in the middle of the other's work, so whether the port is
 * ready is decided anew, under queues_mutex, after each. */

#include <config.h>

#include "dpdk/vhost.h"

#include <linux/virtio_net.h>
#include <rte_ethdev.h>

#include "userspace-tso.h"
#include "util.h"

bool
ef_vhost_is_running(const struct ef_vhost *port)
{
    bool is_ready;

    atomic_read_relaxed(&CONST_CAST(struct ef_vhost *, port)->is_ready,
                        &is_ready);
    return is_ready && ef_vhost_get_vid(port) >= 0;
}

int
ef_vhost_get_vid(const struct ef_vhost *port)
{
    return ovsrcu_index_get(&port->vid);
}

/* Needs queues_mutex. */
static bool
is_fit(const struct ef_vhost *port)
{
    const struct ef_vhost_guest *guest = &port->guest;

    return port->setup_n_queues
           && guest->n_queues <= port->setup_n_queues
           && (guest->socket_id < 0
               || guest->socket_id == port->setup_socket_id);
}

/* The library takes a packet with any offload and passes it on, whether the
 * guest understands it or not. */
static uint64_t
accepted_offloads(uint64_t features)
{
    const uint64_t tso = (UINT64_C(1) << VIRTIO_NET_F_GUEST_TSO4
                          | UINT64_C(1) << VIRTIO_NET_F_GUEST_TSO6);
    uint64_t offloads = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM;

    if (!userspace_tso_enabled()) {
        return 0;
    }
    if (features & UINT64_C(1) << VIRTIO_NET_F_GUEST_CSUM) {
        offloads |= (RTE_ETH_TX_OFFLOAD_TCP_CKSUM
                     | RTE_ETH_TX_OFFLOAD_UDP_CKSUM
                     | RTE_ETH_TX_OFFLOAD_SCTP_CKSUM);
        if ((features & tso) == tso) {
            offloads |= RTE_ETH_TX_OFFLOAD_TCP_TSO;
        }
    }
    return offloads;
}

static void
clear_counters(struct ef_vhost_counters *c, int n)
{
    for (int i = 0; i < n; i++) {
        ef_counter_set(&c[i].packets, 0);
        ef_counter_set(&c[i].bytes, 0);
        ef_counter_set(&c[i].multicast, 0);
        ef_counter_set(&c[i].broadcast, 0);
        for (int j = 0; j < EF_VHOST_N_SIZES; j++) {
            ef_counter_set(&c[i].sizes[j], 0);
        }
    }
}

int
ef_vhost_guest_set(struct ef_vhost *port, int vid,
                   const struct ef_vhost_guest *guest)
{
    bool fit;
    int node;

    ovs_mutex_lock(&port->queues_mutex);
    port->guest = *guest;
    fit = is_fit(port);
    node = guest->socket_id < 0 ? port->setup_socket_id : guest->socket_id;

    /* No PMD counts: the last guest's left it before it was let go. */
    clear_counters(port->rx_counters, port->n_counters);
    clear_counters(port->tx_counters, port->n_counters);
    atomic_store_relaxed(&port->tx_offloads,
                         accepted_offloads(guest->features));
    atomic_store_relaxed(&port->is_ready, fit);
    /* Release: pairs with the read of 'vid' by PMDs. */
    ovsrcu_index_set(&port->vid, vid);
    ovs_mutex_unlock(&port->queues_mutex);

    if (!fit) {
        netdev_request_reconfigure(&port->dev.up);
    }
    netdev_change_seq_changed(&port->dev.up);
    return node;
}

bool
ef_vhost_guest_clear(struct ef_vhost *port, int vid)
{
    bool known;

    ovs_mutex_lock(&port->queues_mutex);
    known = ef_vhost_get_vid(port) == vid;
    if (known) {
        atomic_store_relaxed(&port->is_ready, false);
        /* PMDs may use the old value until the end of a grace period. */
        ovsrcu_index_set(&port->vid, -1);
        ef_vhost_queues_reset(port);
    }
    ovs_mutex_unlock(&port->queues_mutex);

    if (known) {
        netdev_change_seq_changed(&port->dev.up);
    }
    return known;
}

bool
ef_vhost_guest_disconnect(struct ef_vhost *port)
{
    bool was_there, must_shrink;

    ovs_mutex_lock(&port->queues_mutex);
    was_there = ef_vhost_get_vid(port) >= 0;
    atomic_store_relaxed(&port->is_ready, false);
    ovsrcu_index_set(&port->vid, -1);
    ef_vhost_queues_reset(port);
    must_shrink = port->guest.n_queues > 1 || port->setup_n_queues > 1;
    port->guest.n_queues = 0;
    port->guest.socket_id = -1;
    port->guest.n_vrings = 0;
    ovs_mutex_unlock(&port->queues_mutex);

    if (must_shrink) {
        netdev_request_reconfigure(&port->dev.up);
    }
    return !was_there;
}

void
ef_vhost_guest_get(struct ef_vhost *port, struct ef_vhost_guest *guest)
{
    ovs_mutex_lock(&port->queues_mutex);
    *guest = port->guest;
    ovs_mutex_unlock(&port->queues_mutex);
}

void
ef_vhost_guest_publish(struct ef_vhost *port, int n_queues, int socket_id)
{
    bool was_running = ef_vhost_is_running(port);
    bool is_there, fit;

    ovs_mutex_lock(&port->queues_mutex);
    port->setup_n_queues = n_queues;
    port->setup_socket_id = socket_id;
    is_there = ef_vhost_get_vid(port) >= 0;
    fit = is_fit(port);
    atomic_store_relaxed(&port->is_ready, is_there && fit);
    ovs_mutex_unlock(&port->queues_mutex);

    if (is_there && n_queues && !fit) {
        /* Another one came since the port was last looked at. */
        netdev_request_reconfigure(&port->dev.up);
    }
    if (was_running != (is_there && fit)) {
        netdev_change_seq_changed(&port->dev.up);
    }
}

static struct ef_vhost_counters *
resize_counters(const struct ef_vhost_counters *old, int n_old, int n)
{
    struct ef_vhost_counters *counters = NULL;

    if (n) {
        counters = xzalloc_cacheline(n * sizeof *counters);
        if (old) {
            memcpy(counters, old, MIN(n_old, n) * sizeof *counters);
        }
    }
    return counters;
}

void
ef_vhost_guest_set_counters(struct ef_vhost *port, int n)
{
    struct ef_vhost_counters *rx, *tx;

    ovs_mutex_lock(&port->queues_mutex);
    rx = port->rx_counters;
    tx = port->tx_counters;
    if (n != port->n_counters) {
        port->rx_counters = resize_counters(rx, port->n_counters, n);
        port->tx_counters = resize_counters(tx, port->n_counters, n);
        port->n_counters = n;
    } else {
        rx = tx = NULL;
    }
    ovs_mutex_unlock(&port->queues_mutex);
    free_cacheline(rx);
    free_cacheline(tx);
}
