/* SPDX-License-Identifier: Apache-2.0 */

/* Prints the buckets of bonds.
 *
 * Called by dpif/commands.c with the data path's table, on the main
 * thread. */

#include <config.h>

#include "show/bond-show.h"

#include <inttypes.h>

#include "odp-util.h"
#include "openvswitch/dynamic-string.h"
#include "output/bond.h"

static int
compare_ids(const void *a_, const void *b_)
{
    uint32_t a = (*(const struct ef_bond *const *) a_)->id;
    uint32_t b = (*(const struct ef_bond *const *) b_)->id;

    return (a > b) - (a < b);
}

static void
put_bond(struct ds *ds, const struct ef_bond *bond)
{
    ds_put_format(ds, "  bond-id %"PRIu32":\n", bond->id);
    for (int i = 0; i < EF_BOND_BUCKETS; i++) {
        ds_put_format(ds, "    bucket %d - member %"PRIu32"\n", i,
                      odp_to_u32(bond->buckets[i].member));
    }
}

void
ef_show_bonds(struct ds *ds, const struct ef_bond_table *table)
{
    const struct ef_bond **bonds;
    const struct ef_bond *bond;
    size_t n = 0;

    /* A stable table has as many members as it counts. */
    ovs_mutex_lock(&table->mutex);
    bonds = xmalloc(cmap_count(&table->bonds) * sizeof *bonds);
    EF_BOND_FOR_EACH (bond, table) {
        bonds[n++] = bond;
    }
    qsort(bonds, n, sizeof *bonds, compare_ids);

    if (n) {
        ds_put_cstr(ds, "Bonds:\n");
    }
    for (size_t i = 0; i < n; i++) {
        put_bond(ds, bonds[i]);
    }
    ovs_mutex_unlock(&table->mutex);
    free(bonds);
}
