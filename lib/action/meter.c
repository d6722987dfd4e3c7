/* SPDX-License-Identifier: Apache-2.0 */

/* The packet path's side of meters: charges a batch of packets to all bands
 * of a meter and drops what exceeds one.
 *
 * Runs on any instance.  The meter's mutex is held while the batch is charged,
 * for some nanoseconds a packet; packets are measured before that, and
 * dropped after it. */

#include <config.h>

#include "action/meter.h"

#include "action/meter-entry.h"
#include "dp-packet.h"
#include "stats/drop.h"
#include "util.h"

#define NO_BAND EF_METER_BANDS_MAX

/* A batch as a meter sees it. */
struct arrivals {
    size_t n;
    uint64_t n_bytes;
    uint32_t sizes[NETDEV_MAX_BURST];   /* Bytes of each packet. */
    uint64_t total_cost;                /* In the bands' units. */
    bool any_exceeded;
    uint8_t exceeded[NETDEV_MAX_BURST]; /* Band that drops each packet, or
                                         * NO_BAND. */
};

static void measure(const struct ef_meter *, const struct dp_packet_batch *,
                    struct arrivals *);
static void charge(struct ef_meter *meter, struct arrivals *,
                   long long now_us)
    OVS_REQUIRES(meter->mutex);
static void drop(struct dp_packet_batch *, const struct arrivals *);

void
ef_meter_run(const struct ef_meter_table *table, uint32_t id,
             struct dp_packet_batch *batch, long long now_us)
{
    struct ef_meter *meter = ef_meter_find(table, id);
    struct arrivals arrivals;

    if (!meter) {
        return;
    }
    measure(meter, batch, &arrivals);

    ovs_mutex_lock(&meter->mutex);
    charge(meter, &arrivals, now_us);
    ovs_mutex_unlock(&meter->mutex);

    if (arrivals.any_exceeded) {
        drop(batch, &arrivals);
    }
}

static uint64_t
packet_cost(const struct ef_meter *meter, uint32_t size)
{
    return meter->pktps ? EF_BUCKET_PACKET : size * EF_BUCKET_BYTE;
}

static void
measure(const struct ef_meter *meter, const struct dp_packet_batch *batch,
        struct arrivals *arrivals)
{
    struct dp_packet *packet;

    arrivals->n = dp_packet_batch_size(batch);
    arrivals->n_bytes = 0;
    arrivals->total_cost = 0;
    arrivals->any_exceeded = false;
    DP_PACKET_BATCH_FOR_EACH (i, packet, batch) {
        uint32_t size = dp_packet_size(packet);

        arrivals->sizes[i] = size;
        arrivals->n_bytes += size;
        arrivals->total_cost += packet_cost(meter, size);
        arrivals->exceeded[i] = NO_BAND;
    }
}

/* Returns the time since the latest batch before.  Threads that race for the
 * mutex may come in another order than their packets; whoever comes with an
 * earlier time finds that none has passed, and none is counted twice. */
static uint64_t
advance(struct ef_meter *meter, long long now_us)
    OVS_REQUIRES(meter->mutex)
{
    uint64_t elapsed_us = 0;

    if (now_us > meter->used_us) {
        elapsed_us = (uint64_t) now_us - (uint64_t) meter->used_us;
        meter->used_us = now_us;
    }
    return elapsed_us;
}

/* Packets that do not all fit into a bucket are tried one by one: a small one
 * may pass after a large one did not. */
static void
charge_band(struct ef_meter *meter, unsigned m, struct arrivals *arrivals)
    OVS_REQUIRES(meter->mutex)
{
    struct ef_meter_band *band = &meter->bands[m];

    if (OVS_LIKELY(ef_bucket_take(&band->bucket, arrivals->total_cost))) {
        return;
    }
    arrivals->any_exceeded = true;
    for (size_t i = 0; i < arrivals->n; i++) {
        uint8_t *exceeded = &arrivals->exceeded[i];

        if (!ef_bucket_take(&band->bucket,
                            packet_cost(meter, arrivals->sizes[i]))
            && (*exceeded == NO_BAND
                || band->bucket.rate > meter->bands[*exceeded].bucket.rate)) {
            *exceeded = m;
        }
    }
}

static void
charge(struct ef_meter *meter, struct arrivals *arrivals, long long now_us)
{
    uint64_t elapsed_us = advance(meter, now_us);

    meter->n_packets += arrivals->n;
    meter->n_bytes += arrivals->n_bytes;
    for (unsigned m = 0; m < meter->n_bands; m++) {
        ef_bucket_refill(&meter->bands[m].bucket, elapsed_us);
        charge_band(meter, m, arrivals);
    }

    if (OVS_UNLIKELY(arrivals->any_exceeded)) {
        for (size_t i = 0; i < arrivals->n; i++) {
            if (arrivals->exceeded[i] != NO_BAND) {
                struct ef_meter_band *band
                    = &meter->bands[arrivals->exceeded[i]];

                band->n_packets++;
                band->n_bytes += arrivals->sizes[i];
            }
        }
    }
}

static void
drop(struct dp_packet_batch *batch, const struct arrivals *arrivals)
{
    struct dp_packet *packet;
    size_t i;

    DP_PACKET_BATCH_REFILL_FOR_EACH (i, arrivals->n, packet, batch) {
        if (arrivals->exceeded[i] == NO_BAND) {
            dp_packet_batch_refill(batch, packet, i);
        } else {
            ef_drop_packet(EF_DROP_METER, packet);
        }
    }
}
