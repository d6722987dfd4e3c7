/* SPDX-License-Identifier: Apache-2.0 */

/* The classes "dpdkvhostuser" (the switch listens on the socket) and
 * "dpdkvhostuserclient" (the guest's side does): construction, destruction
 * and options.  Main thread; destruction may be any thread that closes a port
 * last, with the mutex of netdev.c held, and waits for nobody. */

#include <config.h>

#include "dpdk/vhost.h"

#include <rte_lcore.h>
#include <sys/un.h>

#include "core/settings.h"
#include "dp-packet.h"
#include "dpdk/log.h"
#include "dpdk/rx-burst.h"
#include "smap.h"
#include "util.h"

static struct netdev *
vhost_alloc(void)
{
    struct ef_vhost *port = xzalloc_cacheline(sizeof *port);

    return &port->dev.up;
}

static void
vhost_dealloc(struct netdev *netdev)
{
    free_cacheline(ef_vhost_cast(netdev));
}

static void
init_port(struct ef_vhost *port, enum ef_dpdk_kind kind, char *path)
{
    int socket_id = rte_lcore_to_socket_id(rte_get_main_lcore());

    ovsrcu_index_init(&port->vid, -1);
    atomic_init(&port->is_ready, false);
    atomic_init(&port->retries_max, EF_VHOST_RETRIES_DEFAULT);
    atomic_init(&port->tx_offloads, 0);
    port->setup_socket_id = socket_id;
    port->guest.socket_id = -1;
    port->path = path;
    ef_vhost_queues_init(port);
    ef_dpdk_dev_init(&port->dev, kind, socket_id);
}

static int
client_construct(struct netdev *netdev)
{
    init_port(ef_vhost_cast(netdev), EF_DPDK_VHOST_CLIENT, NULL);
    return 0;
}

/* The name becomes that of a file in a folder of ours. */
static bool
is_valid_name(const char *name)
{
    if (!strchr(name, '/') && !strchr(name, '\\')) {
        return true;
    }
    VLOG_ERR("\"%s\" is not a valid name for a vhost-user port. "
             "A valid name must not include '/' or '\\'", name);
    return false;
}

/* The library cuts longer paths without a word. */
static bool
is_valid_path(const char *path)
{
    struct sockaddr_un sun;

    return *path && strlen(path) < sizeof sun.sun_path;
}
#define PATH_RULE "must be a path of 1 to 107 bytes"

static int
server_construct(struct netdev *netdev)
{
    const char *name = netdev_get_name(netdev);
    char *path;

    if (!is_valid_name(name)) {
        return EINVAL;
    }
    path = xasprintf("%s/%s", ef_vhost_sock_dir(), name);
    if (!is_valid_path(path)) {
        VLOG_ERR("%s: socket '%s' %s", name, path, PATH_RULE);
        free(path);
        return ENAMETOOLONG;
    }
    init_port(ef_vhost_cast(netdev), EF_DPDK_VHOST_SERVER, path);
    VLOG_WARN_ONCE("dpdkvhostuser ports are considered deprecated;  "
                   "please migrate to dpdkvhostuserclient ports.");
    return 0;
}

static void
vhost_destruct(struct netdev *netdev)
{
    struct ef_vhost *port = ef_vhost_cast(netdev);

    if (ef_vhost_get_vid(port) >= 0
        && port->dev.kind == EF_DPDK_VHOST_SERVER) {
        VLOG_ERR("Removing port '%s' while vhost device still attached.",
                 netdev_get_name(netdev));
        VLOG_ERR("To restore connectivity after re-adding of port, VM on "
                 "socket '%s' must be restarted.", port->path);
    }

    /* From here on callbacks find no port. */
    ef_vhost_table_remove(port);
    ef_dpdk_dev_uninit(&port->dev);
    ef_vhost_queues_destroy(port);
    free_cacheline(port->rx_counters);
    free_cacheline(port->tx_counters);
    free(port->path);
    free(port->bound_path);
    free(port->socket_error);
    free(port->memory_error);
}

/* Options. */

static int
get_config(const struct netdev *netdev, struct smap *args)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);

    ovs_mutex_lock(&dev->mutex);
    smap_add_format(args, "requested_rx_queues", "%d", dev->want.n_rxq);
    smap_add_format(args, "configured_rx_queues", "%d", netdev->n_rxq);
    smap_add_format(args, "requested_tx_queues", "%d", dev->want.n_txq);
    smap_add_format(args, "configured_tx_queues", "%d", netdev->n_txq);
    smap_add_format(args, "mtu", "%d", dev->mtu);
    ovs_mutex_unlock(&dev->mutex);
    return 0;
}

/* Needs dev.mutex.  Returns 0 if the port can go on with its old value. */
static int
refuse(struct ef_vhost *port, const char *key, const char *value,
       const char *rule, char **errp)
{
    if (port->is_configured) {
        ef_dpdk_dev_refuse(&port->dev, key, value, "%s", rule);
        return 0;
    }
    *errp = xasprintf("'%s=%s': %s", key, value, rule);
    return EINVAL;
}

static void
take_value(struct ef_vhost *port, const char *key, const char *value)
{
    char *scope = ef_settings_interface(netdev_get_name(&port->dev.up));

    ef_settings_accept(scope, key, value);
    free(scope);
}

