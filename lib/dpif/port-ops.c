/* SPDX-License-Identifier: Apache-2.0 */

/* Ports of a datapath: add, remove, query, dump, poll for changes.  Called by
 * the main thread. */

#include <config.h>

#include "dpif/port-ops.h"

#include <errno.h>

#include "core/log.h"
#include "core/settings.h"
#include "dpif/ops.h"
#include "dpif/reconfigure.h"
#include "netdev-offload.h"
#include "netdev-vport.h"
#include "netdev.h"
#include "odp-util.h"
#include "seq.h"
#include "util.h"

int
ef_datapath_add_port(struct ef_datapath *dp, const char *name,
                     const char *type, odp_port_t port_no)
{
    struct ef_port *port;
    int error;

    if (ef_port_table_find_name(&dp->ports, name)) {
        return EEXIST;
    }
    error = ef_port_open(name, type, port_no, &port);
    if (error) {
        return error;
    }

    ef_port_table_insert(&dp->ports, port);
    ef_datapath_reconfigure(dp);
    if (!ef_port_table_find(&dp->ports, port_no)) {
        /* It could not be configured and is gone. */
        return EINVAL;
    }

    error = ef_port_set_promisc(port);
    if (error) {
        ef_datapath_del_port(dp, port);
    }
    return error;
}

/* Ports of DPDK's have settings of their own, and forget all at the end. */
static void
forget_settings(const struct ef_port *port)
{
    if (!netdev_is_pmd(port->netdev)) {
        char *scope = ef_settings_interface(netdev_get_name(port->netdev));

        ef_settings_forget(scope);
        free(scope);
    }
}

void
ef_datapath_del_port(struct ef_datapath *dp, struct ef_port *port)
{
    forget_settings(port);
    ef_port_table_remove(&dp->ports, port);
    ef_datapath_reconfigure(dp);

    /* No PMD uses the port any more, so none can ask for offloads to it after
     * the flush.  Revalidators still can; the offload threads find no device
     * then. */
    ef_offload_flush(&dp->env.offload, port->netdev);
    netdev_uninit_flow_api(port->netdev);
    ef_port_destroy(port);
}

int
ef_dpif_port_add(struct dpif *dpif, struct netdev *netdev,
                 odp_port_t *port_nop)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    char namebuf[NETDEV_VPORT_NAME_BUFSIZE];
    odp_port_t port_no = *port_nop;
    const char *name;
    int error = 0;

    ovs_rwlock_wrlock(&dp->ports.rwlock);
    name = netdev_vport_get_dpif_port(netdev, namebuf, sizeof namebuf);
    if (port_no == ODPP_NONE) {
        port_no = ef_port_table_choose(&dp->ports, name,
                                       ef_dpif_class_is_dummy(dp->class));
        error = port_no == ODPP_NONE ? EFBIG : 0;
    } else if (ef_port_table_find(&dp->ports, port_no)) {
        error = EBUSY;
    }
    if (!error) {
        *port_nop = port_no;
        error = ef_datapath_add_port(dp, name, netdev_get_type(netdev),
                                     port_no);
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);
    return error;
}

/* Finds a port by number; ENODEV if there is none, EINVAL if there cannot
 * be. */
static int
find_port(const struct ef_datapath *dp, odp_port_t port_no,
          struct ef_port **portp)
{
    *portp = NULL;
    if (port_no == ODPP_NONE) {
        return EINVAL;
    }
    *portp = ef_port_table_find(&dp->ports, port_no);
    return *portp ? 0 : ENODEV;
}

int
ef_dpif_port_del(struct dpif *dpif, odp_port_t port_no)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_port *port;
    int error;

    if (port_no == ODPP_LOCAL) {
        return EINVAL;
    }
    ovs_rwlock_wrlock(&dp->ports.rwlock);
    error = find_port(dp, port_no, &port);
    if (!error) {
        ef_datapath_del_port(dp, port);
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);
    return error;
}

static void
answer(const struct ef_port *port, struct dpif_port *dst)
{
    if (dst) {
        dst->name = xstrdup(netdev_get_name(port->netdev));
        dst->type = xstrdup(port->type);
        dst->port_no = port->port_no;
    }
}

int
ef_dpif_port_query_by_number(const struct dpif *dpif, odp_port_t port_no,
                             struct dpif_port *dst)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_port *port;
    int error;

    ovs_rwlock_rdlock(&dp->ports.rwlock);
    error = find_port(dp, port_no, &port);
    if (!error) {
        answer(port, dst);
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);
    return error;
}

int
ef_dpif_port_query_by_name(const struct dpif *dpif, const char *name,
                           struct dpif_port *dst)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_port *port;

    ovs_rwlock_rdlock(&dp->ports.rwlock);
    port = ef_port_table_find_name(&dp->ports, name);
    if (port) {
        answer(port, dst);
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);
    return port ? 0 : ENODEV;
}

/* Dump. */

struct port_dump {
    struct hmap_position position;
    char *name, *type;          /* Of the port returned last. */
};

int
ef_dpif_port_dump_start(const struct dpif *dpif OVS_UNUSED, void **dumpp)
{
    *dumpp = xzalloc(sizeof(struct port_dump));
    return 0;
}

int
ef_dpif_port_dump_next(const struct dpif *dpif, void *dump_,
                       struct dpif_port *dst)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct port_dump *dump = dump_;
    struct hmap_node *node;

    free(dump->name);
    free(dump->type);
    dump->name = dump->type = NULL;

    ovs_rwlock_rdlock(&dp->ports.rwlock);
    node = hmap_at_position(&dp->ports.ports, &dump->position);
    if (node) {
        answer(CONTAINER_OF(node, struct ef_port, node), dst);
        /* The caller may look at these until it calls again. */
        dump->name = dst->name;
        dump->type = dst->type;
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);
    return node ? 0 : EOF;
}

int
ef_dpif_port_dump_done(const struct dpif *dpif OVS_UNUSED, void *dump_)
{
    struct port_dump *dump = dump_;

    free(dump->name);
    free(dump->type);
    free(dump);
    return 0;
}

/* Changes of the set of ports. */

int
ef_dpif_port_poll(const struct dpif *dpif_, char **namep OVS_UNUSED)
{
    struct ef_dpif *dpif = ef_dpif_cast(dpif_);
    uint64_t seq = seq_read(dpif->dp->ports.seq);

    if (dpif->last_port_seq == seq) {
        return EAGAIN;
    }
    /* Something changed, we do not know what. */
    dpif->last_port_seq = seq;
    return ENOBUFS;
}

void
ef_dpif_port_poll_wait(const struct dpif *dpif_)
{
    struct ef_dpif *dpif = ef_dpif_cast(dpif_);

    seq_wait(dpif->dp->ports.seq, dpif->last_port_seq);
}
