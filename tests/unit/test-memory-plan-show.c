/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of show/memory-plan-show.c and dpdk/memory-spec.c: a made-up plan
 * as text and as JSON, what a SPEC comes to, and what the commands answer
 * while DPDK does not run. */

#include <config.h>

#include "show/memory-plan-show.h"

#include <unistd.h>

#include "dpdk/memory-plan.h"
#include "dpdk/mempool-config.h"
#include "ef-test.h"
#include "fatal-signal.h"
#include "jsonrpc.h"
#include "openvswitch/dynamic-string.h"
#include "ovs-rcu.h"
#include "show/mempool-show.h"
#include "show/tx-show.h"
#include "unixctl-fixture.h"
#include "unixctl.h"

#define MIB (UINT64_C(1) << 20)

static struct ef_plan_pool pools[] = {
    { .buf_size = 3200, .n_bufs = 262144, .bytes = 850 * MIB, .n_ports = 2,
      .n_ring = 20480 },
    { .name = "v4", .is_named = true, .socket_id = 1, .buf_size = 2176,
      .n_bufs = 4096, .bytes = 12 * MIB + MIB / 2, .n_ports = 1,
      .n_ring = 8192 },
    { .name = "p0", .buf_size = 2176, .n_bufs = 20480, .bytes = 60 * MIB,
      .n_ports = 1, .n_ring = 4096 },
};

static struct ef_plan_node nodes[] = {
    { .socket_id = 0, .bytes = 912 * MIB, .ring_bytes = 2 * MIB,
      .free_bytes = 100 * MIB, .n_pages_2m = 457, .n_pages_1g = 3 },
    { .socket_id = 1, .bytes = 13 * MIB, .ring_bytes = MIB / 2,
      .n_pages_2m = 8, .n_pages_1g = 2 },
};

static const struct ef_memory_plan plan = {
    .pools = pools, .n_pools = ARRAY_SIZE(pools),
    .nodes = nodes, .n_nodes = ARRAY_SIZE(nodes),
};

static const char text[] =
    "node buffer_bytes   buffers       MiB  ports  rings_hold  pool\n"
    "   0         3200    262144     850.0      2       20480  shared\n"
    "   1         2176      4096      12.5      1        8192  named v4 "
    "(fewer than its rings can hold)\n"
    "   0         2176     20480      60.0      1        4096  of port p0\n"
    "node 0: 912.0 MiB, of which 2.0 MiB for rings: 457 pages of 2 MiB or 3 "
    "of 1 GiB; 100.0 MiB are free now\n"
    "node 1: 13.0 MiB, of which 0.5 MiB for rings: 8 pages of 2 MiB or 2 of "
    "1 GiB; 0.0 MiB are free now\n";

static const char json[] =
    "{\"nodes\":[{\"bytes\":956301312,\"free_bytes\":104857600,"
    "\"n_pages_1g\":3,\"n_pages_2m\":457,\"ring_bytes\":2097152,"
    "\"socket_id\":0},{\"bytes\":13631488,\"free_bytes\":0,"
    "\"n_pages_1g\":2,\"n_pages_2m\":8,\"ring_bytes\":524288,"
    "\"socket_id\":1}],"
    "\"pools\":[{\"buf_size\":3200,\"bytes\":891289600,"
    "\"is_named\":false,\"n_bufs\":262144,\"n_ports\":2,\"n_ring\":20480,"
    "\"name\":null,\"socket_id\":0},"
    "{\"buf_size\":2176,\"bytes\":13107200,\"is_named\":true,"
    "\"n_bufs\":4096,\"n_ports\":1,\"n_ring\":8192,\"name\":\"v4\","
    "\"socket_id\":1},"
    "{\"buf_size\":2176,\"bytes\":62914560,\"is_named\":false,"
    "\"n_bufs\":20480,\"n_ports\":1,\"n_ring\":4096,\"name\":\"p0\","
    "\"socket_id\":0}]}\n";

static void
check_plan(const struct ef_memory_plan *p, const char *as_text,
           const char *as_json)
{
    struct ds ds = DS_EMPTY_INITIALIZER;

    ef_show_memory_plan(&ds, p);
    EF_CHECK_STR_EQ(ds_cstr(&ds), as_text);
    ds_clear(&ds);
    ef_show_memory_plan_json(&ds, p);
    EF_CHECK_STR_EQ(ds_cstr(&ds), as_json);
    ds_destroy(&ds);
}

EF_TEST(shown)
{
    const struct ef_memory_plan none = { .n_pools = 0 };

    check_plan(&plan, text, json);
    check_plan(&none, "no pools\n", "{\"nodes\":[],\"pools\":[]}\n");
}

EF_TEST_MUST_FAIL(expects_what_is_wrong)
{
    check_plan(&plan, json, text);
}

/* --- SPEC ---------------------------------------------------------------- */

