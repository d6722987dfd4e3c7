/* SPDX-License-Identifier: Apache-2.0 */

/* Offload threads: take requests from a queue, have them carried out, keep
 * account of the time they took.
 *
 * Whoever queues a request starts the threads; the loop runs in each of
 * them.  Work is bounded by real time, not by the clock that tests stop. */

#include <config.h>

#include "flow/offload-thread.h"


#include "core/clock.h"
#include "core/counter.h"
#include "id-fpool.h"
#include "netdev-offload.h"
#include "openvswitch/match.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "timeval.h"
#include "util.h"

#define SLEEP_MIN_MS 1
#define SLEEP_MAX_MS 64
#define QUIESCE_INTERVAL_MS 10
#define EMA_PERIODS 100

/* Set once.  Stored with release by the thread that started the others, loaded
 * with acquire in ef_offload_threads_get(). */
static ATOMIC(struct ef_offload_threads *) all_threads = NULL;

static void *offload_main(void *thread);

const struct ef_offload_threads *
ef_offload_threads_get(void)
{
    struct ef_offload_threads *all;

    /* Pairs with the store in ef_offload_threads_start(). */
    atomic_read_explicit(&all_threads, &all, memory_order_acquire);
    return all;
}

static struct ef_offload_thread *
start_thread(struct id_fpool *pool, unsigned id)
{
    struct ef_offload_thread *thread = xzalloc_cacheline(sizeof *thread);

    mpsc_queue_init(&thread->queue);
    atomic_init(&thread->n_queued, 0);
    ef_mark_table_init(&thread->marks, pool, id);
    mov_avg_cma_init(&thread->cma);
    mov_avg_ema_init(&thread->ema, EMA_PERIODS);
    atomic_init(&thread->cma_mean_us, 0);
    atomic_init(&thread->cma_stddev_us, 0);
    atomic_init(&thread->ema_mean_us, 0);
    atomic_init(&thread->ema_stddev_us, 0);

    /* netdev-offload knows its threads by this name. */
    ovs_thread_create("hw_offload", offload_main, thread);
    return thread;
}

const struct ef_offload_threads *
ef_offload_threads_start(void)
{
    static struct ovsthread_once once = OVSTHREAD_ONCE_INITIALIZER;

    if (ovsthread_once_start(&once)) {
        struct ef_offload_threads *all = xmalloc(sizeof *all);
        struct id_fpool *pool;

        all->n = netdev_offload_thread_nb();
        all->threads = xcalloc(all->n, sizeof *all->threads);
        pool = id_fpool_create(all->n, EF_MARK_NONE + 1, EF_MARK_MAX);
        for (unsigned i = 0; i < all->n; i++) {
            all->threads[i] = start_thread(pool, i);
        }

        /* Pairs with the load in ef_offload_threads_get(). */
        atomic_store_explicit(&all_threads, all, memory_order_release);
        ovsthread_once_done(&once);
    }
    return ef_offload_threads_get();
}

void
ef_offload_enqueue(struct ef_offload_thread *thread,
                   struct ef_offload_request *request)
{
    /* Counted first, so that the thread never counts below zero. */
    atomic_count_inc64(&thread->n_queued);
    mpsc_queue_insert(&thread->queue, &request->node);
}

static void
request_free(struct ef_offload_request *request)
{
    free(request->match);
    free(request->actions);
    free(request);
}

/* Providers may go on looking at match and actions until the thread is
 * quiescent. */
static void
request_done(struct ef_offload_request *request)
{
    if (request->flow) {
        ef_flow_unref(request->flow);
    }
    ovsrcu_postpone(request_free, request);
}

static void
account_latency(struct ef_offload_thread *thread, long long latency_us)
{
    mov_avg_cma_update(&thread->cma, latency_us);
    mov_avg_ema_update(&thread->ema, latency_us);

    ef_counter_set(&thread->cma_mean_us, mov_avg_cma(&thread->cma));
    ef_counter_set(&thread->cma_stddev_us, mov_avg_cma_std_dev(&thread->cma));
    ef_counter_set(&thread->ema_mean_us, mov_avg_ema(&thread->ema));
    ef_counter_set(&thread->ema_stddev_us, mov_avg_ema_std_dev(&thread->ema));
}

/* Sleeps, longer and longer, until there is a request.  xnanosleep() is
 * quiescent. */
static void
wait_for_request(struct ef_offload_thread *thread)
    OVS_REQUIRES(thread->queue.read_lock)
{
    unsigned sleep_ms = SLEEP_MIN_MS;

    while (!mpsc_queue_tail(&thread->queue)) {
        xnanosleep(sleep_ms * 1000ULL * 1000);
        sleep_ms = MIN(sleep_ms * 2, SLEEP_MAX_MS);
    }
}

static void
work(struct ef_offload_thread *thread)
    OVS_REQUIRES(thread->queue.read_lock)
{
    long long quiesce_ms = ef_clock_ms() + QUIESCE_INTERVAL_MS;
    struct mpsc_queue_node *node;

    MPSC_QUEUE_FOR_EACH_POP (node, &thread->queue) {
        struct ef_offload_request *request
            = CONTAINER_OF(node, struct ef_offload_request, node);

        atomic_count_dec64(&thread->n_queued);
        ef_offload_apply(request, &thread->marks);
        account_latency(thread, time_usec() - request->queued_us);
        request_done(request);

        if (ef_clock_ms() >= quiesce_ms) {
            ovsrcu_quiesce();
            quiesce_ms = ef_clock_ms() + QUIESCE_INTERVAL_MS;
        }
    }
}

static void *
offload_main(void *thread_)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    struct ef_offload_thread *thread = thread_;

    mpsc_queue_acquire(&thread->queue);
    for (;;) {
        wait_for_request(thread);
        work(thread);
    }
    OVS_NOT_REACHED();
}
