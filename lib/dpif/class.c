/* SPDX-License-Identifier: Apache-2.0 */

/* The dpif class "netdev", which the package's dpif.c registers, and the
 * dummy classes for tests that behave the same on dummy devices.  All
 * callbacks are in the files that dpif/ops.h names. */

#include <config.h>

#include "dpif-netdev.h"

#include <errno.h>

#include "compat/ct-limits.h"
#include "compat/dpif-members.h"
#include "dpif/datapath.h"
#include "dpif/ops.h"
#include "dpif/reconfigure.h"
#include "dummy.h"
#include "netdev.h"
#include "odp-util.h"
#include "seq.h"
#include "sset.h"
#include "unixctl.h"
#include "util.h"

static int
queue_to_priority(const struct dpif *dpif OVS_UNUSED, uint32_t queue_id,
                  uint32_t *priority)
{
    *priority = queue_id;
    return 0;
}

static char *
get_datapath_version(void)
{
    return xstrdup("<built-in>");
}

static void
register_dp_purge_cb(struct dpif *dpif, dp_purge_callback *cb, void *aux)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);

    dp->purge_aux = aux;
    dp->purge_cb = cb;
}

static void
register_upcall_cb(struct dpif *dpif, upcall_callback *cb, void *aux)
{
    struct ef_upcall *upcall = &ef_dpif_datapath(dpif)->env.upcall;

    upcall->aux = aux;
    upcall->cb = cb;
}

static void
enable_upcall(struct dpif *dpif)
{
    ef_upcall_enable(&ef_dpif_datapath(dpif)->env.upcall);
}

static void
disable_upcall(struct dpif *dpif)
{
    ef_upcall_disable(&ef_dpif_datapath(dpif)->env.upcall);
}

const struct dpif_class dpif_netdev_class = {
    .type = "netdev",
    .cleanup_required = true,
    EF_DPIF_SYNCED
    .init = ef_dpif_init,
    .enumerate = ef_dpif_enumerate,
    .port_open_type = ef_dpif_port_open_type,
    .open = ef_dpif_open,
    .close = ef_dpif_close,
    .destroy = ef_dpif_destroy,
    .run = ef_dpif_run,
    .wait = ef_dpif_wait,
    .get_stats = ef_dpif_get_stats,
    .set_config = ef_dpif_set_config,
    .queue_to_priority = queue_to_priority,
    .get_datapath_version = get_datapath_version,

    .port_add = ef_dpif_port_add,
    .port_del = ef_dpif_port_del,
    .port_set_config = ef_dpif_port_set_config,
    .port_query_by_number = ef_dpif_port_query_by_number,
    .port_query_by_name = ef_dpif_port_query_by_name,
    .port_dump_start = ef_dpif_port_dump_start,
    .port_dump_next = ef_dpif_port_dump_next,
    .port_dump_done = ef_dpif_port_dump_done,
    .port_poll = ef_dpif_port_poll,
    .port_poll_wait = ef_dpif_port_poll_wait,

    .flow_flush = ef_dpif_flow_flush,
    .flow_dump_create = ef_dpif_flow_dump_create,
    .flow_dump_destroy = ef_dpif_flow_dump_destroy,
    .flow_dump_thread_create = ef_dpif_flow_dump_thread_create,
    .flow_dump_thread_destroy = ef_dpif_flow_dump_thread_destroy,
    .flow_dump_next = ef_dpif_flow_dump_next,
    .operate = ef_dpif_operate,
    .offload_stats_get = ef_dpif_offload_stats_get,

    .register_dp_purge_cb = register_dp_purge_cb,
    .register_upcall_cb = register_upcall_cb,
    .enable_upcall = enable_upcall,
    .disable_upcall = disable_upcall,

    .ct_dump_start = ef_dpif_ct_dump_start,
    .ct_dump_next = ef_dpif_ct_dump_next,
    .ct_dump_done = ef_dpif_ct_dump_done,
    .ct_flush = ef_dpif_ct_flush,
    .ct_set_maxconns = ef_dpif_ct_set_maxconns,
    .ct_get_maxconns = ef_dpif_ct_get_maxconns,
    .ct_get_nconns = ef_dpif_ct_get_nconns,
    .ct_set_tcp_seq_chk = ef_dpif_ct_set_tcp_seq_chk,
    .ct_get_tcp_seq_chk = ef_dpif_ct_get_tcp_seq_chk,
    .ct_set_limits = EF_CT_SET_LIMITS,
    .ct_get_limits = EF_CT_GET_LIMITS,
    .ct_del_limits = EF_CT_DEL_LIMITS,
    EF_DPIF_CT_EXPECTATIONS
    EF_DPIF_CT_SWEEP
    .ct_set_timeout_policy = ef_dpif_ct_set_timeout_policy,
    .ct_get_timeout_policy = ef_dpif_ct_get_timeout_policy,
    .ct_del_timeout_policy = ef_dpif_ct_del_timeout_policy,
    .ct_get_timeout_policy_name = ef_dpif_ct_get_timeout_policy_name,
    .ct_get_features = ef_dpif_ct_get_features,

    .ipf_set_enabled = ef_dpif_ipf_set_enabled,
    .ipf_set_min_frag = ef_dpif_ipf_set_min_frag,
    .ipf_set_max_nfrags = ef_dpif_ipf_set_max_nfrags,
    .ipf_get_status = ef_dpif_ipf_get_status,
    .ipf_dump_start = ef_dpif_ipf_dump_start,
    .ipf_dump_next = ef_dpif_ipf_dump_next,
    .ipf_dump_done = ef_dpif_ipf_dump_done,

    .meter_get_features = ef_dpif_meter_get_features,
    .meter_set = ef_dpif_meter_set,
    .meter_get = ef_dpif_meter_get,
    .meter_del = ef_dpif_meter_del,

    .bond_add = ef_dpif_bond_add,
    .bond_del = ef_dpif_bond_del,
    .bond_stats_get = ef_dpif_bond_stats_get,
};

