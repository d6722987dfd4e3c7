/* SPDX-License-Identifier: Apache-2.0 */

/* Ports and their table: numbers, reconfiguration, tx queue rule and users,
 * pinned queues. */

#include <config.h>

#include "port/port-table.h"

#include <errno.h>
#include <string.h>

#include "dummy.h"
#include "ef-test.h"
#include "fake-netdev.h"
#include "netdev.h"
#include "odp-util.h"
#include "ovs-numa.h"
#include "seq.h"
#include "smap.h"
#include "util.h"

static void
register_dummy(void)
{
    static bool registered;

    if (!registered) {
        registered = true;
        netdev_dummy_register(DUMMY_OVERRIDE_NONE);
    }
}

static struct ef_port *
open_port(const char *name, const char *type, uint32_t port_no)
{
    struct ef_port *port;

    register_dummy();
    EF_CHECK(ef_port_open(name, type, u32_to_odp(port_no), &port) == 0);
    return port;
}

static void
set_option(struct ef_port *port, const char *key, const char *value)
{
    struct smap args = SMAP_INITIALIZER(&args);

    smap_add(&args, key, value);
    EF_CHECK(netdev_set_config(port->netdev, &args, NULL) == 0);
    smap_destroy(&args);
}

EF_TEST(table_finds)
{
    struct ef_port *p1 = open_port("p1", "dummy", 1);
    struct ef_port *p2 = open_port("p2", "dummy-pmd", 70000);
    struct ef_port *p;
    struct ef_port_table table;
    uint64_t seq;
    int n = 0;

    ef_port_table_init(&table);
    seq = seq_read(table.seq);
    EF_CHECK(!ef_port_table_find(&table, u32_to_odp(1)));
    ef_port_table_insert(&table, p1);
    EF_CHECK(seq_read(table.seq) != seq);
    EF_CHECK(!ef_port_table_has_pmd_port(&table));
    EF_CHECK(!ef_port_table_contains(&table, p2));
    ef_port_table_insert(&table, p2);

    EF_CHECK(ef_port_table_has_pmd_port(&table));
    EF_CHECK(ef_port_table_find(&table, u32_to_odp(1)) == p1);
    EF_CHECK(ef_port_table_find(&table, u32_to_odp(70000)) == p2);
    EF_CHECK(!ef_port_table_find(&table, u32_to_odp(2)));
    EF_CHECK(!ef_port_table_find(&table, ODPP_NONE));
    EF_CHECK(ef_port_table_find_name(&table, "p2") == p2);
    EF_CHECK(!ef_port_table_find_name(&table, "p"));
    EF_CHECK(ef_port_table_contains(&table, p2));
    EF_PORT_FOR_EACH (p, &table) {
        n++;
    }
    EF_CHECK_EQ(n, 2);

    seq = seq_read(table.seq);
    EF_PORT_FOR_EACH_SAFE (p, &table) {
        ef_port_table_remove(&table, p);
        EF_CHECK(!ef_port_table_contains(&table, p));
        ef_port_destroy(p);
    }
    EF_CHECK(seq_read(table.seq) != seq);
    ef_port_table_destroy(&table);
}

static uint32_t
choose(const struct ef_port_table *table, const char *name, bool by_name)
{
    return odp_to_u32(ef_port_table_choose(table, name, by_name));
}

