/* SPDX-License-Identifier: Apache-2.0 */

/* The life of a port of DPDK of any kind, its queues' state, and the values of
 * its options that were refused.  Called by the classes (ethdev*.c, vhost*.c)
 * in the main thread. */

#include <config.h>

#include "dpdk/dev.h"

#include <errno.h>
#include <stdarg.h>

#include <rte_malloc.h>

#include "core/settings.h"
#include "dp-packet.h"
#include "dpdk/log.h"
#include "dpdk/policer.h"
#include "dpdk/tx-alarm.h"
#include "dpdk/tx-watch.h"
#include "openvswitch/dynamic-string.h"

struct ovs_mutex ef_dpdk_dev_list_mutex = OVS_MUTEX_INITIALIZER;
struct ovs_list ef_dpdk_dev_list
    = OVS_LIST_INITIALIZER(&ef_dpdk_dev_list);

bool
ef_dpdk_is_dpdk(const struct netdev *netdev)
{
    return netdev->netdev_class->get_mtu == ef_dpdk_get_mtu;
}

bool
ef_dpdk_try_lock(const struct ovs_mutex *mutex, int *n_tries)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    while (ovs_mutex_trylock(mutex)) {
        if (*n_tries <= 0) {
            return false;
        }
        --*n_tries;
        xnanosleep_no_quiesce(1000 * 1000);
    }
    return true;
}

/* Life. */

void
ef_dpdk_dev_init(struct ef_dpdk_dev *dev, enum ef_dpdk_kind kind,
                 int socket_id)
{
    if (socket_id < 0 && kind == EF_DPDK_ETH) {
        socket_id = 0;
    }

    ovs_mutex_init(&dev->mutex);
    dev->kind = kind;
    dev->mtu = EF_DPDK_DEFAULT_MTU;
    dev->max_frame = ef_dpdk_mtu_to_frame(dev->mtu);
    ovsrcu_init(&dev->policer, NULL);
    ef_qos_slot_init(&dev->qos);

    dev->want = (struct ef_dpdk_request) {
        .mtu = dev->mtu,
        .socket_id = socket_id,
        .n_rxq = 1,
        .n_txq = 1,
        .rxq_size = EF_DPDK_DEFAULT_QUEUE_SIZE,
        .txq_size = EF_DPDK_DEFAULT_QUEUE_SIZE,
    };
    dev->socket_id = socket_id;
    dev->flags = NETDEV_UP | NETDEV_PROMISC;
    atomic_init(&dev->is_up, true);
    atomic_init(&dev->rx_burst, NETDEV_MAX_BURST);
    smap_init(&dev->refused);
    smap_init(&dev->refused_before);
    ef_dpdk_dev_pools_init(dev);

    /* The reconfiguration creates what is missing still: queues, pool. */
    dev->up.n_rxq = 0;
    dev->up.n_txq = 0;
    netdev_request_reconfigure(&dev->up);

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    ovs_list_push_back(&ef_dpdk_dev_list, &dev->list_node);
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);
}

static char *
settings_scope(const struct ef_dpdk_dev *dev)
{
    return ef_settings_interface(netdev_get_name(&dev->up));
}

static void txqs_destroy(struct ef_dpdk_txq *, unsigned n);

void
ef_dpdk_dev_uninit(struct ef_dpdk_dev *dev)
{
    char *scope = settings_scope(dev);

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    ovs_list_remove(&dev->list_node);
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);

    txqs_destroy(dev->txqs, dev->n_txqs);
    free_cacheline(dev->rxq_counters);
    dev->txqs = NULL;
    dev->rxq_counters = NULL;
    dev->n_txqs = 0;
    dev->n_rxqs = 0;
    ef_dpdk_dev_pools_uninit(dev);

    ef_policer_destroy(ovsrcu_get_protected(struct ef_policer *,
                                            &dev->policer));
    ef_qos_slot_destroy(&dev->qos);

    ef_settings_forget(scope);
    free(scope);
    ef_tx_alarm_destroy(dev->alarm);
    dev->alarm = NULL;
    free(dev->config_error);
    dev->config_error = NULL;
    smap_destroy(&dev->refused);
    smap_destroy(&dev->refused_before);
    ovs_mutex_destroy(&dev->mutex);
}

/* Queues. */

static void
copy_txq(struct ef_dpdk_txq *dst, const struct ef_dpdk_txq *src)
{
#define COPY(MEMBER) ef_counter_set(&dst->n.MEMBER, \
                                    ef_counter_get(&src->n.MEMBER))
    COPY(retries);
    COPY(failure_drops);
    COPY(mtu_exceeded_drops);
    COPY(qos_drops);
    COPY(invalid_hwol_drops);
    COPY(down_drops);
#undef COPY
}

static void
txqs_destroy(struct ef_dpdk_txq *txqs, unsigned n)
{
    for (unsigned i = 0; txqs && i < n; i++) {
        ef_tx_watch_destroy(txqs[i].watch);
    }
    rte_free(txqs);
}

