/* SPDX-License-Identifier: Apache-2.0 */

/* Classes of packets of a port.  Called by qos.c to set up, see qos-class.h
 * for threads, and by output/tx-policy.c.  Here packets are only counted; what
 * classes mean is in output/tx-port.c. */

#include <config.h>

#include "dpdk/qos-batching.h"

#include <errno.h>

#include "core/counter.h"
#include "core/digits.h"
#include "core/params.h"
#include "dp-packet.h"
#include "dpdk/qos-class.h"
#include "dpdk/qos.h"
#include "netdev.h"
#include "ovs-atomic.h"
#include "smap.h"
#include "timeval.h"
#include "util.h"

BUILD_ASSERT_DECL(NETDEV_MAX_BURST == 32);      /* As in the rule. */
BUILD_ASSERT_DECL(EF_LATENCY_TARGET_MAX == 10000);
BUILD_ASSERT_DECL(EF_BATCHING_CLASSES == 8);

/* The main thread stores; PMDs load what is of one class together or not, as
 * they take over the next change anyway. */
struct queue {
    atomic_bool exists;
    atomic_uint32_t latency_target_us;
    atomic_uint32_t output_batch;
    long long created;          /* ms; main thread. */

    /* PMDs, under the lock. */
    atomic_ullong tx_packets;
    atomic_ullong tx_bytes;
};

struct batching {
    struct ef_qos up;
    struct queue queues[EF_BATCHING_CLASSES];
};

static struct batching *
batching_cast(const struct ef_qos *qos)
{
    return CONTAINER_OF(qos, struct batching, up);
}

static int
batching_create(const struct smap *details OVS_UNUSED, struct ef_qos **qosp,
                char **errp OVS_UNUSED)
{
    struct batching *batching = xzalloc(sizeof *batching);

    batching->up.class = &ef_qos_egress_batching;
    rte_spinlock_init(&batching->up.lock);
    *qosp = &batching->up;
    return 0;
}

static void
batching_destroy(struct ef_qos *qos)
{
    free(batching_cast(qos));
}

static int
batching_change(struct ef_qos *qos OVS_UNUSED,
                const struct smap *details OVS_UNUSED, char **errp OVS_UNUSED)
{
    return 0;
}

static void
batching_get(const struct ef_qos *qos OVS_UNUSED,
             struct smap *details OVS_UNUSED)
{
}

static uint64_t
batching_run(struct ef_qos *qos, struct rte_mbuf **pkts, size_t n,
             uint64_t now OVS_UNUSED)
{
    struct batching *batching = batching_cast(qos);

    for (size_t i = 0; i < n; i++) {
        const struct dp_packet *packet = CONTAINER_OF(pkts[i],
                                                      struct dp_packet, mbuf);
        uint32_t id = packet->md.skb_priority;

        if (id < EF_BATCHING_CLASSES) {
            struct queue *queue = &batching->queues[id];

            ef_counter_add(&queue->tx_packets, 1);
            ef_counter_add(&queue->tx_bytes, rte_pktmbuf_pkt_len(pkts[i]));
        }
    }
    return UINT64_MAX;
}

/* Queues. */

static struct queue *
find_queue(const struct ef_qos *qos, uint32_t id)
{
    struct queue *queue;
    bool exists;

    if (id >= EF_BATCHING_CLASSES) {
        return NULL;
    }
    queue = &batching_cast(qos)->queues[id];
    atomic_read_relaxed(&queue->exists, &exists);
    return exists ? queue : NULL;
}

/* Returns a message, or NULL. */
static char *
take_number(const struct smap *details, const char *key, uint32_t min,
            uint32_t max, uint32_t *number)
{
    const char *value = smap_get(details, key);
    uint64_t n;

    if (!value) {
        return NULL;
    }
    if (!ef_digits_whole(value, max, &n) || n < min) {
        return xasprintf("'%s=%s': must be a number from %"PRIu32" to "
                         "%"PRIu32, key, value, min, max);
    }
    *number = n;
    return NULL;
}