/* Dummy classes. */

/* Moves a port to another number, the datapath's ports lock held. Returns
 * null or what is wrong. */
static const char *
renumber_port(struct ef_datapath *dp, const char *name, const char *number)
{
    struct ef_port *port = ef_port_table_find_name(&dp->ports, name);
    odp_port_t port_no = u32_to_odp(atoi(number));

    if (!port) {
        return "unknown port";
    } else if (!port_no || port_no == ODPP_NONE) {
        return "bad port number";
    } else if (ef_port_table_find(&dp->ports, port_no)) {
        return "port number already in use";
    }

    ef_port_table_remove(&dp->ports, port);
    ef_datapath_reconfigure(dp);
    port->port_no = port_no;
    ef_port_table_insert(&dp->ports, port);
    ef_datapath_reconfigure(dp);
    return NULL;
}

static void
change_port_number(struct unixctl_conn *conn, int argc OVS_UNUSED,
                   const char *argv[], void *aux OVS_UNUSED)
{
    struct ef_datapath *dp;
    const char *error;

    ovs_mutex_lock(&ef_datapaths_mutex);
    dp = ef_datapath_lookup(argv[1]);
    if (dp && ef_dpif_class_is_dummy(dp->class)) {
        ovs_refcount_ref(&dp->ref_cnt);
    } else {
        dp = NULL;
    }
    ovs_mutex_unlock(&ef_datapaths_mutex);
    if (!dp) {
        unixctl_command_reply_error(conn, "unknown datapath or not a dummy");
        return;
    }

    ovs_rwlock_wrlock(&dp->ports.rwlock);
    error = renumber_port(dp, argv[2], argv[3]);
    ovs_rwlock_unlock(&dp->ports.rwlock);
    ef_datapath_unref(dp);
    if (error) {
        unixctl_command_reply_error(conn, error);
    } else {
        unixctl_command_reply(conn, NULL);
    }
}

static void
register_dummy(const char *type)
{
    struct dpif_class *class = xmemdup(&dpif_netdev_class, sizeof *class);

    class->type = xstrdup(type);
    dp_register_provider(class);
}

/* Puts a dummy class in the place of 'type'. */
static void
override(const char *type)
{
    int error = dp_unregister_provider(type);

    /* EAFNOSUPPORT: there was no such class, as for "system" in a build
     * without the kernel's. */
    if (!error || error == EAFNOSUPPORT) {
        register_dummy(type);
    }
}

static void
override_all(void)
{
    struct sset types = SSET_INITIALIZER(&types);
    const char *type;

    dp_enumerate_types(&types);
    SSET_FOR_EACH (type, &types) {
        override(type);
    }
    sset_destroy(&types);
}

void
dpif_dummy_register(enum dummy_level level)
{
    switch (level) {
    case DUMMY_OVERRIDE_ALL:
        override_all();
        break;
    case DUMMY_OVERRIDE_SYSTEM:
        override("system");
        break;
    case DUMMY_OVERRIDE_NONE:
        break;
    }

    register_dummy("dummy");
    unixctl_command_register("dpif-dummy/change-port-number",
                             "dp port new-number", 3, 3, change_port_number,
                             NULL);
}
