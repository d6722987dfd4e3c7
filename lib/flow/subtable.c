/* SPDX-License-Identifier: Apache-2.0 */
/* Birth and death of a subtable.  Called by the classifier under the flow
 * table's mutex, from any thread; the packet path is in subtable-lookup.c. */

#include <config.h>

#include "flow/subtable.h"

#include "ovs-rcu.h"
#include "util.h"

struct ef_subtable *
ef_subtable_create(const struct ef_key *mask)
{
    struct ef_subtable *subtable;
    size_t idx, n = 0;

    /* 'mask->len' says how much of the mask is needed. */
    subtable = xzalloc_cacheline(offsetof(struct ef_subtable, mask.mf)
                                 + mask->len);
    cmap_init(&subtable->rules);
    atomic_init(&subtable->hits, 0);
    FLOWMAP_FOR_EACH_INDEX (idx, mask->mf.map) {
        subtable->index[n++] = idx;
    }
    subtable->n_words = n;
    subtable->lookup = ef_subtable_lookup_choose(n);
    ef_key_copy(&subtable->mask, mask);
    return subtable;
}

static void
subtable_free(struct ef_subtable *subtable)
{
    cmap_destroy(&subtable->rules);
    free_cacheline(subtable);
}

void
ef_subtable_destroy(struct ef_subtable *subtable)
{
    if (subtable) {
        ovs_assert(cmap_is_empty(&subtable->rules));
        ovsrcu_postpone(subtable_free, subtable);
    }
}
