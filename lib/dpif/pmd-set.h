/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPIF_PMD_SET_H
#define EF_DPIF_PMD_SET_H 1

/* The instances of a datapath: iterate, find, add, remove.
 *
 * Reading works in any thread that is not quiescent; a pointer stays good
 * until the next quiescent state unless a reference is taken.
 *
 *     EF_PMD_FOR_EACH (pmd, dp) { ... } */

#include <stddef.h>

#include "dpif/datapath.h"

#define EF_PMD_FOR_EACH(PMD, DP) CMAP_FOR_EACH (PMD, node, &(DP)->pmds)

/* Any thread.  Returns a reference, or NULL. */
struct ef_pmd *ef_datapath_get_pmd(const struct ef_datapath *,
                                   unsigned core_id);
/* Any thread.  The next instance in the map after '*pos' (zeroed at first), as
 * a reference, or NULL. */
struct ef_pmd *ef_datapath_next_pmd(const struct ef_datapath *,
                                    struct cmap_position *pos);
/* Any thread.  An array of all instances in ascending order of the core, the
 * one without a thread last; good until the next quiescent state; to be freed
 * by the caller. */
struct ef_pmd **ef_datapath_sorted_pmds(const struct ef_datapath *,
                                        size_t *n);

/* Main thread, port lock held for writing or the datapath unreachable. */
struct ef_pmd *ef_datapath_add_pmd(struct ef_datapath *, unsigned core_id,
                                   int numa_id);
/* Stops the instance, lets ofproto read its flows' statistics, removes it. */
void ef_datapath_del_pmd(struct ef_datapath *, struct ef_pmd *);
void ef_datapath_del_all_pmds(struct ef_datapath *);

#endif /* dpif/pmd-set.h */
