/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_CLASSIFIER_H
#define EF_FLOW_CLASSIFIER_H 1

/* Megaflow classifier of one instance and input port.
 *
 * Rules with the same mask share a subtable; subtables are searched in the
 * order of their recent hits.  Rules do not overlap unless their actions are
 * the same, so the first hit counts.
 *
 * Which calls may run in parallel:
 *
 *                     lookup    insert, remove, sort
 *     lookup          owner     yes (RCU)
 *     insert...       yes       one at a time: the flow table's mutex
 *
 * "owner": lookups count hits, so only the owning instance may look up
 * without the flow table's mutex; others hold it. */

#include <stdbool.h>
#include <stddef.h>

#include "cmap.h"
#include "flow/megaflow.h"
#include "ovs-rcu.h"

struct ef_subtable;

/* The order in which subtables are searched.  Immutable once published, so a
 * lookup walks a plain array; every change publishes a copy.  Whoever builds
 * the next order may rank as it likes: nothing else depends on the rank. */
struct ef_cls_order {
    size_t n;
    struct ef_subtable *subtables[];
};

struct ef_cls {
    struct cmap_node node;      /* In struct ef_flow_table's 'classifiers'. */
    odp_port_t in_port;
    struct cmap subtables;      /* By mask. */
    OVSRCU_TYPE(struct ef_cls_order *) order; /* The same, by hits. */
};

/* Set-up and changes: the flow table's mutex. */
void ef_cls_init(struct ef_cls *, odp_port_t in_port);
/* No rules may be left, and no readers but for those protected by RCU; the
 * memory of 'cls' itself stays the caller's. */
void ef_cls_destroy(struct ef_cls *);
/* Stores the subtable's mask in 'rule->mask'; 'rule->key' must be
 * ef_key_from_masked_flow() with an equal mask. */
void ef_cls_insert(struct ef_cls *, struct ef_rule *rule,
                   const struct ef_key *mask);
void ef_cls_remove(struct ef_cls *, struct ef_rule *rule);
/* Sorts subtables by the hits since the last call.  Allocates nothing if the
 * order is right already. */
void ef_cls_sort(struct ef_cls *);
static inline bool
ef_cls_is_empty(const struct ef_cls *cls)
{
    return cmap_is_empty(&cls->subtables);
}

/* Packet path.  Looks up 'n' keys (1...NETDEV_MAX_BURST) and stores the rule
 * of each in 'rules', or NULL.  Adds to '*n_lookups' (unless null) the number
 * of subtables searched for the keys that were found.  Returns true if all
 * were found. */
bool ef_cls_lookup(struct ef_cls *, const struct ef_key *const keys[],
                   struct ef_rule *rules[], size_t n, int *n_lookups);

/* Any thread, under RCU: whether 'key' is within 'rule', which is or lately
 * was in a classifier.  The input port does not count. */
bool ef_rule_matches(const struct ef_rule *rule, const struct ef_key *key);

#endif /* flow/classifier.h */
