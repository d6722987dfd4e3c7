/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_DPIF_MEMBERS_H
#define EF_COMPAT_DPIF_MEMBERS_H 1

/* Members that not every struct dpif_class has, with their initializers, for
 * dpif/class.c:
 *
 *     const struct dpif_class dpif_netdev_class = {
 *         EF_DPIF_SYNCED
 *         EF_DPIF_CT_EXPECTATIONS
 *         ...
 *
 * and the callbacks behind them, which are in compat/dpif-members.c since
 * the package's conntrack has what they call only where they are wanted. */

#include "dpif-provider.h"

struct conntrack;

/* dpif/ct-ops.c */
struct conntrack *ef_dpif_conntrack(const struct dpif *);

/* Main thread; others' semantics are those of dpif-provider.h. */
int ef_dpif_ct_exp_dump_start(struct dpif *, struct ct_dpif_dump_state **,
                              const uint16_t *zone);
int ef_dpif_ct_exp_dump_done(struct dpif *, struct ct_dpif_dump_state *);
int ef_dpif_ct_set_sweep_interval(struct dpif *, uint32_t ms);
int ef_dpif_ct_get_sweep_interval(struct dpif *, uint32_t *ms);

/* A flow of ours that a device has too is one flow to those who dump. */
#ifdef EF_HAVE_SYNCED_DP_LAYERS
#define EF_DPIF_SYNCED .synced_dp_layers = true,
#else
#define EF_DPIF_SYNCED
#endif

#ifdef EF_HAVE_CT_EXPECTATIONS
int ef_dpif_ct_exp_dump_next(struct dpif *, struct ct_dpif_dump_state *,
                             struct ct_dpif_exp *);
#define EF_DPIF_CT_EXPECTATIONS                                 \
    .ct_exp_dump_start = ef_dpif_ct_exp_dump_start,             \
    .ct_exp_dump_next = ef_dpif_ct_exp_dump_next,               \
    .ct_exp_dump_done = ef_dpif_ct_exp_dump_done,
#else
#define EF_DPIF_CT_EXPECTATIONS
#endif

#ifdef EF_HAVE_CT_SWEEP_INTERVAL
#define EF_DPIF_CT_SWEEP                                        \
    .ct_set_sweep_interval = ef_dpif_ct_set_sweep_interval,     \
    .ct_get_sweep_interval = ef_dpif_ct_get_sweep_interval,
#else
#define EF_DPIF_CT_SWEEP
#endif

#endif /* compat/dpif-members.h */
