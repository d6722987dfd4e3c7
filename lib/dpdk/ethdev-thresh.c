/* SPDX-License-Identifier: Apache-2.0 */

/* options:tx-free-thresh and tx-rs-thresh of type=dpdk.  Whether a driver
 * takes them depends on the size of the ring, so with n_txq_desc they are one
 * set: all of it is in force or none.  A driver says no only while it is set
 * up; then the port goes back to the last good set, and that one is not tried
 * again before something in it changes.
 *
 * Called by ethdev-config and ethdev-setup, main thread. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_errno.h>

#include "core/settings.h"
#include "smap.h"

enum { FREE, RS, RING, N_MEMBERS };

static const char *const keys[N_MEMBERS] = {
    [FREE] = "tx-free-thresh", [RS] = "tx-rs-thresh", [RING] = "n_txq_desc",
};

static const struct ef_tx_set defaults = {
    .free_thresh = EF_TX_THRESH_DRIVER,
    .rs_thresh = EF_TX_THRESH_DRIVER,
    .ring_size = EF_DPDK_DEFAULT_QUEUE_SIZE,
};

static int
member(const struct ef_tx_set *set, int i)
{
    return i == FREE ? set->free_thresh
           : i == RS ? set->rs_thresh : set->ring_size;
}

static struct ef_tx_set
get_set(const struct ef_ethdev_request *request)
{
    return (struct ef_tx_set) {
        .free_thresh = request->tx_free_thresh,
        .rs_thresh = request->tx_rs_thresh,
        .ring_size = request->txq_size,
    };
}

static void
put_set(struct ef_ethdev_request *request, const struct ef_tx_set *set)
{
    request->tx_free_thresh = set->free_thresh;
    request->tx_rs_thresh = set->rs_thresh;
    request->txq_size = set->ring_size;
}

static bool
is_same(const struct ef_tx_set *a, const struct ef_tx_set *b)
{
    return a->free_thresh == b->free_thresh && a->rs_thresh == b->rs_thresh
           && a->ring_size == b->ring_size;
}

/* Refusals. */

static char *
to_string(int i, int value)
{
    return i != RING && value == EF_TX_THRESH_DRIVER
           ? xstrdup("driver") : xasprintf("%d", value);
}

/* Why member 'i' of a set does not come into force in which 'key' breaks
 * 'rule'. */
static char *
rule_for(int i, const char *key, bool key_is_new, const char *rule)
{
    if (!key || !strcmp(key, keys[i])) {
        return xstrdup(rule);
    }
    return key_is_new
           ? xasprintf("goes together with %s, which is refused", key)
           : xasprintf("must be above %s", key);
}

/* 'good' stays in force instead of 'bad', in which 'key' breaks 'rule'; NULL:
 * all of it does.  A default is not refused: most likely nobody set it. */
static void
refuse(struct ef_ethdev *ef, const struct smap *options,
       const struct ef_tx_set *bad, const struct ef_tx_set *good,
       const char *key, const char *rule)
{
    char *scope = ef_settings_interface(netdev_get_name(&ef->dev.up));
    bool key_is_new = false;

    for (int i = 0; i < N_MEMBERS; i++) {
        key_is_new |= key && !strcmp(key, keys[i])
                      && member(bad, i) != member(good, i);
    }
    for (int i = 0; i < N_MEMBERS; i++) {
        char *value = to_string(i, member(bad, i));
        char *in_force = to_string(i, member(good, i));
        char *why = rule_for(i, key, key_is_new, rule);

        if (member(bad, i) != member(good, i)) {
            ef_settings_accept(scope, keys[i], in_force);
        }
        if (member(bad, i) != member(good, i)
            && member(bad, i) != member(&defaults, i)) {
            const char *text = options ? smap_get(options, keys[i]) : NULL;

            ef_dpdk_dev_refuse(&ef->dev, keys[i], text ? text : value, "%s",
                               why);
        }
        free(why);
        free(in_force);
        free(value);
    }
    free(scope);
}

