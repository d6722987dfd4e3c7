/* SPDX-License-Identifier: Apache-2.0 */

/* Bond tables: put, replace, delete, counters. */

#include <config.h>

#include "output/bond.h"

#include <errno.h>
#include <string.h>

#include "core/counter.h"
#include "ef-test.h"
#include "flow.h"
#include "util.h"

static void
fill(odp_port_t members[], uint32_t base)
{
    for (int i = 0; i < EF_BOND_BUCKETS; i++) {
        members[i] = u32_to_odp(base + i);
    }
}

static bool
maps_to(const struct ef_bond *bond, uint32_t base)
{
    for (int i = 0; i < EF_BOND_BUCKETS; i++) {
        if (odp_to_u32(bond->buckets[i].member) != base + i) {
            return false;
        }
    }
    return true;
}

EF_TEST(put_find_del)
{
    odp_port_t members[EF_BOND_BUCKETS];
    struct ef_bond_table table;

    ef_bond_table_init(&table);
    EF_CHECK(!ef_bond_find(&table, 1));
    EF_CHECK(ef_bond_del(&table, 1) == ENOENT);

    fill(members, 10);
    ef_bond_put(&table, 1, members);
    fill(members, 5000);
    ef_bond_put(&table, 2, members);
    EF_CHECK(ef_bond_find(&table, 1) && ef_bond_find(&table, 2));
    EF_CHECK(maps_to(ef_bond_find(&table, 1), 10));
    EF_CHECK(maps_to(ef_bond_find(&table, 2), 5000));
    EF_CHECK_EQ(cmap_count(&table.bonds), 2);

    EF_CHECK(ef_bond_del(&table, 1) == 0);
    EF_CHECK(!ef_bond_find(&table, 1));
    EF_CHECK(ef_bond_find(&table, 2) != NULL);
    EF_CHECK(ef_bond_del(&table, 1) == ENOENT);
    ef_bond_table_destroy(&table);
}

EF_TEST(replacement_keeps_counters)
{
    odp_port_t members[EF_BOND_BUCKETS];
    uint64_t n_bytes[EF_BOND_BUCKETS];
    struct ef_bond_table table;
    struct ef_bond *bond;

    ef_bond_table_init(&table);
    fill(members, 1);
    ef_bond_put(&table, 7, members);
    bond = ef_bond_find(&table, 7);
    ef_counter_add(&bond->buckets[0].n_bytes, 64);
    ef_counter_add(&bond->buckets[255].n_bytes, 1500);
    ef_counter_add(&bond->buckets[255].n_packets, 1);

    fill(members, 300);
    ef_bond_put(&table, 7, members);
    EF_CHECK(ef_bond_find(&table, 7) != bond);
    bond = ef_bond_find(&table, 7);
    EF_CHECK_EQ(cmap_count(&table.bonds), 1);
    EF_CHECK(maps_to(bond, 300));
    EF_CHECK_EQ(ef_counter_get(&bond->buckets[255].n_packets), 1);

    memset(n_bytes, 0, sizeof n_bytes);
    n_bytes[255] = 1000000;
    ef_bond_add_bytes(&table, 7, n_bytes);
    EF_CHECK_EQ(n_bytes[0], 64);
    EF_CHECK_EQ(n_bytes[1], 0);
    EF_CHECK_EQ(n_bytes[255], 1001500);

    ef_bond_add_bytes(&table, 8, n_bytes);      /* No such bond. */
    EF_CHECK_EQ(n_bytes[0], 64);
    ef_bond_table_destroy(&table);
}

/* Planted: a replacement that starts from 0. */
EF_TEST_MUST_FAIL(replacement_loses_counters)
{
    odp_port_t members[EF_BOND_BUCKETS];
    struct ef_bond_table table;
    struct ef_bond *bond;

    ef_bond_table_init(&table);
    fill(members, 1);
    ef_bond_put(&table, 7, members);
    bond = ef_bond_find(&table, 7);
    ef_counter_add(&bond->buckets[0].n_bytes, 64);
    ef_bond_del(&table, 7);
    ef_bond_put(&table, 7, members);
    bond = ef_bond_find(&table, 7);
    EF_CHECK_EQ(ef_counter_get(&bond->buckets[0].n_bytes), 64);
    ef_bond_table_destroy(&table);
}

EF_TEST(add_missing_only)
{
    odp_port_t members[EF_BOND_BUCKETS];
    struct ef_bond_table all, own;
    struct ef_bond *bond;

    ef_bond_table_init(&all);
    ef_bond_table_init(&own);
    fill(members, 1);
    ef_bond_put(&all, 3, members);
    bond = ef_bond_find(&all, 3);
    ef_counter_add(&bond->buckets[9].n_bytes, 99);

    ef_bond_add_missing(&own, bond);
    bond = ef_bond_find(&own, 3);
    EF_CHECK(bond && bond != ef_bond_find(&all, 3));
    EF_CHECK(maps_to(bond, 1));
    EF_CHECK_EQ(ef_counter_get(&bond->buckets[9].n_bytes), 0);

    /* One that is there stays, with its map and its counters. */
    ef_counter_add(&bond->buckets[9].n_bytes, 5);
    fill(members, 40);
    ef_bond_put(&all, 3, members);
    ef_bond_add_missing(&own, ef_bond_find(&all, 3));
    EF_CHECK(ef_bond_find(&own, 3) == bond);
    EF_CHECK(maps_to(bond, 1));
    EF_CHECK_EQ(ef_counter_get(&bond->buckets[9].n_bytes), 5);
    EF_CHECK_EQ(cmap_count(&own.bonds), 1);

    ef_bond_table_destroy(&all);
    ef_bond_table_destroy(&own);
}
