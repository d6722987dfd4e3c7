/* SPDX-License-Identifier: Apache-2.0 */

/* Between Netlink attributes and the data path's flows: the dpif layer speaks
 * the former, as the kernel's data path does.
 *
 * Called for flow operations and dumps by handlers, revalidators and the main
 * thread, and on a miss by PMDs. */

#include <config.h>

#include "flow/flow-nlattr.h"

#include "compat/odp-format.h"
#include "core/log.h"
#include "flow/nlattr-sizes.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/match.h"
#include "openvswitch/ofpbuf.h"
#include "packets.h"
#include "util.h"

/* For attributes that ofproto or a command should not have sent. */
static struct vlog_rate_limit bad_rl = VLOG_RATE_LIMIT_INIT(1, 5);
static struct vlog_rate_limit change_rl = VLOG_RATE_LIMIT_INIT(600, 600);

#define SUPPORTED_CT_STATE (CS_NEW | CS_ESTABLISHED | CS_RELATED        \
                            | CS_REPLY_DIR | CS_INVALID | CS_TRACKED    \
                            | CS_SRC_NAT | CS_DST_NAT)

const struct odp_support ef_odp_support = {
    .ct_label = true,
    .ct_mark = true,
    .ct_orig_tuple6 = true,
    .ct_orig_tuple = true,
    .ct_state_nat = true,
    .ct_state = true,
    .ct_zone = true,
    .max_mpls_depth = SIZE_MAX,
    .max_vlan_headers = SIZE_MAX,
    .recirc = true,
};

static void
log_bad(const char *what, const struct nlattr *key, size_t key_len,
        const struct nlattr *mask, size_t mask_len, const char *why)
{
    struct ds s = DS_EMPTY_INITIALIZER;

    if (VLOG_DROP_ERR(&bad_rl)) {
        return;
    }
    ef_odp_flow_format(key, key_len, mask, mask_len, &s, true);
    VLOG_ERR("internal error parsing flow %s %s (%s)", what, ds_cstr(&s), why);
    ds_destroy(&s);
}

/* Attributes that are not for the package, not even for its log. */
static bool
are_sound(const char *what, const struct nlattr *attrs, size_t len,
          bool probe)
{
    bool sound = ef_nlattr_sizes_are_sound(attrs, len);

    if (!sound && !probe) {
        VLOG_ERR_RL(&bad_rl, "internal error parsing flow %s: an "
                    "attribute has a wrong size", what);
    }
    return sound;
}

int
ef_flow_from_nlattrs(const struct nlattr *key, size_t key_len,
                     struct flow *flow, bool probe)
{
    enum odp_key_fitness fitness;

    if (!are_sound("key", key, key_len, probe)) {
        return EINVAL;
    }
    fitness = odp_flow_key_to_flow(key, key_len, flow, NULL);
    if (fitness != ODP_FIT_PERFECT) {
        if (!probe) {
            log_bad("key", key, key_len, NULL, 0,
                    odp_key_fitness_to_string(fitness));
        }
        return EINVAL;
    }

    /* Not an error worth a message: ofproto finds out like this what is
     * supported. */
    return flow->ct_state & ~SUPPORTED_CT_STATE ? EINVAL : 0;
}

/* The presence of a VLAN header cannot be wildcarded in Netlink attributes:
 * what does not mention one means packets without. */
void
ef_match_fix_vlan(struct match *match)
{
    ovs_be16 *tci_mask = &match->wc.masks.vlans[0].tci;

    if (!*tci_mask) {
        *tci_mask = htons(VLAN_CFI | VLAN_VID_MASK);
    }
}

int
ef_match_from_nlattrs(const struct nlattr *key, size_t key_len,
                      const struct nlattr *mask, size_t mask_len,
                      struct match *match, bool probe)
{
    enum odp_key_fitness fitness;
    int error;

    memset(match, 0, sizeof *match);
    error = ef_flow_from_nlattrs(key, key_len, &match->flow, probe);
    if (error) {
        return error;
    }

    if (!are_sound("mask", mask, mask_len, probe)) {
        return EINVAL;
    }
    fitness = odp_flow_key_to_mask(mask, mask_len, &match->wc, &match->flow,
                                   NULL);
    if (fitness != ODP_FIT_PERFECT) {
        if (!probe) {
            log_bad("mask", key, key_len, mask, mask_len,
                    odp_key_fitness_to_string(fitness));
        }
        return EINVAL;
    }
    ef_match_fix_vlan(match);
    return 0;
}

