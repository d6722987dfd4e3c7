/* SPDX-License-Identifier: Apache-2.0 */

/* QoS of type "trtcm-policer": RFC 4115's two-rate three-colour marker on two
 * levels.  The queue of a packet (by its skb_priority) colours it, the port
 * judges it with that colour; red is dropped.  Called by qos.c; see
 * qos-class.h for threads.
 *
 * Queue 0 takes the packets of queues that do not exist.  It exists always:
 * while it is not configured it has the rates of the port. */

#include <config.h>

#include "dpdk/qos-class.h"

#include <errno.h>
#include <inttypes.h>

#include "cmap.h"
#include "core/counter.h"
#include "dp-packet.h"
#include "dpdk/rate-limit.h"
#include "hash.h"
#include "netdev.h"
#include "ovs-rcu.h"
#include "smap.h"
#include "timeval.h"
#include "util.h"

struct rates {
    uint64_t cir, cbs, eir, ebs; /* Bytes a second, bytes. */
};

struct bucket {
    struct rates rates;         /* As set; not changed. */
    struct rte_meter_trtcm_rfc4115_profile profile;
    struct rte_meter_trtcm_rfc4115 meter; /* PMDs, under the lock. */
};

typedef OVSRCU_TYPE(struct bucket *) bucket_ptr;

struct queue {
    struct cmap_node node;      /* In trtcm's 'queues'. */
    uint32_t id;
    bool follows_port;          /* Main thread. */
    long long created;          /* ms. */
    bucket_ptr bucket;

    /* PMDs, under the lock. */
    atomic_ullong tx_bytes;
    atomic_ullong tx_packets;
    atomic_ullong tx_errors;    /* Red for the queue. */
};

struct trtcm {
    struct ef_qos up;
    bucket_ptr bucket;          /* Of the port. */
    struct cmap queues;
};

static struct trtcm *
trtcm_cast(const struct ef_qos *qos)
{
    return CONTAINER_OF(qos, struct trtcm, up);
}

/* Rates and buckets. */

static int
rates_parse(const struct smap *details, struct rates *rates, char **errp)
{
    struct {
        const char *rate_key, *burst_key;
        uint64_t *rate, *burst;
    } pairs[] = {
        { "cir", "cbs", &rates->cir, &rates->cbs },
        { "eir", "ebs", &rates->eir, &rates->ebs },
    };

    *errp = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(pairs) && !*errp; i++) {
        *errp = ef_qos_parse_number(details, pairs[i].rate_key, 0, 0,
                                    pairs[i].rate);
        if (!*errp) {
            *errp = ef_qos_parse_number(details, pairs[i].burst_key,
                                        *pairs[i].rate != 0, 0,
                                        pairs[i].burst);
        }
    }
    if (!*errp && !rates->cir && !rates->eir) {
        *errp = xstrdup("'cir' or 'eir' must be at least 1");
    }
    return *errp ? EINVAL : 0;
}

static bool
rates_equal(const struct rates *a, const struct rates *b)
{
    return (a->cir == b->cir && a->cbs == b->cbs
            && a->eir == b->eir && a->ebs == b->ebs);
}

static void
rates_format(const struct rates *rates, struct smap *details)
{
    smap_add_format(details, "cir", "%"PRIu64, rates->cir);
    smap_add_format(details, "eir", "%"PRIu64, rates->eir);
    smap_add_format(details, "cbs", "%"PRIu64, rates->cbs);
    smap_add_format(details, "ebs", "%"PRIu64, rates->ebs);
}

/* A full bucket.  Rates that were parsed are fine with DPDK. */
static struct bucket *
bucket_create(const struct rates *rates)
{
    struct rte_meter_trtcm_rfc4115_params params = {
        .cir = MIN(rates->cir, EF_METER_MAX_RATE),
        .cbs = MIN(rates->cbs, EF_METER_MAX_BURST),
        .eir = MIN(rates->eir, EF_METER_MAX_RATE),
        .ebs = MIN(rates->ebs, EF_METER_MAX_BURST),
    };
    struct bucket *bucket = xzalloc(sizeof *bucket);
    int retval;

    bucket->rates = *rates;
    retval = rte_meter_trtcm_rfc4115_profile_config(&bucket->profile,
                                                    &params);
    ovs_assert(!retval);
    retval = rte_meter_trtcm_rfc4115_config(&bucket->meter,
                                            &bucket->profile);
    ovs_assert(!retval);
    return bucket;
}

