/* SPDX-License-Identifier: Apache-2.0 */

/* Flow operations, dumps, execute and bonds through a dpif of type "dummy",
 * with the instance that has no thread. */

#include <config.h>

#include "dpif/ops.h"

#include "compat/packet-offload.h"
#include "dp-packet.h"
#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "dummy.h"
#include "ef-test.h"
#include "odp-execute.h"
#include "odp-util.h"
#include "openvswitch/ofpbuf.h"
#include "openvswitch/vlog.h"

/* Checks the result of a call that must be made once only. */
#define CHECK_CALL(CALL, WANT)                  \
    do {                                        \
        int result_ = CALL;                     \
        EF_CHECK_EQ(result_, WANT);             \
    } while (0)

static struct dpif *
setup(void)
{
    static struct dpif *dpif;

    if (!dpif) {
        vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
        odp_execute_init();
        dummy_enable("");
        ovs_assert(!dpif_create_and_open("ef-test", "dummy", &dpif));
    }
    ef_dpif_flow_flush(dpif);
    return dpif;
}

static struct ef_pmd *
non_pmd(struct dpif *dpif)
{
    struct ef_pmd *pmd = ef_datapath_get_pmd(ef_dpif_datapath(dpif),
                                             EF_NON_PMD_CORE);

    ovs_assert(pmd);
    ef_pmd_unref(pmd);
    return pmd;
}

/* A request for "in_port(1),eth_type(0x0800),ipv4(dst=...)", whose buffers
 * last until the next. */
static struct dpif_flow_put
request(const char *key_string, unsigned flags, const ovs_u128 *ufid)
{
    static struct ofpbuf key, mask;
    static bool used;

    if (used) {
        ofpbuf_uninit(&key);
        ofpbuf_uninit(&mask);
    }
    used = true;
    ofpbuf_init(&key, 0);
    ofpbuf_init(&mask, 0);
    ovs_assert(!odp_flow_from_string(key_string, NULL, &key, &mask, NULL));
    return (struct dpif_flow_put) {
        .flags = flags, .ufid = ufid, .pmd_id = PMD_ID_NULL,
        .key = key.data, .key_len = key.size,
        .mask = mask.data, .mask_len = mask.size,
    };
}

static int
put(struct dpif *dpif, const char *key, unsigned flags, const ovs_u128 *ufid)
{
    struct dpif_flow_put r = request(key, flags, ufid);

    return ef_dpif_flow_put(dpif, &r);
}

static int
del(struct dpif *dpif, const char *key, const ovs_u128 *ufid,
    struct dpif_flow_stats *stats)
{
    struct dpif_flow_put r = request(key, 0, NULL);
    struct dpif_flow_del d = {
        .key = r.key, .key_len = r.key_len, .ufid = ufid,
        .pmd_id = PMD_ID_NULL, .stats = stats,
    };

    return ef_dpif_flow_del(dpif, &d);
}

#define HEAD "in_port(1),eth(),eth_type(0x0800)"
#define NARROW HEAD ",ipv4(src=10.0.0.1,dst=10.0.0.2,frag=no)"
#define OTHER HEAD ",ipv4(src=10.0.0.1,dst=10.0.0.3,frag=no)"
#define WIDE HEAD ",ipv4(src=10.0.0.1/255.0.0.0,dst=10.0.0.2/0.0.0.0,frag=no)"

static const ovs_u128 ufid_a = { .u32 = { 10, 0, 0, 1 } };
static const ovs_u128 ufid_b = { .u32 = { 10, 0, 0, 2 } };

EF_TEST(create_and_modify_by_key)
{
    struct dpif *dpif = setup();
    const struct ef_flow_table *table = &non_pmd(dpif)->flows;

    CHECK_CALL(put(dpif, NARROW, DPIF_FP_MODIFY, NULL), ENOENT);
    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE, NULL), 0);
    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE, NULL), EEXIST);
    CHECK_CALL(put(dpif, NARROW, DPIF_FP_MODIFY, NULL), 0);
    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE | DPIF_FP_MODIFY, NULL), 0);
    CHECK_CALL(put(dpif, OTHER, DPIF_FP_CREATE | DPIF_FP_MODIFY, NULL), 0);
    EF_CHECK_EQ(ef_flow_table_count(table), 2);
    CHECK_CALL(del(dpif, NARROW, NULL, NULL), 0);
    CHECK_CALL(del(dpif, NARROW, NULL, NULL), ENOENT);
    EF_CHECK_EQ(ef_flow_table_count(table), 1);
}

