/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of flow/emc.c and flow/megaflow.c: what the exact match cache
 * finds, what it replaces, and who holds which reference. */

#include <config.h>

#include "flow/emc.h"

#include "ef-test.h"
#include "flow-fixture.h"

/* A hash whose two places are 'a' and 'b'. */
#define PLACES(A, B) ((uint32_t) (A) | (uint32_t) (B) << EF_EMC_SHIFT)

static void
key_init(struct ef_key *key, uint32_t nw_dst, uint32_t hash)
{
    struct flow flow;

    fx_flow_init(&flow, 1, nw_dst, 80);
    fx_packet_key(key, &flow, hash);
}

static unsigned
references(const struct ef_flow *flow)
{
    return ovs_refcount_read(&flow->ref_cnt);
}

EF_TEST(finds_what_was_inserted)
{
    struct ef_flow *flow = fx_flow_create(1);
    struct ef_key key, other;
    struct ef_emc emc;

    ef_emc_init(&emc);
    key_init(&key, 1, PLACES(10, 20));
    key_init(&other, 2, PLACES(10, 20));
    EF_CHECK(!ef_emc_lookup(&emc, &key));
    ef_emc_insert(&emc, &key, flow);
    EF_CHECK(ef_emc_lookup(&emc, &key) == flow);
    EF_CHECK(!ef_emc_lookup(&emc, &other)); /* Same hash, other headers. */
    EF_CHECK_EQ(references(flow), 2);
    ef_emc_destroy(&emc);
    EF_CHECK_EQ(references(flow), 1);
    ef_flow_unref(flow);
}

EF_TEST(zero_hash_works)
{
    struct ef_flow *flow = fx_flow_create(1);
    struct ef_key key;
    struct ef_emc emc;

    ef_emc_init(&emc);
    key_init(&key, 1, 0);
    EF_CHECK(!ef_emc_lookup(&emc, &key));
    ef_emc_insert(&emc, &key, flow);
    EF_CHECK(ef_emc_lookup(&emc, &key) == flow);
    ef_emc_destroy(&emc);
    ef_flow_unref(flow);
}

EF_TEST(same_key_takes_the_newer_flow)
{
    struct ef_flow *a = fx_flow_create(1);
    struct ef_flow *b = fx_flow_create(2);
    struct ef_key key;
    struct ef_emc emc;

    ef_emc_init(&emc);
    key_init(&key, 1, PLACES(10, 20));
    ef_emc_insert(&emc, &key, a);
    ef_emc_insert(&emc, &key, a);
    EF_CHECK_EQ(references(a), 2);
    ef_emc_insert(&emc, &key, b);
    EF_CHECK(ef_emc_lookup(&emc, &key) == b);
    EF_CHECK_EQ(references(a), 1);
    EF_CHECK_EQ(references(b), 2);
    ef_emc_destroy(&emc);
    ef_flow_unref(a);
    ef_flow_unref(b);
}

/* Two keys that share both places live side by side; a third replaces one. */
EF_TEST(two_places_for_a_hash)
{
    struct ef_flow *flow = fx_flow_create(1);
    struct ef_key keys[3];
    struct ef_emc emc;
    int found = 0;

    ef_emc_init(&emc);
    for (int i = 0; i < 3; i++) {
        key_init(&keys[i], i + 1, PLACES(10, 20));
        ef_emc_insert(&emc, &keys[i], flow);
    }
    for (int i = 0; i < 3; i++) {
        found += ef_emc_lookup(&emc, &keys[i]) == flow;
    }
    EF_CHECK_EQ(found, 2);
    EF_CHECK(ef_emc_lookup(&emc, &keys[2]) == flow);
    EF_CHECK_EQ(references(flow), 3);
    ef_emc_destroy(&emc);
    ef_flow_unref(flow);
}

EF_TEST(dead_entries_go_first)
{
    struct ef_flow *dying = fx_flow_create(1);
    struct ef_flow *flow = fx_flow_create(2);
    struct ef_key keys[3];
    struct ef_emc emc;

    ef_emc_init(&emc);
    for (int i = 0; i < 3; i++) {
        /* Bit 31 would choose the living one's place. */
        key_init(&keys[i], i + 1, PLACES(10, 20) | 1u << 31);
    }
    ef_emc_insert(&emc, &keys[0], flow);
    ef_emc_insert(&emc, &keys[1], dying);
    atomic_store_relaxed(&dying->dead, true);
    EF_CHECK(!ef_emc_lookup(&emc, &keys[1]));
    ef_emc_insert(&emc, &keys[2], flow);
    EF_CHECK(ef_emc_lookup(&emc, &keys[0]) == flow);
    EF_CHECK(ef_emc_lookup(&emc, &keys[2]) == flow);
    EF_CHECK_EQ(references(dying), 1);
    ef_emc_destroy(&emc);
    ef_flow_unref(dying);
    ef_flow_unref(flow);
}

