/* SPDX-License-Identifier: Apache-2.0 */

/* Turns the settings of ports into what their batches do.  Called when the
 * instance gets its ports, and by its flush after settings changed. */

#include <config.h>

#include "output/tx-policy.h"

#include "core/ticks.h"
#include "dpdk/dev.h"
#include "dpdk/tx-fill.h"
#include "util.h"

/* How much of the past tells whether a PMD keeps up; see output/hold.h. */
#define BEHIND_MAX_US 2000

static void
set_batch(struct ef_output *out, struct ef_tx_batch *b, uint32_t target_us,
          uint32_t limit)
{
    uint64_t target = 0;

    if (target_us == EF_LATENCY_TARGET_UNSET) {
        b->policy = EF_TX_INTERVAL;
    } else if (!target_us || !out->may_hold) {
        b->policy = EF_TX_AT_ONCE;
    } else {
        b->policy = EF_TX_HOLD;
        target = target_us * ef_ticks_per_us();
        out->n_holding++;
    }
    ef_hold_set(&b->hold, MIN(target, UINT32_MAX), limit);
}

/* Gives the port a batch for each class.  They stay as long as the port: in
 * one that is not used any more packets may wait. */
static struct ef_tx_classes *
make_classes(struct ef_tx_port *tx)
{
    if (!tx->classes) {
        tx->classes = xzalloc_cacheline(sizeof *tx->classes);
        for (int i = 0; i < EF_TX_N_CLASSES; i++) {
            struct ef_tx_batch *b = &tx->classes->batches[i];

            dp_packet_batch_init(&b->packets);
            b->tx = tx;
            b->class = i + 1;
        }
    }
    for (int i = 0; i < EF_BATCHING_CLASSES; i++) {
        tx->classes->by_queue[i] = &tx->batch;
    }
    return tx->classes;
}

/* The queues of the port's QoS.  Returns the one with the shortest target,
 * NULL without any. */
static struct ef_tx_batch *
set_queues(struct ef_output *out, struct ef_tx_port *tx, uint32_t port_us,
           uint32_t port_limit,
           const struct ef_batching_class qos[EF_BATCHING_CLASSES])
{
    struct ef_tx_classes *classes = make_classes(tx);
    struct ef_tx_batch *urgent = NULL;
    uint32_t least_us = UINT32_MAX;

    for (int i = 0; i < EF_BATCHING_CLASSES; i++) {
        struct ef_tx_batch *b = &classes->batches[i];
        uint32_t target_us = qos[i].latency_target_us;

        if (!qos[i].exists) {
            continue;
        }
        if (target_us == EF_LATENCY_TARGET_UNSET) {
            target_us = port_us;
        }
        set_batch(out, b, target_us, MIN(qos[i].output_batch, port_limit));
        classes->by_queue[i] = b;
        if (!urgent || target_us < least_us) {
            urgent = b;
            least_us = target_us;
        }
    }
    urgent->is_urgent = true;
    return urgent;
}

/* Small packets, at a port without QoS. */
static struct ef_tx_batch *
set_small(struct ef_output *out, struct ef_tx_port *tx)
{
    struct ef_tx_batch *b = &make_classes(tx)->batches[EF_TX_SMALL];

    set_batch(out, b, 0, NETDEV_MAX_BURST);
    b->is_urgent = true;
    return b;
}

static void
set_classes(struct ef_output *out, struct ef_tx_port *tx, uint32_t target_us,
            uint32_t limit)
{
    struct ef_params *params = CONST_CAST(struct ef_params *, out->params);
    struct ef_batching_class qos[EF_BATCHING_CLASSES];
    struct netdev *netdev = tx->port->netdev;
    bool has_queues = ef_dpdk_is_dpdk(netdev)
                      && ef_batching_get(&ef_dpdk_dev_cast(netdev)->qos, qos);
    uint32_t small_packet;

    /* Those of before are sent at once, if anything is in them. */
    for (int i = 0; tx->classes && i < EF_TX_N_CLASSES; i++) {
        set_batch(out, &tx->classes->batches[i], 0, NETDEV_MAX_BURST);
        tx->classes->batches[i].is_urgent = false;
    }
    atomic_read_relaxed(&params->small_packet, &small_packet);
    tx->has_classes = has_queues || small_packet;
    if (tx->has_classes) {
        struct ef_tx_batch *urgent
            = (has_queues ? set_queues(out, tx, target_us, limit, qos)
               : set_small(out, tx));

        tx->classes->urgent = urgent;
        tx->classes->small_packet = small_packet;
    }
}

static void
set_port(struct ef_output *out, struct ef_tx_port *tx)
{
    struct ef_params *params = CONST_CAST(struct ef_params *, out->params);
    struct ef_port_output *wish = &tx->port->output;
    uint32_t target_us, limit;

    atomic_read_relaxed(&wish->latency_target_us, &target_us);
    if (target_us == EF_LATENCY_TARGET_UNSET) {
        atomic_read_relaxed(&params->latency_target_us, &target_us);
    }
    atomic_read_relaxed(&wish->output_batch, &limit);
    tx->is_full = false;
    set_batch(out, &tx->batch, target_us, limit);
    set_classes(out, tx, target_us, limit);
}

void
ef_tx_policy_refresh(struct ef_output *out)
{
    bool held = out->n_holding;
    struct ef_tx_port *tx;

    atomic_read_explicit(&ef_params_output_seq, &out->policy_seq,
                         memory_order_acquire);
    out->n_holding = 0;
    HMAP_FOR_EACH (tx, node, &out->send) {
        set_port(out, tx);
    }
    if (out->n_holding && !held) {
        uint64_t behind_max = BEHIND_MAX_US * ef_ticks_per_us();

        out->now = ef_ticks_now();
        ef_hold_load_init(&out->load, out->now, MIN(behind_max, UINT32_MAX));
    }
}

void
ef_tx_policy_look(struct ef_output *out, struct ef_tx_port *tx, int txq)
{
    struct ef_params *params = CONST_CAST(struct ef_params *, out->params);
    uint8_t watermark;

    atomic_read_relaxed(&params->tx_watermark, &watermark);
    tx->is_full = watermark < 100
                  && ef_tx_is_filled(tx->port->netdev, txq, watermark,
                                     tx->txq_mode != EF_TXQ_STATIC) > 0;
}