EF_TEST(overlap_by_key_is_refused)
{
    struct dpif *dpif = setup();

    CHECK_CALL(put(dpif, WIDE, DPIF_FP_CREATE, &ufid_a), 0);
    CHECK_CALL(put(dpif, OTHER, DPIF_FP_MODIFY, NULL), EINVAL);
    CHECK_CALL(put(dpif, OTHER, DPIF_FP_CREATE | DPIF_FP_MODIFY, NULL),
                EINVAL);
    CHECK_CALL(put(dpif, OTHER, DPIF_FP_CREATE, NULL), EEXIST);
}

EF_TEST(wider_flow_under_its_own_ufid_is_accepted)
{
    struct dpif *dpif = setup();
    const struct ef_flow_table *table = &non_pmd(dpif)->flows;

    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE, &ufid_a), 0);
    CHECK_CALL(put(dpif, WIDE, DPIF_FP_CREATE, &ufid_b), 0);
    EF_CHECK_EQ(ef_flow_table_count(table), 2);

    /* One flow for one ufid, whatever it matches. */
    CHECK_CALL(put(dpif, OTHER, DPIF_FP_CREATE, &ufid_a), EEXIST);
    CHECK_CALL(put(dpif, NARROW, DPIF_FP_MODIFY, &ufid_b), 0);
    EF_CHECK_EQ(ef_flow_table_count(table), 2);
    CHECK_CALL(del(dpif, WIDE, &ufid_b, NULL), 0);
    EF_CHECK(ef_flow_table_find(table, &ufid_a) != NULL);
    EF_CHECK(!ef_flow_table_find(table, &ufid_b));
}

EF_TEST(key_whose_ufid_is_taken_is_refused)
{
    struct dpif *dpif = setup();
    struct dpif_flow_put r = request(OTHER, 0, NULL);
    struct flow flow;
    ovs_u128 ufid;

    EF_CHECK(odp_flow_key_to_flow(r.key, r.key_len, &flow, NULL)
             == ODP_FIT_PERFECT);
    odp_flow_key_hash(&flow, sizeof flow, &ufid);
    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE, &ufid), 0);
    CHECK_CALL(put(dpif, OTHER, DPIF_FP_CREATE, NULL), EEXIST);
    EF_CHECK_EQ(ef_flow_table_count(&non_pmd(dpif)->flows), 1);
}

EF_TEST_MUST_FAIL(deleted_flow_is_still_there)
{
    struct dpif *dpif = setup();

    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE, &ufid_a), 0);
    CHECK_CALL(del(dpif, NARROW, &ufid_a, NULL), 0);
    EF_CHECK(ef_flow_table_find(&non_pmd(dpif)->flows, &ufid_a) != NULL);
}

EF_TEST(refusals_change_nothing)
{
    struct dpif *dpif = setup();
    const struct ef_flow_table *table = &non_pmd(dpif)->flows;
    struct dpif_flow_put r;

    CHECK_CALL(put(dpif, "in_port(1/0),eth_type(0x1234)", DPIF_FP_CREATE,
                    NULL), EINVAL);
    r = request(NARROW, DPIF_FP_CREATE, NULL);
    r.pmd_id = 4711;
    CHECK_CALL(ef_dpif_flow_put(dpif, &r), EINVAL);
    r.pmd_id = PMD_ID_NULL;
    r.key_len -= 3;
    CHECK_CALL(ef_dpif_flow_put(dpif, &r), EINVAL);
    EF_CHECK_EQ(ef_flow_table_count(table), 0);

    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE, NULL), 0);
    CHECK_CALL(put(dpif, NARROW, 0, NULL), EINVAL);
    CHECK_CALL(put(dpif, NARROW, DPIF_FP_MODIFY | DPIF_FP_ZERO_STATS, NULL),
                EOPNOTSUPP);
    EF_CHECK_EQ(ef_flow_table_count(table), 1);
}

