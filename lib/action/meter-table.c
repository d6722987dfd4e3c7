/* SPDX-License-Identifier: Apache-2.0 */

/* The control side of meters: makes, replaces, reads and deletes them.
 *
 * Called through the dpif by the main thread and, for deletion, by the RCU
 * reclaimer.  Changes are serialized by the table's mutex, which the packet
 * path never takes; a meter that left the table is freed through RCU. */

#include <config.h>

#include "action/meter.h"

#include <errno.h>
#include <stdlib.h>

#include "action/meter-entry.h"
#include "openflow/openflow-common.h"
#include "ovs-rcu.h"
#include "util.h"

#define SUPPORTED_FLAGS \
    (OFPMF13_STATS | OFPMF13_PKTPS | OFPMF13_KBPS | OFPMF13_BURST)
#define SUPPORTED_BANDS (1u << OFPMBT13_DROP)

static int check_config(const struct ofputil_meter_config *);
static struct ef_meter *meter_create(uint32_t id,
                                     const struct ofputil_meter_config *,
                                     long long now_us);
static void meter_free(struct ef_meter *);
static void read_stats(struct ef_meter *, struct ofputil_meter_stats *,
                       uint16_t n_bands);

void
ef_meter_table_init(struct ef_meter_table *table)
{
    ovs_mutex_init(&table->mutex);
    cmap_init(&table->meters);
}

void
ef_meter_table_destroy(struct ef_meter_table *table)
{
    struct ef_meter *meter;

    ovs_mutex_lock(&table->mutex);
    CMAP_FOR_EACH (meter, node, &table->meters) {
        cmap_remove(&table->meters, &meter->node, ef_meter_hash(meter->id));
        ovsrcu_postpone(meter_free, meter);
    }
    ovs_mutex_unlock(&table->mutex);
    cmap_destroy(&table->meters);
    ovs_mutex_destroy(&table->mutex);
}

void
ef_meter_features(struct ofputil_meter_features *features)
{
    features->max_meters = EF_METER_MAX;
    features->band_types = SUPPORTED_BANDS;
    features->capabilities = SUPPORTED_FLAGS;
    features->max_bands = EF_METER_BANDS_MAX;
    features->max_color = 0;
}

int
ef_meter_set(struct ef_meter_table *table, uint32_t id,
             const struct ofputil_meter_config *config, long long now_us)
{
    struct ef_meter *old, *new;
    int error;

    if (id >= EF_METER_MAX) {
        return EFBIG;
    }
    error = check_config(config);
    if (error) {
        return error;
    }

    new = meter_create(id, config, now_us);
    ovs_mutex_lock(&table->mutex);
    old = ef_meter_find(table, id);
    if (old) {
        /* At no moment is the traffic unmetered. */
        cmap_replace(&table->meters, &old->node, &new->node,
                     ef_meter_hash(id));
        ovsrcu_postpone(meter_free, old);
    } else {
        cmap_insert(&table->meters, &new->node, ef_meter_hash(id));
    }
    ovs_mutex_unlock(&table->mutex);
    return 0;
}

int
ef_meter_get(const struct ef_meter_table *table, uint32_t id,
             struct ofputil_meter_stats *stats, uint16_t n_bands)
{
    struct ef_meter *meter;

    if (id >= EF_METER_MAX) {
        return EFBIG;
    }
    meter = ef_meter_find(table, id);
    if (!meter) {
        return ENOENT;
    }
    read_stats(meter, stats, n_bands);
    return 0;
}

int
ef_meter_del(struct ef_meter_table *table, uint32_t id,
             struct ofputil_meter_stats *stats, uint16_t n_bands)
{
    struct ef_meter *meter;

    if (id >= EF_METER_MAX) {
        return EFBIG;
    }

    ovs_mutex_lock(&table->mutex);
    meter = ef_meter_find(table, id);
    if (meter) {
        cmap_remove(&table->meters, &meter->node, ef_meter_hash(id));
        read_stats(meter, stats, n_bands);
        ovsrcu_postpone(meter_free, meter);
    }
    ovs_mutex_unlock(&table->mutex);
    return meter ? 0 : ENOENT;
}

static int
check_config(const struct ofputil_meter_config *config)
{
    if (config->flags & ~SUPPORTED_FLAGS) {
        return EBADF;
    }
    if (config->n_bands > EF_METER_BANDS_MAX) {
        return EINVAL;
    }
    for (size_t i = 0; i < config->n_bands; i++) {
        if (config->bands[i].type != OFPMBT13_DROP) {
            return ENODEV;
        }
        if (!config->bands[i].rate) {
            return EINVAL;
        }
    }
    return 0;
}

static struct ef_meter *
meter_create(uint32_t id, const struct ofputil_meter_config *config,
             long long now_us)
{
    struct ef_meter *meter
        = xzalloc(sizeof *meter + config->n_bands * sizeof meter->bands[0]);

    meter->id = id;
    meter->pktps = config->flags & OFPMF13_PKTPS;
    meter->n_bands = config->n_bands;
    ovs_mutex_init_adaptive(&meter->mutex);
    meter->used_us = now_us;
    for (size_t i = 0; i < config->n_bands; i++) {
        const struct ofputil_meter_band *band = &config->bands[i];
        /* Without a burst size, a second's worth. */
        uint32_t burst = band->burst_size ? band->burst_size : band->rate;

        ef_bucket_init(&meter->bands[i].bucket, band->rate, burst);
    }
    return meter;
}

static void
meter_free(struct ef_meter *meter)
{
    ovs_mutex_destroy(&meter->mutex);
    free(meter);
}

static void
read_stats(struct ef_meter *meter, struct ofputil_meter_stats *stats,
           uint16_t n_bands)
{
    if (!stats) {
        return;
    }

    ovs_mutex_lock(&meter->mutex);
    stats->packet_in_count = meter->n_packets;
    stats->byte_in_count = meter->n_bytes;
    stats->n_bands = MIN(n_bands, meter->n_bands);
    for (size_t i = 0; i < stats->n_bands; i++) {
        stats->bands[i].packet_count = meter->bands[i].n_packets;
        stats->bands[i].byte_count = meter->bands[i].n_bytes;
    }
    ovs_mutex_unlock(&meter->mutex);
}