EF_TEST(table_chooses)
{
    struct ef_port *p1 = open_port("p1", "dummy", 1);
    struct ef_port *p7 = open_port("p7", "dummy", 7);
    struct ef_port_table table;

    ef_port_table_init(&table);
    EF_CHECK_EQ(choose(&table, "x", false), 1);
    ef_port_table_insert(&table, p1);
    ef_port_table_insert(&table, p7);

    EF_CHECK_EQ(choose(&table, "p5", false), 2);
    EF_CHECK_EQ(choose(&table, "p5", true), 5);
    EF_CHECK_EQ(choose(&table, "p5x9", true), 5);
    EF_CHECK_EQ(choose(&table, "p7", true), 2);         /* Taken. */
    EF_CHECK_EQ(choose(&table, "p0", true), 2);
    EF_CHECK_EQ(choose(&table, "none", true), 2);
    EF_CHECK_EQ(choose(&table, "br0", true), 100);
    EF_CHECK_EQ(choose(&table, "br-int1", true), 101);
    EF_CHECK_EQ(choose(&table, "p100000", true), 100000);
    EF_CHECK_EQ(choose(&table, "p4294967295", true), 2);
    EF_CHECK_EQ(choose(&table, "br4294967200", true), 2);
    EF_CHECK_EQ(choose(&table, "p4294967297", true), 2);
    EF_CHECK_EQ(choose(&table, "p99999999999999999999999", true), 2);

    ef_port_table_remove(&table, p1);
    ef_port_table_remove(&table, p7);
    ef_port_destroy(p1);
    ef_port_destroy(p7);
    ef_port_table_destroy(&table);
}

/* Planted: a number that changes while the port is in the table. */
EF_TEST_MUST_FAIL(table_loses_renumbered)
{
    struct ef_port *port = open_port("p1", "dummy", 1);
    struct ef_port_table table;

    ef_port_table_init(&table);
    ef_port_table_insert(&table, port);
    port->port_no = u32_to_odp(2);
    EF_CHECK(ef_port_table_find(&table, u32_to_odp(2)) == port);
    EF_CHECK(ef_port_table_find(&table, u32_to_odp(1)) == port);
    ef_port_table_remove(&table, port);
    ef_port_destroy(port);
    ef_port_table_destroy(&table);
}

EF_TEST(table_is_full)
{
    struct ef_port *ports = xcalloc(UINT16_MAX, sizeof *ports);
    struct ef_port_table table;

    ef_port_table_init(&table);
    for (int i = 0; i < UINT16_MAX; i++) {
        ports[i].port_no = u32_to_odp(i + 1);
        ef_port_table_insert(&table, &ports[i]);
    }
    EF_CHECK(ef_port_table_choose(&table, "a", false) == ODPP_NONE);
    ef_port_table_remove(&table, &ports[40000]);
    EF_CHECK_EQ(choose(&table, "a", false), 40001);
    hmap_clear(&table.ports);
    ef_port_table_destroy(&table);
    free(ports);
}

EF_TEST(open_refuses)
{
    struct ef_port *port = (void *) 1;

    fake_register();
    EF_CHECK(ef_port_open("x", "no-such-type", u32_to_odp(1), &port) != 0);
    EF_CHECK(!port);
    EF_CHECK(ef_port_open("lo9", "ef-fake", u32_to_odp(1), &port) == EINVAL);
    EF_CHECK(!port);
    EF_CHECK_EQ(fake_n_devices, 0);
    ef_port_destroy(NULL);
}

