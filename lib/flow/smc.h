/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_SMC_H
#define EF_FLOW_SMC_H 1

/* Signature match cache of one instance: hash -> index into the flow table.
 *
 * 2^20 entries of a 16-bit signature and a 16-bit cmap index, in buckets of
 * four.  A hit is a hint: the caller checks the flows at that index against
 * the packet.  Flows beyond index 65,534 cannot be cached.  The memory (4 MB)
 * is taken zeroed from the system, so pages that are never used cost nothing.
 *
 * Threads: owning instance only. */

#include <stdint.h>

#include "util.h"

#define EF_SMC_WAYS 4
#define EF_SMC_BUCKETS (1u << 18)
#define EF_SMC_MISS UINT32_MAX

struct ef_smc_bucket {
    uint16_t signature[EF_SMC_WAYS];
    uint16_t index1[EF_SMC_WAYS];       /* Index plus one; 0: free. */
};

struct ef_smc {
    struct ef_smc_bucket *buckets;
};

void ef_smc_init(struct ef_smc *);
void ef_smc_destroy(struct ef_smc *);

/* Remembers 'index' (from cmap_find_index()) for 'hash'; an index that does
 * not fit is ignored. */
void ef_smc_insert(struct ef_smc *, uint32_t hash, uint32_t index);

static inline const struct ef_smc_bucket *
ef_smc_bucket(const struct ef_smc *smc, uint32_t hash)
{
    return &smc->buckets[hash & (EF_SMC_BUCKETS - 1)];
}

static inline void
ef_smc_prefetch(const struct ef_smc *smc, uint32_t hash)
{
    OVS_PREFETCH(ef_smc_bucket(smc, hash));
}

/* Returns an index for cmap_find_by_index(), or EF_SMC_MISS. */
static inline uint32_t
ef_smc_lookup(const struct ef_smc *smc, uint32_t hash)
{
    const struct ef_smc_bucket *bucket = ef_smc_bucket(smc, hash);

    for (int i = 0; i < EF_SMC_WAYS; i++) {
        if (bucket->signature[i] == hash >> 16 && bucket->index1[i]) {
            return bucket->index1[i] - 1;
        }
    }
    return EF_SMC_MISS;
}

#endif /* flow/smc.h */
