/* SPDX-License-Identifier: Apache-2.0 */

/* Meters as the dpif layer sees them.  Main thread; deletion also arrives on
 * the RCU thread, when ofproto's meter is reclaimed. */

#include <config.h>

#include "dpif/ops.h"

#include "action/meter.h"
#include "dpif/datapath.h"
#include "timeval.h"

static struct ef_meter_table *
dpif_meters(const struct dpif *dpif)
{
    return &ef_dpif_datapath(dpif)->env.meters;
}

void
ef_dpif_meter_get_features(const struct dpif *dpif OVS_UNUSED,
                           struct ofputil_meter_features *features)
{
    ef_meter_features(features);
}

int
ef_dpif_meter_set(struct dpif *dpif, ofproto_meter_id id,
                  struct ofputil_meter_config *config)
{
    return ef_meter_set(dpif_meters(dpif), id.uint32, config, time_usec());
}

int
ef_dpif_meter_get(const struct dpif *dpif, ofproto_meter_id id,
                  struct ofputil_meter_stats *stats, uint16_t n_bands)
{
    return ef_meter_get(dpif_meters(dpif), id.uint32, stats, n_bands);
}

int
ef_dpif_meter_del(struct dpif *dpif, ofproto_meter_id id,
                  struct ofputil_meter_stats *stats, uint16_t n_bands)
{
    return ef_meter_del(dpif_meters(dpif), id.uint32, stats, n_bands);
}
