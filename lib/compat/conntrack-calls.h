/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_CONNTRACK_CALLS_H
#define EF_COMPAT_CONNTRACK_CALLS_H 1

/* Calls of the package's conntrack module whose arguments or results differ.
 *
 * Threads: those of conntrack.h. */

#include <stdbool.h>

#include "conntrack.h"
#include "flow.h"

/* conntrack_execute(); of 'flow' it looks at what the tracker wants to know
 * of the packets. */
static inline int
ef_conntrack_execute(struct conntrack *ct, struct dp_packet_batch *batch,
                     const struct flow *flow, bool force, bool commit,
                     uint16_t zone, const uint32_t *mark,
                     const struct ovs_key_ct_labels *labels,
                     const char *helper,
                     const struct nat_action_info_t *nat, long long now_ms,
                     uint32_t tp_id)
{
    return conntrack_execute(ct, batch, flow->dl_type, force, commit, zone,
                             mark, labels,
#ifdef EF_HAVE_CT_EXECUTE_PORTS
                             flow->tp_src, flow->tp_dst,
#endif
                             helper, nat, now_ms, tp_id);
}

/* How a port of a range, and an address, are to be chosen.  An older tracker
 * has its one way to choose. */
static inline void
ef_nat_set_random(struct nat_action_info_t *nat OVS_UNUSED)
{
#ifdef EF_HAVE_NAT_FLAGS
    nat->nat_flags |= NAT_RANGE_RANDOM;
#endif
}

static inline void
ef_nat_set_persistent(struct nat_action_info_t *nat OVS_UNUSED)
{
#ifdef EF_HAVE_NAT_FLAGS
    nat->nat_flags |= NAT_PERSISTENT;
#endif
}

/* What zone_limit_get() tells: 'zone' is the one asked for, or DEFAULT_ZONE
 * whose limit stands in for it, or neither. */
struct ef_zone_info {
    int32_t zone;
    uint32_t limit;
    uint32_t count;
};

static inline struct ef_zone_info
ef_zone_info_get(struct conntrack *ct, int32_t zone)
{
#ifdef EF_HAVE_CT_DEFAULT_ZONE
    struct conntrack_zone_info info = zone_limit_get(ct, zone);

    return (struct ef_zone_info) { info.zone, info.limit, info.count };
#else
    struct conntrack_zone_limit info = zone_limit_get(ct, zone);

    return (struct ef_zone_info) { info.zone, info.limit,
                                   atomic_count_get(&info.count) };
#endif
}

#endif /* compat/conntrack-calls.h */