/* As "NAME MTU@NODE RXQ*RXD TXQ*TXD POOL", with three PMD threads. */
static const struct {
    const char *spec;
    const char *result;
} specs[] = {
    { "p0", "p0 1500@0 1*2048 4*2048 -" },
    { "p0:mtu=9000", "p0 9000@0 1*2048 4*2048 -" },
    { "p0:mtu=9000,numa=1,rxq=4,txq=9,rxd=1024,txd=512,mempool=v4",
      "p0 9000@1 4*1024 9*512 v4" },
    { "p0:type=dpdk", "p0 1500@0 1*2048 4*2048 -" },
    { "p0:type=vhost", "p0 1500@0 1*2048 4*2048 - copied" },
    { "a.b-c:txq=1", "a.b-c 1500@0 1*2048 1*2048 -" },

    { "", "'': a port's name must not be empty" },
    { ":mtu=1500", "':mtu=1500': a port's name must not be empty" },
    { "p0:", "'p0:': must be KEY=VALUE" },
    { "p0:mtu", "'p0:mtu': must be KEY=VALUE" },
    { "p0:mtu=1500,", "'p0:': must be KEY=VALUE" },
    { "p0:,mtu=1500", "'p0:': must be KEY=VALUE" },
    { "p0:mtu=", "'p0:mtu=': must be a number from 68 to 64486" },
    { "p0:mtu=67", "'p0:mtu=67': must be a number from 68 to 64486" },
    { "p0:mtu=64487", "'p0:mtu=64487': must be a number from 68 to 64486" },
    { "p0:mtu=+1500", "'p0:mtu=+1500': must be a number from 68 to 64486" },
    { "p0:mtu= 1500", "'p0:mtu= 1500': must be a number from 68 to 64486" },
    { "p0:mtu=1500x", "'p0:mtu=1500x': must be a number from 68 to 64486" },
    { "p0:mtu=99999999999999999999",
      "'p0:mtu=99999999999999999999': must be a number from 68 to 64486" },
    { "p0:numa=-1", "'p0:numa=-1': must be a number from 0 to 31" },
    { "p0:rxq=0", "'p0:rxq=0': must be a number from 1 to 1024" },
    { "p0:txq=1025", "'p0:txq=1025': must be a number from 1 to 1024" },
    { "p0:rxd=4097", "'p0:rxd=4097': must be a number from 1 to 4096" },
    { "p0:txd=0", "'p0:txd=0': must be a number from 1 to 4096" },
    { "p0:mempool=", "'p0:mempool=': " EF_MEMPOOL_NAME_RULE },
    { "p0:mempool=a=b", "'p0:mempool=a=b': " EF_MEMPOOL_NAME_RULE },
    { "p0:mtu=1500,mtu=1500", "'p0:mtu=1500': a key must occur once" },
    { "p0:mempool=a,mempool=b", "'p0:mempool=b': a key must occur once" },
    { "p0:MTU=1500", "'p0:MTU=1500': a key must be one of type, mtu, numa, "
      "rxq, txq, rxd, txd, mempool" },
    { "p0:type=veth", "'p0:type=veth': must be dpdk or vhost" },
    { "p0:type=dpdk,type=vhost", "'p0:type=vhost': a key must occur once" },
};

static char *
parse(const char *s)
{
    struct ef_memory_spec *spec = xzalloc(sizeof *spec);
    char *result = ef_memory_spec_parse(s, 3, spec);

    if (!result) {
        const struct ef_mempool_request *r = &spec->request;

        result = xasprintf("%s %d@%d %d*%d %d*%d %s%s", r->port_name, r->mtu,
                           r->socket_id, r->n_rxq, r->rxq_size, r->n_txq,
                           r->txq_size, r->pool_name ? r->pool_name : "-",
                           r->copies ? " copied" : "");
    } else {
        EF_CHECK(!spec->name && !spec->pool_name);
    }
    ef_memory_specs_free(spec, 1);
    return result;
}

EF_TEST(specs_parsed)
{
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        char *result = parse(specs[i].spec);

        EF_CHECK_STR_EQ(result, specs[i].result);
        free(result);
    }
}

EF_TEST_MUST_FAIL(spec_with_another_result)
{
    char *result = parse("p0:rxq=2");

    EF_CHECK_STR_EQ(result, specs[0].result);
    free(result);
}

/* --- The commands -------------------------------------------------------- */

/* The server's part that has to come before any thread. */
static void __attribute__((constructor))
before_threads(void)
{
    fatal_signal_init();
}

/* Through the socket, as an operator asks. */
static void
check_off(struct jsonrpc *client, const char *command, char *args[], int n,
          const char *expected)
{
    char *result, *error;

    EF_CHECK_EQ(ef_client_transact_text(client, command, n, args, &result,
                                        &error), 0);
    EF_CHECK(!error);
    EF_CHECK_STR_EQ(result, expected);
    free(result);
    free(error);
}

EF_TEST(without_dpdk)
{
    static const char *commands[] = {
        "dpif-netdev/mempool-show", "dpif-netdev/tx-show",
        "dpif-netdev/memory-plan",
    };
    char *path = xasprintf("/tmp/ef-memory-plan-show-%d", (int) getpid());
    char *args[] = { "p0", "json" };
    struct jsonrpc *client;

    ef_mempool_show_init();
    ef_tx_show_init();
    ef_memory_plan_show_init();
    EF_REQUIRE_EQ(unixctl_fixture_start(path), 0);
    ovsrcu_quiesce_start();
    EF_REQUIRE_EQ(unixctl_client_create(path, &client), 0);

    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        bool takes_port = i > 0;

        check_off(client, commands[i], NULL, 0, "DPDK is not running\n");
        check_off(client, commands[i], args + 1, 1,
                  "{\"message\":\"DPDK is not running\"}\n");
        if (takes_port) {
            check_off(client, commands[i], args, 1, "DPDK is not running\n");
            check_off(client, commands[i], args, 2,
                      "{\"message\":\"DPDK is not running\"}\n");
        }
    }

    jsonrpc_close(client);
    ovsrcu_quiesce_end();
    unixctl_fixture_end();
    unlink(path);
    free(path);
}
