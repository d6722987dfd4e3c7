/* SPDX-License-Identifier: Apache-2.0 */

/* The set of a datapath's instances.  The main thread adds and removes; other
 * threads find instances under RCU. */

#include <config.h>

#include "dpif/pmd-set.h"

#include "dpif/sleep-config.h"
#include "hash.h"
#include "rcu/rcu.h"

static uint32_t
hash_core(unsigned core_id)
{
    return hash_int(core_id, 0);
}

struct ef_pmd *
ef_datapath_get_pmd(const struct ef_datapath *dp, unsigned core_id)
{
    struct ef_pmd *pmd;

    CMAP_FOR_EACH_WITH_HASH (pmd, node, hash_core(core_id), &dp->pmds) {
        if (pmd->core_id == core_id) {
            return ef_pmd_try_ref(pmd) ? pmd : NULL;
        }
    }
    return NULL;
}

struct ef_pmd *
ef_datapath_next_pmd(const struct ef_datapath *dp, struct cmap_position *pos)
{
    struct cmap_node *node;

    while ((node = cmap_next_position(&dp->pmds, pos)) != NULL) {
        struct ef_pmd *pmd = CONTAINER_OF(node, struct ef_pmd, node);

        if (ef_pmd_try_ref(pmd)) {
            return pmd;
        }
    }
    return NULL;
}

static int
compare_cores(const void *a_, const void *b_)
{
    const struct ef_pmd *const *a = a_;
    const struct ef_pmd *const *b = b_;

    return ((*a)->core_id > (*b)->core_id) - ((*a)->core_id < (*b)->core_id);
}

struct ef_pmd **
ef_datapath_sorted_pmds(const struct ef_datapath *dp, size_t *n)
{
    size_t allocated = 0;
    struct ef_pmd **pmds = NULL;
    struct ef_pmd *pmd;

    /* The map may change while we look. */
    *n = 0;
    EF_PMD_FOR_EACH (pmd, dp) {
        if (*n >= allocated) {
            pmds = x2nrealloc(pmds, &allocated, sizeof *pmds);
        }
        pmds[(*n)++] = pmd;
    }
    if (*n) {
        qsort(pmds, *n, sizeof *pmds, compare_cores);
    }
    return pmds;
}

struct ef_pmd *
ef_datapath_add_pmd(struct ef_datapath *dp, unsigned core_id, int numa_id)
{
    struct ef_pmd *pmd = ef_pmd_create(&dp->env, core_id, numa_id);

    ef_sleep_set_pmd(dp, pmd);
    cmap_insert(&dp->pmds, &pmd->node, hash_core(core_id));
    if (ef_pmd_is_thread(pmd)) {
        ef_pmd_start(pmd);
    }
    return pmd;
}

void
ef_datapath_del_pmd(struct ef_datapath *dp, struct ef_pmd *pmd)
{
    ef_pmd_stop(pmd);

    /* The flows do not change any more and are still to be found: ofproto
     * takes over their statistics.  It quiesces, while we hold the lock of
     * the ports. */
    if (dp->purge_cb) {
        ef_rcu_no_wait_begin();
        dp->purge_cb(dp->purge_aux, pmd->core_id);
        ef_rcu_no_wait_end();
    }
    cmap_remove(&dp->pmds, &pmd->node, hash_core(pmd->core_id));
    ef_pmd_flow_flush(pmd);
    ef_pmd_unref(pmd);
}

void
ef_datapath_del_all_pmds(struct ef_datapath *dp)
{
    struct ef_pmd **pmds;
    size_t n;

    /* Nobody else changes the set, so the array outlives quiescent states. */
    pmds = ef_datapath_sorted_pmds(dp, &n);
    for (size_t i = 0; i < n; i++) {
        ef_datapath_del_pmd(dp, pmds[i]);
    }
    free(pmds);
}
