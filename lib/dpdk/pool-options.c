/* SPDX-License-Identifier: Apache-2.0 */

/* Parses Interface:options about packet buffers.  Pure; called by dev-pool.c
 * in the main thread. */

#include <config.h>

#include "dpdk/pool-options.h"

#include <stdlib.h>
#include <string.h>

#include <rte_config.h>

#include "dpdk/mempool-config.h"
#include "openvswitch/dynamic-string.h"
#include "smap.h"
#include "util.h"

static void
clear_rxqs(struct ef_pool_options *o)
{
    for (size_t i = 0; i < o->n_rxqs; i++) {
        free(o->rxqs[i].name);
    }
    free(o->rxqs);
    o->rxqs = NULL;
    o->n_rxqs = 0;
}

static void
copy_rxqs(struct ef_pool_options *dst, const struct ef_pool_options *src)
{
    dst->n_rxqs = src->n_rxqs;
    dst->rxqs = xmalloc(MAX(src->n_rxqs, 1) * sizeof *dst->rxqs);
    for (size_t i = 0; i < src->n_rxqs; i++) {
        dst->rxqs[i].queue = src->rxqs[i].queue;
        dst->rxqs[i].name = xstrdup(src->rxqs[i].name);
    }
}

void
ef_pool_options_clone(struct ef_pool_options *dst,
                      const struct ef_pool_options *src)
{
    *dst = *src;
    dst->name = nullable_xstrdup(src->name);
    copy_rxqs(dst, src);
    ef_cache_size_clone(&dst->cache_size, &src->cache_size);
}

void
ef_pool_options_destroy(struct ef_pool_options *o)
{
    free(o->name);
    clear_rxqs(o);
    ef_cache_size_destroy(&o->cache_size);
    *o = (struct ef_pool_options) EF_POOL_OPTIONS_NONE;
}

bool
ef_pool_options_same_pools(const struct ef_pool_options *a,
                           const struct ef_pool_options *b)
{
    bool same = nullable_string_is_equal(a->name, b->name)
                && a->n_rxqs == b->n_rxqs;

    for (size_t i = 0; same && i < a->n_rxqs; i++) {
        same = a->rxqs[i].queue == b->rxqs[i].queue
               && !strcmp(a->rxqs[i].name, b->rxqs[i].name);
    }
    return same;
}

const char *
ef_pool_options_rxq(const struct ef_pool_options *o, unsigned queue)
{
    for (size_t i = 0; i < o->n_rxqs; i++) {
        if (o->rxqs[i].queue == queue) {
            return o->rxqs[i].name;
        }
    }
    return NULL;
}

char *
ef_pool_options_format_rxqs(const struct ef_pool_options *o)
{
    struct ds s = DS_EMPTY_INITIALIZER;

    for (size_t i = 0; i < o->n_rxqs; i++) {
        ds_put_format(&s, "%s%u:%s", i ? "," : "", o->rxqs[i].queue,
                      o->rxqs[i].name);
    }
    return o->n_rxqs ? ds_steal_cstr(&s) : NULL;
}

/* Stores the queue's number and steps over the colon. */
static const char *
parse_queue(const char **sp, unsigned *queue)
{
    const char *s = *sp;
    size_t digits = strspn(s, "0123456789");

    if (!digits || s[digits] != ':') {
        return "must be a list of QUEUE:NAME";
    }
    /* More digits than the limit has would overflow. */
    *queue = digits <= 4 ? strtoul(s, NULL, 10) : RTE_MAX_QUEUES_PER_PORT;
    if (*queue >= RTE_MAX_QUEUES_PER_PORT) {
        return "a queue must be a number below "
               OVS_STRINGIZE(RTE_MAX_QUEUES_PER_PORT);
    }
    *sp = s + digits + 1;
    return NULL;
}

static void
insert_rxq(struct ef_pool_options *o, unsigned queue, char *name)
{
    size_t i = o->n_rxqs++;

    o->rxqs = xrealloc(o->rxqs, o->n_rxqs * sizeof *o->rxqs);
    for (; i && o->rxqs[i - 1].queue > queue; i--) {
        o->rxqs[i] = o->rxqs[i - 1];
    }
    o->rxqs[i] = (struct ef_pool_rxq) { .queue = queue, .name = name };
}

static const char *
parse_rxqs(const char *s, struct ef_pool_options *o)
{
    for (;;) {
        const char *rule;
        unsigned queue;
        size_t len;

        rule = parse_queue(&s, &queue);
        if (rule) {
            return rule;
        }
        len = strcspn(s, ",");
        if (!ef_mempool_name_is_valid(s, len)) {
            return EF_MEMPOOL_NAME_RULE;
        } else if (ef_pool_options_rxq(o, queue)) {
            return "a queue must not occur twice";
        }
        insert_rxq(o, queue, xmemdup0(s, len));
        s += len;
        if (!*s) {
            return NULL;
        }
        s++;
    }
}

static const char *
take_name(const char *value, const struct ef_pool_options *old,
          struct ef_pool_options *new)
{
    bool bad = value && !ef_mempool_name_is_valid(value, strlen(value));

    new->name = nullable_xstrdup(bad ? old->name : value);
    return bad ? EF_MEMPOOL_NAME_RULE : NULL;
}

static const char *
take_rxqs(const char *value, const struct ef_pool_options *old,
          struct ef_pool_options *new)
{
    const char *rule = value ? parse_rxqs(value, new) : NULL;

    if (rule) {
        clear_rxqs(new);
        copy_rxqs(new, old);
    }
    return rule;
}

/* After the name. */
static const char *
take_cache_size(const char *value, const struct ef_pool_options *old,
                struct ef_pool_options *new)
{
    const char *rule;

    if (!value) {
        return NULL;
    } else if (!new->name) {
        return "belongs to a named pool, so options:mempool must be set";
    }
    rule = ef_cache_size_parse(value, &new->cache_size);
    if (rule) {
        ef_cache_size_clone(&new->cache_size, &old->cache_size);
        new->has_cache_size = old->has_cache_size;
    } else {
        new->has_cache_size = true;
    }
    return rule;
}

void
ef_pool_options_parse(const struct smap *options,
                      const struct ef_pool_options *old,
                      struct ef_pool_options *new,
                      ef_pool_option_func *cb, void *aux)
{
    static const struct {
        const char *key;
        const char *(*take)(const char *value,
                            const struct ef_pool_options *old,
                            struct ef_pool_options *new);
    } keys[] = {
        { "mempool", take_name },
        { "mempool-rxq", take_rxqs },
        { "mempool-cache-size", take_cache_size },
    };

    *new = (struct ef_pool_options) EF_POOL_OPTIONS_NONE;
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const char *value = smap_get(options, keys[i].key);

        cb(keys[i].key, value, keys[i].take(value, old, new), aux);
    }
}