EF_TEST(sweep_lets_go_of_the_dead)
{
    struct ef_flow *dying = fx_flow_create(1);
    struct ef_flow *flow = fx_flow_create(2);
    struct ef_key a, b;
    struct ef_emc emc;

    ef_emc_init(&emc);
    key_init(&a, 1, PLACES(10, 20));
    key_init(&b, 2, PLACES(EF_EMC_MASK, 30));
    ef_emc_insert(&emc, &a, flow);
    ef_emc_insert(&emc, &b, dying);
    atomic_store_relaxed(&dying->dead, true);
    for (unsigned i = 0; i < EF_EMC_ENTRIES; i++) {
        EF_CHECK_EQ(references(dying), 2);
        ef_emc_sweep(&emc);
    }
    EF_CHECK_EQ(references(dying), 1);
    EF_CHECK(ef_emc_lookup(&emc, &a) == flow);
    ef_emc_destroy(&emc);
    ef_flow_unref(dying);
    ef_flow_unref(flow);
}

/* Between the last reference and the end of the grace period. */
EF_TEST(flow_without_references_is_not_stored)
{
    struct ef_flow *gone = fx_flow_create(1);
    struct ef_key key;
    struct ef_emc emc;

    ef_emc_init(&emc);
    key_init(&key, 1, PLACES(10, 20));
    ef_flow_unref(gone);
    ef_emc_insert(&emc, &key, gone);
    EF_CHECK(!ef_emc_lookup(&emc, &key));
    ef_emc_destroy(&emc);
    ef_emc_destroy(&emc);
    ef_emc_destroy(NULL);
}

EF_TEST(statistics_add_up)
{
    struct ef_flow *flow = fx_flow_create(1);
    struct dpif_flow_stats stats;

    ef_flow_read_stats(flow, &stats);
    EF_CHECK_EQ(stats.used, 0);
    ef_flow_account(flow, 3, 180, TCP_SYN, 1000);
    ef_flow_account(flow, 2, 120, TCP_ACK, 2000);
    ef_flow_read_stats(flow, &stats);
    EF_CHECK_EQ(stats.n_packets, 5);
    EF_CHECK_EQ(stats.n_bytes, 300);
    EF_CHECK_EQ(stats.used, 2000);
    EF_CHECK_EQ(stats.tcp_flags, TCP_SYN | TCP_ACK);
    ef_flow_unref(flow);
}

EF_TEST(actions_are_replaced)
{
    const uint32_t actions[] = { 0x00010008, 5 };
    struct ef_flow *flow = fx_flow_create(1);

    EF_CHECK_EQ(ef_flow_get_actions(flow)->size, 0);
    ef_flow_set_actions(flow, (const struct nlattr *) actions,
                        sizeof actions);
    EF_CHECK_EQ(ef_flow_get_actions(flow)->size, sizeof actions);
    EF_CHECK(!memcmp(ef_flow_get_actions(flow)->actions, actions,
                     sizeof actions));
    ef_flow_set_actions(flow, NULL, 0);
    EF_CHECK_EQ(ef_flow_get_actions(flow)->size, 0);
    ef_flow_unref(flow);
}

/* The packet path counts on these. */
EF_TEST(hot_fields_share_a_line)
{
    struct ef_flow *flow = fx_flow_create(1);

    EF_CHECK_EQ((uintptr_t) flow % CACHE_LINE_SIZE, 0);
    EF_CHECK_EQ((uintptr_t) flow->rule.key.buf % CACHE_LINE_SIZE, 0);
    EF_CHECK_EQ(offsetof(struct ef_emc_entry, key.buf) % sizeof(uint64_t), 0);
    ef_flow_unref(flow);
}

EF_TEST_MUST_FAIL(damaged_entry)
{
    struct ef_flow *flow = fx_flow_create(1);
    struct ef_key key;
    struct ef_emc emc;

    ef_emc_init(&emc);
    key_init(&key, 1, PLACES(10, 20));
    ef_emc_insert(&emc, &key, flow);
    emc.entries[10].key.buf[3] ^= 1;
    EF_CHECK(ef_emc_lookup(&emc, &key) == flow);
    ef_emc_destroy(&emc);
    ef_flow_unref(flow);
}
