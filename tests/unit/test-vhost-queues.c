/* SPDX-License-Identifier: Apache-2.0 */

/* The tx queue map of vhost ports, which queues are enabled, and how guests
 * and reconfigurations that cross each other end. */

#include <config.h>

#include "dpdk/vhost.h"

#include "ef-test.h"
#include "seq.h"

static struct ef_vhost *
new_port(int n_txq)
{
    struct ef_vhost *port = xzalloc_cacheline(sizeof *port);

    port->dev.up.name = xstrdup("vhu0");
    port->dev.up.reconfigure_seq = seq_create();
    port->dev.up.n_txq = n_txq;
    port->dev.up.n_rxq = n_txq;
    ovsrcu_index_init(&port->vid, -1);
    port->guest.socket_id = -1;
    ef_vhost_queues_init(port);
    ef_vhost_guest_set_counters(port, n_txq);
    ef_vhost_queues_remap(port);
    return port;
}

static void
free_port(struct ef_vhost *port)
{
    ef_vhost_queues_destroy(port);
    seq_destroy(port->dev.up.reconfigure_seq);
    free(port->dev.up.name);
    free_cacheline(port->rx_counters);
    free_cacheline(port->tx_counters);
    free_cacheline(port);
}

/* Whether a reconfiguration was asked for since the last call. */
static bool
was_asked(struct ef_vhost *port)
{
    uint64_t seq = seq_read(port->dev.up.reconfigure_seq);
    bool asked = seq != port->dev.up.last_reconfigure_seq;

    port->dev.up.last_reconfigure_seq = seq;
    return asked;
}

/* The map as text: one character a queue, "-" for none. */
static const char *
map(const struct ef_vhost *port)
{
    static char s[16];
    int n = port->dev.up.n_txq;

    for (int i = 0; i < n; i++) {
        int to;

        atomic_read_relaxed(&port->tx_map[i], &to);
        s[i] = to < 0 ? '-' : '0' + to;
    }
    s[n] = '\0';
    return s;
}

static void
set_txqs(struct ef_vhost *port, const char *states)
{
    for (int i = 0; states[i]; i++) {
        ef_vhost_queue_changed(port, ef_vhost_tx_vring(i), states[i] == '1');
    }
}

EF_TEST(disabled_queues_are_spread)
{
    static const struct {
        const char *states;
        const char *map;
    } cases[] = {
        { "1111", "0123" },
        { "1000", "0000" },
        { "0100", "1111" },
        { "1010", "0022" },
        { "0011", "2323" },
        { "1100", "0101" },
        { "0000", "----" },
        { "0001", "3333" },
    };
    struct ef_vhost *port = new_port(4);

    EF_CHECK_STR_EQ(map(port), "0000");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        set_txqs(port, cases[i].states);
        EF_CHECK_STR_EQ(map(port), cases[i].map);
    }
    free_port(port);
}

EF_TEST(map_follows_number_of_queues)
{
    struct ef_vhost *port = new_port(1);

    /* More than the port has: kept for when it has them. */
    set_txqs(port, "111");
    EF_CHECK_STR_EQ(map(port), "0");
    port->dev.up.n_txq = 4;
    ef_vhost_queues_remap(port);
    EF_CHECK_STR_EQ(map(port), "0120");
    port->dev.up.n_txq = 2;
    ef_vhost_queues_remap(port);
    EF_CHECK_STR_EQ(map(port), "01");
    free_port(port);
}

EF_TEST(queues_out_of_range_are_ignored)
{
    struct ef_vhost *port = new_port(2);

    ef_vhost_queue_changed(port, 2 * EF_VHOST_MAX_QUEUES, true);
    ef_vhost_queue_changed(port, UINT16_MAX, true);
    EF_CHECK_STR_EQ(map(port), "00");
    free_port(port);
}

static bool
is_rx_enabled(const struct ef_vhost *port, int queue)
{
    bool enabled;

    atomic_read_relaxed(&port->rxq_enabled[queue], &enabled);
    return enabled;
}

EF_TEST(rx_change_is_announced)
{
    struct ef_vhost *port = new_port(2);
    uint64_t seq = netdev_get_change_seq(&port->dev.up);

    EF_CHECK(is_rx_enabled(port, 0));
    EF_CHECK(!is_rx_enabled(port, 1));
    ef_vhost_queue_changed(port, ef_vhost_rx_vring(1), true);
    EF_CHECK(is_rx_enabled(port, 1));
    EF_CHECK(netdev_get_change_seq(&port->dev.up) != seq);

    seq = netdev_get_change_seq(&port->dev.up);
    ef_vhost_queue_changed(port, ef_vhost_rx_vring(1), true);
    EF_CHECK(netdev_get_change_seq(&port->dev.up) == seq);
    EF_CHECK_STR_EQ(map(port), "00");
    free_port(port);
}

static struct ef_vhost_guest
guest_of(int n_queues, int socket_id)
{
    struct ef_vhost_guest guest = {
        .n_queues = n_queues,
        .socket_id = socket_id,
        .mtu = -1,
    };

    return guest;
}