EF_TEST(statistics_come_with_every_answer)
{
    struct dpif *dpif = setup();
    struct ef_flow *flow;
    struct dpif_flow_stats stats;
    struct dpif_flow_put r;
    uint64_t stub[DPIF_FLOW_BUFSIZE / 8];
    struct dpif_flow df;
    struct ofpbuf buf;
    struct dpif_flow_get g = {
        .ufid = &ufid_a, .pmd_id = PMD_ID_NULL, .buffer = &buf, .flow = &df,
    };

    ofpbuf_use_stub(&buf, stub, sizeof stub);
    CHECK_CALL(ef_dpif_flow_get(dpif, &g), ENOENT);
    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE, &ufid_a), 0);
    flow = ef_flow_table_find(&non_pmd(dpif)->flows, &ufid_a);
    EF_REQUIRE(flow != NULL);
    ef_flow_account(flow, 3, 180, 0x12, 777);

    r = request(NARROW, DPIF_FP_MODIFY, &ufid_a);
    r.stats = &stats;
    CHECK_CALL(ef_dpif_flow_put(dpif, &r), 0);
    EF_CHECK_EQ(stats.n_packets, 3);
    EF_CHECK_EQ(stats.used, 777);

    CHECK_CALL(ef_dpif_flow_get(dpif, &g), 0);
    EF_CHECK_EQ(df.stats.n_bytes, 180);
    EF_CHECK_EQ(df.stats.tcp_flags, 0x12);
    EF_CHECK_EQ(df.pmd_id, EF_NON_PMD_CORE);
    EF_CHECK_STR_EQ(df.attrs.dp_layer, "ovs");
    EF_CHECK(df.attrs.dp_extra_info != NULL);
    g.pmd_id = 4711;
    CHECK_CALL(ef_dpif_flow_get(dpif, &g), EINVAL);

    CHECK_CALL(del(dpif, NARROW, &ufid_a, &stats), 0);
    EF_CHECK_EQ(stats.n_packets, 3);
    ofpbuf_uninit(&buf);
}

EF_TEST(dump_finds_every_flow_once)
{
    enum { N = 130 };
    struct dpif *dpif = setup();
    struct dpif_flow_dump *dump;
    struct dpif_flow_dump_thread *threads[2];
    struct dpif_flow flows[64];
    bool seen[N] = { false };
    int n_total = 0, n_empty = 0;

    for (int i = 0; i < N; i++) {
        ovs_u128 ufid = { .u32 = { i * 7919, 0, 0, i } };
        char *key = xasprintf(HEAD ",ipv4(src=10.0.0.1,dst=10.1.0.%d)", i);

        CHECK_CALL(put(dpif, key, DPIF_FP_CREATE, &ufid), 0);
        free(key);
    }
    dump = ef_dpif_flow_dump_create(dpif, false, NULL);
    for (int i = 0; i < 2; i++) {
        threads[i] = ef_dpif_flow_dump_thread_create(dump);
    }
    for (int turn = 0; n_empty < 2; turn++) {
        int n = ef_dpif_flow_dump_next(threads[turn & 1], flows,
                                       turn ? 64 : 20);

        EF_CHECK(n <= (turn ? 50 : 20));
        for (int i = 0; i < n; i++) {
            uint32_t id = flows[i].ufid.u32[3];

            EF_REQUIRE(id < N);
            EF_CHECK(!seen[id]);
            EF_CHECK(flows[i].key_len > 0 && flows[i].mask_len > 0);
            seen[id] = true;
        }
        n_total += n;
        n_empty += !n;
    }
    EF_CHECK_EQ(n_total, N);
    for (int i = 0; i < 2; i++) {
        ef_dpif_flow_dump_thread_destroy(threads[i]);
    }
    CHECK_CALL(ef_dpif_flow_dump_destroy(dump), 0);
}

EF_TEST(dump_that_ends_early_lets_go)
{
    struct dpif *dpif = setup();
    struct ef_pmd *pmd = non_pmd(dpif);
    struct dpif_flow_dump_thread *thread;
    struct dpif_flow_dump *dump;
    struct dpif_flow flow;
    unsigned n_refs = ovs_refcount_read(&pmd->ref_cnt);

    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE, &ufid_a), 0);
    CHECK_CALL(put(dpif, OTHER, DPIF_FP_CREATE, &ufid_b), 0);
    dump = ef_dpif_flow_dump_create(dpif, true, NULL);
    thread = ef_dpif_flow_dump_thread_create(dump);
    CHECK_CALL(ef_dpif_flow_dump_next(thread, &flow, 1), 1);
    EF_CHECK(!flow.key && flow.ufid_present);
    EF_CHECK_EQ(ovs_refcount_read(&pmd->ref_cnt), n_refs + 1);
    ef_dpif_flow_dump_thread_destroy(thread);
    ef_dpif_flow_dump_destroy(dump);
    EF_CHECK_EQ(ovs_refcount_read(&pmd->ref_cnt), n_refs);
}

