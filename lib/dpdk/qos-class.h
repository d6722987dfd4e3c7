/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_QOS_CLASS_H
#define EF_DPDK_QOS_CLASS_H 1

/* What a type of QoS does; for qos.c and the types' files only.
 *
 * A port keeps one struct ef_qos as long as its type stays.  New rates come as
 * new buckets, published by RCU, so the lock, the queues and their statistics
 * stay, and PMDs never see half a change.
 *
 * Threads: "run" is any PMD that sends, with 'lock' and under RCU; all else is
 * the main thread with the port's mutex, and never takes 'lock'. */

#include <stddef.h>
#include <stdint.h>

#include <rte_spinlock.h>

#include "openvswitch/compiler.h"

struct netdev_queue_stats;
struct rte_mbuf;
struct smap;

struct ef_qos {
    const struct ef_qos_class *class;
    rte_spinlock_t lock;        /* PMDs among each other, for one burst. */
};

/* Functions that return int: 0 or a positive errno, and leave what is in
 * force on errors.  Those with 'errp' store a message then, which the caller
 * frees. */
struct ef_qos_class {
    const char *type;

    int (*create)(const struct smap *details, struct ef_qos **, char **errp);
    /* No thread uses it any more. */
    void (*destroy)(struct ef_qos *);
    int (*change)(struct ef_qos *, const struct smap *details, char **errp);
    void (*get)(const struct ef_qos *, struct smap *details);

    /* Returns a bit for each of 'n' packets, at most EF_RATE_LIMIT_BURST,
     * that may pass. */
    uint64_t (*run)(struct ef_qos *, struct rte_mbuf **, size_t n,
                    uint64_t now);

    /* All NULL for a type without queues. */
    int (*set_queue)(struct ef_qos *, uint32_t id, const struct smap *details,
                     char **errp);
    int (*delete_queue)(struct ef_qos *, uint32_t id);
    int (*get_queue)(const struct ef_qos *, uint32_t id,
                     struct smap *details);
    int (*get_queue_stats)(const struct ef_qos *, uint32_t id,
                           struct netdev_queue_stats *);
    size_t (*list_queues)(const struct ef_qos *, uint32_t **ids);
};

extern const struct ef_qos_class ef_qos_egress_policer;
extern const struct ef_qos_class ef_qos_trtcm_policer;
extern const struct ef_qos_class ef_qos_egress_batching;

/* Takes the number of 'key' from 'details', 'unset' without it.  Returns NULL
 * or a message that the caller frees. */
char *ef_qos_parse_number(const struct smap *details, const char *key,
                          uint64_t min, uint64_t unset, uint64_t *number)
    OVS_WARN_UNUSED_RESULT;

#endif /* dpdk/qos-class.h */
