/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_SUBTABLE_H
#define EF_FLOW_SUBTABLE_H 1

/* Rules with one mask, for the classifier only.
 *
 * A packet's key is a miniflow: where in it a given word lies depends on
 * which other words the packet has.  Instead of counting bits for each word
 * of each packet, every thread keeps the layouts of the maps it met last (map
 * -> place of each word).  A lookup turns the layout of a batch's first key
 * into a plan for the subtable's own words and sticks to the plan as long as
 * the keys' maps are equal, as they nearly always are; then a key is
 * flattened by one load, one AND and one store a word, absent words included:
 * these have an empty mask in the plan.
 *
 * Threads: as for the classifier. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmap.h"
#include "flow/key.h"
#include "flow/megaflow.h"
#include "ovs-atomic.h"

struct ef_subtable;

/* Looks for the keys whose bits are set in 'todo', stores the rules of those
 * that are found at the same places of 'rules' and returns their bits. */
typedef uint32_t ef_subtable_lookup_func(struct ef_subtable *, uint32_t todo,
                                         const struct ef_key *const keys[],
                                         struct ef_rule *rules[]);

struct ef_subtable {
    /* Packet path. */
    struct cmap rules;          /* "struct ef_rule"s by hash of 'key'. */
    ef_subtable_lookup_func *lookup;
    atomic_uint32_t hits;       /* Since the last sort.  Lost increments only
                                 * make the ranking a little worse. */
    uint32_t n_words;           /* In the mask. */
    uint8_t index[FLOW_MAX_PACKET_U64S]; /* Of these words in struct flow. */

    /* Changes. */
    struct cmap_node node;      /* In struct ef_cls's 'subtables'. */
    struct ef_key mask;         /* Last member: room follows. */
};

/* 'mask' is copied.  Destruction is put off for a grace period. */
struct ef_subtable *ef_subtable_create(const struct ef_key *mask);
void ef_subtable_destroy(struct ef_subtable *);

/* The lookup function for masks of 'n_words', the best there is. */
ef_subtable_lookup_func *ef_subtable_lookup_choose(size_t n_words);

/* Whether 'key' is within 'rule' of this subtable. */
bool ef_subtable_matches(const struct ef_subtable *,
                         const struct ef_rule *rule, const struct ef_key *key);

#endif /* flow/subtable.h */
