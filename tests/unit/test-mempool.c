/* SPDX-License-Identifier: Apache-2.0 */

/* Pools: layout of buffers, sharing, sizes when memory is short, and when a
 * pool is freed. */

#include <config.h>

#include "dpdk/mempool.h"

#include <errno.h>

#include "core/settings.h"
#include "dpdk-fixture.h"
#include "dpdk/lcores.h"
#include "ef-test.h"
#include "hash.h"
#include "netdev-dpdk.h"
#include "openvswitch/vlog.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "smap.h"
#include "timeval.h"

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

/* Lets grace periods pass and asks for other pools until this one is gone or
 * a second is over. */
static bool
goes(const char *name)
{
    for (int i = 0; i < 50 && exists(name); i++) {
        settle();
        ef_mempool_put(get("another", i % 2 ? ANOTHER : 2 * ANOTHER),
                       "another");
    }
    return !exists(name);
}

/* Whether the port may keep 'pool' with this request. */
static bool
fits(struct ef_mempool *pool, const struct ef_mempool_request *r)
{
    struct ef_mempool *again;

    if (ef_mempool_get(r, &again)) {
        return false;
    }
    ef_mempool_put(again, r->port_name);
    return again == pool;
}

/* Checks that 'pool' goes with its last port. */
static void
put_last(struct ef_mempool *pool, const char *port_name)
{
    char *name = xstrdup(ef_mempool_rte(pool)->name);

    ef_mempool_put(pool, port_name);
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
    put_last(pool, "p");
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
    EF_CHECK(fits(a, &r));
    r.mtu = 1500;
    EF_CHECK(!fits(a, &r));
    r = request("a", SMALL);
    r.socket_id = 1;
    EF_CHECK(!fits(a, &r));

    ef_mempool_put(a, "a");
    ef_mempool_put(b, "b");
    ovsrcu_quiesce();
    EF_CHECK(exists(ef_mempool_rte(c)->name));
    put_last(c, "c");
}

EF_TEST(steps_make_more_ports_share)
{
    struct ef_mempool *a, *b;
    struct ef_mempool_request r = request("a", SMALL);

    EF_REQUIRE(start("false", "900,1500:1"));
    a = get("a", 200);
    EF_REQUIRE(a != NULL);
    EF_CHECK(fits(a, &r));
    ef_mempool_put(a, "a");

    /* A step that is not of this node has no say. */
    b = get("b", 1000);
    EF_REQUIRE(b != NULL);
    EF_CHECK_EQ(ef_mempool_data_room(b), 2048u);
    put_last(b, "b");
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
    put_last(pool, "large");
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
    ef_mempool_put(pool, "p");
    ef_mempool_put(NULL, "p");
    settle();
    EF_CHECK(exists(name));

    /* Home, and swept when somebody asks for something else. */
    rte_pktmbuf_free(mbuf);
    other = get("q", 1500);
    EF_CHECK(goes(name));
    put_last(other, "q");
    free(name);
}

EF_TEST(pool_that_is_going_may_be_taken_again)
{
    struct ef_mempool *pool;

    EF_REQUIRE(start("false", ""));
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    for (int i = 0; i < 3; i++) {
        ef_mempool_put(pool, "p");
        EF_CHECK(get("p", SMALL) == pool);
    }
    settle();
    EF_CHECK(exists(ef_mempool_rte(pool)->name));
    ef_mempool_put(pool, "p");
    settle();
    EF_CHECK(get("p", SMALL) == pool);
    put_last(pool, "p");
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
    put_last(pool, "p");
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

    EF_CHECK(fits(a, &r));
    EF_CHECK(!fits(b, &r));
    r.n_rxq = 2;
    EF_CHECK(!fits(a, &r));
    r.n_rxq = 1;
    r.txq_size = 512;
    EF_CHECK(!fits(a, &r));
    r.txq_size = 1024;
    r.mtu = 1100;
    EF_CHECK(!fits(a, &r));

    /* The new one beside the old one. */
    EF_REQUIRE_EQ(ef_mempool_get(&r, &a2), 0);
    EF_CHECK(a2 != a && a2 != b);
    put_last(a, "a");
    put_last(a2, "a");
    put_last(b, "b");
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
    put_last(pool, "p");
}

/* Named pools, settings, stores. */

