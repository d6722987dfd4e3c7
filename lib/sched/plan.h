/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SCHED_PLAN_H
#define EF_SCHED_PLAN_H 1

/* Which PMD polls which rx queue: a pure function.
 *
 * The caller fills in queues and PMDs, ef_sched_plan() fills in the "out"
 * members, ef_sched_log() tells the operator what was decided, and the
 * caller carries it out.  Nothing here looks at the data path, takes a lock or
 * allocates anything that outlives the call, except for 'order'.
 *
 *     struct ef_sched sched = { .algorithm = EF_SCHED_CYCLES, ... };
 *
 *     ef_sched_plan(&sched);
 *     ef_sched_log(&sched, VLL_INFO);
 *     ...use the "out" members...
 *     ef_sched_uninit(&sched);
 *
 * Rules: pinned queues first, each on its core if a PMD runs there; with
 * 'isolate', such a PMD polls pinned queues only.  Then the others: in order
 * of the cycles they cost, dearest first (EF_SCHED_ROUNDROBIN: in the order
 * given).  A queue stays on its device's NUMA node if any PMD there takes
 * unpinned queues, else it goes to the next node that has one.  Within the
 * node EF_SCHED_ROUNDROBIN takes PMDs in turn, EF_SCHED_CYCLES in turn up and
 * down again, EF_SCHED_GROUP the one with the least load (or with the fewest
 * queues, for a queue without any load). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openvswitch/vlog.h"

enum ef_sched_algorithm {
    EF_SCHED_ROUNDROBIN,
    EF_SCHED_CYCLES,
    EF_SCHED_GROUP,
};

enum ef_sched_outcome {
    EF_SCHED_PINNED,
    EF_SCHED_ASSIGNED,
    EF_SCHED_CROSS_NUMA,        /* Assigned to another node. */
    EF_SCHED_UNPOLLED,          /* No PMD takes it. */
};

struct ef_sched_rxq {
    /* In. */
    const char *port_name;
    uint32_t port_no;
    int queue_id;
    int numa_id;                /* Of the device. */
    unsigned pinned_core;       /* OVS_CORE_UNSPEC: not pinned. */
    uint64_t cycles;            /* Cost in the measured intervals. */
    void *aux;                  /* The caller's. */

    /* Out. */
    enum ef_sched_outcome outcome;
    bool pin_failed;            /* No PMD on 'pinned_core'. */
    int pmd;                    /* Index into 'pmds', or -1. */
};

struct ef_sched_pmd {
    /* In, in ascending order of 'core_id'. */
    unsigned core_id;
    int numa_id;
    uint64_t interval_cycles;   /* All cycles of one interval; 0: unknown. */

    /* Out. */
    bool isolated;
    unsigned n_rxqs;
    uint64_t cycles;            /* Of its queues. */
};

struct ef_sched {
    enum ef_sched_algorithm algorithm;
    bool isolate;
    struct ef_sched_rxq *rxqs;
    size_t n_rxqs;
    struct ef_sched_pmd *pmds;
    size_t n_pmds;

    /* Out: indexes into 'rxqs' in the order in which unpinned queues were
     * placed; for the log. Null before the first plan; freed by
     * ef_sched_uninit(). */
    size_t *order;
    size_t n_order;
};

/* May be called again after a change of the "in" members. */
void ef_sched_plan(struct ef_sched *);
/* Logs the plan at 'level' and what went wrong as warnings; with VLL_DBG, for
 * a plan that is not carried out, all of it at that level. */
void ef_sched_log(const struct ef_sched *, enum vlog_level level);
/* Frees 'order', 'rxqs' and 'pmds' (from xmalloc and friends). */
void ef_sched_uninit(struct ef_sched *);

const char *ef_sched_algorithm_name(enum ef_sched_algorithm);
/* Returns false if 'name' is none of "roundrobin", "cycles", "group". */
bool ef_sched_algorithm_parse(const char *name, enum ef_sched_algorithm *);

#endif /* sched/plan.h */
