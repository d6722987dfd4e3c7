/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPIF_OPS_H
#define EF_DPIF_OPS_H 1

/* Callbacks of the dpif class, grouped by the file that has them.  Arguments,
 * results and threads are those of struct dpif_class in dpif-provider.h. */

#include "dpif-provider.h"

/* dpif/port-ops.c: main thread. */
int ef_dpif_port_add(struct dpif *, struct netdev *, odp_port_t *);
int ef_dpif_port_del(struct dpif *, odp_port_t);
int ef_dpif_port_query_by_number(const struct dpif *, odp_port_t,
                                 struct dpif_port *);
int ef_dpif_port_query_by_name(const struct dpif *, const char *,
                               struct dpif_port *);
int ef_dpif_port_dump_start(const struct dpif *, void **);
int ef_dpif_port_dump_next(const struct dpif *, void *, struct dpif_port *);
int ef_dpif_port_dump_done(const struct dpif *, void *);
int ef_dpif_port_poll(const struct dpif *, char **);
void ef_dpif_port_poll_wait(const struct dpif *);

/* dpif/config.c and dpif/port-config.c: main thread. */
int ef_dpif_set_config(struct dpif *, const struct smap *);
int ef_dpif_port_set_config(struct dpif *, odp_port_t, const struct smap *);

/* dpif/run.c: main thread. */
bool ef_dpif_run(struct dpif *);
void ef_dpif_wait(struct dpif *);

/* dpif/stats.c: any thread. */
int ef_dpif_get_stats(const struct dpif *, struct dpif_dp_stats *);
int ef_dpif_offload_stats_get(struct dpif *, struct netdev_custom_stats *);

/* dpif/flow-ops.c: main, handlers, revalidators; a PMD through execute. */
int ef_dpif_flow_flush(struct dpif *);
int ef_dpif_flow_put(struct dpif *, const struct dpif_flow_put *);
int ef_dpif_flow_del(struct dpif *, const struct dpif_flow_del *);
int ef_dpif_flow_get(const struct dpif *, const struct dpif_flow_get *);

/* dpif/flow-dump.c: revalidators, several at once for one dump. */
struct dpif_flow_dump *ef_dpif_flow_dump_create(
    const struct dpif *, bool terse, struct dpif_flow_dump_types *);
int ef_dpif_flow_dump_destroy(struct dpif_flow_dump *);
struct dpif_flow_dump_thread *ef_dpif_flow_dump_thread_create(
    struct dpif_flow_dump *);
void ef_dpif_flow_dump_thread_destroy(struct dpif_flow_dump_thread *);
int ef_dpif_flow_dump_next(struct dpif_flow_dump_thread *, struct dpif_flow *,
                           int max_flows);

/* dpif/execute.c: any thread. */
int ef_dpif_execute(struct dpif *, struct dpif_execute *);
void ef_dpif_operate(struct dpif *, struct dpif_op **, size_t n_ops,
                     enum dpif_offload_type);

/* dpif/ct-ops.c: main thread.  Limits of zones are in dpif/ct-limit-ops.c,
 * declared in compat/ct-limits.h. */
int ef_dpif_ct_dump_start(struct dpif *, struct ct_dpif_dump_state **,
                          const uint16_t *zone, int *n_buckets);
int ef_dpif_ct_dump_next(struct dpif *, struct ct_dpif_dump_state *,
                         struct ct_dpif_entry *);
int ef_dpif_ct_dump_done(struct dpif *, struct ct_dpif_dump_state *);
int ef_dpif_ct_flush(struct dpif *, const uint16_t *zone,
                     const struct ct_dpif_tuple *);
int ef_dpif_ct_set_maxconns(struct dpif *, uint32_t);
int ef_dpif_ct_get_maxconns(struct dpif *, uint32_t *);
int ef_dpif_ct_get_nconns(struct dpif *, uint32_t *);
int ef_dpif_ct_set_tcp_seq_chk(struct dpif *, bool);
int ef_dpif_ct_get_tcp_seq_chk(struct dpif *, bool *);
int ef_dpif_ct_get_features(struct dpif *, enum ct_features *);
int ef_dpif_ct_set_timeout_policy(struct dpif *,
                                  const struct ct_dpif_timeout_policy *);
int ef_dpif_ct_get_timeout_policy(struct dpif *, uint32_t id,
                                  struct ct_dpif_timeout_policy *);
int ef_dpif_ct_del_timeout_policy(struct dpif *, uint32_t id);
int ef_dpif_ct_get_timeout_policy_name(struct dpif *, uint32_t id,
                                       uint16_t dl_type, uint8_t nw_proto,
                                       char **name, bool *is_generic);

/* dpif/ipf-ops.c: main thread. */
int ef_dpif_ipf_set_enabled(struct dpif *, bool v6, bool enable);
int ef_dpif_ipf_set_min_frag(struct dpif *, bool v6, uint32_t min_frag);
int ef_dpif_ipf_set_max_nfrags(struct dpif *, uint32_t max_frags);
int ef_dpif_ipf_get_status(struct dpif *, struct dpif_ipf_status *);
int ef_dpif_ipf_dump_start(struct dpif *, struct ipf_dump_ctx **);
int ef_dpif_ipf_dump_next(struct dpif *, void *, char **);
int ef_dpif_ipf_dump_done(struct dpif *, void *);

/* dpif/meter-ops.c: main thread; deletion also from the reclaimer. */
void ef_dpif_meter_get_features(const struct dpif *,
                                struct ofputil_meter_features *);
int ef_dpif_meter_set(struct dpif *, ofproto_meter_id,
                      struct ofputil_meter_config *);
int ef_dpif_meter_get(const struct dpif *, ofproto_meter_id,
                      struct ofputil_meter_stats *, uint16_t n_bands);
int ef_dpif_meter_del(struct dpif *, ofproto_meter_id,
                      struct ofputil_meter_stats *, uint16_t n_bands);

/* dpif/bond-ops.c: main thread. */
int ef_dpif_bond_add(struct dpif *, uint32_t id, odp_port_t *members);
int ef_dpif_bond_del(struct dpif *, uint32_t id);
int ef_dpif_bond_stats_get(struct dpif *, uint32_t id, uint64_t *n_bytes);

/* dpif/commands.c: registers the unixctl commands. */
int ef_dpif_init(void);

#endif /* dpif/ops.h */
