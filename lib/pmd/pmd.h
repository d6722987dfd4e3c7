/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_PMD_H
#define EF_PMD_PMD_H 1

/* An instance of the packet path.
 *
 * A data path has an instance for each PMD thread, which alone runs it, and
 * one without a thread (core EF_NON_PMD_CORE) for ports that cannot be
 * polled and for packets from ofproto; whoever runs the latter holds
 * 'env->non_pmd_mutex' (recursive).  "Owner" below means that thread or that
 * holder.
 *
 * Life: ef_pmd_create(), for a PMD ef_pmd_start(); reloads as in
 * pmd/reload.h; ef_pmd_stop(), ef_pmd_unref().  The main thread does all of
 * this.  Other threads find instances in the data path's map, under RCU, and
 * take a reference to keep one.
 *
 * The instance is identity and handshake, followed by private blocks by value;
 * functions of the modules take their block. */

#include <stdbool.h>
#include <stdint.h>

#include "action/execute.h"
#include "cmap.h"
#include "core/params.h"
#include "core/random.h"
#include "flow/emc.h"
#include "flow/flow-table.h"
#include "flow/offload.h"
#include "flow/smc.h"
#include "output/bond.h"
#include "output/tx-port.h"
#include "ovs-thread.h"
#include "pmd/load.h"
#include "pmd/overload.h"
#include "pmd/reload.h"
#include "stats/pmd-perf.h"

#define EF_NON_PMD_CORE UINT32_MAX      /* Upstream's NON_PMD_CORE_ID. */

struct id_pool;

/* What all instances of a data path share.  The data path owns it and
 * outlives its instances. */
struct ef_pmd_env {
    const char *dp_name;
    struct ef_params params;
    struct ef_upcall upcall;
    struct ef_meter_table meters;
    struct conntrack *conntrack;
    struct ef_offload offload;
    struct ovs_mutex non_pmd_mutex;     /* Recursive. */

    /* Static tx queue numbers, taken by PMD threads when they start and when
     * a reload says so. */
    struct ovs_mutex txq_ids_mutex;
    struct id_pool *txq_ids;
};

struct ef_pmd {
    /* Packet path: what the owner touches for each packet. */
    struct ef_emc emc;
    struct ef_smc smc;
    uint32_t emc_insert_min;    /* For the rx queue at hand. */
    bool smc_enable;            /* For this iteration. */
    uint32_t random;            /* State of ef_random_next(). */
    struct ef_act act;
    struct ef_output output;

    /* Owner: once in a while. */
    struct ef_pmd_load load;
    long long next_sort_us;     /* When subtables are sorted next. */
    struct pmd_perf_stats perf;
    struct ef_overload overload;        /* Or under overload. */

    /* Flow table: owner, revalidators, main thread; see there. */
    struct ef_flow_table flows;
    struct ef_bond_table bonds;

    /* Handshake with the main thread. */
    struct ef_reload reload;

    /* Constant after creation. */
    struct ef_pmd_env *env;
    unsigned core_id;
    int numa_id;
    pthread_t thread;

    /* Written by the main thread, read by the owner. */
    atomic_uint64_t max_sleep_us;       /* When idle; 0: never sleeps. */

    /* Main thread. */
    bool isolated;              /* Polls pinned queues only. */

    /* Any thread. */
    struct cmap_node node;      /* In the data path's map, by core. */
    struct ovs_refcount ref_cnt;
};

/* Main thread.  Takes the first static tx queue for the non-PMD instance. */
struct ef_pmd *ef_pmd_create(struct ef_pmd_env *, unsigned core_id,
                             int numa_id);
void ef_pmd_start(struct ef_pmd *);
/* Ends the thread (if any), sends what waits and lets go of all ports and
 * bonds.  Flows stay, so that their statistics can be read. */
void ef_pmd_stop(struct ef_pmd *);

/* Any thread. */
bool ef_pmd_try_ref(struct ef_pmd *);
void ef_pmd_unref(struct ef_pmd *);

static inline bool
ef_pmd_is_thread(const struct ef_pmd *pmd)
{
    return pmd->core_id != EF_NON_PMD_CORE;
}

/* Any thread: the instance that the calling thread runs, if it is a PMD of
 * 'env'; else NULL. */
struct ef_pmd *ef_pmd_self(const struct ef_pmd_env *);

/* Changes of flows, with the side effects (offload, log) that belong to
 * them.  'pmd->flows.mutex' held. */
struct ef_flow *ef_pmd_flow_add(struct ef_pmd *pmd, const struct match *,
                                const ovs_u128 *ufid,
                                const struct nlattr *actions,
                                size_t actions_len, odp_port_t orig_in_port)
    OVS_REQUIRES(pmd->flows.mutex);
void ef_pmd_flow_modify(struct ef_pmd *pmd, struct ef_flow *,
                        const struct match *, const struct nlattr *actions,
                        size_t actions_len)
    OVS_REQUIRES(pmd->flows.mutex);
void ef_pmd_flow_remove(struct ef_pmd *pmd, struct ef_flow *)
    OVS_REQUIRES(pmd->flows.mutex);
void ef_pmd_flow_flush(struct ef_pmd *);        /* Takes the mutex. */

#endif /* pmd/pmd.h */