static struct bucket *
bucket_of(const bucket_ptr *ptr)
{
    return ovsrcu_get_protected(struct bucket *,
                                CONST_CAST(bucket_ptr *, ptr));
}

/* Sets other rates; with the same ones the bucket keeps its fill. */
static void
bucket_set(bucket_ptr *ptr, const struct rates *rates)
{
    struct bucket *old = bucket_of(ptr);

    if (!rates_equal(&old->rates, rates)) {
        ovsrcu_set(ptr, bucket_create(rates));
        ovsrcu_postpone(free, old);
    }
}

/* Queues. */

static struct queue *
find_queue(const struct trtcm *trtcm, uint32_t id)
{
    struct queue *queue;

    CMAP_FOR_EACH_WITH_HASH (queue, node, hash_int(id, 0), &trtcm->queues) {
        if (queue->id == id) {
            return queue;
        }
    }
    return NULL;
}

static struct queue *
add_queue(struct trtcm *trtcm, uint32_t id, const struct rates *rates)
{
    struct queue *queue = xzalloc(sizeof *queue);

    queue->id = id;
    queue->created = time_msec();
    ovsrcu_init(&queue->bucket, bucket_create(rates));
    cmap_insert(&trtcm->queues, &queue->node, hash_int(id, 0));
    return queue;
}

static void
queue_free(struct queue *queue)
{
    free(bucket_of(&queue->bucket));
    free(queue);
}

static int
trtcm_set_queue(struct ef_qos *qos, uint32_t id, const struct smap *details,
                char **errp)
{
    struct trtcm *trtcm = trtcm_cast(qos);
    bool follows_port = !id && smap_is_empty(details);
    struct queue *queue;
    struct rates rates;

    if (follows_port) {
        rates = bucket_of(&trtcm->bucket)->rates;
    } else if (rates_parse(details, &rates, errp)) {
        return EINVAL;
    }

    queue = find_queue(trtcm, id);
    if (queue) {
        bucket_set(&queue->bucket, &rates);
    } else {
        queue = add_queue(trtcm, id, &rates);
    }
    queue->follows_port = follows_port;
    return 0;
}

/* The bridge deletes queue 0 before it sets it, whenever it is not in the
 * database: so that must not cost its fill and statistics. */
static int
trtcm_delete_queue(struct ef_qos *qos, uint32_t id)
{
    struct trtcm *trtcm = trtcm_cast(qos);
    struct queue *queue = find_queue(trtcm, id);

    if (queue && !id) {
        queue->follows_port = true;
        bucket_set(&queue->bucket, &bucket_of(&trtcm->bucket)->rates);
    } else if (queue) {
        cmap_remove(&trtcm->queues, &queue->node, hash_int(id, 0));
        ovsrcu_postpone(queue_free, queue);
    }
    return 0;
}

static int
trtcm_get_queue(const struct ef_qos *qos, uint32_t id, struct smap *details)
{
    const struct queue *queue = find_queue(trtcm_cast(qos), id);

    if (!queue) {
        return EINVAL;
    }
    rates_format(&bucket_of(&queue->bucket)->rates, details);
    return 0;
}

static int
trtcm_get_queue_stats(const struct ef_qos *qos, uint32_t id,
                      struct netdev_queue_stats *stats)
{
    const struct queue *queue = find_queue(trtcm_cast(qos), id);

    if (!queue) {
        return EINVAL;
    }
    stats->tx_bytes = ef_counter_get(&queue->tx_bytes);
    stats->tx_packets = ef_counter_get(&queue->tx_packets);
    stats->tx_errors = ef_counter_get(&queue->tx_errors);
    stats->created = queue->created;
    return 0;
}

static int
compare_ids(const void *a_, const void *b_)
{
    const uint32_t *a = a_;
    const uint32_t *b = b_;

    return *a < *b ? -1 : *a > *b;
}

static size_t
trtcm_list_queues(const struct ef_qos *qos, uint32_t **idsp)
{
    const struct trtcm *trtcm = trtcm_cast(qos);
    uint32_t *ids = xmalloc(cmap_count(&trtcm->queues) * sizeof *ids);
    const struct queue *queue;
    size_t n = 0;

    CMAP_FOR_EACH (queue, node, &trtcm->queues) {
        ids[n++] = queue->id;
    }
    qsort(ids, n, sizeof *ids, compare_ids);
    *idsp = ids;
    return n;
}

