/* SPDX-License-Identifier: Apache-2.0 */

/* Life of an instance of the packet path: creation, start and end of its
 * thread, references.  Called by the main thread from dpif/pmd-set.c; the
 * last reference may go in any thread, then memory goes after a grace
 * period. */

#include <config.h>

#include "pmd/pmd.h"

#include "core/log.h"
#include "id-pool.h"
#include "openvswitch/dynamic-string.h"
#include "ovs-rcu.h"
#include "pmd/input.h"
#include "pmd/private.h"
#include "pmd/thread.h"
#include "random.h"
#include "timeval.h"

/* Time between two sorts of the subtables. */
#define FIRST_SORT_US 1000000

static __thread struct ef_pmd *self;

void
ef_pmd_set_self(struct ef_pmd *pmd)
{
    self = pmd;
}

struct ef_pmd *
ef_pmd_self(const struct ef_pmd_env *env)
{
    return self && self->env == env ? self : NULL;
}

void
ef_pmd_txq_get(struct ef_pmd *pmd)
{
    struct ef_pmd_env *env = pmd->env;

    ovs_mutex_lock(&env->txq_ids_mutex);
    if (!id_pool_alloc_id(env->txq_ids, &pmd->output.static_txq)) {
        VLOG_ABORT("static_tx_qid allocation failed for PMD on core %2d, "
                   "numa_id %d.", pmd->core_id, pmd->numa_id);
    }
    ovs_mutex_unlock(&env->txq_ids_mutex);
    VLOG_DBG("static_tx_qid = %d allocated for PMD thread on core %2d, "
             "numa_id %d.", pmd->output.static_txq, pmd->core_id,
             pmd->numa_id);
}

void
ef_pmd_txq_put(struct ef_pmd *pmd)
{
    struct ef_pmd_env *env = pmd->env;

    ovs_mutex_lock(&env->txq_ids_mutex);
    id_pool_free_id(env->txq_ids, pmd->output.static_txq);
    ovs_mutex_unlock(&env->txq_ids_mutex);
}

static void
init_act(struct ef_pmd *pmd, long long now_us)
{
    struct ef_pmd_env *env = pmd->env;

    pmd->act = (struct ef_act) {
        .core_id = pmd->core_id,
        .output = &pmd->output,
        .bonds = &pmd->bonds,
        .meters = &env->meters,
        .conntrack = env->conntrack,
        .upcall = &env->upcall,
        .recirculate = ef_pmd_recirculate,
        .now_us = now_us,
    };
}

struct ef_pmd *
ef_pmd_create(struct ef_pmd_env *env, unsigned core_id, int numa_id)
{
    struct ef_pmd *pmd = xzalloc_cacheline(sizeof *pmd);
    long long now_us = time_usec();

    pmd->env = env;
    pmd->core_id = core_id;
    pmd->numa_id = numa_id;
    ovs_refcount_init(&pmd->ref_cnt);
    atomic_init(&pmd->max_sleep_us, 0);

    /* A state of 0 would stay 0. */
    pmd->random = random_uint32() | 1;
    ef_emc_init(&pmd->emc);
    ef_smc_init(&pmd->smc);
    pmd_perf_stats_init(&pmd->perf);
    ef_output_init(&pmd->output, &env->params, &pmd->perf, core_id,
                   core_id != EF_NON_PMD_CORE);
    ef_bond_table_init(&pmd->bonds);
    ef_flow_table_init(&pmd->flows);
    ef_pmd_load_init(&pmd->load, now_us);
    ef_reload_init(&pmd->reload);
    pmd->next_sort_us = now_us + FIRST_SORT_US;
    init_act(pmd, now_us);

    if (!ef_pmd_is_thread(pmd)) {
        ef_pmd_txq_get(pmd);
        ef_latency_set_thread(&pmd->output.latency);
    }
    return pmd;
}

void
ef_pmd_start(struct ef_pmd *pmd)
{
    struct ds name = DS_EMPTY_INITIALIZER;

    /* Monitoring programs know PMD threads by this prefix. */
    ds_put_format(&name, "pmd-c%02d/id:", pmd->core_id);
    pmd->thread = ovs_thread_create(ds_cstr(&name), ef_pmd_thread_main, pmd);
    ds_destroy(&name);
}

static void
clear_bonds(struct ef_bond_table *table)
{
    struct ef_bond *bond;

    EF_BOND_FOR_EACH (bond, table) {
        ef_bond_del(table, bond->id);
    }
}

void
ef_pmd_stop(struct ef_pmd *pmd)
{
    ef_reload_set_rxqs(&pmd->reload, NULL, 0);
    ef_reload_set_ports(&pmd->reload, NULL, 0);
    if (ef_pmd_is_thread(pmd)) {
        atomic_store_relaxed(&pmd->reload.exit, true);
        ef_reload_request(&pmd->reload);
        xpthread_join(pmd->thread, NULL);
    } else {
        ovs_mutex_lock(&pmd->env->non_pmd_mutex);
        ef_output_set_ports(&pmd->output, NULL, 0, time_usec());
        ef_pmd_txq_put(pmd);
        ovs_mutex_unlock(&pmd->env->non_pmd_mutex);
    }
    clear_bonds(&pmd->bonds);

    /* The cache holds references to flows.  Nobody runs the instance now. */
    ef_emc_destroy(&pmd->emc);
}

static void
destroy(struct ef_pmd *pmd)
{
    ef_pmd_flow_flush(pmd);
    ef_flow_table_destroy(&pmd->flows);
    ef_bond_table_destroy(&pmd->bonds);
    ef_output_destroy(&pmd->output, time_usec());
    ef_smc_destroy(&pmd->smc);
    ef_reload_destroy(&pmd->reload);
    free_cacheline(pmd);
}

bool
ef_pmd_try_ref(struct ef_pmd *pmd)
{
    return ovs_refcount_try_ref_rcu(&pmd->ref_cnt);
}

void
ef_pmd_unref(struct ef_pmd *pmd)
{
    if (pmd && ovs_refcount_unref(&pmd->ref_cnt) == 1) {
        ovsrcu_postpone(destroy, pmd);
    }
}
