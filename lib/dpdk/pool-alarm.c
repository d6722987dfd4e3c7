/* SPDX-License-Identifier: Apache-2.0 */

/* Compares the trips to the shared store of each pool with those a second
 * before.  Called by tx-alarm-run.c in the main thread. */

#include <config.h>

#include "dpdk/pool-alarm.h"

#include <stdlib.h>

#include "dpdk/log.h"
#include "dpdk/tx-alarm.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/shash.h"
#include "util.h"

struct core {
    unsigned lcore;
    uint64_t n_refills, n_empty;
};

/* What is known of a pool since the last look. */
struct pool {
    struct core *cores;
    size_t n_cores;
    char *text;                 /* NULL: no alarm. */
    long long dry_ms;           /* When it was found last. */
    long long look_ms;
};

/* By 'rte_name'. */
static struct shash pools = SHASH_INITIALIZER(&pools);

static const struct core *
find_core(const struct pool *pool, unsigned lcore)
{
    for (size_t i = 0; i < pool->n_cores; i++) {
        if (pool->cores[i].lcore == lcore) {
            return &pool->cores[i];
        }
    }
    return NULL;
}

/* What cores did since the last look. */
struct dryness {
    struct ds cores;            /* Those that ran dry. */
    size_t n_dry;
    uint64_t n_empty;
};

static void
add_core(struct dryness *dry, const struct ef_mempool_core_facts *now,
         const struct core *before, long long ms)
{
    /* A core that starts anew counts from 0. */
    uint64_t n_refills = now->store.n_refills > before->n_refills
                         ? now->store.n_refills - before->n_refills : 0;
    uint64_t n_empty = now->store.n_empty > before->n_empty
                       ? now->store.n_empty - before->n_empty : 0;

    if (n_empty || n_refills * 1000 > EF_POOL_ALARM_REFILLS * ms) {
        ds_put_format(&dry->cores, "%s%u (%"PRIu64"/s)",
                      dry->n_dry ? ", " : "", now->core,
                      (uint64_t) (n_refills * 1000 / ms));
        dry->n_dry++;
    }
    dry->n_empty += n_empty;
}

/* Returns the cause, to be freed, or NULL. */
static char *
find_dry(const struct pool *pool, const struct ef_mempool_facts *facts,
         long long now_ms)
{
    struct dryness dry = { .cores = DS_EMPTY_INITIALIZER };
    char *cause = NULL;

    for (size_t i = 0; i < facts->n_cores; i++) {
        const struct core *before = find_core(pool, facts->cores[i].lcore);

        if (before) {
            add_core(&dry, &facts->cores[i], before,
                     MAX(now_ms - pool->look_ms, 1));
        }
    }
    if (dry.n_empty) {
        cause = xasprintf("pool %s: no buffers left for cores %s: what is in "
                          "rings and queues takes them all, or the pool is "
                          "too small", facts->rte_name,
                          ds_cstr(&dry.cores));
    } else if (dry.n_dry >= 2) {
        cause = xasprintf("pool %s: the stores of cores %s run dry together: "
                          "buffers are taken on one core and freed on another,"
                          " or mempool-cache-size is too small",
                          facts->rte_name, ds_cstr(&dry.cores));
    }
    ds_destroy(&dry.cores);
    return cause;
}

static void
remember(struct pool *pool, const struct ef_mempool_facts *facts,
         long long now_ms)
{
    pool->cores = xrealloc(pool->cores,
                           facts->n_cores * sizeof *pool->cores);
    pool->n_cores = facts->n_cores;
    for (size_t i = 0; i < facts->n_cores; i++) {
        const struct ef_mempool_core_facts *core = &facts->cores[i];

        pool->cores[i] = (struct core) {
            .lcore = core->lcore,
            .n_refills = core->store.n_refills,
            .n_empty = core->store.n_empty,
        };
    }
    pool->look_ms = now_ms;
}

static void
judge(struct pool *pool, const struct ef_mempool_facts *facts,
      long long now_ms)
{
    char *cause = find_dry(pool, facts, now_ms);

    if (cause) {
        pool->dry_ms = now_ms;
    }
    if (cause && !pool->text) {
        VLOG_WARN("%s", cause);
        pool->text = cause;
        cause = NULL;
    } else if (pool->text && now_ms - pool->dry_ms >= EF_TX_ALARM_GONE_MS) {
        VLOG_INFO("gone for %d s: %s", EF_TX_ALARM_GONE_MS / 1000,
                  pool->text);
        free(pool->text);
        pool->text = NULL;
    }
    free(cause);
    remember(pool, facts, now_ms);
}

static void
free_pool(struct pool *pool)
{
    free(pool->cores);
    free(pool->text);
    free(pool);
}

void
ef_pool_alarm_judge(const struct ef_mempool_facts *facts, size_t n,
                    long long now_ms)
{
    struct shash left = SHASH_INITIALIZER(&left);
    struct shash_node *node;

    for (size_t i = 0; i < n; i++) {
        struct pool *pool = shash_find_and_delete(&pools, facts[i].rte_name);

        if (!pool) {
            pool = xzalloc(sizeof *pool);
        }
        judge(pool, &facts[i], now_ms);
        shash_add(&left, facts[i].rte_name, pool);
    }
    /* Pools that are gone. */
    SHASH_FOR_EACH (node, &pools) {
        free_pool(node->data);
    }
    shash_destroy(&pools);
    pools = left;
    hmap_moved(&pools.map);
}

const char *
ef_pool_alarm_get(const char *rte_name)
{
    const struct pool *pool = shash_find_data(&pools, rte_name);

    return pool ? pool->text : NULL;
}
