/* SPDX-License-Identifier: Apache-2.0 */

/* Limits of connections for each conntrack zone, and the default for zones
 * that have none of their own: DEFAULT_ZONE's.  Main thread. */

#include <config.h>

#include "compat/ct-limits.h"

#include <errno.h>

#include "compat/conntrack-calls.h"
#include "compat/dpif-members.h"
#include "openvswitch/list.h"

/* Limits before a zone that fails stay set. */
int
ef_dpif_ct_set_limits(struct dpif *dpif, const struct ovs_list *limits)
{
    struct conntrack *ct = ef_dpif_conntrack(dpif);
    struct ef_ct_zone_limit *zl;

    LIST_FOR_EACH (zl, node, limits) {
        int error = zone_limit_update(ct, zl->zone, zl->limit);

        if (error) {
            return error;
        }
    }
    return 0;
}

/* Replies for all zones that have a limit.  Nobody counts the connections of
 * the default one. */
static void
get_all(struct conntrack *ct, struct ovs_list *reply)
{
    for (int32_t zone = DEFAULT_ZONE; zone <= MAX_ZONE; zone++) {
        struct ef_zone_info info = ef_zone_info_get(ct, zone);

        if (info.zone == zone) {
            ef_ct_push_zone_limit(reply, zone, info.limit,
                                  zone == DEFAULT_ZONE ? 0 : info.count);
        }
    }
}

/* Replies for the zones that are asked for; one without a limit of its own
 * has the default. */
static int
get_some(struct conntrack *ct, const struct ovs_list *request,
         struct ovs_list *reply)
{
    struct ef_ct_zone_limit *zl;

    LIST_FOR_EACH (zl, node, request) {
        struct ef_zone_info info = ef_zone_info_get(ct, zl->zone);

        if (info.zone != zl->zone && info.zone != DEFAULT_ZONE) {
            return EINVAL;
        }
        ef_ct_push_zone_limit(reply, zl->zone, info.limit, info.count);
    }
    return 0;
}

int
ef_dpif_ct_get_limits(struct dpif *dpif, const struct ovs_list *request,
                      struct ovs_list *reply)
{
    struct conntrack *ct = ef_dpif_conntrack(dpif);

    if (ovs_list_is_empty(request)) {
        get_all(ct, reply);
        return 0;
    }
    return get_some(ct, request, reply);
}

int
ef_dpif_ct_del_limits(struct dpif *dpif, const struct ovs_list *zones)
{
    struct ef_ct_zone_limit *zl;

    LIST_FOR_EACH (zl, node, zones) {
        int error = zone_limit_delete(ef_dpif_conntrack(dpif), zl->zone);

        if (error) {
            return error;
        }
    }
    return 0;
}
