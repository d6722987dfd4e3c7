/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the attributes of a connection tracking action.
 *
 * Called by ct.c on the packet path, once for each batch.  The actions were
 * composed or checked by ofproto and odp-util: attributes have the right
 * size, except that nothing here writes past the end of what it fills in. */

#include <config.h>

#include "action/ct-parse.h"

#include <string.h>

#include "compat/conntrack-calls.h"
#include "core/log.h"
#include "ct-dpif.h"
#include "netlink.h"
#include "odp-netlink.h"
#include "util.h"

/* Which of the optional parts a NAT attribute had. */
struct nat_seen {
    bool ip_min, ip_max;
    bool port_min, port_max;
};

static void parse_attr(const struct nlattr *, struct ef_ct_params *);
static uint32_t parse_timeout_policy(const char *);
static void parse_nat(const struct nlattr *, struct nat_action_info_t *);

void
ef_ct_parse(const struct nlattr *action, struct ef_ct_params *params)
{
    const struct nlattr *a;
    unsigned int left;

    *params = (struct ef_ct_params) { .tp_id = DEFAULT_TP_ID };
    NL_NESTED_FOR_EACH_UNSAFE (a, left, action) {
        parse_attr(a, params);
    }

    if (!params->commit
        && params->nat.nat_action & (NAT_ACTION_SRC | NAT_ACTION_DST)) {
        static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 5);

        VLOG_WARN_RL(&rl, "NAT specified without commit.");
    }
}

static void
parse_attr(const struct nlattr *a, struct ef_ct_params *params)
{
    enum ovs_ct_attr type = nl_attr_type(a);

    switch (type) {
    case OVS_CT_ATTR_COMMIT:
        params->commit = true;
        return;
    case OVS_CT_ATTR_FORCE_COMMIT:
        params->commit = params->force = true;
        return;
    case OVS_CT_ATTR_ZONE:
        params->zone = nl_attr_get_u16(a);
        return;
    case OVS_CT_ATTR_MARK:
        params->mark = nl_attr_get(a);
        return;
    case OVS_CT_ATTR_LABELS:
        params->labels = nl_attr_get(a);
        return;
    case OVS_CT_ATTR_HELPER:
        params->helper = nl_attr_get_string(a);
        return;
    case OVS_CT_ATTR_TIMEOUT:
        params->tp_id = parse_timeout_policy(nl_attr_get_string(a));
        return;
    case OVS_CT_ATTR_NAT:
        params->has_nat = true;
        parse_nat(a, &params->nat);
        return;

    case OVS_CT_ATTR_EVENTMASK: /* For Netlink events: we have none. */
    case OVS_CT_ATTR_UNSPEC:
    case __OVS_CT_ATTR_MAX:
        return;
    }
}

static uint32_t
parse_timeout_policy(const char *text)
{
    unsigned int id;

    if (!str_to_uint(text, 10, &id)) {
        static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 5);

        VLOG_WARN_RL(&rl, "Invalid Timeout Policy ID: %s.", text);
        return DEFAULT_TP_ID;
    }
    return id;
}

static void
copy_addr(union ct_addr *dst, const struct nlattr *a)
{
    memcpy(dst, nl_attr_get(a), MIN(nl_attr_get_size(a), sizeof *dst));
}

static void
parse_nat_attr(const struct nlattr *a, struct nat_action_info_t *nat,
               struct nat_seen *seen)
{
    enum ovs_nat_attr type = nl_attr_type(a);

    switch (type) {
    case OVS_NAT_ATTR_SRC:
        nat->nat_action |= NAT_ACTION_SRC;
        return;
    case OVS_NAT_ATTR_DST:
        nat->nat_action |= NAT_ACTION_DST;
        return;
    case OVS_NAT_ATTR_IP_MIN:
        copy_addr(&nat->min_addr, a);
        seen->ip_min = true;
        return;
    case OVS_NAT_ATTR_IP_MAX:
        copy_addr(&nat->max_addr, a);
        seen->ip_max = true;
        return;
    case OVS_NAT_ATTR_PROTO_MIN:
        nat->min_port = nl_attr_get_u16(a);
        seen->port_min = true;
        return;
    case OVS_NAT_ATTR_PROTO_MAX:
        nat->max_port = nl_attr_get_u16(a);
        seen->port_max = true;
        return;

    /* Conntrack chooses addresses and ports in one way only. */
    case OVS_NAT_ATTR_PERSISTENT:
        ef_nat_set_persistent(nat);
        break;
    case OVS_NAT_ATTR_PROTO_RANDOM:
        ef_nat_set_random(nat);
        break;
    case OVS_NAT_ATTR_PROTO_HASH:
    case OVS_NAT_ATTR_UNSPEC:
    case __OVS_NAT_ATTR_MAX:
        return;
    }
}

/* A range with one end only is that one value. */
static void
parse_nat(const struct nlattr *nest, struct nat_action_info_t *nat)
{
    struct nat_seen seen = { false, false, false, false };
    const struct nlattr *a;
    unsigned int left;

    memset(nat, 0, sizeof *nat);
    NL_NESTED_FOR_EACH_UNSAFE (a, left, nest) {
        parse_nat_attr(a, nat, &seen);
    }

    if (seen.ip_min && !seen.ip_max) {
        nat->max_addr = nat->min_addr;
    }
    if (seen.port_min && !seen.port_max) {
        nat->max_port = nat->min_port;
    }
    if (seen.port_min || seen.port_max) {
        if (nat->nat_action & NAT_ACTION_SRC) {
            nat->nat_action |= NAT_ACTION_SRC_PORT;
        } else if (nat->nat_action & NAT_ACTION_DST) {
            nat->nat_action |= NAT_ACTION_DST_PORT;
        }
    }
}