static int
set_retries(struct ef_vhost *port, const char *value, char **errp)
{
    int retries = EF_VHOST_RETRIES_DEFAULT;
    int old;

    if (value && (!str_to_int(value, 10, &retries)
                  || retries < 0 || retries > EF_VHOST_RETRIES_MAX)) {
        return refuse(port, "tx-retries-max", value,
                      "must be a number from 0 to 32", errp);
    }
    take_value(port, "tx-retries-max", value);
    atomic_read_relaxed(&port->retries_max, &old);
    if (retries != old) {
        atomic_store_relaxed(&port->retries_max, retries);
        VLOG_INFO("Max Tx retries for vhost device '%s' set to %d",
                  netdev_get_name(&port->dev.up), retries);
    }
    return 0;
}

static int
set_path(struct ef_vhost *port, const char *path, char **errp)
{
    if (path && !is_valid_path(path)) {
        return refuse(port, "vhost-server-path", path, PATH_RULE, errp);
    }
    take_value(port, "vhost-server-path", path);
    if (!nullable_string_is_equal(path, port->path)) {
        free(port->path);
        port->path = nullable_xstrdup(path);
        netdev_request_reconfigure(&port->dev.up);
    }
    return 0;
}

static int
set_rx_burst(struct ef_vhost *port, const char *value, char **errp)
{
    unsigned n = NETDEV_MAX_BURST;
    const char *rule = value ? ef_rx_burst_parse(value, &n) : NULL;

    if (rule) {
        return refuse(port, "rx-burst", value, rule, errp);
    }
    take_value(port, "rx-burst", value);
    ef_rx_burst_set(&port->dev.up, n);
    return 0;
}

/* What only a client has. */
static int
set_client_options(struct ef_vhost *port, const struct smap *args, char **errp)
{
    int error = set_retries(port, smap_get(args, "tx-retries-max"), errp);

    return error ? error
           : set_path(port, smap_get(args, "vhost-server-path"), errp);
}

static int
set_config(struct netdev *netdev, const struct smap *args, char **errp)
{
    struct ef_vhost *port = ef_vhost_cast(netdev);
    int error = 0;

    ovs_mutex_lock(&port->dev.mutex);
    ef_dpdk_dev_accept(&port->dev);
    if (port->dev.kind == EF_DPDK_VHOST_CLIENT) {
        error = set_client_options(port, args, errp);
    }
    if (!error) {
        error = set_rx_burst(port, smap_get(args, "rx-burst"), errp);
    }
    if (!error) {
        error = ef_dpdk_dev_set_pool_options(&port->dev, args,
                                             port->is_configured, errp);
    }
    if (!error) {
        port->is_configured = true;
    }
    ovs_mutex_unlock(&port->dev.mutex);
    return error;
}

/* Only what the switch shows: the guest chooses its own address. */
static int
set_etheraddr(struct netdev *netdev, const struct eth_addr mac)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    bool changed;

    ovs_mutex_lock(&dev->mutex);
    changed = !eth_addr_equals(dev->hwaddr, mac);
    dev->hwaddr = mac;
    ovs_mutex_unlock(&dev->mutex);
    if (changed) {
        netdev_change_seq_changed(netdev);
    }
    return 0;
}

/* Rx queues have no state but their number. */

static struct netdev_rxq *
rxq_alloc(void)
{
    return xzalloc(sizeof(struct netdev_rxq));
}

static int
rxq_construct(struct netdev_rxq *rxq OVS_UNUSED)
{
    return 0;
}

static void
rxq_destruct(struct netdev_rxq *rxq OVS_UNUSED)
{
}

static void
rxq_dealloc(struct netdev_rxq *rxq)
{
    free(rxq);
}

#define VHOST_CLASS                                             \
    .is_pmd = true,                                             \
    EF_DPDK_DEV_CALLBACKS,                                      \
    .alloc = vhost_alloc,                                       \
    .destruct = vhost_destruct,                                 \
    .dealloc = vhost_dealloc,                                   \
    .get_config = get_config,                                   \
    .set_config = set_config,                                   \
    .send = ef_vhost_send,                                      \
    .set_etheraddr = set_etheraddr,                             \
    .get_carrier = ef_vhost_get_carrier,                        \
    .get_stats = ef_vhost_get_stats,                            \
    .get_custom_stats = ef_vhost_get_custom_stats,              \
    .get_status = ef_vhost_get_status,                          \
    .update_flags = ef_vhost_update_flags,                      \
    .reconfigure = ef_vhost_reconfigure,                        \
    .rxq_alloc = rxq_alloc,                                     \
    .rxq_construct = rxq_construct,                             \
    .rxq_destruct = rxq_destruct,                               \
    .rxq_dealloc = rxq_dealloc,                                 \
    .rxq_recv = ef_vhost_rxq_recv,                              \
    .rxq_enabled = ef_vhost_rxq_enabled

const struct netdev_class ef_vhost_server_class = {
    .type = "dpdkvhostuser",
    .construct = server_construct,
    VHOST_CLASS,
};

const struct netdev_class ef_vhost_client_class = {
    .type = "dpdkvhostuserclient",
    .construct = client_construct,
    VHOST_CLASS,
};
