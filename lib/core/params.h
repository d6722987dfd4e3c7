/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_PARAMS_H
#define EF_CORE_PARAMS_H 1

/* Published data path parameters.
 *
 * The main thread stores them when the database changes (dpif/config.c);
 * PMD threads and show commands load them.  Every member stands alone and is
 * accessed relaxed: a PMD may run one iteration with an old value, which is
 * harmless, and no member's meaning depends on another's. */

#include <stdbool.h>
#include <stdint.h>

#include "ovs-atomic.h"

/* One packet in this many inserts its key into the exact match cache. */
#define EF_EMC_INSERT_INV_PROB_DEFAULT 100
#define EF_EMC_INSERT_MIN_DEFAULT (UINT32_MAX / EF_EMC_INSERT_INV_PROB_DEFAULT)
/* Off: what it costs and brings was not measured on a loaded PMD yet. */
#define EF_OVERLOAD_PERCENT_DEFAULT 0
#define EF_OVERLOAD_PERCENT_MAX 50

/* One packet in this many has its way through the switch measured. */
#define EF_LATENCY_SAMPLE_DEFAULT 64
#define EF_LATENCY_SAMPLE_MAX 1000000

/* Microseconds that a packet may wait for company. */
#define EF_LATENCY_TARGET_UNSET UINT32_MAX
#define EF_LATENCY_TARGET_MAX 10000
#define EF_TX_WATERMARK_DEFAULT 75
#define EF_SMALL_PACKET_MAX 1500

struct ef_params {
    atomic_uint32_t tx_flush_interval_us; /* Longest wait in a tx batch. */
    atomic_uint32_t emc_insert_min; /* A random 32-bit number up to this one
                                     * inserts into the EMC; 0: never. */
    atomic_bool smc_enable;         /* Use the signature match cache. */
    atomic_bool perf_metrics;       /* Keep histograms and history. */
    atomic_bool alb_enabled;        /* Automatic load balancing on. */
    atomic_uint8_t alb_load_threshold; /* Percent of busy cycles at which a
                                        * PMD counts as overloaded. */
    /* Output batches: see ef_params_output_changed(). */
    atomic_uint32_t latency_target_us; /* EF_LATENCY_TARGET_UNSET: none. */
    atomic_uint8_t tx_watermark;    /* Percent of a ring or queue above which
                                     * nothing is held; 100: never. */
    atomic_uint32_t small_packet;   /* Bytes up to which packets are urgent;
                                     * 0: none are. */

    atomic_uint8_t overload_percent; /* Of a PMD's time for making room in
                                      * full receive rings; 0: off. */
    atomic_uint32_t latency_sample;  /* One packet in so many is measured; 0:
                                      * none. */
};

static inline void
ef_params_init(struct ef_params *params)
{
    atomic_init(&params->tx_flush_interval_us, 0);
    atomic_init(&params->emc_insert_min, EF_EMC_INSERT_MIN_DEFAULT);
    atomic_init(&params->smc_enable, false);
    atomic_init(&params->perf_metrics, false);
    atomic_init(&params->alb_enabled, false);
    atomic_init(&params->alb_load_threshold, 0);
    atomic_init(&params->latency_target_us, EF_LATENCY_TARGET_UNSET);
    atomic_init(&params->tx_watermark, EF_TX_WATERMARK_DEFAULT);
    atomic_init(&params->small_packet, 0);
    atomic_init(&params->overload_percent, EF_OVERLOAD_PERCENT_DEFAULT);
    atomic_init(&params->latency_sample, EF_LATENCY_SAMPLE_DEFAULT);
}

/* Counts changes of what says how output batches are sent: of these
 * parameters, a port's settings or its QoS. */
extern atomic_uint32_t ef_params_output_seq;

/* Any thread: PMDs take over what was stored before. */
void ef_params_output_changed(void);

#endif /* core/params.h */
