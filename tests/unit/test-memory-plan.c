/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of dpdk/memory-plan.c: which ports share a pool, sums for nodes,
 * and that a pool takes as much memory as was planned. */

#include <config.h>

#include "dpdk/memory-plan.h"

#include <rte_malloc.h>

#include "dpdk-fixture.h"
#include "ef-test.h"
#include "openvswitch/vlog.h"
#include "smap.h"

#define PAGE_2M (UINT64_C(1) << 21)
#define PAGE_1G (UINT64_C(1) << 30)

static bool
start(const char *per_port)
{
    struct smap config = SMAP_INITIALIZER(&config);

    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    smap_add(&config, "per-port-memory", per_port);
    ef_mempool_configure(&config);
    smap_destroy(&config);
    return fx_start();
}

static struct ef_mempool_request
request(const char *name, int mtu, int socket_id, const char *pool)
{
    return (struct ef_mempool_request) {
        .port_name = name, .mtu = mtu, .socket_id = socket_id,
        .n_rxq = 2, .rxq_size = 1024, .n_txq = 3, .txq_size = 512,
        .pool_name = pool,
    };
}

#define N_RING (2 * 1024 + 3 * 512)

EF_TEST(same_shape_counts_once)
{
    const struct ef_mempool_request requests[] = {
        request("a", 500, 1, NULL), request("b", 500, 0, NULL),
        request("c", 501, 1, NULL), request("d", 500, 1, "x"),
        request("e", 500, 1, "x"), request("f", 500, 1, "y"),
        request("g", 5000, 1, NULL),
    };
    struct ef_memory_plan plan;
    uint64_t bytes[2] = { 0, 0 };

    EF_REQUIRE(start("false"));
    ef_memory_plan_make(requests, ARRAY_SIZE(requests), &plan);
    EF_REQUIRE_EQ(plan.n_pools, 5);
    EF_CHECK_EQ(plan.pools[0].n_ports, 2);
    EF_CHECK_EQ(plan.pools[0].n_ring, 2 * N_RING);
    EF_CHECK(!plan.pools[0].name && !plan.pools[0].is_named);
    EF_CHECK_EQ(plan.pools[1].n_ports, 1);
    EF_CHECK_EQ(plan.pools[1].socket_id, 0);
    EF_CHECK_STR_EQ(plan.pools[2].name, "x");
    EF_CHECK(plan.pools[2].is_named);
    EF_CHECK_EQ(plan.pools[2].n_ports, 2);
    EF_CHECK_STR_EQ(plan.pools[3].name, "y");
    EF_CHECK(plan.pools[4].buf_size > plan.pools[0].buf_size);

    EF_REQUIRE_EQ(plan.n_nodes, 2);
    for (size_t i = 0; i < plan.n_pools; i++) {
        bytes[plan.pools[i].socket_id] += plan.pools[i].bytes;
    }
    for (size_t i = 0; i < plan.n_nodes; i++) {
        const struct ef_plan_node *node = &plan.nodes[i];

        EF_CHECK_EQ(node->socket_id, i);
        EF_CHECK_EQ(node->ring_bytes,
                    (i ? 6 : 1) * N_RING * EF_PLAN_DESCRIPTOR_BYTES);
        EF_CHECK_EQ(node->bytes, bytes[i] + node->ring_bytes);
    }
    ef_memory_plan_destroy(&plan);
}

EF_TEST(nothing_takes_nothing)
{
    struct ef_mempool_request impossible = request("a", -1, 0, NULL);
    struct ef_memory_plan plan;

    EF_REQUIRE(start("false"));
    ef_memory_plan_make(NULL, 0, &plan);
    EF_CHECK(!plan.n_pools && !plan.n_nodes);
    ef_memory_plan_destroy(&plan);
    ef_memory_plan_make(&impossible, 1, &plan);
    EF_CHECK(!plan.n_pools && !plan.n_nodes);
    ef_memory_plan_destroy(&plan);
    ef_memory_plan_destroy(NULL);
}

