/* SPDX-License-Identifier: Apache-2.0 */
/* Builds lookup keys other than those of packets: masks, the masked keys of
 * rules, and the unmasked key of a flow.  Called on flow installation, by
 * whichever thread installs; never on the packet path.  The words of a key
 * follow the order of bits in its map. */

#include <config.h>

#include "flow/key.h"

#include "entropy.h"
#include "flow/key-hash.h"
#include "openvswitch/match.h"

uint64_t ef_key_hash_secret[2];

OVS_CONSTRUCTOR(key_hash_draw_secret) {
    if (get_entropy(ef_key_hash_secret, sizeof ef_key_hash_secret)) {
        /* Any constants hash as well; only the protection against crafted
         * headers is lost. */
        ef_key_hash_secret[0] = UINT64_C(0x9e3779b97f4a7c15);
        ef_key_hash_secret[1] = UINT64_C(0xd1b54a32d192ed03);
    }
}

void
ef_key_from_flow(struct ef_key *key, const struct flow *flow)
{
    miniflow_map_init(&key->mf, flow);
    miniflow_init(&key->mf, flow);
    ef_key_set_len(key);
    key->hash = ef_key_hash(miniflow_get_values(&key->mf),
                            miniflow_n_values(&key->mf));
}

/* Returns word 'idx' of the wildcards in 'match', without the input port. */
static uint64_t
mask_word(const struct match *match, size_t idx)
{
    uint64_t word = flow_u64_value(&match->wc.masks, idx);

    if (idx == FLOW_U64_OFFSET(in_port)) {
        memset((char *) &word + FLOW_U64_OFFREM(in_port), 0,
               MEMBER_SIZEOF(struct flow, in_port));
    }
    return word;
}

void
ef_key_from_mask(struct ef_key *mask, const struct match *match)
{
    uint64_t map[FLOWMAP_UNITS];
    struct flowmap candidates;
    size_t idx, n = 0;

    flow_wc_map(&match->flow, &candidates);
    flowmap_init(&mask->mf.map);
    FLOWMAP_FOR_EACH_INDEX (idx, candidates) {
        uint64_t word = mask_word(match, idx);

        if (word) {
            ovs_assert(n < ARRAY_SIZE(mask->buf));
            flowmap_set(&mask->mf.map, idx, 1);
            mask->buf[n++] = word;
        }
    }
    mask->len = ef_key_size(n);

    /* Different maps with equal words are different masks, so hash both. */
    for (size_t unit = 0; unit < FLOWMAP_UNITS; unit++) {
        map[unit] = mask->mf.map.bits[unit];
    }
    mask->hash = ef_key_hash(map, FLOWMAP_UNITS) ^ ef_key_hash(mask->buf, n);
}

void
ef_key_from_masked_flow(struct ef_key *key, const struct flow *flow,
                        const struct ef_key *mask)
{
    size_t idx, n = 0;

    key->len = mask->len;
    key->mf = mask->mf;
    FLOWMAP_FOR_EACH_INDEX (idx, mask->mf.map) {
        key->buf[n] = flow_u64_value(flow, idx) & mask->buf[n];
        n++;
    }
    key->hash = ef_key_hash(key->buf, n);
}
