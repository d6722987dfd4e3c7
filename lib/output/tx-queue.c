/* SPDX-License-Identifier: Apache-2.0 */

/* Chooses the tx queue for a batch and hands it to the driver.
 *
 * tx-port.c calls this when a batch has to leave, and the loop of the
 * instance calls ef_output_xps_expire() and ef_output_idle() once in a while.
 * All in the thread that owns the instance. */

#include <config.h>

#include "output/tx-queue.h"

#include <stdlib.h>

#include "core/log.h"
#include "dpdk/ethdev.h"
#include "flow.h"
#include "netdev.h"
#include "output/tx-port.h"
#include "util.h"

void
ef_tx_queue_init(struct ef_tx_port *tx)
{
    tx->txq = -1;
    tx->last_used_us = 0;
    tx->txq_batches = NULL;
    tx->n_txq = netdev_n_txq(tx->port->netdev);
    if (tx->txq_mode == EF_TXQ_HASH) {
        tx->txq_batches = xmalloc(tx->n_txq * sizeof *tx->txq_batches);
        for (int i = 0; i < tx->n_txq; i++) {
            dp_packet_batch_init(&tx->txq_batches[i]);
        }
    }
}

static void
give_back(struct ef_tx_port *tx)
{
    if (tx->txq >= 0) {
        ef_port_txq_put(tx->port, tx->txq);
        tx->txq = -1;
    }
}

void
ef_tx_queue_uninit(struct ef_tx_port *tx)
{
    give_back(tx);
    free(tx->txq_batches);
    tx->txq_batches = NULL;
}

void
ef_output_xps_expire(struct ef_output *out, long long now_us)
{
    struct ef_tx_port *tx;

    HMAP_FOR_EACH (tx, node, &out->send) {
        if (now_us - tx->last_used_us >= EF_XPS_TIMEOUT_US) {
            give_back(tx);
        }
    }
}

static void
look_after(struct ef_output *out, struct ef_tx_port *tx)
{
    struct netdev *netdev = tx->port->netdev;

    if (tx->txq_mode == EF_TXQ_STATIC) {
        ef_ethdev_watch_idle(netdev, out->static_txq, false);
    } else {
        /* Each thread looks at one queue each time; there can be more queues
         * than threads. */
        ef_ethdev_watch_idle(netdev, out->static_txq, true);
        ef_ethdev_watch_idle(netdev, out->idle_txq, true);
    }
}

void
ef_output_idle(struct ef_output *out, long long now_us)
{
    struct ef_tx_port *tx;

    if (!ef_output_is_idle_due(out, now_us)) {
        return;
    }
    out->next_idle_us = now_us + EF_OUTPUT_IDLE_US;
    out->idle_txq++;
    LIST_FOR_EACH (tx, watched, &out->watched) {
        look_after(out, tx);
    }
}

static int
xps_queue(struct ef_output *out, struct ef_tx_port *tx, long long now_us)
{
    long long unused_us = now_us - tx->last_used_us;

    tx->last_used_us = now_us;
    if (OVS_UNLIKELY(tx->txq < 0 || unused_us >= EF_XPS_TIMEOUT_US)) {
        tx->txq = ef_port_txq_get(tx->port, tx->txq);
        ef_output_xps_expire(out, now_us);
        VLOG_DBG("Core %d: New TX queue ID %d for port '%s'.",
                 (int) out->core_id, tx->txq,
                 netdev_get_name(tx->port->netdev));
    }
    return tx->txq;
}

static uint32_t
packet_hash(struct dp_packet *packet)
{
    struct flow flow;

    if (OVS_LIKELY(dp_packet_rss_valid(packet))) {
        return dp_packet_get_rss_hash(packet);
    }
    flow_extract(packet, &flow);
    return flow_hash_5tuple(&flow, 0);
}

/* Returns the last queue that got packets. */
static int
send_by_hash(struct ef_tx_port *tx, const struct dp_packet_batch *packets)
{
    struct netdev *netdev = tx->port->netdev;
    struct dp_packet *packet;
    int last = 0;

    DP_PACKET_BATCH_FOR_EACH (i, packet, packets) {
        uint32_t txq = packet_hash(packet) % tx->n_txq;

        dp_packet_batch_add(&tx->txq_batches[txq], packet);
    }
    for (int txq = 0; txq < tx->n_txq; txq++) {
        struct dp_packet_batch *batch = &tx->txq_batches[txq];

        if (!dp_packet_batch_is_empty(batch)) {
            netdev_send(netdev, txq, batch, true);
            dp_packet_batch_init(batch);
            last = txq;
        }
    }
    return last;
}

int
ef_tx_queue_send(struct ef_output *out, struct ef_tx_port *tx,
                 struct dp_packet_batch *batch, long long now_us)
{
    struct netdev *netdev = tx->port->netdev;
    int txq;

    switch (tx->txq_mode) {
    case EF_TXQ_STATIC:
        netdev_send(netdev, out->static_txq, batch, false);
        return out->static_txq;
    case EF_TXQ_XPS:
        txq = xps_queue(out, tx, now_us);
        netdev_send(netdev, txq, batch, true);
        return txq;
    case EF_TXQ_HASH:
        return send_by_hash(tx, batch);
    }
    OVS_NOT_REACHED();
}
