/* SPDX-License-Identifier: Apache-2.0 */

/* Pools: layout of buffers, sharing, sizes when memory is short, and when a
 * pool is freed. */

#include <config.h>

#include "dpdk/mempool.h"

#include <errno.h>

#include "dpdk-fixture.h"
#include "ef-test.h"
#include "hash.h"
#include "netdev-dpdk.h"
#include "openvswitch/vlog.h"
#include "ovs-rcu.h"
#include "smap.h"

/* A small MTU makes a small pool, of this many buffers. */
#define SMALL 500
#define ANOTHER 2100
#define N_SMALL 16384

static struct ef_mempool_request
request(const char *name, int mtu)
{
    return (struct ef_mempool_request) {
        .port_name = name, .mtu = mtu,
        .n_rxq = 1, .rxq_size = 1024, .n_txq = 1, .txq_size = 1024,
    };
}

static struct ef_mempool *
get(const char *name, int mtu)
{
    struct ef_mempool_request r = request(name, mtu);
    struct ef_mempool *pool;

    return EF_CHECK_EQ(ef_mempool_get(&r, &pool), 0) ? pool : NULL;
}

static bool
start(const char *per_port, const char *steps)
{
    struct smap config = SMAP_INITIALIZER(&config);

    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    smap_add(&config, "per-port-memory", per_port);
    smap_add(&config, "shared-mempool-config", steps);
    ef_mempool_configure(&config);
    smap_destroy(&config);
    return fx_start();
}

static bool
exists(const char *name)
{
    return rte_mempool_lookup(name) != NULL;
}

/* Lets grace periods pass. */
static void
settle(void)
{
    for (int i = 0; i < 20; i++) {
        ovsrcu_quiesce();
        xnanosleep(1000 * 1000);
    }
}

/* Lets grace periods pass and asks for another pool until this one is gone or
 * a second is over. */
static bool
goes(const char *name)
{
    for (int i = 0; i < 50 && exists(name); i++) {
        settle();
        ef_mempool_put(get("another", ANOTHER));
    }
    return !exists(name);
}

/* Checks that 'pool' goes with its last reference. */
static void
put_last(struct ef_mempool *pool)
{
    char *name = xstrdup(ef_mempool_rte(pool)->name);

    ef_mempool_put(pool);
    EF_CHECK(goes(name));
    settle();
    free(name);
}

EF_TEST(buffers_hold_packets)
{
    struct ef_mempool *pool;
    struct rte_mempool *mp;
    struct rte_mbuf *mbufs[64];

    EF_REQUIRE(start("false", ""));
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    mp = ef_mempool_rte(pool);
    EF_CHECK_EQ(mp->size, N_SMALL);
    EF_CHECK(strlen(mp->name) < RTE_MEMPOOL_NAMESIZE);
    EF_CHECK_EQ(ef_mempool_data_room(pool), 1024u);

    EF_REQUIRE(!rte_pktmbuf_alloc_bulk(mp, mbufs, ARRAY_SIZE(mbufs)));
    for (size_t i = 0; i < ARRAY_SIZE(mbufs); i++) {
        struct dp_packet *packet = CONTAINER_OF(mbufs[i], struct dp_packet,
                                                mbuf);
        char *data = rte_pktmbuf_append(mbufs[i], 1024);

        EF_CHECK_EQ(packet->source, DPBUF_DPDK);
        EF_CHECK_EQ((uintptr_t) data % RTE_CACHE_LINE_SIZE, 0u);
        EF_CHECK((char *) mbufs[i]->buf_addr >= (char *) (packet + 1));
        /* Neither overwrites the other, nor the neighbour. */
        memset(&packet->source + 1, 0x55,
               (char *) (packet + 1) - (char *) (&packet->source + 1));
        memset(data, 0xaa, 1024);
    }
    for (size_t i = 0; i < ARRAY_SIZE(mbufs); i++) {
        EF_CHECK_EQ(rte_mbuf_refcnt_read(mbufs[i]), 1);
        free_dpdk_buf(CONTAINER_OF(mbufs[i], struct dp_packet, mbuf));
    }
    EF_CHECK(rte_mempool_full(mp));
    put_last(pool);
}

EF_TEST(ports_share_what_fits)
{
    struct ef_mempool *a, *b, *c;
    struct ef_mempool_request r;

    EF_REQUIRE(start("false", ""));
    a = get("a", SMALL);
    b = get("b", SMALL + 1);
    c = get("c", 68);
    EF_REQUIRE(a && b && c);
    EF_CHECK(a == b && b == c);

    r = request("a", SMALL + 2);
    r.n_rxq = 77;
    EF_CHECK(ef_mempool_fits(a, &r));
    r.mtu = 1500;
    EF_CHECK(!ef_mempool_fits(a, &r));
    r = request("a", SMALL);
    r.socket_id = 1;
    EF_CHECK(!ef_mempool_fits(a, &r));

    ef_mempool_put(a);
    ef_mempool_put(b);
    ovsrcu_quiesce();
    EF_CHECK(exists(ef_mempool_rte(c)->name));
    put_last(c);
}

EF_TEST(steps_make_more_ports_share)
{
    struct ef_mempool *a, *b;
    struct ef_mempool_request r = request("a", SMALL);

    EF_REQUIRE(start("false", "900,1500:1"));
    a = get("a", 200);
    EF_REQUIRE(a != NULL);
    EF_CHECK(ef_mempool_fits(a, &r));
    ef_mempool_put(a);

    /* A step that is not of this node has no say. */
    b = get("b", 1000);
    EF_REQUIRE(b != NULL);
    EF_CHECK_EQ(ef_mempool_data_room(b), 2048u);
    put_last(b);
    EF_REQUIRE(start("false", "x"));
}