static int
execute(struct dpif *dpif, struct dp_packet *packet, bool probe)
{
    struct ofpbuf actions;
    struct flow flow;
    int error;

    ofpbuf_init(&actions, 0);
    ovs_assert(!odp_actions_from_string("push_vlan(vid=5,pcp=0)", NULL,
                                        &actions));
    flow_extract(packet, &flow);

    struct dpif_execute e = {
        .packet = packet, .flow = &flow, .probe = probe,
        .actions = actions.data, .actions_len = actions.size,
    };
    error = ef_dpif_execute(dpif, &e);
    ofpbuf_uninit(&actions);
    return error;
}

EF_TEST(execute_gives_back_the_packet_changed)
{
    struct dpif *dpif = setup();
    struct ef_act *act = &non_pmd(dpif)->act;
    struct ef_rxq *outer = (struct ef_rxq *) &outer;
    struct dp_packet *packet = dp_packet_new(128);

    dp_packet_put_zeros(packet, ETH_HEADER_LEN - 1);
    CHECK_CALL(execute(dpif, packet, false), EINVAL);
    dp_packet_put_zeros(packet, 47);

    CHECK_CALL(execute(dpif, packet, true), 0);
    EF_CHECK_EQ(dp_packet_size(packet), 60);

    /* As if in the middle of a batch. */
    act->rxq = outer;
    act->now_us = 1;
    act->depth = 3;
    CHECK_CALL(execute(dpif, packet, false), 0);
    EF_CHECK_EQ(dp_packet_size(packet), 64);
    EF_CHECK(act->rxq == outer);
    EF_CHECK_EQ(act->now_us, 1);
    EF_CHECK_EQ(act->depth, 3);
    act->rxq = NULL;
    act->depth = 0;

    if (EF_PACKET_SIZE_MAX > UINT16_MAX) {
        dp_packet_put_zeros(packet, UINT16_MAX - 63);
        CHECK_CALL(execute(dpif, packet, false), EINVAL);
    }
    dp_packet_delete(packet);
}

EF_TEST(bonds_reach_the_instance)
{
    struct dpif *dpif = setup();
    struct ef_bond_table *bonds = &non_pmd(dpif)->bonds;
    odp_port_t members[EF_BOND_BUCKETS];
    uint64_t n_bytes[EF_BOND_BUCKETS] = { 0 };
    struct ef_bond *bond;

    for (int i = 0; i < EF_BOND_BUCKETS; i++) {
        members[i] = u32_to_odp(i % 3);
    }
    CHECK_CALL(ef_dpif_bond_stats_get(dpif, 8, n_bytes), ENOENT);
    CHECK_CALL(ef_dpif_bond_add(dpif, 8, members), 0);
    bond = ef_bond_find(bonds, 8);
    EF_REQUIRE(bond != NULL);
    EF_CHECK(bond->buckets[5].member == u32_to_odp(2));
    atomic_store_relaxed(&bond->buckets[5].n_bytes, 99);
    CHECK_CALL(ef_dpif_bond_stats_get(dpif, 8, n_bytes), 0);
    EF_CHECK_EQ(n_bytes[5], 99);
    CHECK_CALL(ef_dpif_bond_del(dpif, 8), 0);
    CHECK_CALL(ef_dpif_bond_del(dpif, 8), ENOENT);
    EF_CHECK(!ef_bond_find(bonds, 8));
}

EF_TEST(totals_count_flows)
{
    struct dpif *dpif = setup();
    struct dpif_dp_stats stats;

    CHECK_CALL(put(dpif, NARROW, DPIF_FP_CREATE, NULL), 0);
    CHECK_CALL(ef_dpif_get_stats(dpif, &stats), 0);
    EF_CHECK_EQ(stats.n_flows, 1);
    EF_CHECK_EQ(stats.n_masks, UINT32_MAX);
    EF_CHECK(stats.n_mask_hit == UINT64_MAX);
    EF_CHECK(stats.n_cache_hit == UINT64_MAX);
    CHECK_CALL(ef_dpif_flow_flush(dpif), 0);
    CHECK_CALL(ef_dpif_get_stats(dpif, &stats), 0);
    EF_CHECK_EQ(stats.n_flows, 0);
}