/* Returns NULL without memory, or for no queues. */
static struct ef_dpdk_txq *
txqs_create(const struct ef_dpdk_dev *dev, unsigned n)
{
    struct ef_dpdk_txq *txqs;

    txqs = rte_zmalloc("ef_dpdk_txqs", n * sizeof *txqs, CACHE_LINE_SIZE);
    for (unsigned i = 0; txqs && i < n; i++) {
        rte_spinlock_init(&txqs[i].lock);
        if (i < dev->n_txqs) {
            copy_txq(&txqs[i], &dev->txqs[i]);
        }
    }
    return txqs;
}

static struct ef_dpdk_rxq_counters *
rxq_counters_create(const struct ef_dpdk_dev *dev, unsigned n)
{
    struct ef_dpdk_rxq_counters *counters;

    counters = n ? xzalloc_cacheline(n * sizeof *counters) : NULL;
    for (unsigned i = 0; i < MIN(n, dev->n_rxqs); i++) {
        const struct ef_dpdk_rxq_counters *old = &dev->rxq_counters[i];

        ef_counter_set(&counters[i].qos_drops,
                       ef_counter_get(&old->qos_drops));
        ef_counter_set(&counters[i].overload_drops,
                       ef_counter_get(&old->overload_drops));
        ef_counter_set(&counters[i].priority_packets,
                       ef_counter_get(&old->priority_packets));
    }
    return counters;
}

int
ef_dpdk_dev_set_queues(struct ef_dpdk_dev *dev, unsigned n_rxqs,
                       unsigned n_txqs)
{
    if (n_txqs != dev->n_txqs) {
        struct ef_dpdk_txq *txqs = txqs_create(dev, n_txqs);

        if (n_txqs && !txqs) {
            return ENOMEM;
        }
        for (unsigned i = 0; i < MIN(n_txqs, dev->n_txqs); i++) {
            txqs[i].watch = dev->txqs[i].watch;
            dev->txqs[i].watch = NULL;
        }
        txqs_destroy(dev->txqs, dev->n_txqs);
        dev->txqs = txqs;
        dev->n_txqs = n_txqs;
    }
    if (n_rxqs != dev->n_rxqs) {
        struct ef_dpdk_rxq_counters *counters
            = rxq_counters_create(dev, n_rxqs);

        free_cacheline(dev->rxq_counters);
        dev->rxq_counters = counters;
        dev->n_rxqs = n_rxqs;
    }
    return 0;
}

/* Refused values. */

static void
renew_config_error(struct ef_dpdk_dev *dev)
{
    const struct smap_node **nodes = smap_sort(&dev->refused);
    struct ds s = DS_EMPTY_INITIALIZER;

    for (size_t i = 0; i < smap_count(&dev->refused); i++) {
        ds_put_format(&s, "%s%s", i ? "; " : "", nodes[i]->value);
    }
    free(nodes);
    free(dev->config_error);
    dev->config_error = s.length ? ds_steal_cstr(&s) : NULL;
    ds_destroy(&s);
}

void
ef_dpdk_dev_refuse(struct ef_dpdk_dev *dev, const char *key,
                   const char *value, const char *rule_format, ...)
{
    char *scope = settings_scope(dev);
    char *rule, *message;
    va_list args;

    va_start(args, rule_format);
    rule = xvasprintf(rule_format, args);
    va_end(args);
    message = xasprintf("'%s=%s': %s", key, value, rule);

    /* The bridge sets options again whenever anything changes. */
    if (!nullable_string_is_equal(smap_get(&dev->refused, key), message)
        && !nullable_string_is_equal(smap_get(&dev->refused_before, key),
                                     message)) {
        VLOG_WARN("%s: %s", netdev_get_name(&dev->up), message);
    }
    smap_replace(&dev->refused, key, message);
    renew_config_error(dev);
    ef_settings_refuse(scope, key, value, rule);

    free(message);
    free(rule);
    free(scope);
}

void
ef_dpdk_dev_unrefuse(struct ef_dpdk_dev *dev, const char *key)
{
    smap_remove(&dev->refused, key);
    renew_config_error(dev);
}

/* What ef_settings says about a key of a port. */
struct lookup {
    const char *scope, *key;
    bool found;
    char *in_force;             /* NULL: the default. */
};

static void
look_up_setting(const struct ef_setting *setting, void *lookup_)
{
    struct lookup *lookup = lookup_;

    if (!lookup->found && !strcmp(setting->scope, lookup->scope)
        && !strcmp(setting->key, lookup->key)) {
        lookup->found = true;
        lookup->in_force = nullable_xstrdup(setting->in_force);
    }
}

/* Takes a refusal out of what is shown; the value in force stays. */
static void
forget_refusal(const char *scope, const char *key)
{
    struct lookup lookup = { .scope = scope, .key = key };

    ef_settings_for_each(look_up_setting, &lookup);
    if (lookup.found) {
        ef_settings_accept(scope, key, lookup.in_force);
    }
    free(lookup.in_force);
}

void
ef_dpdk_dev_accept(struct ef_dpdk_dev *dev)
{
    char *scope = settings_scope(dev);
    const struct smap_node *node;

    SMAP_FOR_EACH (node, &dev->refused) {
        forget_refusal(scope, node->key);
    }
    free(scope);

    smap_destroy(&dev->refused_before);
    smap_clone(&dev->refused_before, &dev->refused);
    smap_clear(&dev->refused);
    renew_config_error(dev);
}
