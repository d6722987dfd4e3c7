/* SPDX-License-Identifier: Apache-2.0 */

/* ovs-appctl netdev-dpdk/detach and netdev-dpdk/set-admin-state.
 *
 * Main thread. */

#include <config.h>

#include "dpdk/ethdev.h"

#include "openvswitch/dynamic-string.h"
#include "unixctl.h"

/* Of every kind of port of ours. */
static void
set_admin_state(struct netdev *netdev, bool up)
{
    enum netdev_flags old;

    netdev->netdev_class->update_flags(netdev, up ? 0 : NETDEV_UP,
                                       up ? NETDEV_UP : 0, &old);
}

static void
set_admin_state_of_all(bool up)
{
    struct ef_dpdk_dev *dev;

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    LIST_FOR_EACH (dev, list_node, &ef_dpdk_dev_list) {
        set_admin_state(&dev->up, up);
    }
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);
}

static bool
set_admin_state_by_name(const char *name, bool up)
{
    struct netdev *netdev = netdev_from_name(name);
    bool is_ours = netdev && ef_dpdk_is_dpdk(netdev);

    if (is_ours) {
        set_admin_state(netdev, up);
    }
    netdev_close(netdev);
    return is_ours;
}

static void
cmd_set_admin_state(struct unixctl_conn *conn, int argc, const char *argv[],
                    void *aux OVS_UNUSED)
{
    const char *state = argv[argc - 1];
    bool up = !strcasecmp(state, "up");

    if (!up && strcasecmp(state, "down")) {
        unixctl_command_reply_error(conn, "Invalid Admin State");
    } else if (argc > 2 && !set_admin_state_by_name(argv[1], up)) {
        unixctl_command_reply_error(conn, "Not a DPDK Interface");
    } else {
        if (argc <= 2) {
            set_admin_state_of_all(up);
        }
        unixctl_command_reply(conn, "OK");
    }
}

/* Detach. */

/* Appends the names of ports that use the device of 'port_id', each after a
 * blank. */
static void
append_users(uint16_t port_id, struct ds *users)
{
    uint16_t sibling;

    RTE_ETH_FOREACH_DEV_SIBLING (sibling, port_id) {
        struct ef_ethdev *ef = ef_ethdev_by_port_id(sibling);

        if (ef) {
            ds_put_format(users, " %s", netdev_get_name(&ef->dev.up));
        }
    }
}

/* Returns whether the device was detached.  Appends what there is to say. */
static bool
detach(const char *devargs, struct ds *reply)
{
    uint16_t port_id = ef_ethdev_find(devargs);
    struct ds users = DS_EMPTY_INITIALIZER;
    bool done = false;

    if (port_id == EF_ETHDEV_NONE) {
        ds_put_format(reply, "Device '%s' not found in DPDK", devargs);
        return false;
    }

    append_users(port_id, &users);
    if (users.length) {
        ds_put_format(reply, "Device '%s' is being used by the following "
                      "interfaces:%s. Remove them before detaching.",
                      devargs, ds_cstr(&users));
    } else if (ef_ethdev_remove(port_id)) {
        ds_put_format(reply, "Device '%s' can not be detached", devargs);
    } else {
        ds_put_format(reply, "All devices shared with device '%s' "
                      "have been detached", devargs);
        done = true;
    }
    ds_destroy(&users);
    return done;
}

static void
cmd_detach(struct unixctl_conn *conn, int argc OVS_UNUSED,
           const char *argv[], void *aux OVS_UNUSED)
{
    struct ds reply = DS_EMPTY_INITIALIZER;
    bool done;

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    done = detach(argv[1], &reply);
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);

    if (done) {
        unixctl_command_reply(conn, ds_cstr(&reply));
    } else {
        unixctl_command_reply_error(conn, ds_cstr(&reply));
    }
    ds_destroy(&reply);
}

void
ef_ethdev_commands_init(void)
{
    unixctl_command_register("netdev-dpdk/set-admin-state",
                             "[netdev] up|down", 1, 2,
                             cmd_set_admin_state, NULL);
    unixctl_command_register("netdev-dpdk/detach", "pci address of device",
                             1, 1, cmd_detach, NULL);
}
