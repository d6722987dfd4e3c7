/* SPDX-License-Identifier: Apache-2.0 */

/* Model test of sched/plan.c: random queues and PMDs against a dull twin, and
 * against what must hold for any plan.
 *
 * The twin looks for everything by walking all of it, and keeps for each node
 * a finger on the next PMD that it moves step by step. */

#include <config.h>

#include "sched/plan.h"

#include "ef-test.h"
#include "hash.h"
#include "openvswitch/hmap.h"
#include "ovs-numa.h"

#define N_ROUNDS 20000
#define MAX_PMDS 10
#define MAX_RXQS 40
#define MAX_NODES 4

/* Nodes of the machine, in the order in which foreign queues visit those that
 * have PMDs: that of a hash map's buckets.  Chosen so that no two of them
 * share a bucket, where the order would depend on the history of the map. */
static int nodes[MAX_NODES];

static uint32_t
bucket(int numa_id)
{
    return hash_int(numa_id, 0) & (MAX_NODES - 1);
}

static void
choose_nodes(void)
{
    bool have[MAX_NODES] = { false };
    int n = 0;

    for (int id = 0; n < MAX_NODES; id++) {
        uint32_t b = bucket(id);

        if (!have[b]) {
            have[b] = true;
            nodes[b] = id;
            n++;
        }
    }
}

static uint64_t
random_cycles(void)
{
    switch (random_range(4)) {
    case 0:
        return 0;
    case 1:
        return random_range(4);         /* Many ties. */
    default:
        return random_range(1000000);
    }
}

static void
random_input(struct ef_sched *sched)
{
    static const enum ef_sched_algorithm algorithms[] = {
        EF_SCHED_ROUNDROBIN, EF_SCHED_CYCLES, EF_SCHED_GROUP,
    };
    int n_nodes = 1 + random_range(MAX_NODES);
    bool pins = random_range(2);

    *sched = (struct ef_sched) {
        .algorithm = algorithms[random_range(3)],
        .isolate = random_range(2),
        .n_pmds = random_range(MAX_PMDS + 1),
        .n_rxqs = random_range(MAX_RXQS + 1),
    };
    sched->pmds = xcalloc(MAX_PMDS, sizeof *sched->pmds);
    sched->rxqs = xcalloc(MAX_RXQS, sizeof *sched->rxqs);
    for (size_t i = 0; i < sched->n_pmds; i++) {
        sched->pmds[i].core_id = 2 * i;
        sched->pmds[i].numa_id = nodes[random_range(n_nodes)];
    }
    for (size_t i = 0; i < sched->n_rxqs; i++) {
        sched->rxqs[i] = (struct ef_sched_rxq) {
            .port_name = "p",
            .port_no = (i * 7) % 5,
            .queue_id = i / 5,
            .numa_id = nodes[random_range(MAX_NODES)],
            .pinned_core = (pins && !random_range(4)
                            ? random_range(2 * MAX_PMDS)
                            : OVS_CORE_UNSPEC),
            .cycles = random_cycles(),
        };
    }
}

/* The twin. */

struct twin_node {
    int finger;                 /* On the next PMD of all. */
    bool down;
};

struct twin {
    const struct ef_sched *sched;
    int pmd[MAX_RXQS];          /* The result; -1: none. */
    bool isolated[MAX_PMDS];
    uint64_t cycles[MAX_PMDS];
    unsigned n_rxqs[MAX_PMDS];
    struct twin_node nodes[MAX_NODES];
    int cross;                  /* Index of the node that helped last. */
};

static void
twin_give(struct twin *twin, size_t rxq, int pmd)
{
    twin->pmd[rxq] = pmd;
    twin->cycles[pmd] += twin->sched->rxqs[rxq].cycles;
    twin->n_rxqs[pmd]++;
}

static void
twin_pin(struct twin *twin)
{
    for (size_t i = 0; i < twin->sched->n_rxqs; i++) {
        twin->pmd[i] = -1;
        for (size_t j = 0; j < twin->sched->n_pmds; j++) {
            if (twin->sched->rxqs[i].pinned_core
                == twin->sched->pmds[j].core_id) {
                twin_give(twin, i, j);
                if (twin->sched->isolate) {
                    twin->isolated[j] = true;
                }
            }
        }
    }
}

/* PMD 'j' is on node 'node' and takes unpinned queues. */
static bool
twin_is_open(const struct twin *twin, int node, size_t j)
{
    return twin->sched->pmds[j].numa_id == nodes[node] && !twin->isolated[j];
}

static int
twin_n_open(const struct twin *twin, int node)
{
    int n = 0;

    for (size_t j = 0; j < twin->sched->n_pmds; j++) {
        n += twin_is_open(twin, node, j);
    }
    return n;
}