EF_TEST(queues_follow_device)
{
    struct ef_port *port = open_port("p3", "dummy-pmd", 3);
    struct ef_port_table table;

    ef_port_table_init(&table);
    ef_port_table_insert(&table, port);
    EF_CHECK(ef_port_is_stale(port, 1));
    EF_CHECK(ef_port_reconfigure(port) == 0);
    EF_CHECK_EQ(port->n_rxq, 1);
    EF_CHECK(!ef_port_is_stale(port, 1));

    ef_load_store(&port->rxqs[0].load, 99);
    port->rxqs[0].core_id = 6;
    set_option(port, "n_rxq", "4");
    EF_CHECK(ef_port_table_has_pending(&table));
    EF_CHECK(ef_port_is_stale(port, 1));
    EF_CHECK(ef_port_reconfigure(port) == 0);
    EF_CHECK(!ef_port_table_has_pending(&table));
    EF_CHECK_EQ(port->n_rxq, 4);
    EF_CHECK_EQ(ef_load_sum(&port->rxqs[0].load, 1), 99);
    EF_CHECK_EQ(port->rxqs[0].core_id, 6);
    for (int i = 0; i < 4; i++) {
        EF_CHECK(port->rxqs[i].port == port);
        EF_CHECK_EQ(netdev_rxq_get_queue_id(port->rxqs[i].rx), i);
        EF_CHECK_EQ(port->rxqs[i].pinned_core, OVS_CORE_UNSPEC);
        EF_CHECK(!port->rxqs[i].is_vhost);
    }
    EF_CHECK_EQ(port->rxqs[3].core_id, OVS_CORE_UNSPEC);

    /* A queue that goes and comes back has forgotten. */
    ef_load_store(&port->rxqs[3].load, 5);
    set_option(port, "n_rxq", "2");
    EF_CHECK(ef_port_reconfigure(port) == 0);
    EF_CHECK_EQ(port->n_rxq, 2);
    set_option(port, "n_rxq", "4");
    EF_CHECK(ef_port_reconfigure(port) == 0);
    EF_CHECK_EQ(ef_load_sum(&port->rxqs[3].load, EF_LOAD_INTERVALS), 0);

    ef_port_table_remove(&table, port);
    ef_port_destroy(port);
    ef_port_table_destroy(&table);
}

EF_TEST(reconfigure_errors)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct fake_netdev *fake = fake_of(port);

    /* A device that has nothing to configure is fine. */
    fake->reconfigure_error = EOPNOTSUPP;
    port->need_reconfigure = true;
    EF_CHECK(ef_port_reconfigure(port) == 0);
    EF_CHECK(!port->need_reconfigure);
    EF_CHECK_EQ(fake->n_open_rxqs, 1);

    /* Nothing pending: the device is left alone. */
    fake->n_reconfigured = 0;
    EF_CHECK(ef_port_reconfigure(port) == 0);
    EF_CHECK_EQ(fake->n_reconfigured, 0);

    fake->reconfigure_error = EIO;
    port->need_reconfigure = true;
    EF_CHECK(ef_port_reconfigure(port) == EIO);
    EF_CHECK(port->need_reconfigure);
    EF_CHECK_EQ(fake->n_open_rxqs, 0);
    ef_port_destroy(port);

    port = fake_port("f2", 1, 1, 1);
    fake = fake_of(port);
    fake->want_n_rxq = 3;
    fake->bad_rxq = 2;
    port->need_reconfigure = true;
    EF_CHECK(ef_port_reconfigure(port) == ENOMEM);
    EF_CHECK_EQ(fake->n_open_rxqs, 2);
    ef_port_destroy(port);
    EF_CHECK_EQ(fake_n_devices, 0);
}

EF_TEST(promisc_is_undone)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);
    struct fake_netdev *fake = fake_of(port);
    struct netdev *netdev = netdev_ref(port->netdev);

    fake->flags_error = EPERM;
    EF_CHECK(ef_port_set_promisc(port) == EPERM);
    fake->flags_error = 0;
    EF_CHECK(ef_port_set_promisc(port) == 0);
    EF_CHECK(ef_port_set_promisc(port) == 0);
    EF_CHECK(fake->flags & NETDEV_PROMISC);
    ef_port_destroy(port);
    EF_CHECK(!(fake->flags & NETDEV_PROMISC));
    netdev_close(netdev);
    EF_CHECK_EQ(fake_n_devices, 0);
}

