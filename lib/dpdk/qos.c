/* SPDX-License-Identifier: Apache-2.0 */

/* A port's QoS: which type it has, and what all types share.  The types are in
 * qos-egress.c, qos-trtcm.c and qos-batching.c.  Called by dev-callbacks.c
 * in the main thread and, to send, by tx-prepare.c on PMDs. */

#include <config.h>

#include "dpdk/qos.h"

#include <errno.h>
#include <string.h>

#include <rte_cycles.h>

#include "core/digits.h"
#include "core/params.h"
#include "dpdk/log.h"
#include "dpdk/qos-class.h"
#include "dpdk/rate-limit.h"
#include "smap.h"
#include "sset.h"
#include "util.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

static const struct ef_qos_class *const classes[] = {
    &ef_qos_egress_policer,
    &ef_qos_trtcm_policer,
    &ef_qos_egress_batching,
};

static const struct ef_qos_class *
find_class(const char *type)
{
    for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
        if (!strcmp(classes[i]->type, type)) {
            return classes[i];
        }
    }
    return NULL;
}

/* What the main thread has set. */
static struct ef_qos *
slot_qos(const struct ef_qos_slot *slot)
{
    return ovsrcu_get_protected(
        struct ef_qos *, &CONST_CAST(struct ef_qos_slot *, slot)->qos);
}

/* The same, if its type has queues, otherwise NULL. */
static struct ef_qos *
slot_with_queues(const struct ef_qos_slot *slot)
{
    struct ef_qos *qos = slot_qos(slot);

    return qos && qos->class->set_queue ? qos : NULL;
}

static void
qos_destroy(struct ef_qos *qos)
{
    qos->class->destroy(qos);
}

/* Publishes 'qos' (NULL: none); the old one goes when no PMD sends with it
 * any more. */
static void
slot_replace(struct ef_qos_slot *slot, struct ef_qos *qos)
{
    struct ef_qos *old = slot_qos(slot);

    ovsrcu_set(&slot->qos, qos);
    if (old) {
        ovsrcu_postpone(qos_destroy, old);
    }
    ef_params_output_changed();
}

/* Set-up. */

void
ef_qos_slot_init(struct ef_qos_slot *slot)
{
    ovsrcu_init(&slot->qos, NULL);
}

void
ef_qos_slot_destroy(struct ef_qos_slot *slot)
{
    struct ef_qos *qos = slot_qos(slot);

    if (qos) {
        ovsrcu_init(&slot->qos, NULL);
        qos_destroy(qos);
    }
}

void
ef_qos_types(struct sset *types)
{
    for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
        sset_add(types, classes[i]->type);
    }
}

int
ef_qos_set(struct ef_qos_slot *slot, const char *port_name, const char *type,
           const struct smap *details)
{
    struct ef_qos *qos = slot_qos(slot);
    const struct ef_qos_class *class;
    char *message = NULL;
    int error;

    if (!*type) {
        slot_replace(slot, NULL);
        return 0;
    }

    class = find_class(type);
    if (!class) {
        error = EOPNOTSUPP;
    } else if (qos && qos->class == class) {
        error = class->change(qos, details, &message);
    } else {
        error = class->create(details, &qos, &message);
        if (!error) {
            slot_replace(slot, qos);
        }
    }
    if (error) {
        VLOG_ERR_RL(&rl, "Failed to set QoS type %s on port %s: %s%s%s%s",
                    type, port_name, ovs_strerror(error),
                    message ? " (" : "", message ? message : "",
                    message ? ")" : "");
    }
    free(message);
    return error;
}

int
ef_qos_get(const struct ef_qos_slot *slot, const char **typep,
           struct smap *details)
{
    const struct ef_qos *qos = slot_qos(slot);

    *typep = "";
    if (qos) {
        *typep = qos->class->type;
        qos->class->get(qos, details);
    }
    return 0;
}

int
ef_qos_get_queue(const struct ef_qos_slot *slot, uint32_t queue_id,
                 struct smap *details)
{
    const struct ef_qos *qos = slot_with_queues(slot);

    return (qos
            ? qos->class->get_queue(qos, queue_id, details)
            : EOPNOTSUPP);
}

int
ef_qos_set_queue(struct ef_qos_slot *slot, const char *port_name,
                 uint32_t queue_id, const struct smap *details)
{
    struct ef_qos *qos = slot_with_queues(slot);
    char *message = NULL;
    int error;

    if (!qos) {
        return EOPNOTSUPP;
    }
    error = qos->class->set_queue(qos, queue_id, details, &message);
    if (error) {
        VLOG_ERR_RL(&rl, "Failed to set QoS queue %"PRIu32" on port %s: %s "
                    "(%s)", queue_id, port_name, ovs_strerror(error),
                    message);
    }
    free(message);
    return error;
}

int
ef_qos_delete_queue(struct ef_qos_slot *slot, uint32_t queue_id)
{
    struct ef_qos *qos = slot_with_queues(slot);

    return qos ? qos->class->delete_queue(qos, queue_id) : EOPNOTSUPP;
}

int
ef_qos_get_queue_stats(const struct ef_qos_slot *slot, uint32_t queue_id,
                       struct netdev_queue_stats *stats)
{
    const struct ef_qos *qos = slot_with_queues(slot);

    return (qos
            ? qos->class->get_queue_stats(qos, queue_id, stats)
            : EOPNOTSUPP);
}

int
ef_qos_list_queues(const struct ef_qos_slot *slot, uint32_t **ids, size_t *n)
{
    const struct ef_qos *qos = slot_with_queues(slot);

    *ids = NULL;
    *n = 0;
    if (!qos) {
        return EOPNOTSUPP;
    }
    *n = qos->class->list_queues(qos, ids);
    return 0;
}

char *
ef_qos_parse_number(const struct smap *details, const char *key, uint64_t min,
                    uint64_t unset, uint64_t *number)
{
    const char *value = smap_get(details, key);
    uint64_t n = unset;

    if (value && !ef_digits_whole(value, UINT64_MAX, &n)) {
        return xasprintf("'%s=%s': must be a number from %"PRIu64" to "
                         "%"PRIu64, key, value, min, UINT64_MAX);
    }
    if (n < min) {
        return (value
                ? xasprintf("'%s=%s': must be at least %"PRIu64,
                            key, value, min)
                : xasprintf("'%s' is missing", key));
    }
    *number = n;
    return NULL;
}

/* Packet path. */

size_t
ef_qos_run(struct ef_qos_slot *slot, struct rte_mbuf **pkts, size_t n)
{
    struct ef_qos *qos = ovsrcu_get(struct ef_qos *, &slot->qos);
    size_t n_kept = 0;

    if (OVS_LIKELY(!qos)) {
        return n;
    }
    for (size_t i = 0; i < n; i += EF_RATE_LIMIT_BURST) {
        size_t burst = MIN(n - i, EF_RATE_LIMIT_BURST);
        uint64_t pass;

        /* The time is read under the lock: it must not go backwards. */
        rte_spinlock_lock(&qos->lock);
        pass = qos->class->run(qos, &pkts[i], burst, rte_rdtsc());
        rte_spinlock_unlock(&qos->lock);
        n_kept = ef_rate_limit_sift(pkts, n_kept, &pkts[i], burst, pass);
    }
    return n_kept;
}
