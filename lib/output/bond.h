/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_OUTPUT_BOND_H
#define EF_OUTPUT_BOND_H 1

/* Bonds in balance-tcp mode with lb-output-action: hash bucket -> member.
 *
 * The data path has one table, written by the main thread; each instance has
 * another with the same maps, whose counters the instance writes.  Maps are
 * replaced whole, under RCU; a replacement carries over the counters, except
 * for what the instance counts for the batch at hand.
 *
 * Readers of maps are not quiescent.  'mutex' serializes changes. */

#include <stdbool.h>
#include <stdint.h>

#include "cmap.h"
#include "openvswitch/types.h"
#include "ovs-atomic.h"
#include "ovs-thread.h"

/* The dpif layer hands over maps of this many buckets. */
#define EF_BOND_BUCKETS 256

struct ef_bond_bucket {
    odp_port_t member;
    atomic_ullong n_packets;
    atomic_ullong n_bytes;
};

struct ef_bond {
    struct cmap_node node;      /* In 'bonds', by id. */
    uint32_t id;
    struct ef_bond_bucket buckets[EF_BOND_BUCKETS];
};

struct ef_bond_table {
    struct ovs_mutex mutex;
    struct cmap bonds;
};

#define EF_BOND_FOR_EACH(BOND, TABLE) \
    CMAP_FOR_EACH (BOND, node, &(TABLE)->bonds)

void ef_bond_table_init(struct ef_bond_table *);
void ef_bond_table_destroy(struct ef_bond_table *);

/* Makes or replaces bond 'id'; 'members' has EF_BOND_BUCKETS elements. */
void ef_bond_put(struct ef_bond_table *, uint32_t id,
                 const odp_port_t members[]);
/* Copies 'bond' with counters of 0, unless the table has one of that id. */
void ef_bond_add_missing(struct ef_bond_table *, const struct ef_bond *bond);
/* Returns 0, or ENOENT. */
int ef_bond_del(struct ef_bond_table *, uint32_t id);
struct ef_bond *ef_bond_find(const struct ef_bond_table *, uint32_t id);
/* Adds the bytes of bond 'id' for each bucket to 'n_bytes'; nothing if there
 * is no such bond. */
void ef_bond_add_bytes(const struct ef_bond_table *, uint32_t id,
                       uint64_t n_bytes[]);

#endif /* output/bond.h */
