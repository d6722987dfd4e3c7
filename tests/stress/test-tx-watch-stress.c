/* SPDX-License-Identifier: Apache-2.0 */

/* A sender and a thread that is idle share a queue under its lock, a third
 * returns buffers, a fourth reads figures: what is read is always possible,
 * and all buffers go home. */

#include <config.h>

#include "dpdk/tx-watch.h"

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "dpdk-fixture.h"
#include "ef-test.h"
#include "ovs-thread.h"
#include "timeval.h"

#define N_BUFFERS 4095
#define RING 1024
#define BURST 32
/* Not a port: the driver tells nothing. */
#define PORT_ID (RTE_MAX_ETHPORTS - 1)

static struct rte_mempool *pool;
static struct rte_ring *ring;   /* Of the driver. */
static struct ef_tx_watch *watch;
/* ThreadSanitizer does not know DPDK's. */
static struct ovs_mutex lock = OVS_MUTEX_INITIALIZER;
static atomic_bool stop;

static bool
is_over(void)
{
    bool over;

    atomic_read_relaxed(&stop, &over);
    return over;
}

static void *
sender(void *aux OVS_UNUSED)
{
    struct rte_mbuf *mbufs[BURST];

    while (!is_over()) {
        unsigned n_sent;
        int marked;

        if (rte_pktmbuf_alloc_bulk(pool, mbufs, BURST)) {
            sched_yield();
            continue;
        }
        ovs_mutex_lock(&lock);
        marked = ef_tx_watch_mark(watch, mbufs, BURST);
        n_sent = rte_ring_enqueue_burst(ring, (void **) mbufs, BURST, NULL);
        ef_tx_watch_sent(watch, marked, n_sent);
        ovs_mutex_unlock(&lock);
        rte_pktmbuf_free_bulk(&mbufs[n_sent], BURST - n_sent);
    }
    return NULL;
}

static void *
idler(void *aux OVS_UNUSED)
{
    while (!is_over()) {
        if (!ovs_mutex_trylock(&lock)) {
            ef_tx_watch_idle(watch);
            ovs_mutex_unlock(&lock);
        }
        xnanosleep(700 * 1000);
    }
    return NULL;
}

static void *
device(void *aux OVS_UNUSED)
{
    struct rte_mbuf *mbuf;

    while (!is_over()) {
        if (!rte_ring_dequeue(ring, (void **) &mbuf)) {
            rte_pktmbuf_free_seg(mbuf);
        } else {
            sched_yield();
        }
    }
    return NULL;
}

static void
check_stats(uint64_t *n_sent)
{
    struct ef_tx_watch_stats stats;

    ef_tx_watch_get(watch, &stats);
    EF_CHECK(stats.n_sent >= *n_sent);
    EF_CHECK(stats.n_completed <= stats.n_sent);
    EF_CHECK(stats.in_flight == EF_TX_UNKNOWN || stats.in_flight >= 0);
    EF_CHECK(stats.oldest_us < 100000000);
    EF_CHECK(stats.max_burst <= BURST);
    *n_sent = stats.n_sent;
}

EF_TEST(readers_and_senders)
{
    long long ms = ef_test_seconds(2) * 1000LL;
    pthread_t threads[3];
    struct rte_mbuf *mbuf;
    uint64_t n_sent = 0;
    bool on = true;

    EF_REQUIRE(fx_start());
    pool = fx_pool(N_BUFFERS, 64);
    ring = rte_ring_create("device", RING, 0, 0);
    watch = ef_tx_watch_create(PORT_ID, 0, RING, 0);
    EF_REQUIRE(pool && ring && watch);
    threads[0] = ovs_thread_create("sender", sender, NULL);
    threads[1] = ovs_thread_create("idler", idler, NULL);
    threads[2] = ovs_thread_create("device", device, NULL);
    for (long long end = time_msec() + ms; time_msec() < end; ) {
        for (int i = 0; i < 1000; i++) {
            check_stats(&n_sent);
        }
        on = !on;
        ef_tx_watch_enable(on);
        xnanosleep(1000 * 1000);
    }
    atomic_store_relaxed(&stop, true);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
        xpthread_join(threads[i], NULL);
    }
    EF_CHECK(n_sent > 0);
    while (!rte_ring_dequeue(ring, (void **) &mbuf)) {
        rte_pktmbuf_free_seg(mbuf);
    }
    ef_tx_watch_destroy(watch);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0u);
    rte_ring_free(ring);
}