static void
set_config(const char *numbers, const char *cache_size)
{
    struct smap config = SMAP_INITIALIZER(&config);

    if (numbers) {
        smap_add(&config, "mempool-config", numbers);
    }
    if (cache_size) {
        smap_add(&config, "mempool-cache-size", cache_size);
    }
    ef_mempool_set_config(&config);
    smap_destroy(&config);
}

static struct ef_mempool *
get_named(const char *port, const char *name, int mtu)
{
    struct ef_mempool_request r = request(port, mtu);
    struct ef_mempool *pool;

    r.pool_name = name;
    return EF_CHECK_EQ(ef_mempool_get(&r, &pool), 0) ? pool : NULL;
}

EF_TEST(named_pools_are_apart)
{
    struct ef_mempool *a, *b, *shared, *large;

    EF_REQUIRE(start("false", ""));
    set_config("a:4096,b:512", NULL);
    shared = get("p", SMALL);
    a = get_named("p", "a", SMALL);
    b = get_named("q", "b", SMALL);
    large = get_named("r", "a", ANOTHER);
    EF_REQUIRE(shared && a && b && large);
    EF_CHECK(shared != a && a != b && large != a);
    EF_CHECK_EQ(ef_mempool_rte(a)->size, 4096u);
    EF_CHECK_EQ(ef_mempool_rte(b)->size, 512u);
    EF_CHECK_EQ(ef_mempool_rte(large)->size, 4096u);

    /* Another number is for pools that are made later. */
    set_config("a:8192", NULL);
    EF_CHECK(get_named("s", "a", SMALL) == a);
    ef_mempool_put(a, "p");
    ef_mempool_put(a, "s");
    a = get_named("p", "a", SMALL);
    EF_CHECK_EQ(ef_mempool_rte(a)->size, 8192u);
    ef_mempool_put(large, "r");
    put_last(a, "p");
    put_last(b, "q");
    put_last(shared, "p");
    set_config(NULL, NULL);
}

EF_TEST(number_that_was_asked_for_is_not_halved)
{
    struct ef_mempool_request r = request("p", SMALL);
    struct ef_mempool *pool;

    EF_REQUIRE(start("false", ""));
    set_config("a:1000000", NULL);
    r.pool_name = "a";
    EF_CHECK_EQ(ef_mempool_get(&r, &pool), ENOMEM);
    EF_CHECK(!pool);
    set_config(NULL, NULL);
}

struct shown {
    const char *key;
    char in_force[64], rule[128];
};

static void
look(const struct ef_setting *setting, void *shown_)
{
    struct shown *shown = shown_;

    if (!strcmp(setting->scope, "Open_vSwitch")
        && !strcmp(setting->key, shown->key)) {
        ovs_strlcpy(shown->in_force, setting->in_force ? setting->in_force
                    : "", sizeof shown->in_force);
        ovs_strlcpy(shown->rule, setting->rule ? setting->rule : "",
                    sizeof shown->rule);
    }
}

EF_TEST(bad_settings_are_refused)
{
    struct shown numbers = { .key = "mempool-config" };
    struct shown sizes = { .key = "mempool-cache-size" };
    struct ef_mempool *pool;

    EF_REQUIRE(start("false", ""));
    set_config("a:4096", "512");
    set_config("a:511", "4097");
    ef_settings_for_each(look, &numbers);
    ef_settings_for_each(look, &sizes);
    EF_CHECK_STR_EQ(numbers.in_force, "a:4096");
    EF_CHECK_STR_EQ(numbers.rule,
                    "a number of buffers must be from 512 to 2000000");
    EF_CHECK_STR_EQ(sizes.in_force, "512");
    EF_CHECK_STR_EQ(sizes.rule, "a size must be a number from 0 to 4096");

    /* Too much for a pool that is there. */
    pool = get_named("p", "a", SMALL);
    EF_REQUIRE(pool != NULL);
    set_config("a:4096", "2049");
    ef_settings_for_each(look, &sizes);
    EF_CHECK_STR_EQ(sizes.in_force, "512");
    EF_CHECK(strstr(sizes.rule, "half of the pool's buffers") != NULL);
    set_config("a:4096", "2048");
    ef_settings_for_each(look, &sizes);
    EF_CHECK_STR_EQ(sizes.rule, "");
    put_last(pool, "p");
    set_config(NULL, NULL);
}