/* Returns the index of the node that takes a queue of 'numa_id', or -1. */
static int
twin_choose_node(struct twin *twin, int numa_id)
{
    for (int i = 0; i < MAX_NODES; i++) {
        if (nodes[i] == numa_id && twin_n_open(twin, i)) {
            return i;
        }
    }
    for (int i = 0; i < MAX_NODES; i++) {
        twin->cross = (twin->cross + 1) % MAX_NODES;
        if (twin_n_open(twin, twin->cross)) {
            return twin->cross;
        }
    }
    return -1;
}

static int
twin_least(const struct twin *twin, int node, bool by_cycles)
{
    int best = -1;

    for (size_t j = 0; j < twin->sched->n_pmds; j++) {
        if (twin_is_open(twin, node, j)
            && (best < 0
                || (by_cycles ? twin->cycles[j] < twin->cycles[best]
                    : twin->n_rxqs[j] < twin->n_rxqs[best]))) {
            best = j;
        }
    }
    return best;
}

/* Moves the finger over all PMDs, and takes the first that will do. */
static int
twin_turn(struct twin *twin, int node)
{
    struct twin_node *t = &twin->nodes[node];
    int last = twin->sched->n_pmds - 1;

    for (;;) {
        int j = t->finger;

        if (!t->down && j == last) {
            if (twin->sched->algorithm == EF_SCHED_CYCLES) {
                t->down = true;
            } else {
                t->finger = 0;
            }
        } else if (t->down && j == 0) {
            t->down = false;
        } else {
            t->finger += t->down ? -1 : 1;
        }
        if (twin_is_open(twin, node, j)) {
            return j;
        }
    }
}

static bool
twin_precedes(const struct ef_sched_rxq *a, const struct ef_sched_rxq *b)
{
    return a->cycles > b->cycles
           || (a->cycles == b->cycles
               && (a->port_no < b->port_no
                   || (a->port_no == b->port_no
                       && a->queue_id < b->queue_id)));
}

/* Returns the unpinned queue that comes next, or -1. */
static int
twin_next_rxq(const struct twin *twin, const bool done[])
{
    const struct ef_sched *sched = twin->sched;
    int next = -1;

    for (size_t i = 0; i < sched->n_rxqs; i++) {
        if (!done[i] && twin->pmd[i] < 0
            && (next < 0
                || (sched->algorithm != EF_SCHED_ROUNDROBIN
                    && twin_precedes(&sched->rxqs[i], &sched->rxqs[next])))) {
            next = i;
        }
    }
    return next;
}

static void
twin_plan(struct twin *twin, const struct ef_sched *sched)
{
    bool done[MAX_RXQS] = { false };
    int i;

    *twin = (struct twin) { .sched = sched, .cross = -1 };
    twin_pin(twin);
    while ((i = twin_next_rxq(twin, done)) >= 0) {
        uint64_t cycles = sched->rxqs[i].cycles;
        int node = twin_choose_node(twin, sched->rxqs[i].numa_id);

        done[i] = true;
        if (node >= 0) {
            twin_give(twin, i, (sched->algorithm == EF_SCHED_GROUP
                                ? twin_least(twin, node, cycles > 0)
                                : twin_turn(twin, node)));
        }
    }
}

static bool
same_as_twin(const struct ef_sched *sched)
{
    struct twin twin;
    bool same = true;

    twin_plan(&twin, sched);
    for (size_t i = 0; i < sched->n_rxqs; i++) {
        same &= sched->rxqs[i].pmd == twin.pmd[i];
    }
    for (size_t i = 0; i < sched->n_pmds; i++) {
        same &= sched->pmds[i].isolated == twin.isolated[i]
                && sched->pmds[i].cycles == twin.cycles[i]
                && sched->pmds[i].n_rxqs == twin.n_rxqs[i];
    }
    return same;
}

/* What must hold whatever the algorithm. */

static bool
has_core(const struct ef_sched *sched, unsigned core_id)
{
    for (size_t i = 0; i < sched->n_pmds; i++) {
        if (sched->pmds[i].core_id == core_id) {
            return true;
        }
    }
    return false;
}

static bool
has_open_pmd(const struct ef_sched *sched, int numa_id, bool any_node)
{
    for (size_t i = 0; i < sched->n_pmds; i++) {
        if (!sched->pmds[i].isolated
            && (any_node || sched->pmds[i].numa_id == numa_id)) {
            return true;
        }
    }
    return false;
}

