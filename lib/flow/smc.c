/* SPDX-License-Identifier: Apache-2.0 */
/* Signature match cache: everything but the lookup, which is inline.  Set up
 * by the main thread; then insertions by the instance that owns the cache.
 * Holds no reference to anything, so it never needs cleaning. */

#include <config.h>

#include "flow/smc.h"

#include "util.h"

BUILD_ASSERT_DECL(sizeof(struct ef_smc_bucket) == 16);

void
ef_smc_init(struct ef_smc *smc)
{
    /* The C library takes an array of this size from the system as it is,
     * and zero means free: pages never used are never there. */
    smc->buckets = xcalloc(EF_SMC_BUCKETS, sizeof *smc->buckets);
}

void
ef_smc_destroy(struct ef_smc *smc)
{
    if (smc) {
        free(smc->buckets);
        smc->buckets = NULL;
    }
}

/* Chooses the way for 'hash': that of its signature, else a free one, else
 * any. */
static int
choose_way(const struct ef_smc_bucket *bucket, uint32_t hash, uint32_t index)
{
    int way = (hash >> 18 ^ index) & (EF_SMC_WAYS - 1);

    BUILD_ASSERT_DECL(IS_POW2(EF_SMC_WAYS));
    for (int i = 0; i < EF_SMC_WAYS; i++) {
        if (!bucket->index1[i]) {
            way = i;
        } else if (bucket->signature[i] == hash >> 16) {
            return i;
        }
    }
    return way;
}

void
ef_smc_insert(struct ef_smc *smc, uint32_t hash, uint32_t index)
{
    struct ef_smc_bucket *bucket = &smc->buckets[hash & (EF_SMC_BUCKETS - 1)];

    if (index < UINT16_MAX) {
        int way = choose_way(bucket, hash, index);

        bucket->signature[way] = hash >> 16;
        bucket->index1[way] = index + 1;
    }
}