/* The size of the store that lcore 5 has in 'pool', -1: none. */
static int
store_size(const struct ef_mempool *pool)
{
    struct ef_store_core_stats stats;

    return (ef_store_get_core(ef_mempool_rte(pool), 5, &stats)
            ? (int) stats.size : -1);
}

EF_TEST(stores_follow_settings_and_ports)
{
    struct ef_mempool_request r = request("q", SMALL);
    struct ef_mempool *pool, *again;

    EF_REQUIRE(start("false", ""));
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    EF_CHECK_EQ(store_size(pool), -1);
    ef_lcores_enter(5, 7);
    ef_mempool_core_starts(5);
    EF_CHECK_EQ(store_size(pool), 768);

    set_config(NULL, "1000");
    EF_CHECK_EQ(store_size(pool), 1000);
    set_config(NULL, "5:100,7:200");
    EF_CHECK_EQ(store_size(pool), 200);
    set_config(NULL, NULL);
    EF_CHECK_EQ(store_size(pool), 768);

    r.n_rxq = 30;
    EF_REQUIRE_EQ(ef_mempool_get(&r, &again), 0);
    EF_CHECK(again == pool);
    EF_CHECK_EQ(store_size(pool), 1536 + 256);
    ef_mempool_put(again, "q");
    EF_CHECK_EQ(store_size(pool), 768);

    ef_lcores_leave(5);
    ef_mempool_core_ends(5);
    put_last(pool, "p");
}

/* As a PMD does: takes and gives back buffers, then ends. */
static void *
pmd_main(void *mp)
{
    struct rte_mbuf *mbufs[64];
    unsigned lcore;

    EF_CHECK_EQ(rte_thread_register(), 0);
    lcore = rte_lcore_id();
    ef_lcores_enter(lcore, 3);
    ef_mempool_core_starts(lcore);
    EF_CHECK_EQ(rte_pktmbuf_alloc_bulk(mp, mbufs, 64), 0);
    rte_pktmbuf_free_bulk(mbufs, 64);
    ef_lcores_leave(lcore);
    ef_mempool_core_ends(lcore);
    rte_thread_unregister();
    return NULL;
}

EF_TEST(nothing_stays_with_a_core_that_ends)
{
    struct ef_mempool *pool;
    struct ef_store_stats stats;
    pthread_t pmd;

    EF_REQUIRE(start("false", ""));
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    pmd = ovs_thread_create("pmd", pmd_main, ef_mempool_rte(pool));
    xpthread_join(pmd, NULL);
    ef_store_get(ef_mempool_rte(pool), &stats);
    EF_CHECK_EQ(stats.n_shared, N_SMALL);
    put_last(pool, "p");
}

static char *
claim(const char *port, const char *pool, const char *size)
{
    struct ef_mempool_request r = request(port, SMALL);
    struct ef_cache_size cache_size;
    char *reason;

    EF_CHECK(!ef_cache_size_parse(size, &cache_size));
    r.pool_name = pool;
    r.cache_size = size ? &cache_size : NULL;
    reason = ef_mempool_conflict(&r);
    if (!reason) {
        ef_mempool_claim(&r);
    }
    ef_cache_size_destroy(&cache_size);
    return reason;
}

EF_TEST(first_interface_decides)
{
    struct ef_mempool *pool;
    char *reason;

    EF_REQUIRE(start("false", ""));
    pool = get_named("p", "a", SMALL);
    EF_REQUIRE(pool != NULL);
    ef_lcores_enter(5, 7);
    ef_mempool_core_starts(5);

    EF_CHECK(!claim("p", "a", "1024"));
    EF_CHECK_EQ(store_size(pool), 1024);
    EF_CHECK(!claim("q", "a", "1024"));
    EF_CHECK(!claim("r", "b", "512"));
    reason = claim("q", "a", "512");
    EF_CHECK_STR_EQ(reason, "Interface 'p' has decided on 1024 for pool 'a'");
    free(reason);
    reason = claim("p", "a", "4096");
    EF_CHECK(!reason);
    reason = claim("p", "a", "auto");
    EF_CHECK(!reason);
    EF_CHECK_EQ(store_size(pool), 768);

    /* The next one. */
    ef_mempool_unclaim("p", NULL);
    EF_CHECK_EQ(store_size(pool), 1024);
    ef_mempool_unclaim("q", NULL);
    EF_CHECK_EQ(store_size(pool), 768);
    ef_mempool_unclaim("r", NULL);
    ef_lcores_leave(5);
    ef_mempool_core_ends(5);
    put_last(pool, "p");
}

