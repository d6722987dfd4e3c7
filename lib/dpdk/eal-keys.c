/* SPDX-License-Identifier: Apache-2.0 */

/* Compares the keys that concern EAL and reports about them to
 * core/settings.h.
 *
 * Called by eal.c on the main thread; equality in every round of the main
 * loop. */

#include <config.h>

#include "dpdk/eal-keys.h"

#include <string.h>

#include "core/settings.h"
#include "dpdk/eal.h"
#include "dpdk/eal-vlog.h"
#include "openvswitch/dynamic-string.h"
#include "util.h"

#define SCOPE "Open_vSwitch"
#define LATE_RULE "takes effect when ovs-vswitchd is restarted"

static const char init_key[] = "dpdk-init";
static const char *const keys[] = {
    init_key,
    "dpdk-alloc-mem",
    "dpdk-extra",
    "dpdk-hugepage-dir",
    "dpdk-lcore-mask",
    "dpdk-socket-limit",
    "dpdk-socket-mem",
};

static bool
init_is(const struct smap *other_config, const char *word)
{
    const char *value = smap_get(other_config, init_key);

    return value && !strcasecmp(value, word);
}

bool
ef_eal_is_try(const struct smap *other_config)
{
    return init_is(other_config, "try");
}

bool
ef_eal_is_wanted(const struct smap *other_config)
{
    return init_is(other_config, "true") || ef_eal_is_try(other_config);
}

void
ef_eal_keys_copy(struct smap *copy, const struct smap *other_config)
{
    smap_init(copy);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const char *value = smap_get(other_config, keys[i]);

        if (value) {
            smap_add(copy, keys[i], value);
        }
    }
}

static bool
is_equal(const struct smap *a, const struct smap *b, const char *key)
{
    const char *value_a = smap_get(a, key);
    const char *value_b = smap_get(b, key);

    return (value_a && value_b ? !strcmp(value_a, value_b)
            : value_a == value_b);
}

bool
ef_eal_keys_are_equal(const struct smap *a, const struct smap *b)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (!is_equal(a, b, keys[i])) {
            return false;
        }
    }
    return true;
}

void
ef_eal_keys_report_refused(const struct smap *values, const char *key,
                           const char *rule)
{
    ef_settings_refuse(SCOPE, key, smap_get_def(values, key, ""), rule);
}

char *
ef_eal_keys_report_failed(const struct smap *values, const char *reason)
{
    struct ds names = DS_EMPTY_INITIALIZER;

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (smap_get(values, keys[i])) {
            ef_eal_keys_report_refused(values, keys[i], reason);
            ds_put_format(&names, "%s%s", names.length ? ", " : "", keys[i]);
        }
    }
    return ds_steal_cstr(&names);
}

void
ef_eal_keys_report_idle(const struct smap *other_config)
{
    const char *init = smap_get(other_config, init_key);

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        ef_settings_accept(SCOPE, keys[i], NULL);
    }
    if (!init || ef_eal_is_wanted(other_config)
        || init_is(other_config, "false")) {
        ef_settings_accept(SCOPE, init_key, init);
    } else {
        const char *rule = "must be true, false or try";

        ef_eal_keys_report_refused(other_config, init_key, rule);
        VLOG_WARN("'%s=%s': %s", init_key, init, rule);
    }
}

static void
report_started(const struct smap *values, const char *key)
{
    const char *value = smap_get(values, key);
    const char *rival = ef_eal_key_rival(values, key);

    if (!rival) {
        ef_settings_accept(SCOPE, key, value);
    } else {
        char *rule = xasprintf("%s%s wins",
                               rival[0] == '-' ? "dpdk-extra's " : "", rival);

        ef_settings_accept(SCOPE, key, NULL);
        ef_settings_refuse(SCOPE, key, value, rule);
        free(rule);
    }
}

void
ef_eal_keys_report_started(const struct smap *values)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        report_started(values, keys[i]);
    }
}

/* "try" and "true" mean the same to a DPDK that runs. */
static bool
is_in_force(const struct smap *values, const struct smap *started,
            const char *key)
{
    if (key == init_key) {
        return ef_eal_is_wanted(values) == ef_eal_is_wanted(started);
    }
    return is_equal(values, started, key);
}

void
ef_eal_keys_report_late(const struct smap *values, const struct smap *seen,
                        const struct smap *started)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const char *value = smap_get(values, keys[i]);

        if (is_equal(values, seen, keys[i])) {
            continue;
        } else if (is_in_force(values, started, keys[i])) {
            report_started(started, keys[i]);
        } else {
            ef_eal_keys_report_refused(values, keys[i],
                                       value ? LATE_RULE
                                       : "its removal "LATE_RULE);
            VLOG_INFO("%s of other_config:%s "LATE_RULE,
                      value ? "The new value" : "The removal", keys[i]);
        }
    }
}
