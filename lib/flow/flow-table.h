/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_FLOW_TABLE_H
#define EF_FLOW_FLOW_TABLE_H 1

/* The flows of one instance: by ufid, by mask and, where possible, by the
 * simple match.
 *
 * Changes take 'mutex' (PMD on a miss, revalidators, main thread); the owner
 * reads without it, under RCU.  PMD threads hold it only for one insertion,
 * removal or sort.
 *
 *     ovs_mutex_lock(&table->mutex);
 *     if (!ef_flow_table_lookup(table, &key, NULL)) {
 *         flow = ef_flow_table_insert(table, &match, &ufid, acts, n, port, c);
 *     }
 *     ovs_mutex_unlock(&table->mutex); */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccmap.h"
#include "cmap.h"
#include "flow/classifier.h"
#include "flow/megaflow.h"
#include "ovs-thread.h"

struct ef_flow_table {
    struct ovs_mutex mutex;
    struct cmap flows;          /* "struct ef_flow"s by ufid. */
    struct cmap classifiers;    /* "struct ef_cls"s by input port. */
    struct cmap simple;         /* Flows with a simple match. */
    struct ccmap n_flows;       /* Flows for each input port. */
    struct ccmap n_simple;      /* Of these, in 'simple'. */
};

void ef_flow_table_init(struct ef_flow_table *);
/* Frees what is left, flows as well as classifiers. No readers may be left
 * but for those protected by RCU. */
void ef_flow_table_destroy(struct ef_flow_table *);

/* Changes: 'mutex' held. */

/* 'match->wc' must match the input port exactly and no metadata or
 * registers. Never fails. */
struct ef_flow *ef_flow_table_insert(struct ef_flow_table *table,
                                     const struct match *,
                                     const ovs_u128 *ufid,
                                     const struct nlattr *actions,
                                     size_t actions_len,
                                     odp_port_t orig_in_port,
                                     unsigned core_id)
    OVS_REQUIRES(table->mutex);
/* Marks 'flow' dead and drops the table's reference. */
void ef_flow_table_remove(struct ef_flow_table *table, struct ef_flow *flow)
    OVS_REQUIRES(table->mutex);

/* Sorts all subtables by their hits, unless somebody holds 'mutex'.
 * Returns whether it did. */
bool ef_flow_table_try_sort(struct ef_flow_table *);

/* Reading: under RCU; a lookup by key also needs to be the owner or to hold
 * 'mutex', since it counts hits. */
struct ef_flow *ef_flow_table_find(const struct ef_flow_table *,
                                   const ovs_u128 *ufid);
struct ef_cls *ef_flow_table_cls(const struct ef_flow_table *,
                                 odp_port_t in_port);
/* 'key->len' must be set.  '*n_lookups' as for ef_cls_lookup(). */
struct ef_flow *ef_flow_table_lookup(const struct ef_flow_table *,
                                     const struct ef_key *key,
                                     int *n_lookups);
static inline size_t
ef_flow_table_count(const struct ef_flow_table *table)
{
    return cmap_count(&table->flows);
}

#endif /* flow/flow-table.h */
