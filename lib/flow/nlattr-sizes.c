/* SPDX-License-Identifier: Apache-2.0 */

/* Looks at the sizes of attributes.
 *
 * Called by flow-nlattr.c before the package parses, on any thread that
 * changes flows.  No state. */

#include <config.h>

#include "flow/nlattr-sizes.h"

#include "flow.h"
#include "netlink.h"
#include "odp-netlink.h"
#include "openvswitch/geneve.h"
#include "packets.h"
#include "util.h"

/* Of attributes that have one size only, plus one; 0: others. */
static const size_t sizes1[] = {
    [OVS_TUNNEL_KEY_ATTR_ID] = 1 + sizeof(ovs_be64),
    [OVS_TUNNEL_KEY_ATTR_IPV4_SRC] = 1 + sizeof(ovs_be32),
    [OVS_TUNNEL_KEY_ATTR_IPV4_DST] = 1 + sizeof(ovs_be32),
    [OVS_TUNNEL_KEY_ATTR_TOS] = 1 + sizeof(uint8_t),
    [OVS_TUNNEL_KEY_ATTR_TTL] = 1 + sizeof(uint8_t),
    [OVS_TUNNEL_KEY_ATTR_DONT_FRAGMENT] = 1,
    [OVS_TUNNEL_KEY_ATTR_CSUM] = 1,
    [OVS_TUNNEL_KEY_ATTR_OAM] = 1,
    [OVS_TUNNEL_KEY_ATTR_TP_SRC] = 1 + sizeof(ovs_be16),
    [OVS_TUNNEL_KEY_ATTR_TP_DST] = 1 + sizeof(ovs_be16),
    [OVS_TUNNEL_KEY_ATTR_IPV6_SRC] = 1 + sizeof(struct in6_addr),
    [OVS_TUNNEL_KEY_ATTR_IPV6_DST] = 1 + sizeof(struct in6_addr),
    [OVS_TUNNEL_KEY_ATTR_ERSPAN_OPTS] = 1 + sizeof(struct erspan_metadata),
    [OVS_TUNNEL_KEY_ATTR_GTPU_OPTS] = 1 + sizeof(struct gtpu_metadata),
};

static bool
is_tunnel_attr_sound(const struct nlattr *a)
{
    size_t size = nl_attr_get_size(a);
    int type = nl_attr_type(a);

    if (type == OVS_TUNNEL_KEY_ATTR_GENEVE_OPTS) {
        return size <= TLV_TOT_OPT_SIZE && !(size % 4);
    }
    return type >= ARRAY_SIZE(sizes1) || !sizes1[type]
           || size == sizes1[type] - 1;
}

static bool
is_tunnel_sound(const struct nlattr *tunnel)
{
    const struct nlattr *a;
    unsigned int left;

    NL_NESTED_FOR_EACH (a, left, tunnel) {
        if (!is_tunnel_attr_sound(a)) {
            return false;
        }
    }
    return true;
}

/* 'n_tags' is how many tags the attributes are within. */
static bool
are_sound(const struct nlattr *attrs, size_t len, int n_tags)
{
    const struct nlattr *a;
    unsigned int left;

    /* What does not fill a word at the end, the package's log reads beyond. */
    if (len % NLA_ALIGNTO) {
        return false;
    }
    NL_ATTR_FOR_EACH (a, left, attrs, len) {
        int type = nl_attr_type(a);
        bool sound = true;

        if (type == OVS_KEY_ATTR_ETHERTYPE) {
            sound = nl_attr_get_size(a) == sizeof(ovs_be16);
        } else if (type == OVS_KEY_ATTR_TUNNEL) {
            sound = is_tunnel_sound(a);
        } else if (type == OVS_KEY_ATTR_ENCAP) {
            sound = n_tags < FLOW_MAX_VLAN_HEADERS
                    && are_sound(nl_attr_get(a), nl_attr_get_size(a),
                                 n_tags + 1);
        }
        if (!sound) {
            return false;
        }
    }
    return true;
}

bool
ef_nlattr_sizes_are_sound(const struct nlattr *attrs, size_t len)
{
    return are_sound(attrs, len, 0);
}
