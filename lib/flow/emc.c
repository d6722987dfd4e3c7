/* SPDX-License-Identifier: Apache-2.0 */
/* Exact match cache: everything but the lookup, which is inline.  Set up by
 * the main thread; then insertions and sweeps by the instance that owns the
 * cache.  The cache never grows: a full one replaces. */

#include <config.h>

#include "flow/emc.h"

#include <sys/mman.h>

#include "util.h"

/* Random places all over the entries: with pages of this size they need three
 * TLB entries instead of 1,300. */
#define HUGE_PAGE_SIZE (2u * 1024 * 1024)

void
ef_emc_init(struct ef_emc *emc)
{
    size_t size = ROUND_UP(EF_EMC_ENTRIES * sizeof *emc->entries,
                           HUGE_PAGE_SIZE);

    emc->hashes = xzalloc_cacheline(EF_EMC_ENTRIES * sizeof *emc->hashes);
    emc->entries = xmalloc_size_align(size, HUGE_PAGE_SIZE);
#ifdef MADV_HUGEPAGE
    /* A wish; small pages work too. */
    madvise(emc->entries, size, MADV_HUGEPAGE);
#endif
    /* Also has the pages at hand before packets come. */
    memset(emc->entries, 0, size);
    emc->sweep = 0;
}

static void
entry_clear(struct ef_emc_entry *entry)
{
    if (entry->flow) {
        ef_flow_unref(entry->flow);
        entry->flow = NULL;
    }
}

void
ef_emc_destroy(struct ef_emc *emc)
{
    if (emc && emc->entries) {
        for (size_t i = 0; i < EF_EMC_ENTRIES; i++) {
            entry_clear(&emc->entries[i]);
        }
        free_size_align(emc->entries);
        free_cacheline(emc->hashes);
        emc->entries = NULL;
        emc->hashes = NULL;
    }
}

static bool
entry_is_alive(const struct ef_emc_entry *entry)
{
    return entry->flow && !ef_flow_is_dead(entry->flow);
}

static bool
entry_has_key(const struct ef_emc_entry *entry, const struct ef_key *key)
{
    return entry->flow && ef_key_equal(&entry->key, key);
}

/* Chooses the place for 'key': its own if it is there, else one that is free
 * or dead, else either of two living ones.  Which one is settled by a bit of
 * the hash that chooses no place, so that two flows that share both places
 * have a fair chance to end up in different ones. */
static uint32_t
choose_place(const struct ef_emc *emc, const struct ef_key *key)
{
    uint32_t a = key->hash & EF_EMC_MASK;
    uint32_t b = key->hash >> EF_EMC_SHIFT & EF_EMC_MASK;

    BUILD_ASSERT_DECL(2 * EF_EMC_SHIFT < 32);
    if (entry_has_key(&emc->entries[a], key)) {
        return a;
    } else if (entry_has_key(&emc->entries[b], key)) {
        return b;
    } else if (!entry_is_alive(&emc->entries[a])) {
        return a;
    } else if (!entry_is_alive(&emc->entries[b])) {
        return b;
    }
    return key->hash >> 31 ? a : b;
}

void
ef_emc_insert(struct ef_emc *emc, const struct ef_key *key,
              struct ef_flow *flow)
{
    uint32_t place = choose_place(emc, key);
    struct ef_emc_entry *entry = &emc->entries[place];

    if (entry->flow != flow) {
        if (!ef_flow_ref(flow)) {
            return;
        }
        entry_clear(entry);
        entry->flow = flow;
    }
    ef_key_copy(&entry->key, key);
    emc->hashes[place] = key->hash;
}

void
ef_emc_sweep(struct ef_emc *emc)
{
    struct ef_emc_entry *entry = &emc->entries[emc->sweep];

    if (!entry_is_alive(entry)) {
        entry_clear(entry);
    }
    emc->sweep = (emc->sweep + 1) & EF_EMC_MASK;
}
