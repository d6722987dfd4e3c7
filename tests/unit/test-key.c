/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of flow/key.c and flow/key-hash.h: which words masks and keys
 * have, and how well the hash spreads. */

#include <config.h>

#include "flow/key.h"

#include "ef-test.h"
#include "flow-fixture.h"
#include "flow/key-hash.h"

#define N_HASHES 65536

EF_TEST(key_of_a_flow_has_its_words)
{
    struct flow flow, back;
    struct ef_key key;

    fx_flow_init(&flow, 7, 0x0a000001, 80);
    ef_key_from_flow(&key, &flow);
    miniflow_expand(&key.mf, &back);
    EF_CHECK(flow_equal(&flow, &back));
    EF_CHECK_EQ(key.len, ef_key_size(miniflow_n_values(&key.mf)));
}

EF_TEST(mask_leaves_out_the_port)
{
    struct match match;
    struct ef_key mask;
    struct flow flow;

    fx_flow_init(&flow, 7, 0x0a000001, 80);
    fx_match_init(&match, &flow);
    ef_key_from_mask(&mask, &match);
    EF_CHECK(!FLOWMAP_HAS_FIELD(&mask.mf.map, in_port));
    EF_CHECK(FLOWMAP_HAS_FIELD(&mask.mf.map, dl_type));

    /* The other half of the port's word stays. */
    WC_MASK_FIELD(&match.wc, dp_hash);
    ef_key_from_mask(&mask, &match);
    EF_CHECK_EQ(MINIFLOW_GET_U32(&mask.mf, dp_hash), UINT32_MAX);
    EF_CHECK_EQ(MINIFLOW_GET_U32(&mask.mf, in_port.odp_port), 0);
}

EF_TEST(mask_has_only_words_that_make_sense)
{
    struct match match;
    struct ef_key mask;
    struct flow flow;

    /* IPv6 addresses of an IPv4 flow. */
    fx_flow_init(&flow, 1, 0x0a000001, 80);
    fx_match_init(&match, &flow);
    WC_MASK_FIELD(&match.wc, ipv6_dst);
    WC_MASK_FIELD(&match.wc, nw_dst);
    ef_key_from_mask(&mask, &match);
    EF_CHECK(!FLOWMAP_HAS_FIELD(&mask.mf.map, ipv6_dst));
    EF_CHECK_EQ(ntohl(MINIFLOW_GET_BE32(&mask.mf, nw_dst)), UINT32_MAX);
    EF_CHECK_EQ(MINIFLOW_GET_BE32(&mask.mf, nw_src), 0);
    EF_CHECK_EQ(mask.len, ef_key_size(miniflow_n_values(&mask.mf)));
}

EF_TEST(masks_that_differ_only_in_place_differ)
{
    struct match match;
    struct ef_key a, b;
    struct flow flow;

    fx_flow_init(&flow, 1, 0x0a000001, 80);
    fx_match_init(&match, &flow);
    WC_MASK_FIELD(&match.wc, skb_priority);
    WC_MASK_FIELD(&match.wc, pkt_mark);
    ef_key_from_mask(&a, &match);
    WC_UNMASK_FIELD(&match.wc, skb_priority);
    WC_UNMASK_FIELD(&match.wc, pkt_mark);
    memset(&match.wc.masks.ct_label.u64.lo, 0xff, 8);
    ef_key_from_mask(&b, &match);
    EF_CHECK_EQ(a.len, b.len);
    EF_CHECK(a.hash != b.hash);
    EF_CHECK(!ef_key_equal(&a, &b));
}

EF_TEST(masked_key_is_flow_and_mask)
{
    struct ef_key mask, key;
    struct match match;
    struct flow flow;

    fx_flow_init(&flow, 1, 0x0a0b0c0d, 80);
    fx_match_init(&match, &flow);
    match.wc.masks.nw_dst = htonl(0xffff0000);
    ef_key_from_mask(&mask, &match);
    ef_key_from_masked_flow(&key, &flow, &mask);
    EF_CHECK_EQ(key.len, mask.len);
    EF_CHECK(!memcmp(&key.mf, &mask.mf, sizeof key.mf));
    EF_CHECK_EQ(ntohl(MINIFLOW_GET_BE32(&key.mf, nw_dst)), 0x0a0b0000);
    EF_CHECK_EQ(key.hash, ef_key_hash(key.buf, miniflow_n_values(&key.mf)));
}

EF_TEST(copies_are_equal)
{
    struct ef_key a, b;
    struct flow flow;

    fx_flow_init(&flow, 1, 0x0a000001, 80);
    ef_key_from_flow(&a, &flow);
    memset(&b, 0xa5, sizeof b);
    ef_key_copy(&b, &a);
    EF_CHECK(ef_key_equal(&a, &b));
    b.buf[0] ^= 1;
    EF_CHECK(!ef_key_equal(&a, &b));
}

static int
compare_u32(const void *a_, const void *b_)
{
    const uint32_t *a = a_;
    const uint32_t *b = b_;

    return *a < *b ? -1 : *a > *b;
}

/* Returns how many of N_HASHES hashes of 'n' words occurred before, if word
 * 'varying' counts up in steps of 'step'. */
static int
count_collisions(size_t n, size_t varying, uint64_t step)
{
    static uint32_t hashes[N_HASHES];
    uint64_t words[8] = { 0x0800, 0, 0xffff, 1, 2, 3, 4, 5 };
    int collisions = 0;

    for (int i = 0; i < N_HASHES; i++) {
        words[varying] += step;
        hashes[i] = ef_key_hash(words, n);
    }
    qsort(hashes, N_HASHES, sizeof hashes[0], compare_u32);
    for (int i = 1; i < N_HASHES; i++) {
        collisions += hashes[i] == hashes[i - 1];
    }
    return collisions;
}

/* Chance alone makes half a collision; 12 by chance is out of the question. */
EF_TEST(hash_spreads)
{
    static const uint64_t steps[] = { 1, 1 << 16, 1ULL << 32, 1ULL << 48 };

    for (size_t n = 1; n <= 8; n++) {
        for (size_t varying = 0; varying < n; varying++) {
            for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
                EF_CHECK(count_collisions(n, varying, steps[i]) < 12);
            }
        }
    }
}

EF_TEST_MUST_FAIL(hash_of_a_constant_word)
{
    EF_CHECK(count_collisions(4, 5, 1) < 12);
}
