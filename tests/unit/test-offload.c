/* SPDX-License-Identifier: Apache-2.0 */

/* Offload requests, marks and statistics, with a provider that counts and
 * fails when it is told to. */

#include <config.h>

#include "flow/offload.h"

#include "ef-test.h"
#include "fake-netdev.h"
#include "flow/offload-thread.h"
#include "netdev-offload-provider.h"
#include "netdev-offload.h"
#include "odp-util.h"
#include "openvswitch/match.h"
#include "openvswitch/vlog.h"
#include "ovs-rcu.h"
#include "smap.h"
#include "timeval.h"

#define N_THREADS 2
#define PORT_NO 7

static const char type_name[] = "ef-test";
static struct ovs_rwlock port_lock = OVS_RWLOCK_INITIALIZER;
static struct ef_offload offload = {
    .port_lock = &port_lock, .dpif_type = type_name,
};

/* The provider: what it counted, what it should do. */
static atomic_count n_puts, n_dels, n_flushes;
static atomic_count last_mark;
static atomic_int put_error;
static atomic_uint put_ms;

static int
hw_put(struct netdev *netdev OVS_UNUSED, struct match *match OVS_UNUSED,
       struct nlattr *actions OVS_UNUSED, size_t actions_len OVS_UNUSED,
       const ovs_u128 *ufid OVS_UNUSED, struct offload_info *info,
       struct dpif_flow_stats *stats OVS_UNUSED)
{
    unsigned ms;
    int error;

    atomic_read(&put_error, &error);
    atomic_read(&put_ms, &ms);
    if (ms) {
        xnanosleep_no_quiesce(ms * 1000ULL * 1000);
    }
    atomic_count_inc(&n_puts);
    atomic_count_set(&last_mark, info->flow_mark);
    return error;
}

static int
hw_del(struct netdev *netdev OVS_UNUSED, const ovs_u128 *ufid OVS_UNUSED,
       struct dpif_flow_stats *stats OVS_UNUSED)
{
    atomic_count_inc(&n_dels);
    return 0;
}

static int
hw_get(struct netdev *netdev OVS_UNUSED, struct match *match OVS_UNUSED,
       struct nlattr **actions OVS_UNUSED, const ovs_u128 *ufid OVS_UNUSED,
       struct dpif_flow_stats *stats, struct dpif_flow_attrs *attrs,
       struct ofpbuf *buf OVS_UNUSED)
{
    *stats = (struct dpif_flow_stats) {
        .n_packets = 100, .n_bytes = 6400, .used = 12345, .tcp_flags = 0x10,
    };
    attrs->offloaded = true;
    attrs->dp_layer = "ef-hw";
    return 0;
}

static int
hw_flush(struct netdev *netdev OVS_UNUSED)
{
    atomic_count_inc(&n_flushes);
    return 0;
}

static int
hw_init(struct netdev *netdev)
{
    return strcmp(netdev_get_type(netdev), "ef-fake") ? EOPNOTSUPP : 0;
}

static const struct netdev_flow_api hw_api = {
    .type = "ef-test-hw",
    .flow_put = hw_put,
    .flow_del = hw_del,
    .flow_get = hw_get,
    .flow_flush = hw_flush,
    .init_flow_api = hw_init,
};

static struct netdev *
setup(void)
{
    static struct netdev *netdev;

    if (!netdev) {
        struct smap config = SMAP_INITIALIZER(&config);
        struct dpif_port port = {
            .name = CONST_CAST(char *, "f7"),
            .type = CONST_CAST(char *, "ef-fake"),
            .port_no = u32_to_odp(PORT_NO),
        };

        vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
        fake_register();
        netdev_register_flow_api_provider(&hw_api);
        smap_add(&config, "hw-offload", "true");
        smap_add(&config, "n-offload-threads", OVS_STRINGIZE(N_THREADS));
        netdev_set_flow_api_enabled(&config);
        smap_destroy(&config);

        ovs_assert(!netdev_open("f7", "ef-fake", &netdev));
        netdev_set_dpif_type(netdev, type_name);
        ovs_assert(!netdev_ports_insert(netdev, &port));
    }
    atomic_count_set(&n_puts, 0);
    atomic_count_set(&n_dels, 0);
    atomic_count_set(&n_flushes, 0);
    atomic_store(&put_error, 0);
    atomic_store(&put_ms, 0);
    return netdev;
}

