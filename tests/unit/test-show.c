/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of show/: the lines that commands print for known numbers.  What
 * upstream prints in a running switch is in tests/golden. */

#include <config.h>

#include "show/pmd-stats-show.h"

#include "ef-test.h"
#include "netdev-provider.h"
#include "openvswitch/dynamic-string.h"
#include "output/bond.h"
#include "ovs-numa.h"
#include "pmd/pmd.h"
#include "show/bond-show.h"
#include "show/pmd-perf-show.h"
#include "show/pmd-rxq-show.h"

static struct ef_pmd *
create_pmd(unsigned core_id, int numa_id)
{
    struct ef_pmd *pmd = xzalloc(sizeof *pmd);

    pmd->core_id = core_id;
    pmd->numa_id = numa_id;
    ovs_mutex_init(&pmd->reload.mutex);
    pmd_perf_stats_init(&pmd->perf);
    ef_pmd_load_init(&pmd->load, 0);
    return pmd;
}

static void
destroy_pmd(struct ef_pmd *pmd)
{
    ovs_mutex_destroy(&pmd->reload.mutex);
    free(pmd);
}

static void
check_stats(struct ef_pmd *pmd, const char *expected)
{
    struct ds ds = DS_EMPTY_INITIALIZER;

    ef_show_pmd_stats(&ds, pmd);
    EF_CHECK_STR_EQ(ds_cstr(&ds), expected);
    ds_destroy(&ds);
}

#define NO_PACKETS                                      \
    "  packets received: 0\n"                           \
    "  packet recirculations: 0\n"                      \
    "  avg. datapath passes per packet: 0.00\n"         \
    "  phwol hits: 0\n"                                 \
    "  mfex opt hits: 0\n"                              \
    "  simple match hits: 0\n"                          \
    "  emc hits: 0\n"                                   \
    "  smc hits: 0\n"                                   \
    "  megaflow hits: 0\n"                              \
    "  avg. subtable lookups per megaflow hit: 0.00\n"  \
    "  miss with success upcall: 0\n"                   \
    "  miss with failed upcall: 0\n"                    \
    "  avg. packets per output batch: 0.00\n"

EF_TEST(stats_of_nothing)
{
    struct ef_pmd *pmd = create_pmd(3, 1);
    struct ef_pmd *main_pmd = create_pmd(EF_NON_PMD_CORE, OVS_NUMA_UNSPEC);

    check_stats(pmd, "pmd thread numa_id 1 core_id 3:\n" NO_PACKETS);
    check_stats(main_pmd, "main thread:\n" NO_PACKETS);

    pmd_perf_update_counter(&pmd->perf, PMD_CYCLES_ITER_IDLE, 300);
    pmd_perf_update_counter(&pmd->perf, PMD_CYCLES_ITER_BUSY, 100);
    check_stats(pmd, "pmd thread numa_id 1 core_id 3:\n" NO_PACKETS
                "  idle cycles: 300 (75.00%)\n"
                "  processing cycles: 100 (25.00%)\n");
    destroy_pmd(pmd);
    destroy_pmd(main_pmd);
}

EF_TEST(stats_of_packets)
{
    static const int counters[PMD_N_STATS] = {
        [PMD_STAT_RECV] = 40, [PMD_STAT_RECIRC] = 10,
        [PMD_STAT_PHWOL_HIT] = 1, [PMD_STAT_MFEX_OPT_HIT] = 2,
        [PMD_STAT_SIMPLE_HIT] = 3, [PMD_STAT_EXACT_HIT] = 4,
        [PMD_STAT_SMC_HIT] = 5, [PMD_STAT_MASKED_HIT] = 6,
        [PMD_STAT_MASKED_LOOKUP] = 9, [PMD_STAT_MISS] = 7,
        [PMD_STAT_LOST] = 8, [PMD_STAT_SENT_PKTS] = 30,
        [PMD_STAT_SENT_BATCHES] = 4, [PMD_CYCLES_ITER_IDLE] = 0,
        [PMD_CYCLES_ITER_BUSY] = 1000,
    };
    struct ef_pmd *pmd = create_pmd(0, 0);

    for (int i = 0; i < PMD_N_STATS; i++) {
        pmd_perf_update_counter(&pmd->perf, i, counters[i]);
    }
    check_stats(pmd,
                "pmd thread numa_id 0 core_id 0:\n"
                "  packets received: 40\n"
                "  packet recirculations: 10\n"
                "  avg. datapath passes per packet: 1.25\n"
                "  phwol hits: 1\n"
                "  mfex opt hits: 2\n"
                "  simple match hits: 3\n"
                "  emc hits: 4\n"
                "  smc hits: 5\n"
                "  megaflow hits: 6\n"
                "  avg. subtable lookups per megaflow hit: 1.50\n"
                "  miss with success upcall: 7\n"
                "  miss with failed upcall: 8\n"
                "  avg. packets per output batch: 7.50\n"
                "  idle cycles: 0 (0.00%)\n"
                "  processing cycles: 1000 (100.00%)\n"
                "  avg cycles per packet: 25.00 (1000/40)\n"
                "  avg processing cycles per packet: 25.00 (1000/40)\n");
    destroy_pmd(pmd);
}