EF_TEST(short_memory_halves_the_number)
{
    struct ef_mempool *pool;
    unsigned n;

    EF_REQUIRE(start("false", ""));
    pool = get("large", 1500);
    EF_REQUIRE(pool != NULL);
    EF_CHECK_EQ(ef_mempool_data_room(pool), 2048u);
    n = ef_mempool_rte(pool)->size;
    EF_CHECK(n < 262144 && n >= 16384 && !(262144 % n));
    put_last(pool);
}

EF_TEST(too_short_memory_is_an_error)
{
    struct ef_mempool *pool;
    struct ef_mempool_request r = request("p", 64000);

    EF_REQUIRE(start("false", ""));
    pool = (void *) &r;
    EF_CHECK_EQ(ef_mempool_get(&r, &pool), ENOMEM);
    EF_CHECK(!pool);
    r.mtu = 65000;
    EF_CHECK_EQ(ef_mempool_get(&r, &pool), EINVAL);
    r.mtu = -1;
    EF_CHECK_EQ(ef_mempool_get(&r, &pool), EINVAL);
}

EF_TEST(pool_waits_for_its_buffers)
{
    struct ef_mempool *pool, *other;
    struct rte_mbuf *mbuf;
    char *name;

    EF_REQUIRE(start("false", ""));
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    name = xstrdup(ef_mempool_rte(pool)->name);
    mbuf = rte_pktmbuf_alloc(ef_mempool_rte(pool));
    ef_mempool_put(pool);
    ef_mempool_put(NULL);
    settle();
    EF_CHECK(exists(name));

    /* Home, and swept when somebody asks for something else. */
    rte_pktmbuf_free(mbuf);
    other = get("q", 1500);
    EF_CHECK(goes(name));
    ef_mempool_put(other);
    free(name);
}

EF_TEST(pool_that_is_going_may_be_taken_again)
{
    struct ef_mempool *pool;

    EF_REQUIRE(start("false", ""));
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    for (int i = 0; i < 3; i++) {
        ef_mempool_put(pool);
        EF_CHECK(get("p", SMALL) == pool);
    }
    settle();
    EF_CHECK(exists(ef_mempool_rte(pool)->name));
    ef_mempool_put(pool);
    settle();
    EF_CHECK(get("p", SMALL) == pool);
    put_last(pool);
}

EF_TEST(names_are_unique)
{
    struct ef_mempool *pool;
    struct rte_mempool *squatter;
    char name[RTE_MEMPOOL_NAMESIZE];

    EF_REQUIRE(start("false", ""));
    snprintf(name, sizeof name, "ovs%08x%02d%05d%07u",
             hash_string("p", 0), 0, 1152 - 18, N_SMALL);
    squatter = rte_mempool_create(name, 1, 64, 0, 0, NULL, NULL, NULL, NULL,
                                  SOCKET_ID_ANY, 0);
    EF_REQUIRE(squatter != NULL);
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    EF_CHECK(ef_mempool_rte(pool) != squatter);
    EF_CHECK(strcmp(ef_mempool_rte(pool)->name, name));
    put_last(pool);
    rte_mempool_free(squatter);
}

EF_TEST(port_has_its_own_pool)
{
    struct ef_mempool_request r = request("a", SMALL);
    struct ef_mempool *a, *a2, *b;

    EF_REQUIRE(start("true", ""));
    a = get("a", SMALL);
    b = get("b", SMALL);
    EF_REQUIRE(a && b);
    EF_CHECK(a != b);
    EF_CHECK_EQ(ef_mempool_rte(a)->size, 1024 + 1024 + 32 + 16384u);

    EF_CHECK(ef_mempool_fits(a, &r));
    EF_CHECK(!ef_mempool_fits(b, &r));
    r.n_rxq = 2;
    EF_CHECK(!ef_mempool_fits(a, &r));
    r.n_rxq = 1;
    r.txq_size = 512;
    EF_CHECK(!ef_mempool_fits(a, &r));
    r.txq_size = 1024;
    r.mtu = 1100;
    EF_CHECK(!ef_mempool_fits(a, &r));

    /* The new one beside the old one. */
    EF_REQUIRE_EQ(ef_mempool_get(&r, &a2), 0);
    EF_CHECK(a2 != a && a2 != b);
    put_last(a);
    put_last(a2);
    put_last(b);
}

EF_TEST(dump_names_the_pool)
{
    struct ef_mempool *pool;
    char *text = NULL;
    size_t size;
    FILE *stream;

    EF_REQUIRE(start("false", ""));
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    stream = open_memstream(&text, &size);
    ef_mempool_dump(stream, pool);
    fclose(stream);
    EF_CHECK(strstr(text, ef_mempool_rte(pool)->name) != NULL);
    EF_CHECK(strstr(text, "    count: avail (16384), in use (0)\n") != NULL);
    free(text);

    stream = open_memstream(&text, &size);
    ef_mempool_dump(stream, NULL);
    fclose(stream);
    EF_CHECK(strstr(text, ef_mempool_rte(pool)->name) != NULL);
    free(text);
    put_last(pool);
}

/* Planted: a buffer that never comes home. */
EF_TEST_MUST_FAIL(leaked_buffer)
{
    struct ef_mempool *pool;

    EF_REQUIRE(start("true", ""));
    pool = get("leaky", SMALL);
    EF_REQUIRE(pool && rte_pktmbuf_alloc(ef_mempool_rte(pool)));
    put_last(pool);
}