static int
batching_set_queue(struct ef_qos *qos, uint32_t id, const struct smap *details,
                   char **errp)
{
    uint32_t target_us = EF_LATENCY_TARGET_UNSET;
    uint32_t batch = NETDEV_MAX_BURST;
    struct queue *queue;

    if (id >= EF_BATCHING_CLASSES) {
        *errp = xstrdup("queues are numbered from 0 to 7");
        return EINVAL;
    }
    *errp = take_number(details, "latency-target", 0, EF_LATENCY_TARGET_MAX,
                        &target_us);
    if (!*errp) {
        *errp = take_number(details, "output-batch", 1, NETDEV_MAX_BURST,
                            &batch);
    }
    if (*errp) {
        return EINVAL;
    }
    queue = &batching_cast(qos)->queues[id];
    if (!find_queue(qos, id)) {
        queue->created = time_msec();
    }
    atomic_store_relaxed(&queue->latency_target_us, target_us);
    atomic_store_relaxed(&queue->output_batch, batch);
    atomic_store_relaxed(&queue->exists, true);
    ef_params_output_changed();
    return 0;
}

/* Queue 0 may be deleted without having been set: the bridge does so. */
static int
batching_delete_queue(struct ef_qos *qos, uint32_t id)
{
    struct queue *queue = find_queue(qos, id);

    if (!queue) {
        return id ? ENOENT : 0;
    }
    atomic_store_relaxed(&queue->exists, false);
    ef_params_output_changed();
    return 0;
}

static int
batching_get_queue(const struct ef_qos *qos, uint32_t id, struct smap *details)
{
    struct queue *queue = find_queue(qos, id);
    uint32_t target_us, batch;

    if (!queue) {
        return EINVAL;
    }
    atomic_read_relaxed(&queue->latency_target_us, &target_us);
    atomic_read_relaxed(&queue->output_batch, &batch);
    if (target_us != EF_LATENCY_TARGET_UNSET) {
        smap_add_format(details, "latency-target", "%"PRIu32, target_us);
    }
    smap_add_format(details, "output-batch", "%"PRIu32, batch);
    return 0;
}

static int
batching_get_queue_stats(const struct ef_qos *qos, uint32_t id,
                         struct netdev_queue_stats *stats)
{
    struct queue *queue = find_queue(qos, id);

    if (!queue) {
        return EINVAL;
    }
    stats->tx_packets = ef_counter_get(&queue->tx_packets);
    stats->tx_bytes = ef_counter_get(&queue->tx_bytes);
    stats->tx_errors = 0;
    stats->created = queue->created;
    return 0;
}

static size_t
batching_list_queues(const struct ef_qos *qos, uint32_t **ids)
{
    size_t n = 0;

    *ids = xmalloc(EF_BATCHING_CLASSES * sizeof **ids);
    for (uint32_t id = 0; id < EF_BATCHING_CLASSES; id++) {
        if (find_queue(qos, id)) {
            (*ids)[n++] = id;
        }
    }
    return n;
}

const struct ef_qos_class ef_qos_egress_batching = {
    .type = "egress-batching",
    .create = batching_create,
    .destroy = batching_destroy,
    .change = batching_change,
    .get = batching_get,
    .run = batching_run,
    .set_queue = batching_set_queue,
    .delete_queue = batching_delete_queue,
    .get_queue = batching_get_queue,
    .get_queue_stats = batching_get_queue_stats,
    .list_queues = batching_list_queues,
};

/* For PMDs. */

bool
ef_batching_get(const struct ef_qos_slot *slot,
                struct ef_batching_class classes[EF_BATCHING_CLASSES])
{
    const struct ef_qos *qos
        = ovsrcu_get(struct ef_qos *,
                     &CONST_CAST(struct ef_qos_slot *, slot)->qos);
    bool any = false;

    if (!qos || qos->class != &ef_qos_egress_batching) {
        return false;
    }
    for (uint32_t id = 0; id < EF_BATCHING_CLASSES; id++) {
        struct queue *queue = &batching_cast(qos)->queues[id];
        struct ef_batching_class *class = &classes[id];

        atomic_read_relaxed(&queue->exists, &class->exists);
        atomic_read_relaxed(&queue->latency_target_us,
                            &class->latency_target_us);
        atomic_read_relaxed(&queue->output_batch, &class->output_batch);
        any |= class->exists;
    }
    return any;
}
