/* SPDX-License-Identifier: Apache-2.0 */
/* Packet path of a subtable: flatten keys, hash, find, compare.  Called by
 * the classifier, on the owning instance's thread or under the flow table's
 * mutex, and by users of the signature match cache.  Scratch space lies on
 * the stack, bounded by SCRATCH_WORDS; the only state that lasts is each
 * thread's memory of layouts. */

#include <config.h>

#include "flow/subtable.h"

#include "compiler.h"
#include "dp-packet.h"
#include "flow/key-hash.h"
#include "ovs-thread.h"
#include "util.h"

/* Masks of up to this many words have a lookup function of their own, with
 * loops unrolled. */
#define SPECIAL_WORDS 16

/* Flattened keys that fit on the stack at a time. */
#define SCRATCH_WORDS (SPECIAL_WORDS * NETDEV_MAX_BURST)

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Where the words of keys with 'map' lie: counted in words from the key's
 * 'mf' on, so that 0, the map itself, is free to mean "absent". */
struct layout {
    struct flowmap map;
    uint8_t place[FLOW_U64S];
};

/* Direct mapped.  All zeros is a proper start: the layout of an empty map. */
#define N_LAYOUTS 16
struct layouts {
    struct layout slots[N_LAYOUTS];
};
DEFINE_STATIC_PER_THREAD_DATA(struct layouts, layouts, { .slots = {
    { .place = { 0 } } } });

static inline bool
maps_equal(const struct flowmap *a, const struct flowmap *b)
{
    BUILD_ASSERT_DECL(FLOWMAP_UNITS == 2);
    return !((a->bits[0] ^ b->bits[0]) | (a->bits[1] ^ b->bits[1]));
}

static void
layout_build(struct layout *layout, const struct flowmap *map)
{
    uint8_t place = sizeof(struct miniflow) / sizeof(uint64_t);
    size_t idx;

    memset(layout->place, 0, sizeof layout->place);
    FLOWMAP_FOR_EACH_INDEX (idx, *map) {
        layout->place[idx] = place++;
    }
    layout->map = *map;
}

/* Returns the layout of keys with 'map', valid until the next call.  Not
 * inlined: or else the compiler finds the thread's memory anew for every
 * word. */
static const struct layout * __attribute__((noinline))
layout_get(const struct flowmap *map)
{
    uint64_t mixed = (map->bits[0] * UINT64_C(0x9e3779b97f4a7c15))
                     ^ (map->bits[1] * UINT64_C(0xd1b54a32d192ed03));
    struct layout *layout;

    BUILD_ASSERT_DECL(N_LAYOUTS == 16);
    layout = &layouts_get()->slots[mixed >> 60];
    if (OVS_UNLIKELY(!maps_equal(&layout->map, map))) {
        layout_build(layout, map);
    }
    return layout;
}

/* How to flatten keys with one map for one subtable. */
struct plan {
    uint64_t mask[FLOW_MAX_PACKET_U64S]; /* 0 for words that are absent. */
    uint8_t place[FLOW_MAX_PACKET_U64S];
};

static inline void ALWAYS_INLINE
plan_make(struct plan *plan, const struct ef_subtable *subtable,
          const struct flowmap *map, size_t n)
{
    const struct layout *layout = layout_get(map);

    UNROLL
    for (size_t i = 0; i < n; i++) {
        uint8_t place = layout->place[subtable->index[i]];

        plan->place[i] = place;
        plan->mask[i] = subtable->mask.buf[i] & -(uint64_t) (place != 0);
    }
}

/* Flattens the keys in 'todo' into 'words', 'n' words for each, one behind
 * the other, and stores their hashes.  Makes one plan for each run of keys
 * with equal maps. */
static inline void ALWAYS_INLINE
flatten(const struct ef_subtable *subtable, uint32_t todo,
        const struct ef_key *const keys[], uint64_t words[],
        uint32_t hashes[], size_t n)
{
    while (todo) {
        int i = raw_ctz(todo);
        const struct flowmap *map = &keys[i]->mf.map;
        struct plan plan;

        plan_make(&plan, subtable, map, n);
        do {
            const uint64_t *src = (const uint64_t *) &keys[i]->mf;

            UNROLL
            for (size_t j = 0; j < n; j++) {
                words[j] = src[plan.place[j]] & plan.mask[j];
            }
            hashes[i] = ef_key_hash(words, n);
            words += n;
            todo = zero_rightmost_1bit(todo);
            i = todo ? raw_ctz(todo) : i;
        } while (todo && maps_equal(&keys[i]->mf.map, map));
    }
}

static inline bool ALWAYS_INLINE
words_equal(const uint64_t a[], const uint64_t b[], size_t n)
{
    uint64_t difference = 0;

    UNROLL
    for (size_t i = 0; i < n; i++) {
        difference |= a[i] ^ b[i];
    }
    return !difference;
}