static void
connect_guest(struct ef_vhost *port, int vid, int n_queues, int socket_id)
{
    struct ef_vhost_guest guest = guest_of(n_queues, socket_id);

    ef_vhost_guest_set(port, vid, &guest);
}

EF_TEST(guest_waits_for_set_up)
{
    struct ef_vhost *port = new_port(1);

    was_asked(port);
    connect_guest(port, 3, 2, 0);
    EF_CHECK(was_asked(port));
    EF_CHECK(!ef_vhost_is_running(port));
    EF_CHECK_EQ(ef_vhost_get_vid(port), 3);

    /* No memory: stays down, does not ask without end. */
    ef_vhost_guest_publish(port, 0, 0);
    EF_CHECK(!ef_vhost_is_running(port));
    EF_CHECK(!was_asked(port));

    ef_vhost_guest_publish(port, 2, 0);
    EF_CHECK(ef_vhost_is_running(port));
    EF_CHECK(!was_asked(port));
    free_port(port);
}

EF_TEST(fitting_guest_starts_at_once)
{
    struct ef_vhost *port = new_port(2);

    ef_vhost_guest_publish(port, 2, 1);
    was_asked(port);

    /* Node not known. */
    connect_guest(port, 5, 2, -1);
    EF_CHECK(ef_vhost_is_running(port));
    EF_CHECK(!was_asked(port));
    EF_CHECK(!ef_vhost_guest_clear(port, 4));
    EF_CHECK(ef_vhost_guest_clear(port, 5));
    EF_CHECK(!ef_vhost_is_running(port));

    /* Another node. */
    connect_guest(port, 5, 2, 0);
    EF_CHECK(!ef_vhost_is_running(port));
    EF_CHECK(was_asked(port));
    free_port(port);
}

/* A guest with more queues comes while the port is set up for the last. */
EF_TEST(guest_during_set_up)
{
    struct ef_vhost *port = new_port(1);

    connect_guest(port, 1, 1, 0);
    was_asked(port);
    ef_vhost_guest_clear(port, 1);
    EF_CHECK(ef_vhost_guest_disconnect(port));
    connect_guest(port, 1, 4, 0);
    was_asked(port);
    ef_vhost_guest_publish(port, 1, 0);
    EF_CHECK(!ef_vhost_is_running(port));
    EF_CHECK(was_asked(port));
    ef_vhost_guest_publish(port, 4, 0);
    EF_CHECK(ef_vhost_is_running(port));
    EF_CHECK(!was_asked(port));
    free_port(port);
}

EF_TEST(disconnect_gives_queues_back)
{
    struct ef_vhost *port = new_port(4);

    connect_guest(port, 1, 4, 0);
    ef_vhost_guest_publish(port, 4, 0);
    set_txqs(port, "1111");
    was_asked(port);
    EF_CHECK(ef_vhost_guest_clear(port, 1));
    EF_CHECK_STR_EQ(map(port), "0000");
    EF_CHECK(!was_asked(port));
    EF_CHECK(ef_vhost_guest_disconnect(port));
    EF_CHECK(was_asked(port));
    EF_CHECK_EQ(port->guest.n_queues, 0);

    ef_vhost_guest_publish(port, 1, 0);
    EF_CHECK(ef_vhost_guest_disconnect(port));
    EF_CHECK(!was_asked(port));
    free_port(port);
}

EF_TEST(guest_grows)
{
    struct ef_vhost *port = new_port(1);

    /* Told before the guest comes, as the library does. */
    ef_vhost_queue_changed(port, ef_vhost_rx_vring(1), true);
    connect_guest(port, 1, 1, 0);
    ef_vhost_guest_publish(port, 1, 0);
    was_asked(port);
    ef_vhost_queue_changed(port, ef_vhost_tx_vring(2), true);
    EF_CHECK_EQ(port->guest.n_queues, 3);
    EF_CHECK(was_asked(port));
    ef_vhost_queue_changed(port, ef_vhost_tx_vring(3), false);
    EF_CHECK_EQ(port->guest.n_queues, 3);
    free_port(port);
}

EF_TEST(new_guest_counts_from_zero)
{
    struct ef_vhost *port = new_port(1);

    ef_vhost_guest_publish(port, 1, 0);
    ef_counter_add(&port->rx_counters[0].packets, 7);
    ef_vhost_guest_set_counters(port, 2);
    EF_CHECK_EQ(ef_counter_get(&port->rx_counters[0].packets), 7);
    EF_CHECK_EQ(ef_counter_get(&port->rx_counters[1].packets), 0);
    connect_guest(port, 1, 1, 0);
    EF_CHECK_EQ(ef_counter_get(&port->rx_counters[0].packets), 0);
    free_port(port);
}

/* Planted: nobody remaps after the number of queues changed. */
EF_TEST_MUST_FAIL(map_without_remap)
{
    struct ef_vhost *port = new_port(1);

    port->dev.up.n_txq = 2;
    EF_CHECK_STR_EQ(map(port), "00");
    free_port(port);
}
