/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_ACTION_METER_ENTRY_H
#define EF_ACTION_METER_ENTRY_H 1

/* A meter, between meter-table.c, which makes and frees them, and meter.c,
 * which runs them.
 *
 * Life: published by ef_meter_set(); readers find it under RCU; freed a grace
 * period after it was replaced or deleted. */

#include <stdbool.h>
#include <stdint.h>

#include "action/bucket.h"
#include "action/meter.h"
#include "hash.h"

struct ef_meter_band {
    struct ef_bucket bucket;
    uint64_t n_packets;         /* Dropped. */
    uint64_t n_bytes;
};

struct ef_meter {
    /* Constant, except for 'node', which is the table's. */
    struct cmap_node node;
    uint32_t id;
    bool pktps;                 /* Packets per second, else kbit/s. */
    uint16_t n_bands;

    /* Any instance, with the mutex. */
    struct ovs_mutex mutex;
    long long used_us;          /* Latest arrival, time_usec(). */
    uint64_t n_packets;         /* Arrived. */
    uint64_t n_bytes;
    struct ef_meter_band bands[];       /* 'n_bands' elements. */
};

static inline uint32_t
ef_meter_hash(uint32_t id)
{
    return hash_int(id, 0);
}

/* Any thread that is not quiescent.  Returns NULL if there is none. */
static inline struct ef_meter *
ef_meter_find(const struct ef_meter_table *table, uint32_t id)
{
    struct ef_meter *meter;

    CMAP_FOR_EACH_WITH_HASH (meter, node, ef_meter_hash(id), &table->meters) {
        if (meter->id == id) {
            return meter;
        }
    }
    return NULL;
}

#endif /* action/meter-entry.h */
