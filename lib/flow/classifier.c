/* SPDX-License-Identifier: Apache-2.0 */
/* Megaflow classifier: which subtables there are and in which order they are
 * searched.  Lookups come from the owning instance's packet path; changes
 * from any thread that holds the flow table's mutex.  The order is an array
 * that is never changed once published: a change publishes another one and
 * frees the old one after a grace period. */

#include <config.h>

#include "flow/classifier.h"

#include "dp-packet.h"
#include "flow/subtable.h"
#include "util.h"

/* An entry of an order to be. */
struct ranked {
    struct ef_subtable *subtable;
    size_t position;            /* In the order so far. */
    uint32_t hits;
};

static struct ef_cls_order *
order_protected(const struct ef_cls *cls)
{
    return ovsrcu_get_protected(struct ef_cls_order *, &cls->order);
}

static struct ef_cls_order *
order_alloc(size_t n)
{
    struct ef_cls_order *order;

    order = xmalloc(sizeof *order + n * sizeof order->subtables[0]);
    order->n = n;
    return order;
}

/* The release in ovsrcu_set() pairs with ovsrcu_get() in ef_cls_lookup(). */
static void
order_publish(struct ef_cls *cls, struct ef_cls_order *order)
{
    struct ef_cls_order *old = order_protected(cls);

    ovsrcu_set(&cls->order, order);
    ovsrcu_postpone(free, old);
}

/* A new subtable has no hits yet: last. */
static void
order_append(struct ef_cls *cls, struct ef_subtable *subtable)
{
    const struct ef_cls_order *old = order_protected(cls);
    struct ef_cls_order *order = order_alloc(old->n + 1);

    for (size_t i = 0; i < old->n; i++) {
        order->subtables[i] = old->subtables[i];
    }
    order->subtables[old->n] = subtable;
    order_publish(cls, order);
}

static void
order_drop(struct ef_cls *cls, const struct ef_subtable *subtable)
{
    const struct ef_cls_order *old = order_protected(cls);
    struct ef_cls_order *order = order_alloc(old->n - 1);
    size_t n = 0;

    for (size_t i = 0; i < old->n; i++) {
        if (old->subtables[i] != subtable) {
            ovs_assert(n < order->n);
            order->subtables[n++] = old->subtables[i];
        }
    }
    order_publish(cls, order);
}

void
ef_cls_init(struct ef_cls *cls, odp_port_t in_port)
{
    cls->in_port = in_port;
    cmap_init(&cls->subtables);
    ovsrcu_init(&cls->order, order_alloc(0));
}

void
ef_cls_destroy(struct ef_cls *cls)
{
    if (cls) {
        ovs_assert(ef_cls_is_empty(cls));
        cmap_destroy(&cls->subtables);
        ovsrcu_postpone(free, order_protected(cls));
    }
}

static struct ef_subtable *
subtable_find(const struct ef_cls *cls, const struct ef_key *mask)
{
    struct ef_subtable *subtable;

    CMAP_FOR_EACH_WITH_HASH_PROTECTED (subtable, node, mask->hash,
                                       &cls->subtables) {
        if (ef_key_equal(&subtable->mask, mask)) {
            return subtable;
        }
    }
    return NULL;
}

void
ef_cls_insert(struct ef_cls *cls, struct ef_rule *rule,
              const struct ef_key *mask)
{
    struct ef_subtable *subtable = subtable_find(cls, mask);
    bool is_new = !subtable;

    ovs_assert(rule->key.len == mask->len);
    if (is_new) {
        subtable = ef_subtable_create(mask);
    }
    rule->mask = &subtable->mask;
    cmap_insert(&subtable->rules, &rule->node, rule->key.hash);
    if (is_new) {
        cmap_insert(&cls->subtables, &subtable->node, mask->hash);
        order_append(cls, subtable);
    }
}

void
ef_cls_remove(struct ef_cls *cls, struct ef_rule *rule)
{
    struct ef_subtable *subtable;

    subtable = CONTAINER_OF(rule->mask, struct ef_subtable, mask);
    if (!cmap_remove(&subtable->rules, &rule->node, rule->key.hash)) {
        order_drop(cls, subtable);
        cmap_remove(&cls->subtables, &subtable->node, subtable->mask.hash);
        ef_subtable_destroy(subtable);
    }
}

/* More hits first; among equals, the order stays as it is. */
static int
compare_ranked(const void *a_, const void *b_)
{
    const struct ranked *a = a_;
    const struct ranked *b = b_;

    if (a->hits != b->hits) {
        return a->hits > b->hits ? -1 : 1;
    }
    return a->position < b->position ? -1 : 1;
}

/* Takes the hits of 'subtable' since the last time.  The owner may count at
 * the same moment; what it adds then counts for this or for no interval. */
static uint32_t
take_hits(struct ef_subtable *subtable)
{
    uint32_t hits;

    atomic_read_relaxed(&subtable->hits, &hits);
    if (hits) {
        atomic_store_relaxed(&subtable->hits, 0);
    }
    return hits;
}

void
ef_cls_sort(struct ef_cls *cls)
{
    const struct ef_cls_order *old = order_protected(cls);
    struct ef_cls_order *order;
    struct ranked *ranked;
    bool sorted = true;
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < old->n && sorted; i++) {
        uint32_t hits;

        atomic_read_relaxed(&old->subtables[i]->hits, &hits);
        sorted = hits <= last;
        last = hits;
    }
    if (sorted) {
        for (size_t i = 0; i < old->n; i++) {
            take_hits(old->subtables[i]);
        }
        return;
    }

    ranked = xmalloc(old->n * sizeof *ranked);
    for (size_t i = 0; i < old->n; i++) {
        ranked[i].subtable = old->subtables[i];
        ranked[i].position = i;
        ranked[i].hits = take_hits(old->subtables[i]);
    }
    qsort(ranked, old->n, sizeof *ranked, compare_ranked);
    order = order_alloc(old->n);
    for (size_t i = 0; i < old->n; i++) {
        order->subtables[i] = ranked[i].subtable;
    }
    free(ranked);
    order_publish(cls, order);
}

bool
ef_cls_lookup(struct ef_cls *cls, const struct ef_key *const keys[],
              struct ef_rule *rules[], size_t n, int *n_lookups)
{
    const struct ef_cls_order *order = ovsrcu_get(struct ef_cls_order *,
                                                  &cls->order);
    uint32_t todo = UINT32_MAX >> (32 - n);
    int sum = 0;

    BUILD_ASSERT_DECL(NETDEV_MAX_BURST <= 32);
    for (size_t i = 0; i < n; i++) {
        rules[i] = NULL;
    }
    for (size_t i = 0; i < order->n && todo; i++) {
        struct ef_subtable *subtable = order->subtables[i];
        uint32_t found = subtable->lookup(subtable, todo, keys, rules);

        sum += count_1bits(found) * (i + 1);
        todo &= ~found;
    }
    if (n_lookups) {
        *n_lookups += sum;
    }
    return !todo;
}

bool
ef_rule_matches(const struct ef_rule *rule, const struct ef_key *key)
{
    return ef_subtable_matches(CONTAINER_OF(rule->mask, struct ef_subtable,
                                            mask), rule, key);
}