static void
match_dst(struct match *match, uint32_t nw_dst)
{
    match_init_catchall(match);
    match_set_in_port(match, u16_to_ofp(0));
    match->flow.in_port.odp_port = u32_to_odp(PORT_NO);
    match->wc.masks.in_port.odp_port = ODPP_NONE;
    match_set_dl_type(match, htons(0x0800));
    match_set_nw_dst(match, htonl(nw_dst));
}

/* A flow of PMD 'core_id', as its table would have it. */
static struct ef_flow *
flow_new(uint32_t nw_dst, unsigned core_id)
{
    ovs_u128 ufid = { .u32 = { nw_dst, core_id } };
    struct match match;
    struct ef_key mask;

    match_dst(&match, nw_dst);
    ef_key_from_mask(&mask, &match);
    return ef_flow_create(&match, &mask, &ufid, NULL, 0, ODPP_NONE, core_id);
}

static void
put(struct ef_flow *flow, bool modify)
{
    uint32_t actions[2] = { 8 | OVS_ACTION_ATTR_OUTPUT << 16, 3 };
    struct match match;

    match_dst(&match, ntohl(flow->flow.nw_dst));
    ef_offload_flow_put(&offload, flow, &match, (void *) actions,
                        sizeof actions, modify, time_usec());
}

static void
del(struct ef_flow *flow)
{
    ef_offload_flow_del(&offload, flow, time_usec());
    atomic_store_relaxed(&flow->dead, true);
    ef_flow_unref(flow);
}

EF_TEST(nothing_happens_while_off)
{
    struct ef_flow *flow = flow_new(1, 0);
    struct dpif_flow_attrs attrs;
    struct dpif_flow_stats stats;

    if (netdev_is_flow_api_enabled()) {
        EF_TEST_SKIP("the flow API cannot be turned off");
    }
    put(flow, false);
    EF_CHECK_EQ(ovs_refcount_read(&flow->ref_cnt), 1);
    EF_CHECK(!ef_offload_threads_get());
    EF_CHECK(!ef_offload_find_mark(1, 0));
    ef_offload_drain(&offload);
    ef_flow_account(flow, 2, 120, 1, 1000);
    ef_offload_flow_status(&offload, flow, &stats, &attrs);
    EF_CHECK_EQ(stats.n_packets, 2);
    EF_CHECK_EQ(stats.n_bytes, 120);
    EF_CHECK(!attrs.offloaded);
    EF_CHECK_STR_EQ(attrs.dp_layer, "ovs");
    del(flow);
}

EF_TEST(statistics_before_the_first_request)
{
    static const char *const want[] = {
        "  Total                 Enqueued offloads",
        "  Total                 Inserted offloads",
        "  Total   Cumulative Average latency (us)",
        "  Total    Cumulative Latency stddev (us)",
        "  Total  Exponential Average latency (us)",
        "  Total   Exponential Latency stddev (us)",
        "  [  0]                 Enqueued offloads",
    };
    uint64_t n_flows[N_THREADS] = { 30, 4 };
    struct netdev_custom_stats stats;

    setup();
    ef_offload_format_stats(n_flows, &stats);
    EF_CHECK_EQ(stats.size, 6 * (1 + N_THREADS));
    for (int i = 0; i < ARRAY_SIZE(want); i++) {
        EF_CHECK_STR_EQ(stats.counters[i].name, want[i]);
    }
    EF_CHECK_STR_EQ(stats.counters[17].name,
                    "  [  1]   Exponential Latency stddev (us)");
    EF_CHECK_EQ(stats.counters[1].value, 34);
    EF_CHECK_EQ(stats.counters[7].value, 30);
    EF_CHECK_EQ(stats.counters[13].value, 4);
    free(stats.counters);
}

