/* SPDX-License-Identifier: Apache-2.0 */

/* Counters of the offload threads, as dpctl/offload-stats-show prints them:
 * totals over all threads first, then a block for each thread.
 *
 * Called in the thread that runs the command. */

#include <config.h>

#include "flow/offload.h"

#include "core/counter.h"
#include "flow/offload-thread.h"
#include "netdev-offload.h"
#include "netdev.h"
#include "util.h"

enum counter {
    ENQUEUED,
    INSERTED,
    CMA_MEAN,
    CMA_STDDEV,
    EMA_MEAN,
    EMA_STDDEV,
    N_COUNTERS
};

/* Printed as they stand here, aligned for people. */
static const char *const names[N_COUNTERS] = {
    [ENQUEUED]   = "                Enqueued offloads",
    [INSERTED]   = "                Inserted offloads",
    [CMA_MEAN]   = "  Cumulative Average latency (us)",
    [CMA_STDDEV] = "   Cumulative Latency stddev (us)",
    [EMA_MEAN]   = " Exponential Average latency (us)",
    [EMA_STDDEV] = "  Exponential Latency stddev (us)",
};

static void
read_thread(struct ef_offload_thread *thread, uint64_t values[N_COUNTERS])
{
    values[ENQUEUED] = atomic_count_get64(&thread->n_queued);
    values[CMA_MEAN] = ef_counter_get(&thread->cma_mean_us);
    values[CMA_STDDEV] = ef_counter_get(&thread->cma_stddev_us);
    values[EMA_MEAN] = ef_counter_get(&thread->ema_mean_us);
    values[EMA_STDDEV] = ef_counter_get(&thread->ema_stddev_us);
}

static void
put_block(struct netdev_custom_counter *block, const char *whose,
          const uint64_t values[N_COUNTERS])
{
    for (int i = 0; i < N_COUNTERS; i++) {
        snprintf(block[i].name, sizeof block[i].name, "  %s %s", whose,
                 names[i]);
        block[i].value = values[i];
    }
}

void
ef_offload_format_stats(const uint64_t *n_flows,
                        struct netdev_custom_stats *stats)
{
    const struct ef_offload_threads *all = ef_offload_threads_get();
    unsigned n = netdev_offload_thread_nb();
    uint64_t totals[N_COUNTERS] = { 0 };

    stats->size = N_COUNTERS * (n + 1);
    stats->counters = xcalloc(stats->size, sizeof *stats->counters);

    for (unsigned i = 0; i < n; i++) {
        uint64_t values[N_COUNTERS] = { 0 };
        char whose[16];

        values[INSERTED] = n_flows[i];
        if (all && i < all->n) {
            read_thread(all->threads[i], values);
        }
        for (int j = 0; j < N_COUNTERS; j++) {
            totals[j] += values[j];
        }
        snprintf(whose, sizeof whose, "[%3u]", i);
        put_block(&stats->counters[N_COUNTERS * (i + 1)], whose, values);
    }

    /* Of averages, the average. */
    for (int j = CMA_MEAN; j < N_COUNTERS; j++) {
        totals[j] /= MAX(n, 1);
    }
    put_block(stats->counters, "Total", totals);
}
