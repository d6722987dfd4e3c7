/* SPDX-License-Identifier: Apache-2.0 */

/* Producers put, modify and delete flows while readers look up marks and the
 * main thread flushes; the provider fails now and then. */

#include <config.h>

#include "flow/offload.h"

#include "ef-test.h"
#include "fake-netdev.h"
#include "flow/offload-mark.h"
#include "netdev-offload-provider.h"
#include "netdev-offload.h"
#include "odp-util.h"
#include "openvswitch/match.h"
#include "openvswitch/vlog.h"
#include "ovs-rcu.h"
#include "smap.h"
#include "timeval.h"

#define N_PRODUCERS 2
#define N_FLOWS 64              /* Of each producer, that is of each PMD. */
#define PORT_NO 7

static const char type_name[] = "ef-test";
static struct ovs_rwlock port_lock = OVS_RWLOCK_INITIALIZER;
static struct ef_offload offload = {
    .port_lock = &port_lock, .dpif_type = type_name,
};
static atomic_bool stop;
static atomic_count n_found, n_puts;

static int
hw_put(struct netdev *netdev OVS_UNUSED, struct match *match OVS_UNUSED,
       struct nlattr *actions OVS_UNUSED, size_t actions_len OVS_UNUSED,
       const ovs_u128 *ufid OVS_UNUSED, struct offload_info *info OVS_UNUSED,
       struct dpif_flow_stats *stats OVS_UNUSED)
{
    return atomic_count_inc(&n_puts) % 16 ? 0 : ENOMEM;
}

static int
hw_del(struct netdev *netdev OVS_UNUSED, const ovs_u128 *ufid OVS_UNUSED,
       struct dpif_flow_stats *stats OVS_UNUSED)
{
    return 0;
}

static int
hw_flush(struct netdev *netdev OVS_UNUSED)
{
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
    .flow_flush = hw_flush,
    .init_flow_api = hw_init,
};

static struct netdev *
setup(void)
{
    struct smap config = SMAP_INITIALIZER(&config);
    struct dpif_port port = {
        .name = CONST_CAST(char *, "f7"),
        .type = CONST_CAST(char *, "ef-fake"),
        .port_no = u32_to_odp(PORT_NO),
    };
    struct netdev *netdev;

    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    fake_register();
    netdev_register_flow_api_provider(&hw_api);
    smap_add(&config, "hw-offload", "true");
    smap_add(&config, "n-offload-threads", "2");
    netdev_set_flow_api_enabled(&config);
    smap_destroy(&config);

    ovs_assert(!netdev_open("f7", "ef-fake", &netdev));
    netdev_set_dpif_type(netdev, type_name);
    ovs_assert(!netdev_ports_insert(netdev, &port));
    return netdev;
}

static bool
is_stopped(void)
{
    bool stopped;

    atomic_read_relaxed(&stop, &stopped);
    return stopped;
}

/* The same megaflow for all producers: they share marks. */
static void
match_of(struct match *match, int i)
{
    match_init_catchall(match);
    match->flow.in_port.odp_port = u32_to_odp(PORT_NO);
    match->wc.masks.in_port.odp_port = ODPP_NONE;
    match_set_dl_type(match, htons(0x0800));
    match_set_nw_dst(match, htonl(i));
}

static void
del(struct ef_flow *flow)
{
    ef_offload_flow_del(&offload, flow, time_usec());
    atomic_store_relaxed(&flow->dead, true);
    ef_flow_unref(flow);
}

static void *
produce(void *core_)
{
    unsigned core_id = (uintptr_t) core_;
    struct ef_flow *flows[N_FLOWS] = { NULL };
    uint32_t rounds = 0;

    while (!is_stopped()) {
        int i = random_range(N_FLOWS);
        struct match match;

        match_of(&match, i);
        if (!flows[i]) {
            ovs_u128 ufid = { .u32 = { i, core_id } };
            struct ef_key mask;

            ef_key_from_mask(&mask, &match);
            flows[i] = ef_flow_create(&match, &mask, &ufid, NULL, 0,
                                      ODPP_NONE, core_id);
            ef_offload_flow_put(&offload, flows[i], &match, NULL, 0, false,
                                time_usec());
        } else if (random_range(2)) {
            ef_offload_flow_put(&offload, flows[i], &match, NULL, 0, true,
                                time_usec());
        } else {
            del(flows[i]);
            flows[i] = NULL;
        }
        if (!(++rounds % 64)) {
            xnanosleep(1000 * 1000);    /* The queue has no limit. */
        }
    }
    for (int i = 0; i < N_FLOWS; i++) {
        if (flows[i]) {
            del(flows[i]);
        }
    }
    return NULL;
}

static void *
look_up(void *core_)
{
    unsigned core_id = (uintptr_t) core_;

    while (!is_stopped()) {
        for (uint32_t mark = 1; mark < 4 * N_FLOWS; mark++) {
            struct ef_flow *flow = ef_offload_find_mark(mark, core_id);

            if (flow) {
                EF_CHECK_EQ(flow->core_id, core_id);
                EF_CHECK_EQ(flow->in_port, u32_to_odp(PORT_NO));
                atomic_count_inc(&n_found);
            }
        }
        ovsrcu_quiesce();
    }
    return NULL;
}

EF_TEST(marks_come_and_go)
{
    struct netdev *netdev = setup();
    pthread_t threads[2 * N_PRODUCERS];
    long long end_ms = time_msec() + 1000 * ef_test_seconds(1);

    atomic_store(&stop, false);
    for (uintptr_t i = 0; i < N_PRODUCERS; i++) {
        threads[2 * i] = ovs_thread_create("producer", produce, (void *) i);
        threads[2 * i + 1] = ovs_thread_create("reader", look_up, (void *) i);
    }
    while (time_msec() < end_ms) {
        ovs_rwlock_wrlock(&port_lock);
        ef_offload_flush(&offload, netdev);
        ovs_rwlock_unlock(&port_lock);
        xnanosleep(20 * 1000 * 1000);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2 * N_PRODUCERS; i++) {
        xpthread_join(threads[i], NULL);
    }
    ef_offload_drain(&offload);

    EF_CHECK(atomic_count_get(&n_found) > 0);
    EF_CHECK(atomic_count_get(&n_puts) > 0);
    for (uint32_t mark = 1; mark < 4 * N_FLOWS; mark++) {
        for (unsigned core_id = 0; core_id < N_PRODUCERS; core_id++) {
            struct ef_flow *flow = ef_offload_find_mark(mark, core_id);

            EF_CHECK(!flow);
        }
    }
    printf("# %u puts, %u marks found\n", atomic_count_get(&n_puts),
           atomic_count_get(&n_found));
}
