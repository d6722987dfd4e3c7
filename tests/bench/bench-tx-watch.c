/* SPDX-License-Identifier: Apache-2.0 */
/* Micro benchmark: what it costs to watch sent packets, in cycles of the time
 * stamp counter per burst of 32.
 *
 *     bench-tx-watch [on|off] [ROUNDS]
 *
 * Packets are allocated and go to DPDK's null device, which frees them.
 * Without arguments, rounds with and without take turns; the least and the
 * median of each are printed.  With one, only that is run, for counting
 * instructions:
 *
 *     valgrind --tool=callgrind bench-tx-watch on 100 */

#include <config.h>

#include "dpdk/tx-watch.h"

#include <stdio.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>

#include "dpdk-fixture.h"
#include "util.h"

#define BURST 32
#define RING 2048
#define BURSTS_PER_ROUND 2000
#define N_ROUNDS 400

struct bench {
    struct rte_mempool *pool;
    struct ef_tx_watch *watch;
    uint16_t port_id;
};

static void
start(struct bench *bench)
{
    char *argv[] = { "bench", "--no-huge", "--no-pci", "--no-telemetry", "-m",
                     "64", "--no-shconf", "--lcores", "0",
                     "--force-max-simd-bitwidth=256",
                     "--log-level", "*:error", NULL };
    struct rte_eth_conf conf;

    memset(&conf, 0, sizeof conf);
    ovs_assert(rte_eal_init(ARRAY_SIZE(argv) - 1, argv) >= 0);
    bench->pool = rte_pktmbuf_pool_create("bench", 8191, 256, 0, 256,
                                          SOCKET_ID_ANY);
    ovs_assert(bench->pool
               && !rte_eal_hotplug_add("vdev", "net_null0", "")
               && !rte_eth_dev_get_port_by_name("net_null0", &bench->port_id)
               && !rte_eth_dev_configure(bench->port_id, 1, 1, &conf)
               && !rte_eth_rx_queue_setup(bench->port_id, 0, 64, 0, NULL,
                                          bench->pool)
               && !rte_eth_tx_queue_setup(bench->port_id, 0, RING, 0, NULL)
               && !rte_eth_dev_start(bench->port_id));
    bench->watch = ef_tx_watch_create(bench->port_id, 0, RING, 0);
    ovs_assert(bench->watch);
}

static void
send_burst(struct bench *bench)
{
    struct rte_mbuf *mbufs[BURST];
    size_t n_sent;
    int marked;

    ovs_assert(!rte_pktmbuf_alloc_bulk(bench->pool, mbufs, BURST));
    marked = ef_tx_watch_mark(bench->watch, mbufs, BURST);
    n_sent = rte_eth_tx_burst(bench->port_id, 0, mbufs, BURST);
    ef_tx_watch_sent(bench->watch, marked, n_sent);
}

/* Returns cycles per burst. */
static double
round_of(struct bench *bench, bool on)
{
    uint64_t start_tsc;

    ef_tx_watch_enable(on);
    start_tsc = rte_rdtsc();
    for (int i = 0; i < BURSTS_PER_ROUND; i++) {
        send_burst(bench);
    }
    return (double) (rte_rdtsc() - start_tsc) / BURSTS_PER_ROUND;
}

static int
compare(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return *a < *b ? -1 : *a > *b;
}

int
main(int argc, char *argv[])
{
    static double cycles[2][N_ROUNDS];
    struct bench bench;

    start(&bench);
    if (argc > 1) {
        int n = argc > 2 ? atoi(argv[2]) : N_ROUNDS;

        for (int i = 0; i < n; i++) {
            round_of(&bench, !strcmp(argv[1], "on"));
        }
        printf("%d bursts\n", n * BURSTS_PER_ROUND);
        return 0;
    }
    for (int i = 0; i < N_ROUNDS; i++) {
        for (int on = 0; on < 2; on++) {
            cycles[on][i] = round_of(&bench, on);
        }
    }
    for (int on = 0; on < 2; on++) {
        qsort(cycles[on], N_ROUNDS, sizeof cycles[on][0], compare);
        printf("%-3s  %6.1f least  %6.1f median cycles per burst of %d\n",
               on ? "on" : "off", cycles[on][0], cycles[on][N_ROUNDS / 2],
               BURST);
    }
    return 0;
}