/* Freeing. */

static const struct ef_mempool_facts *
find_facts(const struct ef_mempool_facts *facts, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(facts[i].rte_name, name)) {
            return &facts[i];
        }
    }
    return NULL;
}

EF_TEST(facts_tell_what_waits)
{
    const struct ef_mempool_facts *fact;
    struct ef_mempool_facts *facts;
    struct ef_mempool *pool;
    struct rte_mbuf *mbuf;
    char *name;
    size_t n;

    EF_REQUIRE(start("false", ""));
    pool = get_named("p", "a", SMALL);
    EF_REQUIRE(pool && get_named("q", "a", SMALL) == pool);
    name = xstrdup(ef_mempool_rte(pool)->name);
    mbuf = rte_pktmbuf_alloc(ef_mempool_rte(pool));

    n = ef_mempool_get_facts(&facts);
    fact = find_facts(facts, n, name);
    EF_REQUIRE(fact != NULL);
    EF_CHECK_STR_EQ(fact->name, "a");
    EF_CHECK(fact->is_named && !fact->is_waiting);
    EF_CHECK_EQ(fact->n_ports, 2u);
    EF_CHECK_EQ(fact->n_ring, 4096u);
    EF_CHECK_EQ(fact->n_in_use, 1u);
    EF_CHECK_EQ(fact->n_bufs, fact->n_free + 1);
    ef_mempool_facts_free(facts, n);

    ef_mempool_put(pool, "p");
    ef_mempool_put(pool, "q");
    n = ef_mempool_get_facts(&facts);
    fact = find_facts(facts, n, name);
    EF_REQUIRE(fact != NULL);
    EF_CHECK(fact->is_waiting && !fact->n_ports && fact->n_in_use == 1);
    ef_mempool_facts_free(facts, n);
    rte_pktmbuf_free(mbuf);
    EF_CHECK(goes(name));
    free(name);
}

EF_TEST(waiting_pool_goes_by_itself)
{
    struct ef_mempool *pool;
    long long since;
    char *name;

    EF_REQUIRE(start("false", ""));
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    name = xstrdup(ef_mempool_rte(pool)->name);
    ef_mempool_put(pool, "p");
    since = time_msec();
    while (exists(name) && time_msec() < since + 2 * EF_MEMPOOL_KEEP_MS) {
        ef_mempool_run();
        settle();
    }
    EF_CHECK(!exists(name));
    EF_CHECK(time_msec() >= since + EF_MEMPOOL_KEEP_MS);
    free(name);
}

/* A sweep that sees all home is not believed if buffers were put back since:
 * the count may have been of a flush. */
EF_TEST(count_that_puts_disturb_is_not_believed)
{
    struct ef_mempool *pool;
    struct rte_mbuf *mbuf;
    char *name;

    EF_REQUIRE(start("false", ""));
    pool = get("p", SMALL);
    EF_REQUIRE(pool != NULL);
    name = xstrdup(ef_mempool_rte(pool)->name);
    ef_mempool_put(pool, "p");          /* Seems complete. */
    RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY;    /* Past DPDK's cache. */
    mbuf = rte_pktmbuf_alloc(ef_mempool_rte(pool));
    rte_pktmbuf_free(mbuf);
    settle();
    RTE_PER_LCORE(_lcore_id) = 0;
    /* To make another one frees what may go. */
    ef_mempool_put(get_named("r", "x", SMALL), "r");
    EF_CHECK(exists(name));
    EF_CHECK(goes(name));
    free(name);
}

/* Planted: a buffer that never comes home. */
EF_TEST_MUST_FAIL(leaked_buffer)
{
    struct ef_mempool *pool;

    EF_REQUIRE(start("true", ""));
    pool = get("leaky", SMALL);
    EF_REQUIRE(pool && rte_pktmbuf_alloc(ef_mempool_rte(pool)));
    put_last(pool, "leaky");
}