/* The port. */

static int
trtcm_create(const struct smap *details, struct ef_qos **qosp, char **errp)
{
    struct trtcm *trtcm;
    struct rates rates;

    if (rates_parse(details, &rates, errp)) {
        return EINVAL;
    }
    trtcm = xzalloc(sizeof *trtcm);
    trtcm->up.class = &ef_qos_trtcm_policer;
    rte_spinlock_init(&trtcm->up.lock);
    ovsrcu_init(&trtcm->bucket, bucket_create(&rates));
    cmap_init(&trtcm->queues);
    add_queue(trtcm, 0, &rates)->follows_port = true;
    *qosp = &trtcm->up;
    return 0;
}

static void
trtcm_destroy(struct ef_qos *qos)
{
    struct trtcm *trtcm = trtcm_cast(qos);
    struct queue *queue;

    /* Postponed for this loop only, which looks at the removed node again. */
    CMAP_FOR_EACH (queue, node, &trtcm->queues) {
        cmap_remove(&trtcm->queues, &queue->node, hash_int(queue->id, 0));
        ovsrcu_postpone(queue_free, queue);
    }
    cmap_destroy(&trtcm->queues);
    free(bucket_of(&trtcm->bucket));
    free(trtcm);
}

static int
trtcm_change(struct ef_qos *qos, const struct smap *details, char **errp)
{
    struct trtcm *trtcm = trtcm_cast(qos);
    struct queue *queue0 = find_queue(trtcm, 0);
    struct rates rates;

    if (rates_parse(details, &rates, errp)) {
        return EINVAL;
    }
    bucket_set(&trtcm->bucket, &rates);
    if (queue0->follows_port) {
        bucket_set(&queue0->bucket, &rates);
    }
    return 0;
}

static void
trtcm_get(const struct ef_qos *qos, struct smap *details)
{
    rates_format(&bucket_of(&trtcm_cast(qos)->bucket)->rates, details);
}

/* Packet path. */

static enum rte_color
queue_colour(struct queue *queue, uint32_t len, uint64_t now)
{
    struct bucket *bucket = ovsrcu_get(struct bucket *, &queue->bucket);
    enum rte_color colour;

    colour = rte_meter_trtcm_rfc4115_color_blind_check(
        &bucket->meter, &bucket->profile, now, len);
    if (colour == RTE_COLOR_RED) {
        ef_counter_add(&queue->tx_errors, 1);
    } else {
        ef_counter_add(&queue->tx_bytes, len);
        ef_counter_add(&queue->tx_packets, 1);
    }
    return colour;
}

static uint64_t
trtcm_run(struct ef_qos *qos, struct rte_mbuf **pkts, size_t n, uint64_t now)
{
    struct trtcm *trtcm = trtcm_cast(qos);
    struct bucket *port = ovsrcu_get(struct bucket *, &trtcm->bucket);
    struct queue *queue = NULL;
    uint32_t id = 0;
    uint64_t pass = 0;

    for (size_t i = 0; i < n; i++) {
        const struct dp_packet *packet = CONTAINER_OF(pkts[i],
                                                      struct dp_packet, mbuf);
        uint32_t len = ef_metered_len(pkts[i]);
        enum rte_color colour;

        if (!queue || packet->md.skb_priority != id) {
            id = packet->md.skb_priority;
            queue = find_queue(trtcm, id);
            if (!queue) {
                queue = find_queue(trtcm, 0);
            }
        }
        colour = queue_colour(queue, len, now);
        colour = rte_meter_trtcm_rfc4115_color_aware_check(
            &port->meter, &port->profile, now, len, colour);
        if (colour != RTE_COLOR_RED) {
            pass |= UINT64_C(1) << i;
        }
    }
    return pass;
}

const struct ef_qos_class ef_qos_trtcm_policer = {
    .type = "trtcm-policer",
    .create = trtcm_create,
    .destroy = trtcm_destroy,
    .change = trtcm_change,
    .get = trtcm_get,
    .run = trtcm_run,
    .set_queue = trtcm_set_queue,
    .delete_queue = trtcm_delete_queue,
    .get_queue = trtcm_get_queue,
    .get_queue_stats = trtcm_get_queue_stats,
    .list_queues = trtcm_list_queues,
};
