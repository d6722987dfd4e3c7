/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_QOS_BATCHING_H
#define EF_DPDK_QOS_BATCHING_H 1

/* QoS of type "egress-batching": classes of packets that wait for company by
 * rules of their own.  OpenFlow's set_queue chooses the class.
 *
 * Threads: any that quiesces; a PMD when it takes over its ports' policies. */

#include <stdbool.h>
#include <stdint.h>

struct ef_qos_slot;

/* Queues 0 to EF_BATCHING_CLASSES - 1. */
#define EF_BATCHING_CLASSES 8

struct ef_batching_class {
    bool exists;                /* Else the rest is not meant. */
    uint32_t latency_target_us; /* EF_LATENCY_TARGET_UNSET: as the port. */
    uint32_t output_batch;      /* Packets. */
};

/* Fills in what a port with this QoS has; returns whether it has any class. */
bool ef_batching_get(const struct ef_qos_slot *,
                     struct ef_batching_class[EF_BATCHING_CLASSES]);

#endif /* dpdk/qos-batching.h */
