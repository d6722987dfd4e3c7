/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of show/mempool-show.c: made-up pools as text and as JSON. */

#include <config.h>

#include "show/mempool-show.h"

#include "dpdk/mempool.h"
#include "ef-test.h"
#include "openvswitch/dynamic-string.h"

static struct ef_mempool_core_facts cores[] = {
    { .lcore = 1, .core = 2, .store = {
        .size = 2048, .fill = 1024, .front_fill = 64,
        .n_refills = 3, .n_flushes = 4, .n_empty = 5, .n_odd = 6,
        .n_retries = 7, .n_get_calls = 8000000000, .n_put_calls = 9,
        .n_refill_bufs = 768, .n_flush_bufs = 1024 } },
    { .lcore = 2, .core = 17, .store = { .size = 512 } },
};

#define HEADS                                                           \
    "  core lcore   size   fill  front    refills  refill_bufs"         \
    "    flushes   flush_bufs    empty      odd  retries         gets"  \
    "         puts\n"
#define NOTHING_SHARED                                                  \
    "  shared store 0, of these odd 0; threads without a store: gets 0," \
    " puts 0, found nothing 0, retries 0\n"

static const struct {
    struct ef_mempool_facts facts;
    const char *text;
    const char *json;
} cases[] = {
    { { .rte_name = "ovs1", .socket_id = 1, .buf_size = 3200,
        .n_bufs = 262144, .n_free = 262000, .n_in_use = 144, .n_ports = 2,
        .n_ring = 8192, .cores = cores, .n_cores = 2,
        .shared = { 260000, 11, 12, 13, 14, 15 } },
      "pool ovs1: shared, NUMA node 1, 262144 buffers of 3200 bytes, 2 ports"
      "\n"
      "  free 262000, in use 144, the rings of its ports can hold 8192\n"
      "  shared store 260000, of these odd 11; threads without a store: "
      "gets 12, puts 13, found nothing 14, retries 15\n"
      HEADS
      "     2     1   2048   1024     64          3          768"
      "          4         1024        5        6        7   8000000000"
      "            9\n"
      "    17     2    512      0      0          0            0"
      "          0            0        0        0        0            0"
      "            0\n",
      "{\"pools\":[{\"buf_size\":3200,\"cores\":["
      "{\"core\":2,\"lcore\":1,\"store\":{\"fill\":1024,\"front_fill\":64,"
      "\"n_empty\":5,\"n_flush_bufs\":1024,\"n_flushes\":4,"
      "\"n_get_calls\":8000000000,\"n_odd\":6,\"n_put_calls\":9,"
      "\"n_refill_bufs\":768,\"n_refills\":3,\"n_retries\":7,\"size\":2048}},"
      "{\"core\":17,\"lcore\":2,\"store\":{\"fill\":0,\"front_fill\":0,"
      "\"n_empty\":0,\"n_flush_bufs\":0,\"n_flushes\":0,"
      "\"n_get_calls\":0,\"n_odd\":0,\"n_put_calls\":0,"
      "\"n_refill_bufs\":0,\"n_refills\":0,\"n_retries\":0,\"size\":512}}],"
      "\"is_named\":false,\"is_waiting\":false,\"n_bufs\":262144,"
      "\"n_free\":262000,\"n_in_use\":144,\"n_ports\":2,\"n_ring\":8192,"
      "\"name\":null,\"rte_name\":\"ovs1\",\"shared\":{\"n_empty\":14,"
      "\"n_odd\":11,\"n_odd_gets\":12,\"n_odd_puts\":13,"
      "\"n_retries\":15,\"n_shared\":260000},\"socket_id\":1}]}\n" },

    { { .rte_name = "ovs2", .name = "v4", .is_named = true, .buf_size = 2176,
        .n_bufs = 4096, .n_free = 4096, .n_ports = 1 },
      "pool ovs2: named v4, NUMA node 0, 4096 buffers of 2176 bytes, 1 port\n"
      "  free 4096, in use 0, the rings of its ports can hold 0\n"
      NOTHING_SHARED,
      NULL },

    { { .rte_name = "ovs3", .name = "p0", .buf_size = 2176, .n_bufs = 100,
        .n_free = 88, .n_in_use = 12, .is_waiting = true },
      "pool ovs3: of port p0, NUMA node 0, 100 buffers of 2176 bytes, 0 ports"
      "\n"
      "  free 88, in use 12, the rings of its ports can hold 0\n"
      "  no port has it: waits for 12 buffers, then is freed\n"
      NOTHING_SHARED,
      NULL },

    { { .rte_name = "ovs4", .buf_size = 2176, .n_bufs = 100, .n_free = 100,
        .is_waiting = true },
      "pool ovs4: shared, NUMA node 0, 100 buffers of 2176 bytes, 0 ports\n"
      "  free 100, in use 0, the rings of its ports can hold 0\n"
      "  no port has it, all buffers are home: is freed in 10 s or when a "
      "pool is made\n"
      NOTHING_SHARED,
      NULL },
};

static void
check(const struct ef_mempool_facts *facts, size_t n, const char *text,
      const char *json)
{
    struct ds ds = DS_EMPTY_INITIALIZER;

    ef_show_mempools(&ds, facts, n);
    EF_CHECK_STR_EQ(ds_cstr(&ds), text);
    if (json) {
        ds_clear(&ds);
        ef_show_mempools_json(&ds, facts, n);
        EF_CHECK_STR_EQ(ds_cstr(&ds), json);
    }
    ds_destroy(&ds);
}

EF_TEST(table)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check(&cases[i].facts, 1, cases[i].text, cases[i].json);
    }
}

EF_TEST(no_pools)
{
    check(NULL, 0, "no pools\n", "{\"pools\":[]}\n");
}

EF_TEST(several_pools)
{
    const struct ef_mempool_facts facts[] = {
        cases[1].facts, cases[2].facts,
    };
    char *text = xasprintf("%s%s", cases[1].text, cases[2].text);

    check(facts, 2, text, NULL);
    free(text);
}

EF_TEST_MUST_FAIL(expects_what_is_wrong)
{
    check(&cases[1].facts, 1, cases[2].text, NULL);
}