static void
check_rxq(const struct ef_sched *sched, const struct ef_sched_rxq *rxq)
{
    const struct ef_sched_pmd *pmd
        = rxq->pmd < 0 ? NULL : &sched->pmds[rxq->pmd];
    bool pinned = rxq->pinned_core != OVS_CORE_UNSPEC;
    bool pinnable = pinned && has_core(sched, rxq->pinned_core);

    EF_CHECK_EQ(rxq->pin_failed, pinned && !pinnable);
    EF_CHECK_EQ(rxq->outcome == EF_SCHED_PINNED, pinnable);
    EF_CHECK_EQ(rxq->outcome == EF_SCHED_UNPOLLED, !pmd);
    EF_CHECK_EQ(pmd != NULL, pinnable || has_open_pmd(sched, 0, true));
    if (pinnable) {
        EF_CHECK_EQ(pmd->core_id, rxq->pinned_core);
        EF_CHECK_EQ(pmd->isolated, sched->isolate);
    } else if (pmd) {
        EF_CHECK(!pmd->isolated);
        EF_CHECK_EQ(rxq->outcome == EF_SCHED_CROSS_NUMA,
                    pmd->numa_id != rxq->numa_id);
        EF_CHECK_EQ(rxq->outcome == EF_SCHED_CROSS_NUMA,
                    !has_open_pmd(sched, rxq->numa_id, false));
    }
}

/* Placing the dearest first on the least loaded never loads a PMD by more
 * than its fair share and one queue, pinned queues apart. */
static void
check_group_bound(const struct ef_sched *sched, int numa_id)
{
    uint64_t sum = 0, dearest = 0, most = 0;
    size_t n = 0;

    for (size_t i = 0; i < sched->n_rxqs; i++) {
        const struct ef_sched_rxq *rxq = &sched->rxqs[i];

        if (rxq->outcome == EF_SCHED_PINNED && !sched->isolate) {
            return;
        }
        if (rxq->pmd >= 0 && rxq->outcome != EF_SCHED_PINNED
            && sched->pmds[rxq->pmd].numa_id == numa_id) {
            sum += rxq->cycles;
            dearest = MAX(dearest, rxq->cycles);
        }
    }
    for (size_t i = 0; i < sched->n_pmds; i++) {
        const struct ef_sched_pmd *pmd = &sched->pmds[i];

        if (pmd->numa_id == numa_id && !pmd->isolated) {
            most = MAX(most, pmd->cycles);
            n++;
        }
    }
    EF_CHECK(most * n <= sum + dearest * n);
}

/* Queues handed out in turn differ in number by one at most. */
static void
check_turn_bound(const struct ef_sched *sched, int numa_id)
{
    unsigned fewest = UINT_MAX, most = 0;

    for (size_t i = 0; i < sched->n_rxqs; i++) {
        if (sched->rxqs[i].outcome == EF_SCHED_PINNED && !sched->isolate) {
            return;
        }
    }
    for (size_t i = 0; i < sched->n_pmds; i++) {
        const struct ef_sched_pmd *pmd = &sched->pmds[i];

        if (pmd->numa_id == numa_id && !pmd->isolated) {
            fewest = MIN(fewest, pmd->n_rxqs);
            most = MAX(most, pmd->n_rxqs);
        }
    }
    /* At both ends of its walk the up-and-down turn takes a PMD twice. */
    EF_CHECK(most <= fewest
             || most - fewest <= (sched->algorithm == EF_SCHED_CYCLES) + 1);
}

static void
check_order(const struct ef_sched *sched)
{
    size_t n_unpinned = 0;

    for (size_t i = 0; i < sched->n_rxqs; i++) {
        n_unpinned += sched->rxqs[i].outcome != EF_SCHED_PINNED;
    }
    EF_CHECK_EQ(sched->n_order, n_unpinned);
    for (size_t i = 1; i < sched->n_order; i++) {
        EF_CHECK(sched->algorithm == EF_SCHED_ROUNDROBIN
                 ? sched->order[i - 1] < sched->order[i]
                 : twin_precedes(&sched->rxqs[sched->order[i - 1]],
                                 &sched->rxqs[sched->order[i]]));
    }
}

EF_TEST(random_plans)
{
    choose_nodes();
    for (int round = 0; round < N_ROUNDS; round++) {
        struct ef_sched sched;

        random_input(&sched);
        ef_sched_plan(&sched);
        EF_CHECK(same_as_twin(&sched));
        for (size_t i = 0; i < sched.n_rxqs; i++) {
            check_rxq(&sched, &sched.rxqs[i]);
        }
        for (int i = 0; i < MAX_NODES; i++) {
            if (sched.algorithm == EF_SCHED_GROUP) {
                check_group_bound(&sched, nodes[i]);
            } else {
                check_turn_bound(&sched, nodes[i]);
            }
        }
        check_order(&sched);
        ef_sched_uninit(&sched);
    }
}

/* A plan that somebody changed afterwards. */
EF_TEST_MUST_FAIL(changed_plans)
{
    choose_nodes();
    for (int round = 0; round < 100; round++) {
        struct ef_sched sched;

        random_input(&sched);
        ef_sched_plan(&sched);
        if (sched.n_rxqs && sched.n_pmds > 1 && sched.rxqs[0].pmd >= 0) {
            sched.rxqs[0].pmd = (sched.rxqs[0].pmd + 1) % sched.n_pmds;
            EF_CHECK(same_as_twin(&sched));
            ef_sched_uninit(&sched);
            return;
        }
        ef_sched_uninit(&sched);
    }
}
