/* SPDX-License-Identifier: Apache-2.0 */

/* Makes the plan of rx queues: pinned queues, then all others.
 *
 * Called by dpif/ for reconfiguration and for the dry run of automatic load
 * balancing, on the main thread.  Works on the caller's arrays alone. */

#include <config.h>

#include "sched/plan.h"

#include "hash.h"
#include "openvswitch/hmap.h"
#include "ovs-numa.h"
#include "util.h"

/* A NUMA node that has PMDs.  'open' lists those that take unpinned queues,
 * by core. */
struct node {
    struct hmap_node hmap_node; /* In struct planner's 'nodes', by id. */
    int numa_id;
    size_t *open;               /* Indexes into the plan's 'pmds'. */
    size_t n_open;
    size_t n_turns;             /* Queues that were given out in turn. */
};

struct planner {
    struct ef_sched *sched;
    struct hmap nodes;
    const struct node *last_cross;      /* Gave the last foreign queue a PMD;
                                         * NULL at first. */
};

static void clear_results(struct ef_sched *);
static void place_pinned(struct ef_sched *);
static void sort_by_cost(struct ef_sched *);
static void planner_init(struct planner *, struct ef_sched *);
static void planner_uninit(struct planner *);
static void planner_place(struct planner *, struct ef_sched_rxq *);

void
ef_sched_plan(struct ef_sched *sched)
{
    struct planner planner;

    clear_results(sched);
    place_pinned(sched);
    if (sched->algorithm != EF_SCHED_ROUNDROBIN) {
        sort_by_cost(sched);
    }

    planner_init(&planner, sched);
    for (size_t i = 0; i < sched->n_order; i++) {
        planner_place(&planner, &sched->rxqs[sched->order[i]]);
    }
    planner_uninit(&planner);
}

void
ef_sched_uninit(struct ef_sched *sched)
{
    free(sched->order);
    free(sched->rxqs);
    free(sched->pmds);
    sched->order = NULL;
    sched->rxqs = NULL;
    sched->pmds = NULL;
    sched->n_order = sched->n_rxqs = sched->n_pmds = 0;
}

static const char *const algorithm_names[] = {
    [EF_SCHED_ROUNDROBIN] = "roundrobin",
    [EF_SCHED_CYCLES] = "cycles",
    [EF_SCHED_GROUP] = "group",
};

const char *
ef_sched_algorithm_name(enum ef_sched_algorithm algorithm)
{
    ovs_assert(algorithm < ARRAY_SIZE(algorithm_names));
    return algorithm_names[algorithm];
}

bool
ef_sched_algorithm_parse(const char *name, enum ef_sched_algorithm *algorithm)
{
    for (size_t i = 0; i < ARRAY_SIZE(algorithm_names); i++) {
        if (!strcmp(name, algorithm_names[i])) {
            *algorithm = i;
            return true;
        }
    }
    return false;
}

static void
clear_results(struct ef_sched *sched)
{
    for (size_t i = 0; i < sched->n_rxqs; i++) {
        sched->rxqs[i].outcome = EF_SCHED_UNPOLLED;
        sched->rxqs[i].pin_failed = false;
        sched->rxqs[i].pmd = -1;
    }
    for (size_t i = 0; i < sched->n_pmds; i++) {
        sched->pmds[i].isolated = false;
        sched->pmds[i].n_rxqs = 0;
        sched->pmds[i].cycles = 0;
    }
    free(sched->order);
    sched->order = xmalloc(sched->n_rxqs * sizeof *sched->order);
    sched->n_order = 0;
}

static void
give(struct ef_sched *sched, struct ef_sched_rxq *rxq, int pmd,
     enum ef_sched_outcome outcome)
{
    rxq->pmd = pmd;
    rxq->outcome = outcome;
    sched->pmds[pmd].n_rxqs++;
    sched->pmds[pmd].cycles += rxq->cycles;
}

static int
find_core(const struct ef_sched *sched, unsigned core_id)
{
    for (size_t i = 0; i < sched->n_pmds; i++) {
        if (sched->pmds[i].core_id == core_id) {
            return i;
        }
    }
    return -1;
}

/* Places pinned queues and lists all others in 'order'. */
static void
place_pinned(struct ef_sched *sched)
{
    for (size_t i = 0; i < sched->n_rxqs; i++) {
        struct ef_sched_rxq *rxq = &sched->rxqs[i];
        bool pinned = rxq->pinned_core != OVS_CORE_UNSPEC;
        int pmd = pinned ? find_core(sched, rxq->pinned_core) : -1;

        if (pmd < 0) {
            rxq->pin_failed = pinned;
            sched->order[sched->n_order++] = i;
            continue;
        }
        give(sched, rxq, pmd, EF_SCHED_PINNED);
        sched->pmds[pmd].isolated = sched->isolate;
    }
}

/* Dearest first.  Queues of equal cost go by port number and queue, so that
 * the plan does not depend on how qsort() treats them. */
