/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_QOS_H
#define EF_DPDK_QOS_H 1

/* Egress quality of service of a port: the QoS types "egress-policer",
 * "trtcm-policer" and "egress-batching", and queues of the latter two.
 *
 * Keys, units and what queries return are those of ovs-vswitchd.conf.db(5);
 * values that cannot be met are EINVAL and leave what is in force.
 *
 * A port has a struct ef_qos_slot by value.
 *
 * Threads: "set-up" is the main thread with the port's mutex; ef_qos_run()
 * is any PMD that sends, under RCU; a spin lock of the configuration is held
 * for one batch. */

#include <stddef.h>
#include <stdint.h>

#include "ovs-rcu.h"

struct ef_qos;
struct netdev_queue_stats;
struct rte_mbuf;
struct smap;
struct sset;

struct ef_qos_slot {
    OVSRCU_TYPE(struct ef_qos *) qos;
};

/* Set-up. */
void ef_qos_slot_init(struct ef_qos_slot *);
/* No thread may use the port any more. */
void ef_qos_slot_destroy(struct ef_qos_slot *);

void ef_qos_types(struct sset *types);
/* 'type' "" removes what there is.  Returns 0, EOPNOTSUPP for an unknown
 * type, or another positive errno; 'port_name' is for the log. */
int ef_qos_set(struct ef_qos_slot *, const char *port_name, const char *type,
               const struct smap *details);
/* '*typep' is "" without QoS. */
int ef_qos_get(const struct ef_qos_slot *, const char **typep,
               struct smap *details);
int ef_qos_get_queue(const struct ef_qos_slot *, uint32_t queue_id,
                     struct smap *details);
int ef_qos_set_queue(struct ef_qos_slot *, const char *port_name,
                     uint32_t queue_id, const struct smap *details);
int ef_qos_delete_queue(struct ef_qos_slot *, uint32_t queue_id);
int ef_qos_get_queue_stats(const struct ef_qos_slot *, uint32_t queue_id,
                           struct netdev_queue_stats *);
/* Stores the ids of all queues, in an array that the caller frees. */
int ef_qos_list_queues(const struct ef_qos_slot *, uint32_t **ids,
                       size_t *n);

/* Packet path: frees what the policy drops, moves the rest together.  Returns
 * how many of the 'n' packets are left. */
size_t ef_qos_run(struct ef_qos_slot *, struct rte_mbuf **, size_t n);

#endif /* dpdk/qos.h */
