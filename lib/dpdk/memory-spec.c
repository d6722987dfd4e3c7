/* SPDX-License-Identifier: Apache-2.0 */

/* Parses what "dpif-netdev/memory-plan" is told of a port that there may be.
 *
 * Called on the thread "ctl".  A table has the keys, their rules and where
 * their numbers go. */

#include <config.h>

#include "dpdk/memory-plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/digits.h"
#include "dpdk/dev.h"
#include "dpdk/mempool-config.h"
#include "util.h"

/* As many as an Ethernet device of DPDK has. */
#define MAX_QUEUES 1024

struct key {
    const char *name;
    size_t ofs;                 /* Of an int in struct ef_mempool_request. */
    unsigned min, max;
    const char *rule;
};

#define NUMBER(NAME, MEMBER, MIN, MAX)                          \
    { NAME, offsetof(struct ef_mempool_request, MEMBER), MIN, MAX,      \
      "must be a number from " OVS_STRINGIZE(MIN) " to " OVS_STRINGIZE(MAX) }

static const struct key keys[] = {
    NUMBER("mtu", mtu, 68, EF_MEMPOOL_MAX_MTU),
    NUMBER("numa", socket_id, 0, 31),
    NUMBER("rxq", n_rxq, 1, MAX_QUEUES),
    NUMBER("txq", n_txq, 1, MAX_QUEUES),
    NUMBER("rxd", rxq_size, 1, EF_DPDK_MAX_QUEUE_SIZE),
    NUMBER("txd", txq_size, 1, EF_DPDK_MAX_QUEUE_SIZE),
};

#define KEYS_RULE \
    "a key must be one of type, mtu, numa, rxq, txq, rxd, txd, mempool"

/* Keys that are no numbers; their bits follow those of the table. */
enum { TYPE = ARRAY_SIZE(keys), POOL, UNKNOWN };

static unsigned
find_key(const char *name)
{
    unsigned i = 0;

    while (i < ARRAY_SIZE(keys) && strcmp(name, keys[i].name)) {
        i++;
    }
    return (i < ARRAY_SIZE(keys) ? i
            : !strcmp(name, "type") ? TYPE
            : !strcmp(name, "mempool") ? POOL : UNKNOWN);
}

static const char *
set_number(const struct key *key, const char *value,
           struct ef_mempool_request *r)
{
    int *number = ALIGNED_CAST(int *, (char *) r + key->ofs);
    uint64_t n;

    if (!ef_digits_whole(value, key->max, &n) || n < key->min) {
        return key->rule;
    }
    *number = n;
    return NULL;
}

static const char *
set_type(const char *value, struct ef_mempool_request *r)
{
    r->copies = !strcmp(value, "vhost");
    return (r->copies || !strcmp(value, "dpdk")
            ? NULL : "must be dpdk or vhost");
}

/* Returns NULL or the rule that the pair breaks.  'seen' has a bit for each
 * key. */
static const char *
set_pair(const char *name, const char *value, struct ef_memory_spec *spec,
         unsigned *seen)
{
    unsigned key = find_key(name);

    if (key == UNKNOWN) {
        return KEYS_RULE;
    } else if (*seen & (1u << key)) {
        return "a key must occur once";
    }
    *seen |= 1u << key;

    if (key == TYPE) {
        return set_type(value, &spec->request);
    } else if (key != POOL) {
        return set_number(&keys[key], value, &spec->request);
    } else if (!ef_mempool_name_is_valid(value, strlen(value))) {
        return EF_MEMPOOL_NAME_RULE;
    }
    spec->pool_name = xstrdup(value);
    return NULL;
}

/* Cuts 'pairs' up. */
static char *
set_pairs(const char *port, char *pairs, struct ef_memory_spec *spec)
{
    unsigned seen = 0;
    char *pair;

    while ((pair = strsep(&pairs, ",")) != NULL) {
        char *value = strchr(pair, '=');
        const char *rule;

        if (!value) {
            return xasprintf("'%s:%s': must be KEY=VALUE", port, pair);
        }
        *value = '\0';
        rule = set_pair(pair, value + 1, spec, &seen);
        if (rule) {
            return xasprintf("'%s:%s=%s': %s", port, pair, value + 1, rule);
        }
    }
    return NULL;
}

static struct ef_memory_spec
default_spec(unsigned n_pmds)
{
    return (struct ef_memory_spec) {
        .request = {
            .mtu = EF_DPDK_DEFAULT_MTU,
            .n_rxq = 1,
            .rxq_size = EF_DPDK_DEFAULT_QUEUE_SIZE,
            .n_txq = n_pmds + 1,
            .txq_size = EF_DPDK_DEFAULT_QUEUE_SIZE,
        },
    };
}

static void
spec_uninit(struct ef_memory_spec *spec)
{
    free(spec->name);
    free(spec->pool_name);
}

char *
ef_memory_spec_parse(const char *s, unsigned n_pmds,
                     struct ef_memory_spec *spec)
{
    struct ef_memory_spec new = default_spec(n_pmds);
    char *pairs = strchr(s, ':');
    char *error = NULL;
    char *copy;

    new.name = pairs ? xmemdup0(s, pairs - s) : xstrdup(s);
    copy = pairs ? xstrdup(pairs + 1) : NULL;
    if (!*new.name) {
        error = xasprintf("'%s': a port's name must not be empty", s);
    } else if (copy) {
        error = set_pairs(new.name, copy, &new);
    }
    free(copy);

    if (error) {
        spec_uninit(&new);
        return error;
    }
    new.request.port_name = new.name;
    new.request.pool_name = new.pool_name;
    *spec = new;
    return NULL;
}

void
ef_memory_specs_free(struct ef_memory_spec *specs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        spec_uninit(&specs[i]);
    }
    free(specs);
}
