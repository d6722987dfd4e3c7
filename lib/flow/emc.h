/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_EMC_H
#define EF_FLOW_EMC_H 1

/* Exact match cache of one instance: full packet key -> flow.
 *
 * EF_EMC_ENTRIES entries; a hash may live in either of two places, taken from
 * different bits of the hash.  The hashes lie in an array of their own, so a
 * miss touches two words and no entry.  An entry holds a reference to its
 * flow.
 *
 * Threads: owning instance only, everything. */

#include <stdint.h>

#include "flow/megaflow.h"
#include "flow/key.h"

#define EF_EMC_SHIFT 13
#define EF_EMC_ENTRIES (1u << EF_EMC_SHIFT)
#define EF_EMC_MASK (EF_EMC_ENTRIES - 1)

/* Aligned: the map and fourteen words of a key, more than IPv4 with TCP needs,
 * share two cache lines with the pointer. */
struct ef_emc_entry {
    struct ef_flow *flow;       /* NULL: free. */
    struct ef_key key;
} __attribute__((aligned(CACHE_LINE_SIZE)));

struct ef_emc {
    uint32_t *hashes;           /* Of each entry's key; 0 before first use. */
    struct ef_emc_entry *entries;
    unsigned sweep;             /* Next entry for ef_emc_sweep(). */
};

void ef_emc_init(struct ef_emc *);
void ef_emc_destroy(struct ef_emc *);

/* Stores 'key' with a reference to 'flow', over a dead or the less
 * deserving entry of the two places. 'key->len' must be set. */
void ef_emc_insert(struct ef_emc *, const struct ef_key *key,
                   struct ef_flow *flow);

/* Looks at one entry and lets go of its flow if that is dead.  Called every
 * thousand iterations or so: a dead flow is freed in the end although nobody
 * looks it up. */
void ef_emc_sweep(struct ef_emc *);

/* Returns the flow for 'key' (of which 'len' need not be set) or NULL. */
static inline struct ef_flow *
ef_emc_lookup(const struct ef_emc *emc, const struct ef_key *key)
{
    uint32_t place = key->hash;

    for (int i = 0; i < 2; i++, place >>= EF_EMC_SHIFT) {
        if (emc->hashes[place & EF_EMC_MASK] == key->hash) {
            const struct ef_emc_entry *e = &emc->entries[place & EF_EMC_MASK];

            if (e->flow && !ef_flow_is_dead(e->flow)
                && !memcmp(&e->key.mf, &key->mf, e->key.len)) {
                return e->flow;
            }
        }
    }
    return NULL;
}

#endif /* flow/emc.h */