EF_TEST(affinity_applies)
{
    struct ef_port *port = fake_port("f1", 1, 1, 1);

    EF_CHECK(ef_port_set_affinity(port, "0:3,1:4") == 0);
    EF_CHECK_EQ(port->rxqs[0].pinned_core, 3);
    EF_CHECK(ef_port_set_affinity(port, "0:5,oops") == EINVAL);
    EF_CHECK_EQ(port->rxqs[0].pinned_core, 3);
    EF_CHECK(!strcmp(port->affinity_list, "0:3,1:4"));

    /* The list reaches queues that come later. */
    fake_of(port)->want_n_rxq = 2;
    port->need_reconfigure = true;
    EF_CHECK(ef_port_reconfigure(port) == 0);
    EF_CHECK_EQ(port->rxqs[0].pinned_core, 3);
    EF_CHECK_EQ(port->rxqs[1].pinned_core, 4);

    EF_CHECK(ef_port_set_affinity(port, port->affinity_list) == 0);
    EF_CHECK(!strcmp(port->affinity_list, "0:3,1:4"));
    EF_CHECK(ef_port_set_affinity(port, NULL) == 0);
    EF_CHECK(!port->affinity_list);
    EF_CHECK_EQ(port->rxqs[0].pinned_core, OVS_CORE_UNSPEC);
    ef_port_destroy(port);
}

EF_TEST(txq_mode_rule)
{
    static const struct {
        int n_txq;
        unsigned n_threads;
        bool hash;
        enum ef_txq_mode mode;
    } rules[] = {
        { 1, 1, false, EF_TXQ_STATIC }, { 1, 2, false, EF_TXQ_XPS },
        { 2, 2, false, EF_TXQ_STATIC }, { 4, 2, false, EF_TXQ_STATIC },
        { 2, 2, true, EF_TXQ_HASH },    { 2, 8, true, EF_TXQ_HASH },
        { 1, 1, true, EF_TXQ_STATIC },  { 1, 2, true, EF_TXQ_XPS },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        struct ef_port *port = fake_port("f1", 1, rules[i].n_txq, 1);

        port->hash_requested = rules[i].hash;
        ef_port_set_txq_mode(port, rules[i].n_threads);
        EF_CHECK_EQ(port->txq_mode, rules[i].mode);

        /* Once it is set up, nothing is left to do. */
        EF_CHECK(!ef_port_is_stale(port, rules[i].n_threads));
        ef_port_destroy(port);
    }
}

EF_TEST(txq_users)
{
    struct ef_port *port = fake_port("f1", 1, 3, 9);
    struct ef_txq_users *users = &port->txq_users;

    EF_CHECK(ef_port_txq_get(port, -1) == 0);
    EF_CHECK(ef_port_txq_get(port, -1) == 1);
    EF_CHECK(ef_port_txq_get(port, -1) == 2);
    EF_CHECK(ef_port_txq_get(port, -1) == 0);
    ef_port_txq_put(port, 1);
    EF_CHECK(ef_port_txq_get(port, -1) == 1);
    EF_CHECK(ef_port_txq_get(port, 2) == 2);   /* Its own is least used. */
    EF_CHECK_EQ(users->n_users[0], 2);
    EF_CHECK_EQ(users->n_users[1], 1);
    EF_CHECK_EQ(users->n_users[2], 1);

    /* Queues that are not there, or that nobody has. */
    ef_port_txq_put(port, 3);
    ef_port_txq_put(port, -1);
    EF_CHECK(ef_port_txq_get(port, 1000) == 1);
    ef_port_txq_put(port, 2);
    ef_port_txq_put(port, 2);
    EF_CHECK_EQ(users->n_users[2], 0);

    /* Another number of queues: nobody uses any. */
    fake_of(port)->want_n_txq = 2;
    port->need_reconfigure = true;
    EF_CHECK(ef_port_reconfigure(port) == 0);
    EF_CHECK_EQ(users->n, 2);
    EF_CHECK_EQ(users->n_users[0], 0);
    EF_CHECK(ef_port_txq_get(port, 2) == 0);
    EF_CHECK(ef_port_txq_get(port, -1) == 1);

    fake_of(port)->want_n_txq = 0;
    port->need_reconfigure = true;
    EF_CHECK(ef_port_reconfigure(port) == 0);
    EF_CHECK(ef_port_txq_get(port, 1) == 0);
    ef_port_destroy(port);
}
