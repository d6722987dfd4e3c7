/* SPDX-License-Identifier: Apache-2.0 */

/* Registers vhost-user sockets with DPDK's vhost library.  Called by the main
 * thread during reconfigurations, without a lock of ours, since the library
 * takes its own; the way back, unregister_socket(), runs in the thread of
 * vhost-table. */

#include <config.h>

#include "dpdk/vhost.h"

#include <linux/virtio_net.h>
#include <rte_vhost.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "dpdk/log.h"
#include "fatal-signal.h"
#include "userspace-tso.h"
#include "util.h"

static void
unregister_socket(const char *path, const char *port_name,
                  enum ef_dpdk_kind kind)
{
    if (rte_vhost_driver_unregister(path)) {
        VLOG_ERR("%s: Unable to unregister vhost driver for socket '%s'.",
                 port_name, path);
    } else if (kind == EF_DPDK_VHOST_SERVER) {
        fatal_signal_remove_file_to_unlink(path);
    }
}

static bool
has_listener(const char *path)
{
    struct sockaddr_un sun = { .sun_family = AF_UNIX };
    bool refused = false;
    int fd;

    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (fd >= 0) {
        ovs_strlcpy(sun.sun_path, path, sizeof sun.sun_path);
        refused = (connect(fd, (struct sockaddr *) &sun, sizeof sun)
                   && errno == ECONNREFUSED);
        close(fd);
    }
    return !refused;
}

/* A switch that crashed leaves its sockets, and the library does not bind to
 * a name that exists. */
static int
remove_stale_socket(const char *path)
{
    struct stat s;

    if (lstat(path, &s)) {
        return 0;
    }
    if (!S_ISSOCK(s.st_mode) || has_listener(path)) {
        VLOG_ERR("%s: exists and is in use, or is no socket", path);
        return EADDRINUSE;
    }
    VLOG_INFO("%s: removing the socket that a former process left", path);
    return unlink(path) ? errno : 0;
}

static uint64_t
socket_flags(enum ef_dpdk_kind kind)
{
    /* The data path reads a packet as one piece.  Statistics are our own: see
     * dpdk/vhost.h. */
    uint64_t flags = RTE_VHOST_USER_LINEARBUF_SUPPORT;

    if (kind == EF_DPDK_VHOST_CLIENT) {
        flags |= RTE_VHOST_USER_CLIENT | ef_vhost_client_flags();
    }
    if (userspace_tso_enabled()) {
        /* One piece of up to 64 kB, bigger than a buffer of the pool. */
        flags |= RTE_VHOST_USER_EXTBUF_SUPPORT;
    }
    return flags;
}

/* Virtio features that we cannot do.  Without checksums there is no
 * segmentation either, says the specification; some guests of ports in server
 * mode must be told. */
static uint64_t
unsupported_features(enum ef_dpdk_kind kind)
{
    if (userspace_tso_enabled()) {
        return (UINT64_C(1) << VIRTIO_NET_F_HOST_ECN
                | UINT64_C(1) << VIRTIO_NET_F_HOST_UFO);
    }
    if (kind == EF_DPDK_VHOST_SERVER) {
        return (UINT64_C(1) << VIRTIO_NET_F_CSUM
                | UINT64_C(1) << VIRTIO_NET_F_HOST_TSO4
                | UINT64_C(1) << VIRTIO_NET_F_HOST_TSO6);
    }
    return UINT64_C(1) << VIRTIO_NET_F_CSUM;
}

static int
register_socket(struct ef_vhost *port, const char *path)
{
    const char *name = netdev_get_name(&port->dev.up);

    if (port->dev.kind == EF_DPDK_VHOST_CLIENT) {
        if (rte_vhost_driver_register(path, socket_flags(port->dev.kind))) {
            VLOG_ERR("vhost-user device setup failure for device %s", path);
            return EIO;
        }
        VLOG_INFO("vHost User device '%s' created in 'client' mode, "
                  "using client socket '%s'", name, path);
    } else {
        int error = remove_stale_socket(path);

        if (error) {
            return error;
        }
        if (rte_vhost_driver_register(path, socket_flags(port->dev.kind))) {
            VLOG_ERR("vhost-user socket device setup failure for socket %s",
                     path);
            return EIO;
        }
        fatal_signal_add_file_to_unlink(path);
        VLOG_INFO("Socket %s created for vhost-user port %s", path, name);
    }
    ef_vhost_table_set_registered(port, unregister_socket);
    return 0;
}

static int
start_socket(struct ef_vhost *port, const char *path)
{
    const char *name = netdev_get_name(&port->dev.up);
    const char *mode = (port->dev.kind == EF_DPDK_VHOST_CLIENT
                        ? " client" : "");
    const char *failed;

    if (rte_vhost_driver_callback_register(path, &ef_vhost_device_ops)) {
        failed = "rte_vhost_driver_callback_register";
    } else if (rte_vhost_driver_disable_features(
                   path, unsupported_features(port->dev.kind))) {
        failed = "rte_vhost_driver_disable_features";
    } else if (rte_vhost_driver_start(path)) {
        failed = "rte_vhost_driver_start";
    } else {
        return 0;
    }
    VLOG_ERR("%s failed for vhost user%s port: %s", failed, mode, name);
    return EIO;
}

int
ef_vhost_socket_open(struct ef_vhost *port, const char *path)
{
    int error = ef_vhost_table_add(port, path);

    if (error) {
        return error;
    }
    error = register_socket(port, path);
    if (!error) {
        error = start_socket(port, path);
    }
    if (error) {
        ef_vhost_table_remove(port);
    }
    return error;
}