/* Appends key and mask of 'flow' to the buffers. */
static void
put_match(const struct ef_flow *flow, struct ofpbuf *key_buf,
          struct ofpbuf *mask_buf, struct dpif_flow *dst)
{
    struct flow_wildcards wc;
    struct odp_flow_key_parms parms = {
        .flow = &flow->flow,
        .mask = &wc.masks,
        .support = ef_odp_support,
    };
    size_t key_start = key_buf->size;
    size_t mask_start;

    /* The classifier's masks leave out the input port, which is always
     * matched. */
    miniflow_expand(&flow->rule.mask->mf, &wc.masks);
    wc.masks.in_port.odp_port = ODPP_NONE;

    odp_flow_key_from_flow(&parms, key_buf);
    dst->key_len = key_buf->size - key_start;

    mask_start = mask_buf->size;
    parms.key_buf = key_buf;
    odp_flow_key_from_mask(&parms, mask_buf);
    dst->mask_len = mask_buf->size - mask_start;

    /* Only now: the buffer may be one, and may have moved. */
    dst->key = ofpbuf_at_assert(key_buf, key_start, dst->key_len);
    dst->mask = ofpbuf_at_assert(mask_buf, mask_start, dst->mask_len);
}

void
ef_flow_to_dpif_flow(const struct ef_flow *flow, struct ofpbuf *key_buf,
                     struct ofpbuf *mask_buf, struct dpif_flow *dst,
                     bool terse)
{
    memset(dst, 0, sizeof *dst);
    if (!terse) {
        const struct ef_flow_actions *actions = ef_flow_get_actions(flow);

        put_match(flow, key_buf, mask_buf, dst);
        dst->actions = actions->actions;
        dst->actions_len = actions->size;
    }
    dst->ufid = flow->ufid;
    dst->ufid_present = true;
    dst->pmd_id = flow->core_id;
}

static void
format_change(struct ds *s, const struct ef_flow *flow,
              const struct match *match, const struct ef_flow_actions *old,
              const struct nlattr *actions, size_t actions_len)
{
    struct odp_flow_key_parms parms = {
        .support = ef_odp_support,
        .flow = &match->flow,
        .mask = &match->wc.masks,
    };
    struct ofpbuf key, mask;

    ofpbuf_init(&key, 0);
    ofpbuf_init(&mask, 0);
    odp_flow_key_from_flow(&parms, &key);
    parms.key_buf = &key;
    odp_flow_key_from_mask(&parms, &mask);

    ds_put_format(s, "flow_%s: ", old ? "mod" : "add");
    odp_format_ufid(&flow->ufid, s);
    ds_put_cstr(s, " mega_");
    odp_format_ufid(&flow->mega_ufid, s);
    ds_put_char(s, ' ');
    ef_odp_flow_format(key.data, key.size, mask.data, mask.size, s, false);
    if (old) {
        ds_put_cstr(s, ", old_actions:");
        format_odp_actions(s, old->actions, old->size, NULL);
    }
    ds_put_cstr(s, ", actions:");
    format_odp_actions(s, actions, actions_len, NULL);

    ofpbuf_uninit(&mask);
    ofpbuf_uninit(&key);
}

/* Formats the match as the classifier has it. */
static void
format_rule(struct ds *s, const struct ef_flow *flow)
{
    struct match match;

    memset(&match, 0, sizeof match);
    miniflow_expand(&flow->rule.key.mf, &match.flow);
    miniflow_expand(&flow->rule.mask->mf, &match.wc.masks);
    ds_put_cstr(s, "flow match: ");
    match_format(&match, NULL, s, OFP_DEFAULT_PRIORITY);
}

void
ef_flow_log_change(const struct ef_flow *flow, const struct match *match,
                   const struct ef_flow_actions *old,
                   const struct nlattr *actions, size_t actions_len)
{
    if (!VLOG_DROP_DBG(&change_rl)) {
        struct ds s = DS_EMPTY_INITIALIZER;

        format_change(&s, flow, match, old, actions, actions_len);
        VLOG_DBG("%s", ds_cstr(&s));
        ds_clear(&s);
        format_rule(&s, flow);
        VLOG_DBG("%s", ds_cstr(&s));
        ds_destroy(&s);
    }
}
