/* SPDX-License-Identifier: Apache-2.0 */

/* What DPDK's vhost library calls when a guest comes, goes or enables a
 * queue, in a thread of its own or (while a socket is let go) of vhost-table.
 * Looks the port up by the socket's path and hands over to vhost-guest and
 * vhost-queues.  Which locks are held when is said in dpdk/vhost.h. */

#include <config.h>

#include "dpdk/vhost.h"

#include <rte_vhost.h>

#include "dpdk/log.h"
#include "util.h"

/* Called by new_device() only, when the library holds none of its locks. */
static void
describe_guest(int vid, struct ef_vhost_guest *guest)
{
    struct rte_vhost_vring vring;
    uint16_t mtu;

    memset(guest, 0, sizeof *guest);
    guest->socket_id = rte_vhost_get_numa_node(vid);
    guest->mtu = rte_vhost_get_mtu(vid, &mtu) ? -1 : mtu;
    if (rte_vhost_get_negotiated_features(vid, &guest->features)) {
        guest->features = 0;
    }
    guest->n_vrings = MIN(rte_vhost_get_vring_num(vid),
                          ARRAY_SIZE(guest->vring_sizes));
    guest->n_queues = MAX(guest->n_vrings / 2, 1);
    for (int i = 0; i < guest->n_vrings; i++) {
        if (!rte_vhost_get_vhost_vring(vid, i, &vring)) {
            guest->vring_sizes[i] = vring.size;
        }
    }
}

static int
new_device(int vid)
{
    struct ef_vhost_guest guest;
    char path[PATH_MAX];
    struct ef_vhost *port;
    int node;

    if (rte_vhost_get_ifname(vid, path, sizeof path)) {
        return -1;
    }
    describe_guest(vid, &guest);
    if (guest.socket_id < 0) {
        VLOG_INFO("Error getting NUMA info for vHost Device '%s'", path);
    }
    /* We poll: the guest need not notify us. */
    for (int i = 0; i < guest.n_vrings; i++) {
        rte_vhost_enable_guest_notification(vid, i, 0);
    }

    port = ef_vhost_table_lock(path);
    if (!port) {
        VLOG_INFO("vHost Device '%s' can't be added - name not found", path);
        return -1;
    }
    node = ef_vhost_guest_set(port, vid, &guest);
    ef_vhost_table_unlock();

    VLOG_INFO("vHost Device '%s' has been added on numa node %i",
              path, node);
    return 0;
}

static void
destroy_device(int vid)
{
    struct ef_vhost *port;
    char path[PATH_MAX];

    if (rte_vhost_get_ifname(vid, path, sizeof path)) {
        return;
    }
    port = ef_vhost_table_lock(path);
    if (!port) {
        /* The port is gone, hence no PMD uses the guest. */
        VLOG_INFO("vHost Device '%s' has been removed", path);
    } else if (ef_vhost_guest_clear(port, vid)) {
        /* The library frees the device when we return. */
        ef_vhost_table_unlock_and_wait(port);
        VLOG_INFO("vHost Device '%s' has been removed", path);
    } else {
        ef_vhost_table_unlock();
        VLOG_INFO("vHost Device '%s' not found", path);
    }
}

static int
vring_state_changed(int vid, uint16_t vring, int enable)
{
    int queue = vring / 2;
    bool is_rx = vring == ef_vhost_rx_vring(queue);
    struct ef_vhost *port;
    char path[PATH_MAX];

    if (rte_vhost_get_ifname(vid, path, sizeof path)) {
        return 0;
    }
    port = ef_vhost_table_lock(path);
    if (!port) {
        VLOG_INFO("vHost Device '%s' not found", path);
        return 0;
    }
    ef_vhost_queue_changed(port, vring, enable != 0);
    ef_vhost_table_unlock();

    VLOG_INFO("State of queue %d ( %s_qid %d ) of vhost device '%s' "
              "changed to '%s'", vring, is_rx ? "rx" : "tx", queue, path,
              enable == 1 ? "enabled" : "disabled");
    return 0;
}

static void
destroy_connection(int vid)
{
    struct ef_vhost *port;
    char path[PATH_MAX];

    if (rte_vhost_get_ifname(vid, path, sizeof path)) {
        return;
    }
    port = ef_vhost_table_lock(path);
    if (!port) {
        VLOG_INFO("vHost Device '%s' not found", path);
        return;
    }
    if (ef_vhost_guest_disconnect(port)) {
        ef_vhost_table_unlock();
    } else {
        VLOG_ERR("Connection on socket '%s' destroyed while vhost "
                 "device still attached.", path);
        ef_vhost_table_unlock_and_wait(port);
    }
    VLOG_INFO("vHost Device '%s' connection has been destroyed", path);
}

const struct rte_vhost_device_ops ef_vhost_device_ops = {
    .new_device = new_device,
    .destroy_device = destroy_device,
    .vring_state_changed = vring_state_changed,
    .destroy_connection = destroy_connection,
};