EF_TEST(flows_of_two_pmds_share_a_mark)
{
    struct ef_flow *a, *b;
    uint32_t mark;

    setup();
    a = flow_new(10, 0);
    b = flow_new(10, 1);
    put(a, false);
    put(b, false);
    ef_offload_drain(&offload);
    mark = ef_flow_mark(a);
    EF_CHECK(mark != EF_MARK_NONE);
    EF_CHECK_EQ(ef_flow_mark(b), mark);
    EF_CHECK_EQ(atomic_count_get(&last_mark), mark);
    EF_CHECK_EQ(atomic_count_get(&n_puts), 1);
    EF_CHECK(ef_offload_find_mark(mark, 0) == a);
    EF_CHECK(ef_offload_find_mark(mark, 1) == b);
    EF_CHECK(!ef_offload_find_mark(mark, 2));
    EF_CHECK(!ef_offload_find_mark(mark + 1, 0));

    /* Hardware keeps the megaflow until its last flow goes. */
    del(a);
    EF_CHECK(!ef_offload_find_mark(mark, 0));
    ef_offload_drain(&offload);
    EF_CHECK_EQ(atomic_count_get(&n_dels), 0);
    EF_CHECK(ef_offload_find_mark(mark, 1) == b);
    del(b);
    ef_offload_drain(&offload);
    EF_CHECK_EQ(atomic_count_get(&n_dels), 1);
    EF_CHECK(!ef_offload_find_mark(mark, 1));
}

EF_TEST_MUST_FAIL(two_megaflows_share_a_mark)
{
    struct ef_flow *a, *b;

    setup();
    a = flow_new(20, 0);
    b = flow_new(21, 0);
    put(a, false);
    put(b, false);
    ef_offload_drain(&offload);
    EF_CHECK_EQ(ef_flow_mark(a), ef_flow_mark(b));
    del(a);
    del(b);
    ef_offload_drain(&offload);
}

EF_TEST(no_actions_no_copy)
{
    struct ef_flow *flow;
    struct match match;

    setup();
    flow = flow_new(30, 0);
    match_dst(&match, 30);
    ef_offload_flow_put(&offload, flow, &match, NULL, 0, false, time_usec());
    ef_offload_drain(&offload);
    EF_CHECK(ef_flow_mark(flow) != EF_MARK_NONE);
    del(flow);
    ef_offload_drain(&offload);
}

EF_TEST(failures_leave_no_mark)
{
    struct ef_flow *flow;

    setup();
    flow = flow_new(40, 0);
    atomic_store(&put_error, ENOMEM);
    put(flow, false);
    ef_offload_drain(&offload);
    EF_CHECK_EQ(ef_flow_mark(flow), EF_MARK_NONE);

    /* A modification of a flow that is not in hardware is a new try. */
    atomic_store(&put_error, 0);
    put(flow, true);
    ef_offload_drain(&offload);
    EF_CHECK(ef_flow_mark(flow) != EF_MARK_NONE);
    EF_CHECK_EQ(atomic_count_get(&n_puts), 2);

    /* One that fails takes the flow out of hardware. */
    atomic_store(&put_error, EINVAL);
    put(flow, true);
    ef_offload_drain(&offload);
    EF_CHECK_EQ(ef_flow_mark(flow), EF_MARK_NONE);
    EF_CHECK_EQ(atomic_count_get(&n_dels), 1);

    del(flow);
    ef_offload_drain(&offload);
    EF_CHECK_EQ(atomic_count_get(&n_dels), 1);
}

EF_TEST(references_are_given_back)
{
    struct ef_flow *flow;

    setup();
    flow = flow_new(50, 0);
    put(flow, false);
    put(flow, true);
    ef_offload_drain(&offload);
    EF_CHECK_EQ(ovs_refcount_read(&flow->ref_cnt), 2);  /* With the mark's. */
    ef_offload_flow_del(&offload, flow, time_usec());
    ef_offload_drain(&offload);
    EF_CHECK_EQ(ovs_refcount_read(&flow->ref_cnt), 1);
    ef_flow_unref(flow);
}

EF_TEST(flush_comes_after_what_was_queued)
{
    struct netdev *netdev = setup();
    struct ef_flow *flow = flow_new(60, 0);

    atomic_store(&put_ms, 20);
    put(flow, false);
    ovs_rwlock_wrlock(&port_lock);
    ef_offload_flush(&offload, netdev);
    EF_CHECK_EQ(atomic_count_get(&n_puts), 1);
    EF_CHECK_EQ(atomic_count_get(&n_flushes), N_THREADS);
    EF_CHECK(ovs_rwlock_tryrdlock(&port_lock) != 0);

    /* Nothing gets to the provider before the lock is free. */
    put(flow, true);
    ovsrcu_synchronize();
    EF_CHECK_EQ(atomic_count_get(&n_puts), 1);
    ovs_rwlock_unlock(&port_lock);
    del(flow);
    ef_offload_drain(&offload);
}