static void
refuse_by_driver(struct ef_ethdev *ef, const struct smap *options,
                 const struct ef_tx_set *good)
{
    char *rule = xasprintf("the driver refused: %s",
                           rte_strerror(ef->tx_refused_error));

    refuse(ef, options, &ef->tx_refused, good, NULL, rule);
    free(rule);
}

/* Options. */

char *
ef_ethdev_thresh_check(struct ef_ethdev *ef, const struct smap *options,
                       struct ef_ethdev_request *new)
{
    struct ef_tx_set asked = get_set(new), good = get_set(&ef->want);
    const char *key, *rule;

    rule = ef_tx_thresh_check(asked.free_thresh, asked.rs_thresh,
                              asked.ring_size, &key);
    if (rule && ef->port_id == EF_ETHDEV_NONE) {
        return xasprintf("'%s=%s': %s", key, smap_get_def(options, key, ""),
                         rule);
    } else if (rule) {
        refuse(ef, options, &asked, &good, key, rule);
        put_set(new, &good);
    } else if (ef->tx_refused_error && is_same(&asked, &ef->tx_refused)) {
        refuse_by_driver(ef, options, &good);
        put_set(new, &good);
    } else {
        ef->tx_refused_error = 0;
    }
    return NULL;
}

/* Set-up. */

const struct rte_eth_txconf *
ef_ethdev_thresh_conf(const struct ef_ethdev_request *request,
                      const struct rte_eth_dev_info *info,
                      struct rte_eth_txconf *conf)
{
    if (request->tx_free_thresh == EF_TX_THRESH_DRIVER
        && request->tx_rs_thresh == EF_TX_THRESH_DRIVER) {
        return NULL;
    }
    *conf = info->default_txconf;
    if (request->tx_free_thresh != EF_TX_THRESH_DRIVER) {
        conf->tx_free_thresh = request->tx_free_thresh;
    }
    if (request->tx_rs_thresh != EF_TX_THRESH_DRIVER) {
        conf->tx_rs_thresh = request->tx_rs_thresh;
    }
    return conf;
}

void
ef_ethdev_thresh_roll_back(struct ef_ethdev *ef, int error)
{
    struct ef_tx_set asked = get_set(&ef->want), good = get_set(&ef->is);

    if (!ef->tx_refused_error) {
        ef->tx_refused = asked;
        ef->tx_refused_error = error;
    }
    /* What was good need not be for ever, for instance after a reset. */
    if (!good.ring_size || is_same(&good, &asked)) {
        good = defaults;
        good.ring_size = asked.ring_size;
    }
    refuse_by_driver(ef, NULL, &good);
    put_set(&ef->want, &good);
    ef->dev.want.txq_size = good.ring_size;
}

/* Facts. */

static void
take_fact(int set, int in_force, int *thresh, enum ef_tx_thresh_source *source)
{
    *thresh = in_force;
    *source = (!in_force ? EF_TX_THRESH_NOT_REPORTED
               : set == in_force ? EF_TX_THRESH_SET : EF_TX_THRESH_DEFAULT);
}

void
ef_ethdev_thresh_learn(struct ef_ethdev *ef,
                       const struct rte_eth_dev_info *info)
{
    struct ef_tx_thresh_facts *thresh = &ef->thresh;
    struct rte_eth_txconf conf = info->default_txconf;
    struct rte_eth_txq_info txq;

    if (!rte_eth_tx_queue_info_get(ef->port_id, 0, &txq)) {
        conf = txq.conf;
    } else if (conf.tx_free_thresh || conf.tx_rs_thresh) {
        /* The driver has thresholds, and took ours. */
        ef_ethdev_thresh_conf(&ef->want, info, &conf);
    }
    take_fact(ef->want.tx_free_thresh, conf.tx_free_thresh,
              &thresh->free_thresh, &thresh->free_source);
    take_fact(ef->want.tx_rs_thresh, conf.tx_rs_thresh,
              &thresh->rs_thresh, &thresh->rs_source);
}
