/* SPDX-License-Identifier: Apache-2.0 */

/* Fuzzes flow keys and masks as Netlink attributes, which flow operations
 * hand to the data path.
 *
 * Input: a digit for where the attributes come from, then
 *     0  the length of the key, two bytes; the key; the mask
 *     1  a flow as text, which the package makes attributes of
 *     2  a number of changes, two bytes each (place, value), to the
 *        attributes of the packet that follows; its flow's mask
 * What is accepted becomes a rule, is looked up, and comes back as attributes
 * that mean the same. */

#include <config.h>

#include "flow/flow-nlattr.h"

#include "dp-packet.h"
#include "dpif.h"
#include "dpif/ops.h"
#include "dummy.h"
#include "flow/flow-table.h"
#include "flow/nlattr-sizes.h"
#include "fuzz.h"
#include "odp-util.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/match.h"
#include "openvswitch/ofpbuf.h"
#include "packets.h"

static struct dpif *dpif;
static struct ef_flow_table table;

/* A key and a mask, in just as much memory of the heap. */
struct attrs {
    struct nlattr *key, *mask;
    size_t key_len, mask_len;
};

int
LLVMFuzzerInitialize(int *argc OVS_UNUSED, char ***argv OVS_UNUSED)
{
    fz_begin();
    dummy_enable("");
    FZ_CHECK(!dpif_create_and_open("ef-fuzz", "dummy", &dpif));
    ef_flow_table_init(&table);
    return 0;
}

/* What the classifier makes of 'match': equal for matches that mean the
 * same. */
struct meaning {
    struct ef_key mask, key;
    odp_port_t in_port;
};

static void
get_meaning(const struct match *match, struct meaning *m)
{
    ef_key_from_mask(&m->mask, match);
    ef_key_from_masked_flow(&m->key, &match->flow, &m->mask);
    m->in_port = match->flow.in_port.odp_port;
}

static bool
is_same_meaning(const struct meaning *a, const struct meaning *b)
{
    return a->mask.len == b->mask.len && ef_key_equal(&a->mask, &b->mask)
           && ef_key_equal(&a->key, &b->key) && a->in_port == b->in_port;
}

/* Unless they are refused before, the attributes end up in a log. */
static void
check_format(const struct attrs *a)
{
    struct ds s = DS_EMPTY_INITIALIZER;

    if (!ef_nlattr_sizes_are_sound(a->key, a->key_len)
        || !ef_nlattr_sizes_are_sound(a->mask, a->mask_len)) {
        return;
    }
    odp_flow_format(a->key, a->key_len, a->mask, a->mask_len, NULL, &s, true);
    FZ_CHECK(strlen(ds_cstr(&s)) == s.length);
    ds_destroy(&s);
}

/* Back to attributes, as a dump of flows does, and to a match.  Returns
 * whether there is one. */
static bool
dump_rule(const struct ef_flow *rule, struct match *match)
{
    struct ofpbuf key, mask;
    struct dpif_flow dump;
    bool ok;

    ofpbuf_init(&key, 0);
    ofpbuf_init(&mask, 0);
    ef_flow_to_dpif_flow(rule, &key, &mask, &dump, false);
    ok = !ef_match_from_nlattrs(dump.key, dump.key_len, dump.mask,
                                dump.mask_len, match, true);
    ofpbuf_uninit(&key);
    ofpbuf_uninit(&mask);
    return ok;
}

/* Makes 'match' a rule, which its packet finds, and stores what a dump says
 * of it.  Returns whether that makes sense. */
static bool
check_rule(const struct match *match, struct match *dump)
{
    ovs_u128 ufid = OVS_U128_ZERO;
    struct ef_flow *rule;
    struct ef_key key;
    bool ok;

    ovs_mutex_lock(&table.mutex);
    rule = ef_flow_table_insert(&table, match, &ufid, NULL, 0, ODPP_NONE, 0);
    ef_key_from_flow(&key, &match->flow);
    FZ_CHECK(ef_rule_matches(&rule->rule, &key));
    FZ_CHECK(ef_flow_table_lookup(&table, &key, NULL) == rule);
    ok = dump_rule(rule, dump);
    ef_flow_table_remove(&table, rule);
    ovs_mutex_unlock(&table.mutex);
    return ok;
}

/* A dump may be another rule: attributes cannot say that a packet has no
 * original tuple of conntrack's, for instance.  But it is one for the same
 * packet, and its own dump is the same. */
static void
check_match(const struct match *match)
{
    struct meaning first, second;
    struct match dump, again;
    struct ef_key masked;
    bool ok = check_rule(match, &dump);

    if (match->flow.packet_type != htonl(PT_ETH)) {
        /* Without Ethernet, the package takes what it does not say (a tag),
         * and says what it does not take (no mask for the type). */
        return;
    }
    if (!ok) {
        /* Nor does it take all that it says of packets that were cut short,
         * for instance MPLS without a label. */
        return;
    }
    get_meaning(&dump, &first);
    ef_key_from_masked_flow(&masked, &match->flow, &first.mask);
    FZ_CHECK(ef_key_equal(&masked, &first.key));
    FZ_CHECK(match->flow.in_port.odp_port == first.in_port);
    FZ_CHECK(check_rule(&dump, &again));
    get_meaning(&again, &second);
    FZ_CHECK(is_same_meaning(&first, &second));
}

