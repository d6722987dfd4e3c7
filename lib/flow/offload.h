/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_OFFLOAD_H
#define EF_FLOW_OFFLOAD_H 1

/* Hardware offload requests.
 *
 * PMDs and revalidators queue requests (lock free); offload threads, as many
 * as the package's netdev-offload says and created with the first request,
 * hand them to the offload provider under the data path's port lock.  All
 * functions do nothing while the flow API is off.  Where a data path's flows
 * are removed for good, ef_offload_drain() comes last.
 *
 * A flow's hardware mark lets a PMD find the flow of a packet without
 * looking at the packet. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/megaflow.h"
#include "ovs-thread.h"

struct match;
struct netdev;
struct netdev_custom_stats;

/* What requests of one data path have in common.  Lives as long as the data
 * path. */
struct ef_offload {
    struct ovs_rwlock *port_lock;
    const char *dpif_type;      /* As dpif_normalize_type() returns it. */
};

/* Any thread; the flow's table mutex is held.  'now_us' from time_usec(). */
void ef_offload_flow_put(struct ef_offload *, struct ef_flow *,
                         const struct match *, const struct nlattr *actions,
                         size_t actions_len, bool modify, long long now_us);
void ef_offload_flow_del(struct ef_offload *, struct ef_flow *,
                         long long now_us);

/* Packet path: the flow of PMD 'core_id' that has 'mark', or NULL. */
struct ef_flow *ef_offload_find_mark(uint32_t mark, unsigned core_id);

/* Main thread, holding the port lock for writing (it is dropped and taken
 * again): waits until all requests before this one are done and flushes
 * 'netdev'. */
void ef_offload_flush(struct ef_offload *, struct netdev *netdev);

/* Main thread, not holding the port lock: waits until all requests before
 * this one are done.  After that nobody refers to the argument, unless new
 * requests are made; to be called before a data path is freed. */
void ef_offload_drain(struct ef_offload *);

/* Any thread: statistics of 'flow' from software and hardware together, and
 * all of 'attrs' unless null; its strings last as long as the flow.  Never
 * waits for the port lock: if it is taken, what the provider said last
 * counts. */
void ef_offload_flow_status(const struct ef_offload *, struct ef_flow *,
                            struct dpif_flow_stats *,
                            struct dpif_flow_attrs *attrs);

/* Counters for dpctl/offload-stats-show.  'n_flows' has the number of flows
 * in hardware for each offload thread.  Allocates 'stats->counters'. */
void ef_offload_format_stats(const uint64_t *n_flows,
                             struct netdev_custom_stats *stats);

#endif /* flow/offload.h */
