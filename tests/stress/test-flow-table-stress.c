/* SPDX-License-Identifier: Apache-2.0 */
/* Stress test of lib/flow: an owner looks up under RCU, fills and sweeps its
 * exact match cache, and sorts, while another thread inserts and removes
 * flows.  Runs for EF_TEST_SECONDS, default 1; meant for ThreadSanitizer
 * and AddressSanitizer too.
 *
 *     writer:  insert, remove  ----+
 *                                  v
 *     owner:   lookup, sort <--- table ---> exact match cache */

#include <config.h>

#include "flow/emc.h"

#include "dp-packet.h"
#include "ef-test.h"
#include "flow-fixture.h"
#include "flow/simple-match.h"
#include "flow/smc.h"
#include "ovs-thread.h"
#include "random.h"
#include "timeval.h"

#define N_KEYS 256
#define N_STEADY 64             /* The first keys' flows always stay. */

struct shared {
    struct ef_flow_table table;
    atomic_bool stop;
    unsigned long long n_changes;       /* Writer only, until joined. */
};

/* Key 'i' belongs to one of two ports and one of eight masks. */
static void
nth_match(struct match *match, int i)
{
    struct flow flow;

    fx_flow_init(&flow, i & 1, 0x0a000000 + (i << 8), 80);
    fx_match_init(match, &flow);
    match->wc.masks.nw_dst = be32_prefix_mask(24 + i / 2 % 8);
}

static void *
writer_main(void *shared_)
{
    struct shared *shared = shared_;
    struct ef_flow *flows[N_KEYS] = { NULL };
    bool stop = false;

    while (!stop) {
        int i = N_STEADY + random_range(N_KEYS - N_STEADY);

        if (flows[i]) {
            fx_remove(&shared->table, flows[i]);
            flows[i] = NULL;
        } else {
            struct match match;

            nth_match(&match, i);
            flows[i] = fx_insert(&shared->table, &match);
        }
        shared->n_changes++;
        ovsrcu_quiesce();
        atomic_read_relaxed(&shared->stop, &stop);
    }
    return NULL;
}

/* The owner's private state and what it found out. */
struct owner {
    struct ef_emc emc;
    struct ef_smc smc;
    struct ef_key keys[N_KEYS];
    unsigned long long n_lookups, n_hits, n_lost, n_wrong;
};

static void
owner_init(struct owner *owner)
{
    ef_emc_init(&owner->emc);
    ef_smc_init(&owner->smc);
    for (int i = 0; i < N_KEYS; i++) {
        struct match match;

        nth_match(&match, i);
        fx_packet_key(&owner->keys[i], &match.flow, random_uint32());
    }
}

static void
owner_judge(struct owner *owner, int i, const struct ef_flow *flow)
{
    owner->n_lookups++;
    owner->n_hits += flow != NULL;
    owner->n_lost += !flow && i < N_STEADY;
    owner->n_wrong += flow && !ef_rule_matches(&flow->rule, &owner->keys[i]);
}

/* As the packet path would: the cache, then the classifier, for a batch of
 * one port. */
static void
owner_batch(struct owner *owner, const struct ef_flow_table *table)
{
    const struct ef_key *keys[NETDEV_MAX_BURST];
    struct ef_rule *rules[NETDEV_MAX_BURST] = { NULL };
    int which[NETDEV_MAX_BURST];
    int port = random_range(2);
    size_t n = 0;

    for (int i = 0; i < NETDEV_MAX_BURST; i++) {
        int k = random_range(N_KEYS / 2) * 2 + port;
        struct ef_flow *flow = ef_emc_lookup(&owner->emc, &owner->keys[k]);

        if (flow) {
            owner_judge(owner, k, flow);
        } else {
            which[n] = k;
            keys[n++] = &owner->keys[k];
        }
    }
    if (n) {
        ef_cls_lookup(ef_flow_table_cls(table, u32_to_odp(port)), keys, rules,
                      n, NULL);
    }
    for (size_t i = 0; i < n; i++) {
        struct ef_flow *flow = ef_flow_from_rule(rules[i]);

        owner_judge(owner, which[i], flow);
        if (flow && !random_range(4)) {
            ef_emc_insert(&owner->emc, keys[i], flow);
            ef_smc_insert(&owner->smc, keys[i]->hash,
                          cmap_find_index(&table->flows,
                                          ef_flow_hash(&flow->ufid)));
        }
    }
}

/* A hit in the signature cache is but a hint: any flow may be there now. */
static void
owner_hint(struct owner *owner, const struct ef_flow_table *table)
{
    int k = random_range(N_KEYS);
    uint32_t index = ef_smc_lookup(&owner->smc, owner->keys[k].hash);

    if (index != EF_SMC_MISS) {
        const struct cmap_node *node = cmap_find_by_index(&table->flows,
                                                          index);
        struct ef_flow *flow;

        CMAP_NODE_FOR_EACH (flow, node, node) {
            if (ef_rule_matches(&flow->rule, &owner->keys[k])) {
                owner->n_hits++;
            }
        }
    }
}

static void
owner_run(struct owner *owner, struct shared *shared, long long seconds)
{
    long long end = time_msec() + seconds * 1000;

    for (int i = 0; i % 64 || time_msec() < end; i++) {
        owner_batch(owner, &shared->table);
        owner_hint(owner, &shared->table);
        ef_simple_match_enabled(&shared->table, u32_to_odp(i & 1));
        ef_emc_sweep(&owner->emc);
        if (!(i % 32)) {
            ef_flow_table_try_sort(&shared->table);
            ovsrcu_try_quiesce();
        }
    }
}

EF_TEST(owner_and_writer)
{
    struct owner *owner = xzalloc(sizeof *owner);
    struct shared shared = { .n_changes = 0 };
    pthread_t writer;

    ef_flow_table_init(&shared.table);
    atomic_init(&shared.stop, false);
    for (int i = 0; i < N_STEADY; i++) {
        struct match match;

        nth_match(&match, i);
        fx_insert(&shared.table, &match);
    }
    owner_init(owner);
    writer = ovs_thread_create("writer", writer_main, &shared);
    owner_run(owner, &shared, ef_test_seconds(1));
    atomic_store_relaxed(&shared.stop, true);
    xpthread_join(writer, NULL);

    printf("# %llu lookups, %llu hits, %llu changes\n", owner->n_lookups,
           owner->n_hits, shared.n_changes);
    EF_CHECK(owner->n_hits > 0 && owner->n_hits < owner->n_lookups);
    EF_CHECK(shared.n_changes > 0);
    EF_CHECK_EQ(owner->n_lost, 0);
    EF_CHECK_EQ(owner->n_wrong, 0);
    ef_emc_destroy(&owner->emc);
    ef_smc_destroy(&owner->smc);
    free(owner);
    ef_flow_table_destroy(&shared.table);
}
