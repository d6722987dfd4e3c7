/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_TESTS_FAKE_NETDEV_H
#define EF_TESTS_FAKE_NETDEV_H 1

/* A network device, type "ef-fake", that remembers what it was asked to send
 * and fails when it is told to.
 *
 *     fake_register();
 *     ef_port_open("f0", "ef-fake", 1, &port);
 *     fake = fake_of(port);
 *     fake->want_n_txq = 2;
 *
 * Threads: one. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dp-packet.h"
#include "netdev-provider.h"
#include "openvswitch/compiler.h"
#include "port/port.h"
#include "util.h"

#define FAKE_MAX_CALLS 64

struct fake_call {
    int txq;
    bool concurrent;
    size_t n;                   /* Packets. */
    enum dp_packet_source kind;
    bool mixed;                 /* Packets of several kinds. */
};

struct fake_netdev {
    struct netdev up;
    enum netdev_flags flags;

    /* Set by the test. */
    int want_n_txq, want_n_rxq; /* After the next reconfiguration. */
    int reconfigure_error;
    int flags_error;
    int bad_rxq;                /* Queue that does not open, -1: none. */

    /* What happened. */
    int n_reconfigured;
    int n_open_rxqs;
    size_t n_calls;
    struct fake_call calls[FAKE_MAX_CALLS];
};

/* Devices that exist: 0 when a test has cleaned up. */
static int fake_n_devices;

static inline struct fake_netdev *
fake_cast(const struct netdev *netdev)
{
    return CONTAINER_OF(netdev, struct fake_netdev, up);
}

static inline struct fake_netdev *
fake_of(const struct ef_port *port)
{
    return fake_cast(port->netdev);
}

static struct netdev *
fake_alloc(void)
{
    struct fake_netdev *fake = xzalloc(sizeof *fake);

    return &fake->up;
}

static int
fake_construct(struct netdev *netdev)
{
    struct fake_netdev *fake = fake_cast(netdev);

    fake->want_n_txq = fake->want_n_rxq = 1;
    fake->bad_rxq = -1;
    fake->flags = NETDEV_UP;
    if (!strncmp(netdev->name, "lo", 2)) {
        fake->flags |= NETDEV_LOOPBACK;
    }
    fake_n_devices++;
    return 0;
}

static void
fake_destruct(struct netdev *netdev OVS_UNUSED)
{
    fake_n_devices--;
}

static void
fake_dealloc(struct netdev *netdev)
{
    free(fake_cast(netdev));
}

static int
fake_update_flags(struct netdev *netdev, enum netdev_flags off,
                  enum netdev_flags on, enum netdev_flags *old)
{
    struct fake_netdev *fake = fake_cast(netdev);

    if ((on || off) && fake->flags_error) {
        return fake->flags_error;
    }
    *old = fake->flags;
    fake->flags = (fake->flags & ~off) | on;
    return 0;
}

static int
fake_reconfigure(struct netdev *netdev)
{
    struct fake_netdev *fake = fake_cast(netdev);

    fake->n_reconfigured++;
    if (fake->reconfigure_error) {
        return fake->reconfigure_error;
    }
    netdev->n_txq = fake->want_n_txq;
    netdev->n_rxq = fake->want_n_rxq;
    return 0;
}

static int
fake_send(struct netdev *netdev, int txq, struct dp_packet_batch *batch,
          bool concurrent)
{
    struct fake_netdev *fake = fake_cast(netdev);
    struct fake_call *call = &fake->calls[fake->n_calls];
    struct dp_packet *packet;

    ovs_assert(fake->n_calls < FAKE_MAX_CALLS);
    fake->n_calls++;
    call->txq = txq;
    call->concurrent = concurrent;
    call->n = dp_packet_batch_size(batch);
    call->kind = batch->packets[0]->source;
    call->mixed = false;
    DP_PACKET_BATCH_FOR_EACH (i, packet, batch) {
        call->mixed |= packet->source != call->kind;
    }
    /* The batch itself stays as it is: not every driver empties it. */
    DP_PACKET_BATCH_FOR_EACH (i, packet, batch) {
        dp_packet_delete(packet);
    }
    return 0;
}

static struct netdev_rxq *
fake_rxq_alloc(void)
{
    return xzalloc(sizeof(struct netdev_rxq));
}

static int
fake_rxq_construct(struct netdev_rxq *rxq)
{
    struct fake_netdev *fake = fake_cast(rxq->netdev);

    if (rxq->queue_id == fake->bad_rxq) {
        return ENOMEM;
    }
    fake->n_open_rxqs++;
    return 0;
}

static void
fake_rxq_destruct(struct netdev_rxq *rxq)
{
    fake_cast(rxq->netdev)->n_open_rxqs--;
}

static void
fake_rxq_dealloc(struct netdev_rxq *rxq)
{
    free(rxq);
}

static inline void
fake_register(void)
{
    static const struct netdev_class fake_class = {
        .type = "ef-fake",
        .is_pmd = true,
        .alloc = fake_alloc,
        .construct = fake_construct,
        .destruct = fake_destruct,
        .dealloc = fake_dealloc,
        .update_flags = fake_update_flags,
        .reconfigure = fake_reconfigure,
        .send = fake_send,
        .rxq_alloc = fake_rxq_alloc,
        .rxq_construct = fake_rxq_construct,
        .rxq_destruct = fake_rxq_destruct,
        .rxq_dealloc = fake_rxq_dealloc,
    };
    static bool registered;

    if (!registered) {
        registered = true;
        netdev_register_provider(&fake_class);
    }
}

/* Opens a port with queues as given, ready for 'n_threads'. */
static inline struct ef_port *
fake_port(const char *name, uint32_t port_no, int n_txq, unsigned n_threads)
{
    struct ef_port *port;

    fake_register();
    if (ef_port_open(name, "ef-fake", u32_to_odp(port_no), &port)) {
        abort();
    }
    fake_of(port)->want_n_txq = n_txq;
    if (ef_port_reconfigure(port)) {
        abort();
    }
    ef_port_set_txq_mode(port, n_threads);
    return port;
}

#endif /* fake-netdev.h */
