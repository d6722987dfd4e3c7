/* SPDX-License-Identifier: Apache-2.0 */

/* Hands one request to the offload provider of the flow's port.
 *
 * Called by offload threads only.  The provider is asked under the data
 * path's port lock, so that the port cannot go meanwhile. */

#include <config.h>

#include "flow/offload-thread.h"

#include "core/log.h"
#include "flow/offload.h"
#include "netdev-offload.h"
#include "netdev.h"
#include "openvswitch/match.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "uuid.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(1, 5);

/* The main thread may hold the lock while it waits for a grace period, so
 * wait in a quiescent state.  The flow at hand is kept by the request's
 * reference. */
static void
lock_ports(struct ovs_rwlock *lock)
    OVS_ACQ_RDLOCK(lock)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    if (ovs_rwlock_tryrdlock(lock)) {
        ovsrcu_quiesce_start();
        ovs_rwlock_rdlock(lock);
        ovsrcu_quiesce_end();
    }
}

static struct netdev *
get_netdev(const struct ef_offload_request *request)
{
    return netdev_ports_get(request->flow->in_port,
                            request->offload->dpif_type);
}

static int
hw_put(const struct ef_offload_request *request, uint32_t mark)
{
    struct offload_info info = {
        .flow_mark = mark,
        .orig_in_port = request->flow->orig_in_port,
    };
    struct netdev *netdev = get_netdev(request);
    int error;

    if (!netdev) {
        return ENODEV;
    }
    lock_ports(request->offload->port_lock);
    error = netdev_flow_put(netdev, request->match, request->actions,
                            request->actions_len, &request->flow->mega_ufid,
                            &info, NULL);
    ovs_rwlock_unlock(request->offload->port_lock);
    netdev_close(netdev);
    return error;
}

static int
hw_del(const struct ef_offload_request *request)
{
    struct netdev *netdev = get_netdev(request);
    int error;

    if (!netdev) {
        return 0;               /* Its flows went with the port. */
    }
    lock_ports(request->offload->port_lock);
    error = netdev_flow_del(netdev, &request->flow->mega_ufid, NULL);
    ovs_rwlock_unlock(request->offload->port_lock);
    netdev_close(netdev);
    return error;
}

static int
withdraw(const struct ef_offload_request *request, struct ef_mark_table *marks)
{
    uint32_t mark;
    int error = 0;

    if (ef_flow_mark(request->flow) == EF_MARK_NONE) {
        return ENOENT;
    }
    mark = ef_mark_detach(marks, request->flow);
    if (mark != EF_MARK_NONE) {
        error = hw_del(request);
        /* Not before hardware has stopped using the mark. */
        ef_mark_free(marks, mark);
    }
    return error;
}

/* Gives the flow a mark: that of its megaflow, if another PMD has the same
 * already, or else a new one. */
static int
introduce(const struct ef_offload_request *request,
          struct ef_mark_table *marks)
{
    uint32_t mark = ef_mark_find(marks, &request->flow->mega_ufid);

    if (mark == EF_MARK_NONE) {
        int error;

        mark = ef_mark_alloc(marks);
        if (mark == EF_MARK_NONE) {
            VLOG_ERR_RL(&rl, "out of hardware flow marks");
            return ENOSPC;
        }
        error = hw_put(request, mark);
        if (error) {
            ef_mark_free(marks, mark);
            return error;
        }
    }
    ef_mark_attach(marks, request->flow, mark);
    return 0;
}

static int
put(const struct ef_offload_request *request, struct ef_mark_table *marks)
{
    uint32_t mark = ef_flow_mark(request->flow);
    int error;

    if (ef_flow_is_dead(request->flow)) {
        return ENOENT;          /* A request to delete it follows. */
    }
    if (mark == EF_MARK_NONE) {
        return introduce(request, marks);
    }
    error = hw_put(request, mark);
    if (error) {
        /* Hardware may have the old actions or none. */
        withdraw(request, marks);
    }
    return error;
}

static void
flush(const struct ef_offload_request *request)
{
    lock_ports(request->offload->port_lock);
    netdev_flow_flush(request->netdev);
    ovs_rwlock_unlock(request->offload->port_lock);

    ovs_barrier_block(request->barrier);
    /* The requester takes the port lock again.  No request may reach the
     * provider before that. */
    ovs_barrier_block(request->barrier);
}

static void
log_result(const struct ef_offload_request *request, const char *op, int error)
{
    VLOG_DBG("%s to %s netdev flow "UUID_FMT,
             error ? "failed" : "succeed", op,
             UUID_ARGS((const struct uuid *) &request->flow->mega_ufid));
}

void
ef_offload_apply(const struct ef_offload_request *request,
                 struct ef_mark_table *marks)
{
    switch (request->op) {
    case EF_OFFLOAD_ADD:
        log_result(request, "add", put(request, marks));
        break;
    case EF_OFFLOAD_MODIFY:
        log_result(request, "modify", put(request, marks));
        break;
    case EF_OFFLOAD_DEL:
        log_result(request, "delete", withdraw(request, marks));
        break;
    case EF_OFFLOAD_FLUSH:
        flush(request);
        break;
    case EF_OFFLOAD_SYNC:
        ovs_barrier_block(request->barrier);
        break;
    default:
        OVS_NOT_REACHED();
    }
}
