/* SPDX-License-Identifier: Apache-2.0 */
/* Micro benchmark of lib/flow: cycles per packet of each kind of lookup, for
 * batches as the packet path makes them.
 *
 *     bench-lookup [FLOWS]
 *
 * With FLOWS (default 1000) IPv4 flows in a /24 each, it prints one line per
 * lookup: the least of several rounds, in cycles of the time stamp counter.
 * Nothing here depends on a data path or on DPDK being initialised. */

#include <config.h>

#include "flow/emc.h"

#include <stdio.h>
#include <rte_cycles.h>

#include "dp-packet.h"
#include "flow-fixture.h"
#include "flow/smc.h"
#include "random.h"

#define N_MASKS 20
#define N_ROUNDS 15

struct bench {
    struct ef_flow_table table;
    struct ef_emc emc;
    struct ef_smc smc;
    struct ef_key *keys;        /* 'n' of packets, in random order. */
    size_t n;
    size_t n_found;             /* Keeps the compiler from cheating. */
};

/* One pass over all keys, all of port 'in_port'. */
typedef void bench_pass(struct bench *, odp_port_t in_port);

static void
pass_emc(struct bench *bench, odp_port_t in_port OVS_UNUSED)
{
    for (size_t i = 0; i < bench->n; i++) {
        bench->n_found += ef_emc_lookup(&bench->emc, &bench->keys[i]) != NULL;
    }
}

static void
pass_smc(struct bench *bench, odp_port_t in_port OVS_UNUSED)
{
    for (size_t i = 0; i < bench->n; i++) {
        const struct ef_key *key = &bench->keys[i];
        uint32_t index = ef_smc_lookup(&bench->smc, key->hash);
        const struct cmap_node *node;
        struct ef_flow *flow;

        if (index == EF_SMC_MISS) {
            continue;
        }
        node = cmap_find_by_index(&bench->table.flows, index);
        CMAP_NODE_FOR_EACH (flow, node, node) {
            if (ef_rule_matches(&flow->rule, key)) {
                bench->n_found++;
                break;
            }
        }
    }
}

static void
classify(struct bench *bench, odp_port_t in_port, size_t burst)
{
    struct ef_cls *cls = ef_flow_table_cls(&bench->table, in_port);
    const struct ef_key *keys[NETDEV_MAX_BURST];
    struct ef_rule *rules[NETDEV_MAX_BURST];

    for (size_t i = 0; i < bench->n; i += burst) {
        size_t n = MIN(burst, bench->n - i);

        for (size_t j = 0; j < n; j++) {
            keys[j] = &bench->keys[i + j];
        }
        ef_cls_lookup(cls, keys, rules, n, NULL);
        for (size_t j = 0; j < n; j++) {
            bench->n_found += rules[j] != NULL;
        }
    }
}

static void
pass_bursts(struct bench *bench, odp_port_t in_port)
{
    classify(bench, in_port, NETDEV_MAX_BURST);
}

static void
pass_singles(struct bench *bench, odp_port_t in_port)
{
    classify(bench, in_port, 1);
}

/* Reports the fastest pass and whether it found what it should. */
static void
measure(struct bench *bench, const char *name, bench_pass *pass,
        uint32_t in_port, double found)
{
    uint64_t best = UINT64_MAX;

    bench->n_found = 0;
    for (int i = 0; i < N_ROUNDS; i++) {
        uint64_t start = rte_rdtsc_precise();

        pass(bench, u32_to_odp(in_port));
        best = MIN(best, rte_rdtsc_precise() - start);
    }
    printf("%-40s %7.1f cycles%s\n", name, (double) best / bench->n,
           bench->n_found >= bench->n * N_ROUNDS * found * .9
           && bench->n_found <= bench->n * N_ROUNDS * found ? ""
           : "  (wrong number found)");
}

static uint32_t
nth_net(size_t i)
{
    return 0x0a000000 + (i << 8);
}

/* The flows of packet 'i' on port 1, all under one mask, or on port 2, under
 * one of N_MASKS masks; the ports' transport masks tell them apart. */
static struct ef_flow *
insert_flow(struct bench *bench, size_t i, uint32_t in_port)
{
    struct match match;
    struct flow flow;

    fx_flow_init(&flow, in_port, nth_net(i), 80);
    fx_match_init(&match, &flow);
    match.wc.masks.vlans[0].tci = htons(VLAN_CFI);
    match.wc.masks.nw_frag = FLOW_NW_FRAG_MASK;
    match.wc.masks.nw_dst = be32_prefix_mask(24);
    if (in_port == 2) {
        match.wc.masks.tp_dst = htons(0xff00 + i % N_MASKS);
    }
    return fx_insert(&bench->table, &match);
}

/* After all insertions: a growing table moves what it has. */
static void
fill_smc(struct bench *bench)
{
    for (size_t i = 0; i < bench->n; i++) {
        const struct ef_key *key = &bench->keys[i];
        struct ef_flow *flow = ef_flow_table_lookup(&bench->table, key, NULL);

        ef_smc_insert(&bench->smc, key->hash,
                      cmap_find_index(&bench->table.flows,
                                      ef_flow_hash(&flow->ufid)));
    }
}

static void
fill(struct bench *bench)
{
    ef_flow_table_init(&bench->table);
    ef_emc_init(&bench->emc);
    ef_smc_init(&bench->smc);
    bench->keys = xmalloc(bench->n * sizeof *bench->keys);
    for (size_t i = 0; i < bench->n; i++) {
        struct ef_flow *megaflow = insert_flow(bench, i, 1);
        struct flow flow;

        insert_flow(bench, i, 2);
        fx_flow_init(&flow, 1, nth_net(i) + random_range(256), 80);
        fx_packet_key(&bench->keys[i], &flow, random_uint32());
        ef_emc_insert(&bench->emc, &bench->keys[i], megaflow);
    }
    for (size_t i = bench->n - 1; i > 0; i--) {
        size_t j = random_range(i + 1);
        struct ef_key key = bench->keys[i];

        bench->keys[i] = bench->keys[j];
        bench->keys[j] = key;
    }
    fill_smc(bench);
}

static void
forget(struct bench *bench)
{
    for (size_t i = 0; i < bench->n; i++) {
        bench->keys[i].hash = random_uint32();
    }
}

int
main(int argc, char *argv[])
{
    struct bench bench = { .n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000 };
    size_t n_cached;

    set_program_name(argv[0]);
    random_set_seed(1);
    if (!bench.n) {
        return EXIT_FAILURE;
    }
    fill(&bench);
    pass_emc(&bench, ODPP_NONE);
    n_cached = bench.n_found;

    printf("%zu flows, %zu of them in the EMC\n", bench.n, n_cached);
    measure(&bench, "EMC hit", pass_emc, 1, (double) n_cached / bench.n);
    measure(&bench, "SMC hit and check", pass_smc, 1, 1);
    measure(&bench, "1 subtable, bursts of 32", pass_bursts, 1, 1);
    measure(&bench, "1 subtable, one at a time", pass_singles, 1, 1);
    measure(&bench, "20 subtables, bursts of 32", pass_bursts, 2, 1);
    measure(&bench, "20 subtables, one at a time", pass_singles, 2, 1);
    forget(&bench);
    measure(&bench, "EMC miss", pass_emc, 1, 0);

    ef_emc_destroy(&bench.emc);
    ef_smc_destroy(&bench.smc);
    free(bench.keys);
    ef_flow_table_destroy(&bench.table);
    return EXIT_SUCCESS;
}