/* Rx queues. */

static bool
odd_rxq_enabled(struct netdev_rxq *rx)
{
    return !(rx->queue_id % 2);
}

static const struct netdev_class odd_class = {
    .type = "odd",
    .rxq_enabled = odd_rxq_enabled,
};
static struct netdev p1 = {
    .name = "p1", .netdev_class = &odd_class, .ref_cnt = 1
};
static struct netdev long_name = {
    .name = "a-rather-long-name", .netdev_class = &odd_class, .ref_cnt = 1
};

#define N_RXQS 4

struct rxq_fixture {
    struct ef_pmd *pmd;
    struct netdev_rxq rx[N_RXQS];
    struct ef_rxq rxqs[N_RXQS];
    struct ef_rxq *list[N_RXQS];
};

static struct rxq_fixture *
create_rxqs(void)
{
    struct rxq_fixture *f = xzalloc(sizeof *f);

    f->pmd = create_pmd(7, 0);
    f->rx[0] = (struct netdev_rxq) { .netdev = &p1, .queue_id = 10 };
    f->rx[1] = (struct netdev_rxq) { .netdev = &p1, .queue_id = 2 };
    f->rx[2] = (struct netdev_rxq) { .netdev = &long_name, .queue_id = 1 };
    f->rx[3] = (struct netdev_rxq) { .netdev = &p1, .queue_id = 0 };
    for (int i = 0; i < N_RXQS; i++) {
        f->rxqs[i].rx = &f->rx[i];
        ef_load_reset(&f->rxqs[i].load);
        f->list[i] = &f->rxqs[i];
    }
    ovs_mutex_lock(&f->pmd->reload.mutex);
    f->pmd->reload.rxqs = f->list;
    f->pmd->reload.n_rxqs = N_RXQS;
    ovs_mutex_unlock(&f->pmd->reload.mutex);
    return f;
}

static void
destroy_rxqs(struct rxq_fixture *f)
{
    destroy_pmd(f->pmd);
    free(f);
}

static void
check_rxqs(struct ef_pmd *pmd, unsigned n_intervals, const char *expected)
{
    struct ds ds = DS_EMPTY_INITIALIZER;

    ef_show_pmd_rxqs(&ds, pmd, n_intervals);
    EF_CHECK_STR_EQ(ds_cstr(&ds), expected);
    ds_destroy(&ds);
}

EF_TEST(rxqs_not_measured)
{
    struct rxq_fixture *f = create_rxqs();

    f->pmd->isolated = true;
    check_rxqs(f->pmd, 12,
        "pmd thread numa_id 0 core_id 7:\n"
        "  isolated : true\n"
        "  port: a-rather-long-name  queue-id:  1 (disabled)  "
        "pmd usage: NOT AVAIL\n"
        "  port: p1                queue-id:  0 (enabled)   "
        "pmd usage: NOT AVAIL\n"
        "  port: p1                queue-id:  2 (enabled)   "
        "pmd usage: NOT AVAIL\n"
        "  port: p1                queue-id: 10 (enabled)   "
        "pmd usage: NOT AVAIL\n"
        "  overhead: NOT AVAIL\n");
    destroy_rxqs(f);
}

EF_TEST(rxqs_measured)
{
    struct rxq_fixture *f = create_rxqs();

    /* Of 2 * 1000 cycles, 1300 busy: 1000, 100 and 60 in queues. */
    atomic_store_relaxed(&f->pmd->load.interval_cycles, 1000);
    ef_load_store(&f->pmd->load.busy_load, 999999);
    ef_load_store(&f->pmd->load.busy_load, 900);
    ef_load_store(&f->pmd->load.busy_load, 400);
    ef_load_store(&f->rxqs[0].load, 999999);
    ef_load_store(&f->rxqs[0].load, 800);
    ef_load_store(&f->rxqs[0].load, 200);
    ef_load_store(&f->rxqs[1].load, 100);
    ef_load_store(&f->rxqs[3].load, 60);
    check_rxqs(f->pmd, 2,
        "pmd thread numa_id 0 core_id 7:\n"
        "  isolated : false\n"
        "  port: a-rather-long-name  queue-id:  1 (disabled)  "
        "pmd usage:  0 %\n"
        "  port: p1                queue-id:  0 (enabled)   "
        "pmd usage:  3 %\n"
        "  port: p1                queue-id:  2 (enabled)   "
        "pmd usage:  5 %\n"
        "  port: p1                queue-id: 10 (enabled)   "
        "pmd usage: 50 %\n"
        "  overhead:  7 %\n");
    destroy_rxqs(f);
}