/* What a guest gets is copied, and rings are its own. */
EF_TEST(guests_rings_hold_nothing)
{
    struct ef_mempool_request r = request("a", 500, 0, NULL);
    struct ef_memory_plan plan;

    EF_REQUIRE(start("false"));
    r.copies = true;
    ef_memory_plan_make(&r, 1, &plan);
    EF_REQUIRE(plan.n_pools == 1 && plan.n_nodes == 1);
    EF_CHECK_EQ(plan.pools[0].n_ring, 0);
    EF_CHECK_EQ(plan.nodes[0].ring_bytes, 0);
    ef_memory_plan_destroy(&plan);
}

EF_TEST(pages_hold_buffers)
{
    static const int mtus[] = { 500, 1500, 9000, 64000 };

    EF_REQUIRE(start("false"));
    for (size_t i = 0; i < ARRAY_SIZE(mtus); i++) {
        struct ef_mempool_request r = request("a", mtus[i], 0, NULL);
        struct ef_memory_plan plan;
        uint64_t net, n_2m, n_1g;

        ef_memory_plan_make(&r, 1, &plan);
        EF_REQUIRE(plan.n_pools == 1 && plan.n_nodes == 1);
        net = (uint64_t) plan.pools[0].n_bufs * plan.pools[0].buf_size;
        n_2m = plan.nodes[0].n_pages_2m;
        n_1g = plan.nodes[0].n_pages_1g;
        EF_CHECK(n_2m * PAGE_2M > net);
        EF_CHECK(n_1g * PAGE_1G > net);
        /* The struct before each buffer, borders of pages, the rest. */
        EF_CHECK(n_2m * PAGE_2M < net + net / 2 + 8 * PAGE_2M);
        EF_CHECK(n_1g <= DIV_ROUND_UP(n_2m * PAGE_2M, PAGE_1G) + 1);
        ef_memory_plan_destroy(&plan);
    }
}

/* What DPDK's heap has given out. */
static uint64_t
used_bytes(void)
{
    struct rte_malloc_socket_stats stats;

    EF_CHECK(!rte_malloc_get_socket_stats(0, &stats));
    return stats.heap_allocsz_bytes;
}

/* Per mille that a pool for 'r' takes more than was planned, or less. */
static int
deviation(const struct ef_mempool_request *r)
{
    struct ef_memory_plan plan;
    struct ef_mempool *pool;
    int64_t planned, taken;

    ef_memory_plan_make(r, 1, &plan);
    planned = plan.n_pools == 1 ? plan.pools[0].bytes : 1;
    ef_memory_plan_destroy(&plan);

    taken = -used_bytes();
    if (!EF_CHECK_EQ(ef_mempool_get(r, &pool), 0)) {
        return 1000;
    }
    taken += used_bytes();
    printf("# mtu %d: planned %"PRId64", taken %"PRId64"\n", r->mtu, planned,
           taken);
    ef_mempool_put(pool, r->port_name);
    return llabs(taken - planned) * 1000 / planned;
}

EF_TEST(pool_takes_what_was_planned)
{
    struct ef_mempool_request small = request("a", 500, 0, NULL);
    struct ef_mempool_request named = request("b", 500, 0, "named");

    EF_REQUIRE(start("false"));
    EF_CHECK(deviation(&small) < 50);
    EF_CHECK(deviation(&named) < 50);
}

EF_TEST(port_takes_what_was_planned)
{
    struct ef_mempool_request own = request("c", 1000, 0, NULL);

    EF_REQUIRE(start("true"));
    EF_CHECK(deviation(&own) < 50);
}

/* Ten per cent are seen. */
EF_TEST_MUST_FAIL(plan_of_fewer_buffers)
{
    struct ef_mempool_request r = request("d", 600, 0, NULL);
    struct ef_mempool_request fewer = r;
    struct ef_memory_plan plan, plan_of_fewer;

    EF_REQUIRE(start("true"));
    fewer.n_rxq = 0;
    ef_memory_plan_make(&r, 1, &plan);
    ef_memory_plan_make(&fewer, 1, &plan_of_fewer);
    EF_CHECK((plan.pools[0].bytes - plan_of_fewer.pools[0].bytes) * 1000
             / plan.pools[0].bytes < 50);
    ef_memory_plan_destroy(&plan);
    ef_memory_plan_destroy(&plan_of_fewer);
}
