/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_KEY_H
#define EF_FLOW_KEY_H 1

/* A lookup key: a miniflow with its length and a hash.
 *
 * The packet path extracts a packet's headers straight into 'mf' and 'buf'
 * and stores a hash (RSS or 5-tuple) for the caches.  Masks and the masked
 * keys of rules use the same shape; their hash covers the masked words, as
 * the classifier computes it.
 *
 * Two keys made by miniflow_extract() are equal if 'len' bytes from 'mf' on
 * are equal: different maps mean different headers.
 *
 * Threads: a key belongs to whoever declared it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "flow.h"

struct match;

struct ef_key {
    uint32_t hash;
    uint32_t len;               /* Bytes from 'mf' on: map and values. */
    struct miniflow mf;
    uint64_t buf[FLOW_MAX_PACKET_U64S]; /* The values of 'mf'. */
};

/* Returns the bytes of a miniflow with 'n' values. */
static inline size_t
ef_key_size(size_t n)
{
    return sizeof(struct miniflow) + MINIFLOW_VALUES_SIZE(n);
}

/* Sets 'len' of a key whose 'mf' is complete. */
static inline void
ef_key_set_len(struct ef_key *key)
{
    key->len = ef_key_size(miniflow_n_values(&key->mf));
}

/* Compares 'a', whose 'len' is set, with 'b', whose 'len' need not be. */
static inline bool
ef_key_equal(const struct ef_key *a, const struct ef_key *b)
{
    return a->hash == b->hash && !memcmp(&a->mf, &b->mf, a->len);
}

static inline void
ef_key_copy(struct ef_key *dst, const struct ef_key *src)
{
    memcpy(dst, src, offsetof(struct ef_key, mf) + src->len);
}

/* Makes 'key' the unmasked key of 'flow'. */
void ef_key_from_flow(struct ef_key *key, const struct flow *flow);

/* Makes 'mask' the classifier's mask for 'match': the words of
 * 'match->wc' that make sense for 'match->flow' and are not zero.  The input
 * port is left out, since each input port has a classifier of its own; the
 * caller has checked that it is an exact match. */
void ef_key_from_mask(struct ef_key *mask, const struct match *match);

/* Makes 'key' a copy of 'flow' under 'mask', with the hash that
 * ef_cls_lookup() computes for packets. */
void ef_key_from_masked_flow(struct ef_key *key, const struct flow *flow,
                             const struct ef_key *mask);

#endif /* flow/key.h */
