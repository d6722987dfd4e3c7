/* SPDX-License-Identifier: Apache-2.0 */

/* Statistics of a flow, in software and in hardware.
 *
 * Revalidators, handlers and the main thread call.  The port lock is only
 * tried: the main thread may hold it while it waits for revalidators to
 * stop. */

#include <config.h>

#include "flow/offload.h"

#include "netdev-offload.h"
#include "netdev.h"
#include "odp-util.h"
#include "openvswitch/match.h"
#include "openvswitch/ofpbuf.h"
#include "ovs-thread.h"

/* Remembers what the provider said.  Two threads may do so at once; a reader
 * then sees numbers of both, each of which was right a moment ago. */
static void
remember(struct ef_flow_hw *hw, int result,
         const struct dpif_flow_stats *stats,
         const struct dpif_flow_attrs *attrs)
{
    atomic_store_relaxed(&hw->result, result);
    if (!result) {
        atomic_store_relaxed(&hw->stats.used_ms, stats->used);
        atomic_store_relaxed(&hw->stats.n_packets, stats->n_packets);
        atomic_store_relaxed(&hw->stats.n_bytes, stats->n_bytes);
        atomic_store_relaxed(&hw->stats.tcp_flags, stats->tcp_flags);
        atomic_store_relaxed(&hw->offloaded, attrs->offloaded);
        atomic_store_relaxed(&hw->dp_layer, attrs->dp_layer);
    }
}

static int
recall(struct ef_flow_hw *hw, struct dpif_flow_stats *stats,
       struct dpif_flow_attrs *attrs)
{
    unsigned long long n_packets, n_bytes;
    long long used_ms;
    int result;

    atomic_read_relaxed(&hw->result, &result);
    if (result) {
        return result;
    }
    atomic_read_relaxed(&hw->dp_layer, &attrs->dp_layer);
    if (!attrs->dp_layer) {
        return EAGAIN;          /* The provider was never asked. */
    }
    atomic_read_relaxed(&hw->offloaded, &attrs->offloaded);
    atomic_read_relaxed(&hw->stats.used_ms, &used_ms);
    atomic_read_relaxed(&hw->stats.n_packets, &n_packets);
    atomic_read_relaxed(&hw->stats.n_bytes, &n_bytes);
    atomic_read_relaxed(&hw->stats.tcp_flags, &stats->tcp_flags);
    stats->used = used_ms;
    stats->n_packets = n_packets;
    stats->n_bytes = n_bytes;
    return 0;
}

static int
ask(struct netdev *netdev, const struct ef_flow *flow,
    struct dpif_flow_stats *stats, struct dpif_flow_attrs *attrs)
{
    uint64_t stub[1024 / 8];
    struct nlattr *actions;
    struct ofpbuf buf;
    struct match match;
    int error;

    ofpbuf_use_stub(&buf, stub, sizeof stub);
    error = netdev_flow_get(netdev, &match, &actions, &flow->mega_ufid, stats,
                            attrs, &buf);
    ofpbuf_uninit(&buf);
    return error;
}

/* Returns 0 if hardware knows 'flow'. */
static int
hw_status(const struct ef_offload *offload, struct ef_flow *flow,
          struct dpif_flow_stats *stats, struct dpif_flow_attrs *attrs)
{
    struct netdev *netdev;
    int error;

    if (!netdev_is_flow_api_enabled()) {
        return EOPNOTSUPP;
    }
    netdev = netdev_ports_get(flow->in_port, offload->dpif_type);
    if (!netdev) {
        return ENODEV;
    }

    if (!ovs_rwlock_tryrdlock(offload->port_lock)) {
        error = ask(netdev, flow, stats, attrs);
        remember(&flow->hw, error, stats, attrs);
        ovs_rwlock_unlock(offload->port_lock);
    } else {
        error = recall(&flow->hw, stats, attrs);
    }
    netdev_close(netdev);
    return error;
}

void
ef_offload_flow_status(const struct ef_offload *offload, struct ef_flow *flow,
                       struct dpif_flow_stats *stats,
                       struct dpif_flow_attrs *attrs)
{
    struct dpif_flow_stats hw_stats = { .n_packets = 0 };
    struct dpif_flow_attrs hw_attrs = { .offloaded = false };

    ef_flow_read_stats(flow, stats);
    if (!hw_status(offload, flow, &hw_stats, &hw_attrs)) {
        stats->n_packets += hw_stats.n_packets;
        stats->n_bytes += hw_stats.n_bytes;
        stats->used = MAX(stats->used, hw_stats.used);
        stats->tcp_flags |= hw_stats.tcp_flags;
    } else {
        hw_attrs.offloaded = false;
        hw_attrs.dp_layer = "ovs";
    }

    if (attrs) {
        attrs->offloaded = hw_attrs.offloaded;
        attrs->dp_layer = hw_attrs.dp_layer;
        attrs->dp_extra_info = flow->extra_info;
    }
}
