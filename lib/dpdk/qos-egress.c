/* SPDX-License-Identifier: Apache-2.0 */

/* QoS of type "egress-policer": one token bucket for all that a port sends.
 * Called by qos.c; see qos-class.h for threads. */

#include <config.h>

#include "dpdk/qos-class.h"

#include <errno.h>
#include <inttypes.h>

#include "dpdk/log.h"
#include "dpdk/rate-limit.h"
#include "ovs-rcu.h"
#include "smap.h"
#include "util.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

struct bucket {
    uint64_t cir, cbs;          /* As set; not changed. */
    struct ef_rate_limit limit; /* PMDs, under the lock. */
};

struct egress {
    struct ef_qos up;
    OVSRCU_TYPE(struct bucket *) bucket;
};

static struct egress *
egress_cast(const struct ef_qos *qos)
{
    return CONTAINER_OF(qos, struct egress, up);
}

static struct bucket *
egress_bucket(const struct ef_qos *qos)
{
    return ovsrcu_get_protected(struct bucket *, &egress_cast(qos)->bucket);
}

static int
bucket_create(const struct smap *details, struct bucket **bucketp,
              char **errp)
{
    struct bucket *bucket = xzalloc(sizeof *bucket);
    char *message = ef_qos_parse_number(details, "cir", 1, 0, &bucket->cir);

    if (!message) {
        message = ef_qos_parse_number(details, "cbs", 1, 0, &bucket->cbs);
    }
    if (!message && ef_rate_limit_init(&bucket->limit, bucket->cir,
                                       bucket->cbs)) {
        message = xasprintf("'cir=%"PRIu64"' cannot be metered",
                            bucket->cir);
    }
    if (message) {
        VLOG_ERR_RL(&rl, "Could not create rte meter for egress policer");
        free(bucket);
        *errp = message;
        return EINVAL;
    }
    *bucketp = bucket;
    return 0;
}

static int
egress_create(const struct smap *details, struct ef_qos **qosp, char **errp)
{
    struct bucket *bucket;
    struct egress *egress;
    int error;

    error = bucket_create(details, &bucket, errp);
    if (error) {
        return error;
    }
    egress = xzalloc(sizeof *egress);
    egress->up.class = &ef_qos_egress_policer;
    rte_spinlock_init(&egress->up.lock);
    ovsrcu_init(&egress->bucket, bucket);
    *qosp = &egress->up;
    return 0;
}

static void
egress_destroy(struct ef_qos *qos)
{
    free(egress_bucket(qos));
    free(egress_cast(qos));
}

static int
egress_change(struct ef_qos *qos, const struct smap *details, char **errp)
{
    struct bucket *old = egress_bucket(qos);
    struct bucket *new;
    int error;

    error = bucket_create(details, &new, errp);
    if (error) {
        return error;
    }
    if (new->cir == old->cir && new->cbs == old->cbs) {
        free(new);              /* Keep the fill of the old one. */
    } else {
        ovsrcu_set(&egress_cast(qos)->bucket, new);
        ovsrcu_postpone(free, old);
    }
    return 0;
}

static void
egress_get(const struct ef_qos *qos, struct smap *details)
{
    const struct bucket *bucket = egress_bucket(qos);

    smap_add_format(details, "cir", "%"PRIu64, bucket->cir);
    smap_add_format(details, "cbs", "%"PRIu64, bucket->cbs);
}

static uint64_t
egress_run(struct ef_qos *qos, struct rte_mbuf **pkts, size_t n, uint64_t now)
{
    struct bucket *bucket = ovsrcu_get(struct bucket *,
                                       &egress_cast(qos)->bucket);

    return ef_rate_limit_judge(&bucket->limit, pkts, n, now);
}

const struct ef_qos_class ef_qos_egress_policer = {
    .type = "egress-policer",
    .create = egress_create,
    .destroy = egress_destroy,
    .change = egress_change,
    .get = egress_get,
    .run = egress_run,
};
