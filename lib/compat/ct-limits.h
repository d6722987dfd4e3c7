/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_CT_LIMITS_H
#define EF_COMPAT_CT_LIMITS_H 1

/* Callbacks of struct dpif_class for the limits of conntrack's zones.  In the
 * newer interface the default limit is that of a zone with the number
 * OVS_ZONE_LIMIT_DEFAULT_ZONE, one of the list; in the older one it is an
 * argument of its own.
 *
 * dpif/ct-limit-ops.c has the newer ones, over lists of struct
 * ef_ct_zone_limit, and dpif/class.c takes what this header makes of them:
 *
 *     .ct_set_limits = EF_CT_SET_LIMITS,
 *
 * Threads: main. */

#include "ct-dpif.h"
#include "odp-netlink.h"

struct dpif;
struct ovs_list;

int ef_dpif_ct_set_limits(struct dpif *, const struct ovs_list *limits);
int ef_dpif_ct_get_limits(struct dpif *, const struct ovs_list *request,
                          struct ovs_list *reply);
int ef_dpif_ct_del_limits(struct dpif *, const struct ovs_list *zones);

#ifdef EF_HAVE_CT_DEFAULT_ZONE

#define ef_ct_zone_limit ct_dpif_zone_limit
#define ef_ct_push_zone_limit ct_dpif_push_zone_limit

#define EF_CT_SET_LIMITS ef_dpif_ct_set_limits
#define EF_CT_GET_LIMITS ef_dpif_ct_get_limits
#define EF_CT_DEL_LIMITS ef_dpif_ct_del_limits

#else

struct ef_ct_zone_limit {
    int32_t zone;
    uint32_t limit;
    uint32_t count;
    struct ovs_list node;
};

void ef_ct_push_zone_limit(struct ovs_list *, int32_t zone, uint32_t limit,
                           uint32_t count);

/* compat/ct-limits.c */
int ef_compat_ct_set_limits(struct dpif *, const uint32_t *default_limit,
                            const struct ovs_list *limits);
int ef_compat_ct_get_limits(struct dpif *, uint32_t *default_limit,
                            const struct ovs_list *request,
                            struct ovs_list *reply);
int ef_compat_ct_del_limits(struct dpif *, const struct ovs_list *zones);

#define EF_CT_SET_LIMITS ef_compat_ct_set_limits
#define EF_CT_GET_LIMITS ef_compat_ct_get_limits
#define EF_CT_DEL_LIMITS ef_compat_ct_del_limits

#endif /* EF_HAVE_CT_DEFAULT_ZONE */

#endif /* compat/ct-limits.h */