/* Queues that cost more than the PMD noticed leave no overhead, and the PMD
 * is never busier than all the time. */
EF_TEST(rxqs_overhead_limits)
{
    struct rxq_fixture *f = create_rxqs();
    struct ds ds = DS_EMPTY_INITIALIZER;

    atomic_store_relaxed(&f->pmd->load.interval_cycles, 1000);
    ef_load_store(&f->pmd->load.busy_load, 10);
    ef_load_store(&f->rxqs[0].load, 500);
    ef_show_pmd_rxqs(&ds, f->pmd, 1);
    EF_CHECK(strstr(ds_cstr(&ds), "  overhead:  0 %\n"));

    ds_clear(&ds);
    ef_load_store(&f->pmd->load.busy_load, 5000);
    ef_load_store(&f->rxqs[0].load, 500);
    ef_show_pmd_rxqs(&ds, f->pmd, 1);
    EF_CHECK(strstr(ds_cstr(&ds), "  overhead: 50 %\n"));
    ds_destroy(&ds);
    destroy_rxqs(f);
}

EF_TEST(rxqs_of_nobody)
{
    struct ef_pmd *pmd = create_pmd(1, 0);
    struct ef_pmd *main_pmd = create_pmd(EF_NON_PMD_CORE, OVS_NUMA_UNSPEC);

    check_rxqs(pmd, 12, "pmd thread numa_id 0 core_id 1:\n"
               "  isolated : false\n");
    check_rxqs(main_pmd, 12, "");
    destroy_pmd(pmd);
    destroy_pmd(main_pmd);
}

/* A queue that is not in its PMD's list. */
EF_TEST_MUST_FAIL(rxqs_left_out)
{
    struct rxq_fixture *f = create_rxqs();
    struct ds ds = DS_EMPTY_INITIALIZER;

    ovs_mutex_lock(&f->pmd->reload.mutex);
    f->pmd->reload.n_rxqs--;
    ovs_mutex_unlock(&f->pmd->reload.mutex);
    ef_show_pmd_rxqs(&ds, f->pmd, 1);
    EF_CHECK(strstr(ds_cstr(&ds), "queue-id:  0"));
    ds_destroy(&ds);
    destroy_rxqs(f);
}

EF_TEST(perf_of_the_main_thread)
{
    struct ef_pmd *pmd = create_pmd(EF_NON_PMD_CORE, OVS_NUMA_UNSPEC);
    struct pmd_perf_params params = { .histograms = true };
    struct ds ds = DS_EMPTY_INITIALIZER;

    ef_show_pmd_perf(&ds, pmd, &params);
    EF_CHECK_EQ(ds.length, 0);
    ds_destroy(&ds);
    destroy_pmd(pmd);
}

EF_TEST(bonds)
{
    odp_port_t members[EF_BOND_BUCKETS];
    struct ef_bond_table table;
    struct ds ds = DS_EMPTY_INITIALIZER;
    const char *last;
    static const char first[] = "Bonds:\n"
        "  bond-id 7:\n"
        "    bucket 0 - member 1\n"
        "    bucket 1 - member 2\n";

    ef_bond_table_init(&table);
    ef_show_bonds(&ds, &table);
    EF_CHECK_EQ(ds.length, 0);

    for (int i = 0; i < EF_BOND_BUCKETS; i++) {
        members[i] = u32_to_odp(i % 3 + 1);
    }
    for (uint32_t id = 9; id > 6; id--) {
        ef_bond_put(&table, id, members);
    }
    ef_show_bonds(&ds, &table);
    EF_CHECK(!strncmp(ds_cstr(&ds), first, strlen(first)));
    last = strstr(ds_cstr(&ds), "    bucket 255 - member 1\n  bond-id 8:\n");
    EF_CHECK(last && strstr(last, "  bond-id 9:\n"));
    ds_destroy(&ds);

    for (uint32_t id = 7; id < 10; id++) {
        ef_bond_del(&table, id);
    }
    ef_bond_table_destroy(&table);
}