static inline struct ef_rule * ALWAYS_INLINE
chain_search(const struct cmap_node *node, const uint64_t words[], size_t n)
{
    struct ef_rule *rule;

    CMAP_NODE_FOR_EACH (rule, node, node) {
        if (OVS_LIKELY(words_equal(rule->key.buf, words, n))) {
            return rule;
        }
    }
    return NULL;
}

/* Does the work of ef_subtable_lookup_func for a mask of 'n' words.  Inlined
 * into a function for each 'n', so that loops over words vanish. */
static inline uint32_t ALWAYS_INLINE
lookup_words(struct ef_subtable *subtable, uint32_t todo,
             const struct ef_key *const keys[], struct ef_rule *rules[],
             uint64_t words[], size_t n)
{
    const struct cmap_node *nodes[NETDEV_MAX_BURST];
    uint32_t hashes[NETDEV_MAX_BURST];
    uint32_t found, map, hits = 0;

    flatten(subtable, todo, keys, words, hashes, n);
    found = cmap_find_batch(&subtable->rules, todo, hashes, nodes);
    if (!found) {
        return 0;
    }

    for (map = found; map; map = zero_rightmost_1bit(map)) {
        struct ef_rule *rule = CONTAINER_OF(nodes[raw_ctz(map)],
                                            struct ef_rule, node);

        OVS_PREFETCH(rule->key.buf);
    }
    for (; todo; todo = zero_rightmost_1bit(todo), words += n) {
        const int i = raw_ctz(todo);

        if (found & 1u << i) {
            struct ef_rule *rule = chain_search(nodes[i], words, n);

            if (OVS_LIKELY(rule != NULL)) {
                /* For the caller, who accounts for the packet next. */
                OVS_PREFETCH_WRITE(ef_flow_from_rule(rule));
                rules[i] = rule;
                hits++;
            } else {
                found &= ~(1u << i);
            }
        }
    }

    /* Not an atomic addition: see 'hits'. */
    uint32_t old_hits;

    atomic_read_relaxed(&subtable->hits, &old_hits);
    atomic_store_relaxed(&subtable->hits, old_hits + hits);
    return found;
}

/* Any number of words: as many keys at a time as fit into the scratch. */
static uint32_t
lookup_any(struct ef_subtable *subtable, uint32_t todo,
           const struct ef_key *const keys[], struct ef_rule *rules[])
{
    const size_t n = subtable->n_words;
    uint64_t words[SCRATCH_WORDS];
    uint32_t found = 0;

    BUILD_ASSERT_DECL(FLOW_MAX_PACKET_U64S <= SCRATCH_WORDS);
    while (todo) {
        uint32_t rest = todo;

        for (size_t room = SCRATCH_WORDS; rest && room >= n; room -= n) {
            rest = zero_rightmost_1bit(rest);
        }
        found |= lookup_words(subtable, todo & ~rest, keys, rules, words, n);
        todo = rest;
    }
    return found;
}

#define SPECIAL_CASES                                                   \
    SPECIAL(1) SPECIAL(2) SPECIAL(3) SPECIAL(4) SPECIAL(5) SPECIAL(6)   \
    SPECIAL(7) SPECIAL(8) SPECIAL(9) SPECIAL(10) SPECIAL(11)            \
    SPECIAL(12) SPECIAL(13) SPECIAL(14) SPECIAL(15) SPECIAL(16)

#define SPECIAL(N)                                                      \
    static uint32_t                                                     \
    lookup_##N(struct ef_subtable *subtable, uint32_t todo,             \
               const struct ef_key *const keys[],                       \
               struct ef_rule *rules[])                                 \
    {                                                                   \
        uint64_t words[N * NETDEV_MAX_BURST];                           \
                                                                        \
        return lookup_words(subtable, todo, keys, rules, words, N);     \
    }
SPECIAL_CASES
#undef SPECIAL

ef_subtable_lookup_func *
ef_subtable_lookup_choose(size_t n_words)
{
#define SPECIAL(N) [N] = lookup_##N,
    static ef_subtable_lookup_func *const special[] = { SPECIAL_CASES };
#undef SPECIAL

    BUILD_ASSERT_DECL(ARRAY_SIZE(special) == SPECIAL_WORDS + 1);
    return n_words && n_words <= SPECIAL_WORDS ? special[n_words] : lookup_any;
}

bool
ef_subtable_matches(const struct ef_subtable *subtable,
                    const struct ef_rule *rule, const struct ef_key *key)
{
    const struct layout *layout = layout_get(&key->mf.map);
    const uint64_t *src = (const uint64_t *) &key->mf;

    for (size_t i = 0; i < subtable->n_words; i++) {
        uint8_t place = layout->place[subtable->index[i]];
        uint64_t word = place ? src[place] & subtable->mask.buf[i] : 0;

        if (word != rule->key.buf[i]) {
            return false;
        }
    }
    return true;
}