static int
compare_cost(const void *a_, const void *b_)
{
    const struct ef_sched_rxq *a = *(const struct ef_sched_rxq *const *) a_;
    const struct ef_sched_rxq *b = *(const struct ef_sched_rxq *const *) b_;

    if (a->cycles != b->cycles) {
        return a->cycles > b->cycles ? -1 : 1;
    }
    if (a->port_no != b->port_no) {
        return a->port_no < b->port_no ? -1 : 1;
    }
    return (a->queue_id > b->queue_id) - (a->queue_id < b->queue_id);
}

static void
sort_by_cost(struct ef_sched *sched)
{
    size_t n = sched->n_order;
    const struct ef_sched_rxq **sorted = xmalloc(n * sizeof *sorted);

    for (size_t i = 0; i < n; i++) {
        sorted[i] = &sched->rxqs[sched->order[i]];
    }
    qsort(sorted, n, sizeof *sorted, compare_cost);
    for (size_t i = 0; i < n; i++) {
        sched->order[i] = sorted[i] - sched->rxqs;
    }
    free(sorted);
}

static struct node *
find_node(const struct planner *planner, int numa_id)
{
    struct node *node;

    HMAP_FOR_EACH_WITH_HASH (node, hmap_node, hash_int(numa_id, 0),
                             &planner->nodes) {
        if (node->numa_id == numa_id) {
            return node;
        }
    }
    return NULL;
}

/* Groups the PMDs by node.  The nodes' order in the hash map, keyed with
 * hash_int(), is the order in which foreign queues visit them: that is what
 * operators have seen so far, and no reason to surprise them. */
static void
planner_init(struct planner *planner, struct ef_sched *sched)
{
    planner->sched = sched;
    planner->last_cross = NULL;
    hmap_init(&planner->nodes);

    for (size_t i = 0; i < sched->n_pmds; i++) {
        const struct ef_sched_pmd *pmd = &sched->pmds[i];
        struct node *node = find_node(planner, pmd->numa_id);

        if (!node) {
            node = xzalloc(sizeof *node);
            node->numa_id = pmd->numa_id;
            node->open = xmalloc(sched->n_pmds * sizeof *node->open);
            hmap_insert(&planner->nodes, &node->hmap_node,
                        hash_int(pmd->numa_id, 0));
        }
        if (!pmd->isolated) {
            node->open[node->n_open++] = i;
        }
    }
}

static void
planner_uninit(struct planner *planner)
{
    struct node *node;

    HMAP_FOR_EACH_POP (node, hmap_node, &planner->nodes) {
        free(node->open);
        free(node);
    }
    hmap_destroy(&planner->nodes);
}

/* Returns the next node after the one that helped out last, the last of all
 * being followed by the first, that has an open PMD; or NULL. */
static struct node *
next_cross_node(struct planner *planner)
{
    for (size_t n = hmap_count(&planner->nodes); n > 0; n--) {
        struct hmap_node *next = NULL;
        struct node *node;

        if (planner->last_cross) {
            next = hmap_next(&planner->nodes, &planner->last_cross->hmap_node);
        }
        if (!next) {
            next = hmap_first(&planner->nodes);
        }
        node = CONTAINER_OF(next, struct node, hmap_node);
        planner->last_cross = node;
        if (node->n_open) {
            return node;
        }
    }
    return NULL;
}

static size_t
least_loaded(const struct ef_sched *sched, const struct node *node,
             bool by_cycles)
{
    uint64_t least = UINT64_MAX;
    size_t best = node->open[0];

    for (size_t i = 0; i < node->n_open; i++) {
        const struct ef_sched_pmd *pmd = &sched->pmds[node->open[i]];
        uint64_t load = by_cycles ? pmd->cycles : pmd->n_rxqs;

        if (load < least) {
            least = load;
            best = node->open[i];
        }
    }
    return best;
}

/* 0 1 2 0 1 2..., or with 'up_and_down' 0 1 2 2 1 0 0 1 2... */
static size_t
next_in_turn(struct node *node, bool up_and_down)
{
    size_t n = node->n_open;
    size_t turn = node->n_turns++;
    size_t i = turn % n;

    return node->open[up_and_down && turn / n % 2 ? n - 1 - i : i];
}

static void
planner_place(struct planner *planner, struct ef_sched_rxq *rxq)
{
    struct ef_sched *sched = planner->sched;
    struct node *node = find_node(planner, rxq->numa_id);
    size_t pmd;

    if (!node || !node->n_open) {
        node = next_cross_node(planner);
    }
    if (!node) {
        rxq->outcome = EF_SCHED_UNPOLLED;
        return;
    }

    if (sched->algorithm == EF_SCHED_GROUP) {
        pmd = least_loaded(sched, node, rxq->cycles != 0);
    } else {
        pmd = next_in_turn(node, sched->algorithm == EF_SCHED_CYCLES);
    }
    give(sched, rxq, pmd, (node->numa_id == rxq->numa_id
                           ? EF_SCHED_ASSIGNED : EF_SCHED_CROSS_NUMA));
}
