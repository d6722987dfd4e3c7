/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PORT_PORT_TABLE_H
#define EF_PORT_PORT_TABLE_H 1

/* The ports of a data path, by number.
 *
 * Readers hold 'rwlock' for reading, changes need it for writing; no function
 * here takes it.  PMDs never do: they are handed the ports they may use.
 *
 * Iteration follows the hash of the port number (hash_int(number, 0) in an
 * hmap), which decides the order of "roundrobin" queue assignment and must not
 * change: operators' and upstream's expectations depend on it.
 *
 *     EF_PORT_FOR_EACH (port, &table) { ... } */

#include <stdbool.h>

#include "ovs-thread.h"
#include "port/port.h"

struct seq;

struct ef_port_table {
    struct ovs_rwlock rwlock;
    struct hmap ports;          /* Contains "struct ef_port"s by number. */
    struct seq *seq;            /* Changes with every change of the set. */
};

#define EF_PORT_FOR_EACH(PORT, TABLE) \
    HMAP_FOR_EACH (PORT, node, &(TABLE)->ports)
#define EF_PORT_FOR_EACH_SAFE(PORT, TABLE) \
    HMAP_FOR_EACH_SAFE (PORT, node, &(TABLE)->ports)

void ef_port_table_init(struct ef_port_table *);
void ef_port_table_destroy(struct ef_port_table *); /* Must be empty. */

/* Reading: 'rwlock' held for reading or writing. */
struct ef_port *ef_port_table_find(const struct ef_port_table *, odp_port_t);
struct ef_port *ef_port_table_find_name(const struct ef_port_table *,
                                        const char *name);
bool ef_port_table_contains(const struct ef_port_table *,
                            const struct ef_port *);
bool ef_port_table_has_pmd_port(const struct ef_port_table *);
/* Whether a device waits to be configured anew. */
bool ef_port_table_has_pending(const struct ef_port_table *);

/* Returns a number for a new port 'name', or ODPP_NONE if all are taken.
 * With 'by_name' (test data paths), the first number in 'name' is preferred,
 * counted from 100 for names that begin with "br". */
odp_port_t ef_port_table_choose(const struct ef_port_table *,
                                const char *name, bool by_name);

/* Changing: 'rwlock' held for writing (or exclusively for other reasons). */
void ef_port_table_insert(struct ef_port_table *, struct ef_port *);
void ef_port_table_remove(struct ef_port_table *, struct ef_port *);

#endif /* port/port-table.h */
