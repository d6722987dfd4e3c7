/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_BOND_SHOW_H
#define EF_SHOW_BOND_SHOW_H 1

/* dpif-netdev/bond-show: the member of each bucket of each bond, bonds in
 * ascending order of their id.  Prints nothing if there are none.
 *
 * Threads: main.  Takes the table's mutex. */

struct ds;
struct ef_bond_table;

void ef_show_bonds(struct ds *, const struct ef_bond_table *);

#endif /* show/bond-show.h */
