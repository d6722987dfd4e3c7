/* SPDX-License-Identifier: Apache-2.0 */

/* The ports of a data path, by number, and the choice of new numbers.
 *
 * Threads: those that hold the table's lock; see port-table.h. */

#include <config.h>

#include "port/port-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "netdev.h"
#include "odp-util.h"
#include "seq.h"
#include "util.h"

/* Numbers that ef_port_table_choose() gives out unless a name asks for
 * another: 1 to this one. */
#define PORT_NO_MAX UINT16_MAX

static uint32_t
hash_port_no(odp_port_t port_no)
{
    return hash_int(odp_to_u32(port_no), 0);
}

void
ef_port_table_init(struct ef_port_table *table)
{
    ovs_rwlock_init(&table->rwlock);
    hmap_init(&table->ports);
    table->seq = seq_create();
}

void
ef_port_table_destroy(struct ef_port_table *table)
{
    if (table) {
        ovs_assert(hmap_is_empty(&table->ports));
        hmap_destroy(&table->ports);
        seq_destroy(table->seq);
        ovs_rwlock_destroy(&table->rwlock);
    }
}

struct ef_port *
ef_port_table_find(const struct ef_port_table *table, odp_port_t port_no)
{
    struct ef_port *port;

    HMAP_FOR_EACH_WITH_HASH (port, node, hash_port_no(port_no),
                             &table->ports) {
        if (port->port_no == port_no) {
            return port;
        }
    }
    return NULL;
}

struct ef_port *
ef_port_table_find_name(const struct ef_port_table *table, const char *name)
{
    struct ef_port *port;

    EF_PORT_FOR_EACH (port, table) {
        if (!strcmp(name, netdev_get_name(port->netdev))) {
            return port;
        }
    }
    return NULL;
}

bool
ef_port_table_contains(const struct ef_port_table *table,
                       const struct ef_port *port)
{
    const struct ef_port *p;

    HMAP_FOR_EACH_WITH_HASH (p, node, hash_port_no(port->port_no),
                             &table->ports) {
        if (p == port) {
            return true;
        }
    }
    return false;
}

bool
ef_port_table_has_pmd_port(const struct ef_port_table *table)
{
    const struct ef_port *port;

    EF_PORT_FOR_EACH (port, table) {
        if (netdev_is_pmd(port->netdev)) {
            return true;
        }
    }
    return false;
}

bool
ef_port_table_has_pending(const struct ef_port_table *table)
{
    const struct ef_port *port;

    EF_PORT_FOR_EACH (port, table) {
        if (netdev_is_reconf_required(port->netdev)) {
            return true;
        }
    }
    return false;
}

static bool
is_free(const struct ef_port_table *table, uint32_t number)
{
    return !ef_port_table_find(table, u32_to_odp(number));
}

/* Returns the number that 'name' asks for, or 0 if it asks for none that could
 * be a port's. */
static uint32_t
number_in_name(const char *name)
{
    const char *digits = name + strcspn(name, "0123456789");
    unsigned long long number;

    if (!*digits) {
        return 0;
    }
    errno = 0;
    number = strtoull(digits, NULL, 10);
    if (!strncmp(name, "br", 2)) {
        number += 100;
    }
    return errno || number >= odp_to_u32(ODPP_NONE) ? 0 : number;
}

odp_port_t
ef_port_table_choose(const struct ef_port_table *table, const char *name,
                     bool by_name)
{
    uint32_t number = by_name ? number_in_name(name) : 0;

    if (number && is_free(table, number)) {
        return u32_to_odp(number);
    }
    for (number = 1; number <= PORT_NO_MAX; number++) {
        if (is_free(table, number)) {
            return u32_to_odp(number);
        }
    }
    return ODPP_NONE;
}

void
ef_port_table_insert(struct ef_port_table *table, struct ef_port *port)
{
    hmap_insert(&table->ports, &port->node, hash_port_no(port->port_no));
    seq_change(table->seq);
}

void
ef_port_table_remove(struct ef_port_table *table, struct ef_port *port)
{
    hmap_remove(&table->ports, &port->node);
    seq_change(table->seq);
}