/* Puts the flow, changes it, gets it, deletes it. */
static void
check_ops(const struct attrs *a, bool accepted)
{
    struct dpif_flow_put put = {
        .flags = DPIF_FP_CREATE | DPIF_FP_PROBE, .pmd_id = PMD_ID_NULL,
        .key = a->key, .key_len = a->key_len,
        .mask = a->mask, .mask_len = a->mask_len,
    };
    struct dpif_flow_del del = {
        .key = a->key, .key_len = a->key_len, .pmd_id = PMD_ID_NULL,
    };
    struct ofpbuf buf;
    struct dpif_flow flow;
    struct dpif_flow_get get = {
        .key = a->key, .key_len = a->key_len, .pmd_id = PMD_ID_NULL,
        .buffer = &buf, .flow = &flow,
    };

    FZ_CHECK(!ef_dpif_flow_put(dpif, &put) == accepted);
    if (accepted) {
        FZ_CHECK(ef_dpif_flow_put(dpif, &put) == EEXIST);
        put.flags = DPIF_FP_MODIFY | DPIF_FP_PROBE;
        FZ_CHECK(!ef_dpif_flow_put(dpif, &put));
        ofpbuf_init(&buf, 0);
        FZ_CHECK(!a->key_len == !!ef_dpif_flow_get(dpif, &get));
        ofpbuf_uninit(&buf);
    }
    FZ_CHECK(a->key_len == 0 || !ef_dpif_flow_del(dpif, &del) == accepted);
    ef_dpif_flow_flush(dpif);
}

static void
fuzz(const struct attrs *a)
{
    struct match match;
    struct flow flow;
    int error;

    check_format(a);
    error = ef_match_from_nlattrs(a->key, a->key_len, a->mask, a->mask_len,
                                  &match, true);
    FZ_CHECK(!error || error == EINVAL);
    if (!error) {
        FZ_CHECK(!ef_flow_from_nlattrs(a->key, a->key_len, &flow, true));
        FZ_CHECK(flow_equal(&flow, &match.flow));
    }
    if (!error && match.wc.masks.in_port.odp_port == ODPP_NONE) {
        check_match(&match);
        check_ops(a, true);
    } else {
        check_ops(a, false);
    }
}

/* Sources. */

static void
take(struct attrs *a, const struct ofpbuf *key, const struct ofpbuf *mask)
{
    a->key_len = key->size;
    a->key = xmemdup(key->data, key->size);
    a->mask_len = mask->size;
    a->mask = xmemdup(mask->data, mask->size);
}

static void
from_bytes(struct fz_input *in, struct attrs *a)
{
    size_t n = fz_u16(in);

    a->key = (struct nlattr *) fz_block(in, n, &a->key_len);
    a->mask = (struct nlattr *) fz_block(in, in->size, &a->mask_len);
}

static void
from_text(struct fz_input *in, struct attrs *a)
{
    char *text = fz_string(in), *error = NULL;
    struct ofpbuf key, mask;

    ofpbuf_init(&key, 0);
    ofpbuf_init(&mask, 0);
    if (odp_flow_from_string(text, NULL, &key, &mask, &error)) {
        ofpbuf_clear(&key);
        ofpbuf_clear(&mask);
    }
    take(a, &key, &mask);
    free(error);
    free(text);
    ofpbuf_uninit(&key);
    ofpbuf_uninit(&mask);
}

static void
change(struct fz_input *in, size_t n, struct ofpbuf *buf)
{
    for (size_t i = 0; i < n; i++) {
        size_t place = fz_u8(in) * 4 + (i & 3);
        uint8_t value = fz_u8(in);

        if (buf->size) {
            ((uint8_t *) buf->data)[place % buf->size] = value;
        }
    }
}

static void
from_packet(struct fz_input *in, struct attrs *a)
{
    struct flow_wildcards wc;
    struct odp_flow_key_parms parms = {
        .mask = &wc.masks, .support = ef_odp_support,
    };
    struct fz_input changes = *in;
    uint8_t n = fz_u8(in) & 31;
    struct ofpbuf key, mask;
    struct dp_packet packet;
    struct flow flow;

    fz_u8(&changes);
    for (int i = 0; i < n; i++) {
        fz_u16(in);
    }
    dp_packet_use_const(&packet, in->data, in->size);
    packet.packet_type = htonl(PT_ETH);
    memset(&packet.md, 0, sizeof packet.md);
    pkt_metadata_init(&packet.md, u32_to_odp(1));
    flow_extract(&packet, &flow);
    flow_wildcards_init_for_packet(&wc, &flow);
    parms.flow = &flow;

    ofpbuf_init(&key, 0);
    ofpbuf_init(&mask, 0);
    odp_flow_key_from_flow(&parms, &key);
    parms.key_buf = &key;
    odp_flow_key_from_mask(&parms, &mask);
    change(&changes, n & 15, &key);
    change(&changes, n >> 4, &mask);
    take(a, &key, &mask);
    ofpbuf_uninit(&key);
    ofpbuf_uninit(&mask);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fz_input in = { data, size };
    uint8_t source = fz_u8(&in) % 3;     /* '0' is a multiple of 3. */
    struct attrs a;

    if (!source) {
        from_bytes(&in, &a);
    } else if (source == 1) {
        from_text(&in, &a);
    } else {
        from_packet(&in, &a);
    }
    fuzz(&a);
    free(a.key);
    free(a.mask);
    fz_done();
    return 0;
}
