/* SPDX-License-Identifier: Apache-2.0 */

/* Limits of conntrack's zones where the default limit is an argument of its
 * own: makes one list of both and takes the reply apart.
 *
 * Called by the package's ct-dpif.c in the main thread.  Empty where the
 * package has the newer interface. */

#include <config.h>

#include "compat/ct-limits.h"

#ifndef EF_HAVE_CT_DEFAULT_ZONE

#include <errno.h>
#include <stdlib.h>

#include "openvswitch/list.h"
#include "util.h"

void
ef_ct_push_zone_limit(struct ovs_list *list, int32_t zone, uint32_t limit,
                      uint32_t count)
{
    struct ef_ct_zone_limit *new = xmalloc(sizeof *new);

    *new = (struct ef_ct_zone_limit) {
        .zone = zone, .limit = limit, .count = count,
    };
    ovs_list_push_back(list, &new->node);
}

static void
push_all(struct ovs_list *to, const struct ovs_list *from)
{
    const struct ct_dpif_zone_limit *old;

    LIST_FOR_EACH (old, node, from) {
        ef_ct_push_zone_limit(to, old->zone, old->limit, old->count);
    }
}

static void
free_all(struct ovs_list *list)
{
    struct ef_ct_zone_limit *limit;

    LIST_FOR_EACH_POP (limit, node, list) {
        free(limit);
    }
}

int
ef_compat_ct_set_limits(struct dpif *dpif, const uint32_t *default_limit,
                        const struct ovs_list *limits)
{
    struct ovs_list all = OVS_LIST_INITIALIZER(&all);
    int error;

    if (default_limit) {
        ef_ct_push_zone_limit(&all, OVS_ZONE_LIMIT_DEFAULT_ZONE,
                              *default_limit, 0);
    }
    push_all(&all, limits);
    error = ef_dpif_ct_set_limits(dpif, &all);
    free_all(&all);
    return error;
}

/* Asks for all zones, or for those of 'request' and the default limit. */
static void
make_request(struct ovs_list *all, const struct ovs_list *request)
{
    if (!ovs_list_is_empty(request)) {
        ef_ct_push_zone_limit(all, OVS_ZONE_LIMIT_DEFAULT_ZONE, 0, 0);
        push_all(all, request);
    }
}

int
ef_compat_ct_get_limits(struct dpif *dpif, uint32_t *default_limit,
                        const struct ovs_list *request,
                        struct ovs_list *reply)
{
    struct ovs_list all = OVS_LIST_INITIALIZER(&all);
    struct ovs_list answer = OVS_LIST_INITIALIZER(&answer);
    const struct ef_ct_zone_limit *zl;
    bool has_default = false;
    int error;

    make_request(&all, request);
    error = ef_dpif_ct_get_limits(dpif, &all, &answer);
    LIST_FOR_EACH (zl, node, &answer) {
        if (zl->zone == OVS_ZONE_LIMIT_DEFAULT_ZONE) {
            *default_limit = zl->limit;
            has_default = true;
        } else if (!error) {
            ct_dpif_push_zone_limit(reply, zl->zone, zl->limit, zl->count);
        }
    }
    free_all(&all);
    free_all(&answer);
    return error ? error : has_default ? 0 : EINVAL;
}

int
ef_compat_ct_del_limits(struct dpif *dpif, const struct ovs_list *zones)
{
    struct ovs_list all = OVS_LIST_INITIALIZER(&all);
    int error;

    push_all(&all, zones);
    error = ef_dpif_ct_del_limits(dpif, &all);
    free_all(&all);
    return error;
}

#endif /* !EF_HAVE_CT_DEFAULT_ZONE */
