/* SPDX-License-Identifier: Apache-2.0 */

/* Interface:status, carrier and flags of vhost ports.  Any thread but PMDs.
 * What the library knows about a guest was asked when the guest came. */

#include <config.h>

#include "dpdk/vhost.h"

#include "openvswitch/dynamic-string.h"
#include "smap.h"
#include "util.h"

/* Needs dev.mutex. */
static void
add_errors(const struct ef_vhost *port, struct smap *args)
{
    const char *errors[] = { port->dev.config_error, port->socket_error,
                             port->memory_error };
    struct ds s = DS_EMPTY_INITIALIZER;

    for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
        if (errors[i]) {
            ds_put_format(&s, "%s%s", s.length ? "; " : "", errors[i]);
        }
    }
    if (s.length) {
        smap_add(args, "config-error", ds_cstr(&s));
    }
    ds_destroy(&s);
}

static void
add_guest(const struct ef_vhost_guest *guest, struct smap *args)
{
    smap_add_format(args, "features", "0x%016"PRIx64, guest->features);
    if (guest->mtu >= 0) {
        smap_add_format(args, "mtu", "%d", guest->mtu);
    }
    if (guest->socket_id >= 0) {
        smap_add_format(args, "numa", "%d", guest->socket_id);
    }
    if (guest->n_vrings) {
        smap_add_format(args, "num_of_vrings", "%d", guest->n_vrings);
    }
    for (int i = 0; i < guest->n_vrings; i++) {
        smap_add_nocopy(args, xasprintf("vring_%d_size", i),
                        xasprintf("%d", guest->vring_sizes[i]));
    }
}

int
ef_vhost_get_status(const struct netdev *netdev, struct smap *args)
{
    struct ef_vhost *port = ef_vhost_cast(netdev);
    struct ef_vhost_guest guest;

    ovs_mutex_lock(&port->dev.mutex);
    smap_add(args, "mode", port->dev.kind == EF_DPDK_VHOST_CLIENT
                           ? "client" : "server");
    if (ef_vhost_get_vid(port) < 0) {
        smap_add(args, "status", "disconnected");
    } else {
        ef_vhost_guest_get(port, &guest);
        smap_add(args, "status", "connected");
        if (port->bound_path) {
            smap_add(args, "socket", port->bound_path);
        }
        add_guest(&guest, args);
    }
    add_errors(port, args);
    ovs_mutex_unlock(&port->dev.mutex);
    return 0;
}

int
ef_vhost_get_carrier(const struct netdev *netdev, bool *carrier)
{
    *carrier = ef_vhost_is_running(ef_vhost_cast(netdev));
    return 0;
}

int
ef_vhost_update_flags(struct netdev *netdev, enum netdev_flags off,
                      enum netdev_flags on, enum netdev_flags *oldp)
{
    struct ef_vhost *port = ef_vhost_cast(netdev);
    struct ef_dpdk_dev *dev = &port->dev;
    enum netdev_flags changed;

    if ((off | on) & ~(NETDEV_UP | NETDEV_PROMISC)) {
        return EINVAL;
    }

    ovs_mutex_lock(&dev->mutex);
    *oldp = dev->flags;
    dev->flags = (dev->flags & ~off) | on;
    changed = dev->flags ^ *oldp;
    if (changed & NETDEV_UP) {
        atomic_store_relaxed(&dev->is_up, (dev->flags & NETDEV_UP) != 0);
        if (ef_vhost_is_running(port)) {
            netdev_change_seq_changed(netdev);
        }
    }
    ovs_mutex_unlock(&dev->mutex);
    return 0;
}
