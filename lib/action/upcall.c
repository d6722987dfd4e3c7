/* SPDX-License-Identifier: Apache-2.0 */

/* The call from the packet path to ofproto, and the lock that keeps ofproto's
 * threads and callers apart.
 *
 * Disabling upcalls is taking the lock for writing, from the call that
 * disables to the one that enables; callers on the packet path only try it
 * for reading, and may do so again while they hold it. */

#include <config.h>

#include "action/upcall.h"

#include <stdlib.h>

#include "core/log.h"
#include "flow.h"
#include "flow/flow-nlattr.h"
#include "odp-util.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/ofp-print.h"
#include "openvswitch/ofpbuf.h"
#include "util.h"

static struct vlog_rate_limit upcall_rl = VLOG_RATE_LIMIT_INIT(600, 600);

static void log_upcall(const struct ef_upcall *, enum dpif_upcall_type,
                       const struct dp_packet *, const struct flow *,
                       const struct flow_wildcards *);

void
ef_upcall_init(struct ef_upcall *upcall, const char *dp_name)
{
    upcall->dp_name = dp_name;
    upcall->cb = NULL;
    upcall->aux = NULL;
    fat_rwlock_init(&upcall->rwlock);
    ef_upcall_disable(upcall);
}

void
ef_upcall_destroy(struct ef_upcall *upcall)
{
    ovs_assert(!ef_upcall_begin(upcall));
    ef_upcall_enable(upcall);
    fat_rwlock_destroy(&upcall->rwlock);
}

void
ef_upcall_disable(struct ef_upcall *upcall)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    fat_rwlock_wrlock(&upcall->rwlock);
}

void
ef_upcall_enable(struct ef_upcall *upcall)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    fat_rwlock_unlock(&upcall->rwlock);
}

bool
ef_upcall_begin(struct ef_upcall *upcall)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    return !fat_rwlock_tryrdlock(&upcall->rwlock);
}

void
ef_upcall_end(struct ef_upcall *upcall)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    fat_rwlock_unlock(&upcall->rwlock);
}

int
ef_upcall(struct ef_upcall *upcall, unsigned core_id,
          const struct dp_packet *packet, const struct flow *flow,
          struct flow_wildcards *wc, ovs_u128 *ufid,
          enum dpif_upcall_type type, const struct nlattr *userdata,
          struct ofpbuf *actions, struct ofpbuf *put_actions)
{
    if (OVS_UNLIKELY(!upcall->cb)) {
        return ENODEV;
    }
    if (OVS_UNLIKELY(!VLOG_DROP_DBG(&upcall_rl))) {
        log_upcall(upcall, type, packet, flow, wc);
    }
    return upcall->cb(packet, flow, ufid, core_id, type, userdata, actions,
                      wc, put_actions, upcall->aux);
}

/* Upstream's tests look for the key on the line after "upcall:". */
static void
log_upcall(const struct ef_upcall *upcall, enum dpif_upcall_type type,
           const struct dp_packet *packet, const struct flow *flow,
           const struct flow_wildcards *wc)
{
    struct odp_flow_key_parms parms = {
        .support = ef_odp_support,
        .flow = flow,
        .mask = wc ? &wc->masks : NULL,
    };
    char *packet_text = ofp_dp_packet_to_string(packet);
    struct ds key_text = DS_EMPTY_INITIALIZER;
    struct ofpbuf key;

    ofpbuf_init(&key, 0);
    odp_flow_key_from_flow(&parms, &key);
    odp_flow_key_format(key.data, key.size, &key_text);
    VLOG_DBG("%s: %s upcall:\n%s\n%s", upcall->dp_name,
             dpif_upcall_type_to_string(type), ds_cstr(&key_text),
             packet_text);

    ofpbuf_uninit(&key);
    ds_destroy(&key_text);
    free(packet_text);
}
