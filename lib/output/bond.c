/* SPDX-License-Identifier: Apache-2.0 */

/* Tables of bonds: hash bucket -> member port, with counters.
 *
 * The main thread puts and deletes bonds, an instance's owner adds those that
 * are missing when it starts, packet paths and show commands find them under
 * RCU. */

#include <config.h>

#include "output/bond.h"

#include <errno.h>
#include <stdlib.h>

#include "core/counter.h"
#include "dpif.h"
#include "hash.h"
#include "ovs-rcu.h"
#include "util.h"

/* The dpif layer's arrays and ours. */
BUILD_ASSERT_DECL(EF_BOND_BUCKETS == BOND_BUCKETS);

static uint32_t
hash_id(uint32_t id)
{
    return hash_int(id, 0);
}

void
ef_bond_table_init(struct ef_bond_table *table)
{
    ovs_mutex_init(&table->mutex);
    cmap_init(&table->bonds);
}

static void
remove_bond(struct ef_bond_table *table, struct ef_bond *bond)
    OVS_REQUIRES(table->mutex)
{
    cmap_remove(&table->bonds, &bond->node, hash_id(bond->id));
    ovsrcu_postpone(free, bond);
}

void
ef_bond_table_destroy(struct ef_bond_table *table)
{
    struct ef_bond *bond;

    if (!table) {
        return;
    }
    ovs_mutex_lock(&table->mutex);
    EF_BOND_FOR_EACH (bond, table) {
        remove_bond(table, bond);
    }
    ovs_mutex_unlock(&table->mutex);
    cmap_destroy(&table->bonds);
    ovs_mutex_destroy(&table->mutex);
}

/* Makes a bond, with the counters of 'old' unless null. */
static struct ef_bond *
new_bond(uint32_t id, const struct ef_bond *old)
{
    struct ef_bond *bond = xzalloc(sizeof *bond);

    bond->id = id;
    for (int i = 0; old && i < EF_BOND_BUCKETS; i++) {
        const struct ef_bond_bucket *from = &old->buckets[i];
        struct ef_bond_bucket *to = &bond->buckets[i];

        ef_counter_set(&to->n_packets, ef_counter_get(&from->n_packets));
        ef_counter_set(&to->n_bytes, ef_counter_get(&from->n_bytes));
    }
    return bond;
}

void
ef_bond_put(struct ef_bond_table *table, uint32_t id,
            const odp_port_t members[])
{
    struct ef_bond *old, *new;

    ovs_mutex_lock(&table->mutex);
    old = ef_bond_find(table, id);
    new = new_bond(id, old);
    for (int i = 0; i < EF_BOND_BUCKETS; i++) {
        new->buckets[i].member = members[i];
    }
    if (old) {
        cmap_replace(&table->bonds, &old->node, &new->node, hash_id(id));
        ovsrcu_postpone(free, old);
    } else {
        cmap_insert(&table->bonds, &new->node, hash_id(id));
    }
    ovs_mutex_unlock(&table->mutex);
}

void
ef_bond_add_missing(struct ef_bond_table *table, const struct ef_bond *bond)
{
    ovs_mutex_lock(&table->mutex);
    if (!ef_bond_find(table, bond->id)) {
        struct ef_bond *copy = new_bond(bond->id, NULL);

        for (int i = 0; i < EF_BOND_BUCKETS; i++) {
            copy->buckets[i].member = bond->buckets[i].member;
        }
        cmap_insert(&table->bonds, &copy->node, hash_id(copy->id));
    }
    ovs_mutex_unlock(&table->mutex);
}

int
ef_bond_del(struct ef_bond_table *table, uint32_t id)
{
    struct ef_bond *bond;

    ovs_mutex_lock(&table->mutex);
    bond = ef_bond_find(table, id);
    if (bond) {
        remove_bond(table, bond);
    }
    ovs_mutex_unlock(&table->mutex);
    return bond ? 0 : ENOENT;
}

struct ef_bond *
ef_bond_find(const struct ef_bond_table *table, uint32_t id)
{
    struct ef_bond *bond;

    CMAP_FOR_EACH_WITH_HASH (bond, node, hash_id(id), &table->bonds) {
        if (bond->id == id) {
            return bond;
        }
    }
    return NULL;
}

void
ef_bond_add_bytes(const struct ef_bond_table *table, uint32_t id,
                  uint64_t n_bytes[])
{
    const struct ef_bond *bond = ef_bond_find(table, id);

    for (int i = 0; bond && i < EF_BOND_BUCKETS; i++) {
        n_bytes[i] += ef_counter_get(&bond->buckets[i].n_bytes);
    }
}
