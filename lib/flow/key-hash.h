/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_KEY_HASH_H
#define EF_FLOW_KEY_HASH_H 1

/* Hash of a key's 64-bit words, for masks and the rules below them.
 *
 * Two words at a time are mixed by one 64x64 multiplication whose halves are
 * folded together: a third of the work of a byte oriented hash, on every CPU
 * without asking for instructions that the build may not assume.  The secret
 * is drawn at program start, so that nobody outside can compute headers that
 * collide in a subtable.  Hence values differ from run to run and must not
 * show in any output.
 *
 * Threads: any. */

#include <stddef.h>
#include <stdint.h>

extern uint64_t ef_key_hash_secret[2];  /* Constant after program start. */

/* Returns the product's lower half xor its upper half. */
static inline uint64_t
ef_key_hash_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128) a * b;

    return (uint64_t) product ^ (uint64_t) (product >> 64);
}

static inline uint32_t
ef_key_hash(const uint64_t *words, size_t n)
{
    uint64_t hash = ef_key_hash_secret[0];
    uint64_t secret = ef_key_hash_secret[1];
    size_t i;

    for (i = 0; i + 1 < n; i += 2) {
        hash = ef_key_hash_fold(hash ^ words[i], secret ^ words[i + 1]);
    }
    if (i < n) {
        hash = ef_key_hash_fold(hash ^ words[i], secret);
    }
    return hash ^ hash >> 32;
}

#endif /* flow/key-hash.h */
