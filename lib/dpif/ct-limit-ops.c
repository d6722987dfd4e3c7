/* SPDX-License-Identifier: Apache-2.0 */

/* Limits of connections for each conntrack zone, and the default for zones
 * that have none of their own.  Main thread. */

#include <config.h>

#include "dpif/ops.h"

#include "conntrack.h"
#include "ct-dpif.h"
#include "dpif/datapath.h"
#include "openvswitch/list.h"

static struct conntrack *
dpif_ct(const struct dpif *dpif)
{
    return ef_dpif_datapath(dpif)->env.conntrack;
}

/* Limits before a zone that fails stay set. */
int
ef_dpif_ct_set_limits(struct dpif *dpif, const uint32_t *default_limit,
                      const struct ovs_list *zone_limits)
{
    struct conntrack *ct = dpif_ct(dpif);
    struct ct_dpif_zone_limit *zl;

    if (default_limit) {
        int error = zone_limit_update(ct, DEFAULT_ZONE, *default_limit);

        if (error) {
            return error;
        }
    }
    LIST_FOR_EACH (zl, node, zone_limits) {
        int error = zone_limit_update(ct, zl->zone, zl->limit);

        if (error) {
            return error;
        }
    }
    return 0;
}

static void
push(struct ovs_list *reply, int32_t zone,
     struct conntrack_zone_limit *limit)
{
    ct_dpif_push_zone_limit(reply, zone, limit->limit,
                            atomic_count_get(&limit->count));
}

/* Replies for all zones that have a limit. */
static void
get_all(struct conntrack *ct, struct ovs_list *reply)
{
    for (int32_t zone = MIN_ZONE; zone <= MAX_ZONE; zone++) {
        struct conntrack_zone_limit limit = zone_limit_get(ct, zone);

        if (limit.zone == zone) {
            push(reply, zone, &limit);
        }
    }
}

/* Replies for the zones that are asked for; one without a limit of its own
 * has the default. */
static int
get_some(struct conntrack *ct, const struct ovs_list *request,
         struct ovs_list *reply)
{
    struct ct_dpif_zone_limit *zl;

    LIST_FOR_EACH (zl, node, request) {
        struct conntrack_zone_limit limit = zone_limit_get(ct, zl->zone);

        if (limit.zone != zl->zone && limit.zone != DEFAULT_ZONE) {
            return EINVAL;
        }
        push(reply, zl->zone, &limit);
    }
    return 0;
}

int
ef_dpif_ct_get_limits(struct dpif *dpif, uint32_t *default_limit,
                      const struct ovs_list *request, struct ovs_list *reply)
{
    struct conntrack *ct = dpif_ct(dpif);
    struct conntrack_zone_limit limit = zone_limit_get(ct, DEFAULT_ZONE);

    if (limit.zone != DEFAULT_ZONE) {
        return EINVAL;
    }
    *default_limit = limit.limit;

    if (ovs_list_is_empty(request)) {
        get_all(ct, reply);
        return 0;
    }
    return get_some(ct, request, reply);
}

int
ef_dpif_ct_del_limits(struct dpif *dpif, const struct ovs_list *zone_limits)
{
    struct ct_dpif_zone_limit *zl;

    LIST_FOR_EACH (zl, node, zone_limits) {
        int error = zone_limit_delete(dpif_ct(dpif), zl->zone);

        if (error) {
            return error;
        }
    }
    return 0;
}
