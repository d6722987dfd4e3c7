/* SPDX-License-Identifier: Apache-2.0 */
/* Unit test of flow/smc.c. */

#include <config.h>

#include "flow/smc.h"

#include "ef-test.h"

/* Hashes of one bucket with different signatures; the signature's two lowest
 * bits are part of the bucket. */
#define HASH(SIGNATURE) (0x123u | (uint32_t) (SIGNATURE) << 18)

EF_TEST(finds_what_was_inserted)
{
    struct ef_smc smc;

    ef_smc_init(&smc);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(1)), EF_SMC_MISS);
    ef_smc_insert(&smc, HASH(1), 0);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(1)), 0);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(2)), EF_SMC_MISS);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(1) + 1), EF_SMC_MISS);
    ef_smc_insert(&smc, HASH(1), 7);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(1)), 7);
    ef_smc_destroy(&smc);
    ef_smc_destroy(&smc);
    ef_smc_destroy(NULL);
}

/* A signature of zero in a free place is no hit. */
EF_TEST(zero_signature_works)
{
    struct ef_smc smc;

    ef_smc_init(&smc);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(0)), EF_SMC_MISS);
    ef_smc_insert(&smc, HASH(0), 5);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(0)), 5);
    ef_smc_destroy(&smc);
}

EF_TEST(index_limit)
{
    struct ef_smc smc;

    ef_smc_init(&smc);
    ef_smc_insert(&smc, HASH(1), UINT16_MAX - 1);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(1)), UINT16_MAX - 1);
    ef_smc_insert(&smc, HASH(2), UINT16_MAX);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(2)), EF_SMC_MISS);
    ef_smc_insert(&smc, HASH(2), UINT32_MAX);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(2)), EF_SMC_MISS);
    ef_smc_destroy(&smc);
}

/* Four signatures fit into a bucket; the fifth drives out one of them. */
EF_TEST(full_bucket_replaces)
{
    struct ef_smc smc;
    int found = 0;

    ef_smc_init(&smc);
    for (int i = 1; i <= 4; i++) {
        ef_smc_insert(&smc, HASH(i), 100 + i);
    }
    for (int i = 1; i <= 4; i++) {
        EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(i)), 100 + i);
    }
    ef_smc_insert(&smc, HASH(5), 105);
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(5)), 105);
    for (int i = 1; i <= 4; i++) {
        found += ef_smc_lookup(&smc, HASH(i)) == 100 + i;
    }
    EF_CHECK_EQ(found, 3);
    ef_smc_destroy(&smc);
}

EF_TEST_MUST_FAIL(damaged_signature)
{
    struct ef_smc smc;

    ef_smc_init(&smc);
    ef_smc_insert(&smc, HASH(1), 5);
    for (int i = 0; i < EF_SMC_WAYS; i++) {
        smc.buckets[0x123].signature[i] ^= 4;
    }
    EF_CHECK_EQ(ef_smc_lookup(&smc, HASH(1)), 5);
    ef_smc_destroy(&smc);
}