EF_TEST(status_when_the_lock_is_busy)
{
    struct ef_flow *flow;
    struct dpif_flow_stats stats;
    struct dpif_flow_attrs attrs;

    setup();
    flow = flow_new(70, 0);
    ef_flow_account(flow, 1, 60, 2, 99);

    ovs_rwlock_wrlock(&port_lock);
    ef_offload_flow_status(&offload, flow, &stats, &attrs);
    ovs_rwlock_unlock(&port_lock);
    EF_CHECK_EQ(stats.n_packets, 1);
    EF_CHECK_STR_EQ(attrs.dp_layer, "ovs");

    for (int busy = 0; busy < 2; busy++) {
        if (busy) {
            ovs_rwlock_wrlock(&port_lock);
        }
        ef_offload_flow_status(&offload, flow, &stats, &attrs);
        if (busy) {
            ovs_rwlock_unlock(&port_lock);
        }
        EF_CHECK_EQ(stats.n_packets, 101);
        EF_CHECK_EQ(stats.n_bytes, 6460);
        EF_CHECK_EQ(stats.used, 12345);
        EF_CHECK_EQ(stats.tcp_flags, 0x12);
        EF_CHECK(attrs.offloaded);
        EF_CHECK_STR_EQ(attrs.dp_layer, "ef-hw");
        EF_CHECK(attrs.dp_extra_info == flow->extra_info);
    }
    ef_offload_flow_status(&offload, flow, &stats, NULL);
    EF_CHECK_EQ(stats.n_packets, 101);
    ef_flow_unref(flow);
}

static uint64_t
n_enqueued(void)
{
    uint64_t n_flows[N_THREADS] = { 0 };
    struct netdev_custom_stats stats;
    uint64_t n;

    ef_offload_format_stats(n_flows, &stats);
    n = stats.counters[0].value;
    free(stats.counters);
    return n;
}

EF_TEST(grace_periods_end_while_the_queue_is_full)
{
    enum { N = 100 };
    struct ef_flow *flows[N];

    setup();
    atomic_store(&put_ms, 4);
    for (int i = 0; i < N; i++) {
        flows[i] = flow_new(1000 + i, 0);
        put(flows[i], false);
    }
    while (!atomic_count_get(&n_puts)) {
        xnanosleep(1000 * 1000);        /* They slept, which is quiescent. */
    }
    /* A grace period takes a round of 10 ms, not the whole queue. */
    ovsrcu_synchronize();
    EF_CHECK(n_enqueued() > 0);
    atomic_store(&put_ms, 0);
    ef_offload_drain(&offload);
    EF_CHECK_EQ(n_enqueued(), 0);
    for (int i = 0; i < N; i++) {
        EF_CHECK(ef_flow_mark(flows[i]) != EF_MARK_NONE);
        del(flows[i]);
    }
    ef_offload_drain(&offload);
    EF_CHECK_EQ(atomic_count_get(&n_dels), N);
}

EF_TEST(grace_periods_end_while_the_lock_is_taken)
{
    struct ef_flow *flow;

    setup();
    flow = flow_new(80, 0);
    ovs_rwlock_wrlock(&port_lock);
    put(flow, false);
    while (n_enqueued()) {
        xnanosleep(1000 * 1000);
    }
    ovsrcu_synchronize();       /* Would hang. */
    EF_CHECK_EQ(atomic_count_get(&n_puts), 0);
    ovs_rwlock_unlock(&port_lock);
    ef_offload_drain(&offload);
    EF_CHECK_EQ(atomic_count_get(&n_puts), 1);
    del(flow);
    ef_offload_drain(&offload);
}

EF_TEST(latency_is_measured)
{
    uint64_t n_flows[N_THREADS] = { 0 };
    struct netdev_custom_stats stats;
    struct ef_flow *flow;

    setup();
    flow = flow_new(90, 0);
    atomic_store(&put_ms, 10);
    put(flow, false);
    del(flow);
    ef_offload_drain(&offload);
    ef_offload_format_stats(n_flows, &stats);
    EF_CHECK(stats.counters[2].value > 0);
    EF_CHECK(stats.counters[4].value > 0);
    free(stats.counters);
}
