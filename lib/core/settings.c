/* SPDX-License-Identifier: Apache-2.0 */

/* Remembers what the keys of the database were set to and what was refused.
 *
 * Called by whatever parses keys and by show/config-show.c, mostly on the
 * main thread.  One mutex, held only for a look-up or a walk; no other lock is
 * taken under it. */

#include <config.h>

#include "core/settings.h"

#include "openvswitch/shash.h"
#include "ovs-thread.h"
#include "util.h"

struct record {
    char *in_force;             /* NULL: the default. */
    char *refused;
    char *rule;                 /* NULL exactly if 'refused' is. */
};

static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;

/* By scope: "struct shash"es that hold, by key, "struct record"s. */
static struct shash scopes OVS_GUARDED_BY(mutex)
    = SHASH_INITIALIZER(&scopes);

char *
ef_settings_interface(const char *name)
{
    return xasprintf("Interface %s", name);
}

static void
replace(char **sp, const char *new)
{
    char *old = *sp;

    *sp = nullable_xstrdup(new);    /* 'new' may point into 'old'. */
    free(old);
}

static struct record *
find_or_add(const char *scope, const char *key)
    OVS_REQUIRES(mutex)
{
    struct shash *keys = shash_find_data(&scopes, scope);
    struct record *record;

    if (!keys) {
        keys = xmalloc(sizeof *keys);
        shash_init(keys);
        shash_add(&scopes, scope, keys);
    }
    record = shash_find_data(keys, key);
    if (!record) {
        record = xzalloc(sizeof *record);
        shash_add(keys, key, record);
    }
    return record;
}

void
ef_settings_accept(const char *scope, const char *key, const char *value)
{
    struct record *record;

    ovs_mutex_lock(&mutex);
    record = find_or_add(scope, key);
    replace(&record->in_force, value);
    replace(&record->refused, NULL);
    replace(&record->rule, NULL);
    ovs_mutex_unlock(&mutex);
}

bool
ef_settings_refuse(const char *scope, const char *key, const char *value,
                   const char *rule)
{
    struct record *record;
    bool is_new;

    ovs_mutex_lock(&mutex);
    record = find_or_add(scope, key);
    is_new = !nullable_string_is_equal(record->refused, value ? value : "");
    replace(&record->refused, value ? value : "");
    replace(&record->rule, rule ? rule : "");
    ovs_mutex_unlock(&mutex);
    return is_new;
}

void
ef_settings_forget(const char *scope)
{
    struct shash *keys;
    struct shash_node *node;

    ovs_mutex_lock(&mutex);
    keys = shash_find_and_delete(&scopes, scope);
    ovs_mutex_unlock(&mutex);

    if (!keys) {
        return;
    }
    SHASH_FOR_EACH (node, keys) {
        struct record *record = node->data;

        free(record->in_force);
        free(record->refused);
        free(record->rule);
    }
    shash_destroy_free_data(keys);
    free(keys);
}

static void
for_each_key(const char *scope, const struct shash *keys,
             void (*cb)(const struct ef_setting *, void *aux), void *aux)
{
    const struct shash_node **nodes = shash_sort(keys);

    for (size_t i = 0; i < shash_count(keys); i++) {
        const struct record *record = nodes[i]->data;
        struct ef_setting setting = {
            .scope = scope,
            .key = nodes[i]->name,
            .in_force = record->in_force,
            .refused = record->refused,
            .rule = record->rule,
        };

        cb(&setting, aux);
    }
    free(nodes);
}

void
ef_settings_for_each(void (*cb)(const struct ef_setting *, void *aux),
                     void *aux)
{
    const struct shash_node **nodes;

    ovs_mutex_lock(&mutex);
    nodes = shash_sort(&scopes);
    for (size_t i = 0; i < shash_count(&scopes); i++) {
        for_each_key(nodes[i]->name, nodes[i]->data, cb, aux);
    }
    free(nodes);
    ovs_mutex_unlock(&mutex);
}
