/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_ACTION_METER_H
#define EF_ACTION_METER_H 1

/* Meters: token buckets with drop bands.
 *
 * Buckets are kept in microseconds' worth of precision, so that the time
 * between two batches never rounds to nothing, however fast packets come.  A
 * packet is dropped by the band with the highest rate that it exceeds.
 *
 * Threads: ef_meter_run() on any instance, with the meter's own mutex (held
 * for one batch); changes from the main thread and the reclaimer. */

#include <stdint.h>

#include "cmap.h"
#include "openvswitch/ofp-meter.h"
#include "ovs-thread.h"

struct dp_packet_batch;

#define EF_METER_MAX (1u << 18)         /* Ids are below this. */
#define EF_METER_BANDS_MAX 8

struct ef_meter_table {
    struct ovs_mutex mutex;             /* Serializes changes. */
    struct cmap meters;
};

void ef_meter_table_init(struct ef_meter_table *);
void ef_meter_table_destroy(struct ef_meter_table *);

void ef_meter_features(struct ofputil_meter_features *);

/* Makes or replaces meter 'id', with full buckets.  Returns 0; EFBIG for an
 * 'id' out of range, EBADF for flags and ENODEV for a band type that are not
 * supported, EINVAL for too many bands or a rate of 0. */
int ef_meter_set(struct ef_meter_table *, uint32_t id,
                 const struct ofputil_meter_config *, long long now_us);
/* Reads statistics (unless null) of up to 'n_bands' bands.  Returns 0, EFBIG
 * or ENOENT. */
int ef_meter_get(const struct ef_meter_table *, uint32_t id,
                 struct ofputil_meter_stats *, uint16_t n_bands);
int ef_meter_del(struct ef_meter_table *, uint32_t id,
                 struct ofputil_meter_stats *, uint16_t n_bands);

/* Packet path: drops from 'batch' what exceeds meter 'id'; nothing if there is
 * no such meter.  All packets count as arrived at 'now_us' (time_usec()). */
void ef_meter_run(const struct ef_meter_table *, uint32_t id,
                  struct dp_packet_batch *batch, long long now_us);

#endif /* action/meter.h */
