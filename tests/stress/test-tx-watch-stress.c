/* SPDX-License-Identifier: Apache-2.0 */

/* A sender and a thread that is idle share a queue under its lock, a third
 * returns buffers, a fourth reads figures: what is read is always possible,
 * and all buffers go home. */

#include <config.h>

#include "dpdk/tx-watch.h"

#include <rte_mbuf.h>

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
static struct ef_tx_watch *watch;

/* What of DPDK's orders threads, ThreadSanitizer does not know: so this is
 * also held where buffers enter and leave the pool. */
static struct ovs_mutex lock = OVS_MUTEX_INITIALIZER;

/* The driver's ring, under 'lock'. */
static struct rte_mbuf *ring[RING];
static unsigned head, tail;
static atomic_bool stop;

static bool
is_over(void)
{
    bool over;

    atomic_read_relaxed(&stop, &over);
    return over;
}

static unsigned
driver_send(struct rte_mbuf **mbufs, unsigned n)
{
    unsigned i;

    for (i = 0; i < n && tail - head < RING; i++) {
        ring[tail++ % RING] = mbufs[i];
    }
    return i;
}

static void *
sender(void *aux OVS_UNUSED)
{
    struct rte_mbuf *mbufs[BURST];

    while (!is_over()) {
        ovs_mutex_lock(&lock);
        if (!rte_pktmbuf_alloc_bulk(pool, mbufs, BURST)) {
            int marked = ef_tx_watch_mark(watch, mbufs, BURST);
            unsigned n_sent = driver_send(mbufs, BURST);

            ef_tx_watch_sent(watch, marked, n_sent);
            rte_pktmbuf_free_bulk(&mbufs[n_sent], BURST - n_sent);
        }
        ovs_mutex_unlock(&lock);
        sched_yield();
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

/* A marked buffer is returned without the lock. */
static void *
device(void *aux OVS_UNUSED)
{
    while (!is_over()) {
        struct rte_mbuf *marked = NULL;

        ovs_mutex_lock(&lock);
        /* Slower than the sender, so that the ring is full at times. */
        for (int i = 0; i < BURST / 2 && head != tail && !marked; i++) {
            struct rte_mbuf *mbuf = ring[head++ % RING];

            if (rte_mbuf_refcnt_read(mbuf) > 1) {
                marked = mbuf;
            } else {
                rte_pktmbuf_free_seg(mbuf);
            }
        }
        ovs_mutex_unlock(&lock);
        if (marked) {
            rte_mbuf_refcnt_update(marked, -1);
        }
        sched_yield();
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
    uint64_t n_sent = 0;
    bool on = true;

    EF_REQUIRE(fx_start());
    pool = fx_pool(N_BUFFERS, 64);
    watch = ef_tx_watch_create(PORT_ID, 0, RING, 0);
    EF_REQUIRE(pool && watch);
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
    while (head != tail) {
        rte_pktmbuf_free_seg(ring[head++ % RING]);
    }
    ef_tx_watch_destroy(watch);
    EF_CHECK_EQ(rte_mempool_in_use_count(pool), 0u);
}
