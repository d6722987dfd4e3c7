/* SPDX-License-Identifier: Apache-2.0 */

/* Turns the settings of ports into what their batches do.  Called when the
 * instance gets its ports, and by its flush after settings changed. */

#include <config.h>

#include "output/tx-policy.h"

#include "core/ticks.h"
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
}

void
ef_tx_policy_refresh(struct ef_output *out)
{
    struct ef_params *params = CONST_CAST(struct ef_params *, out->params);
    bool held = out->n_holding;
    struct ef_tx_port *tx;

    atomic_read_explicit(&params->output_seq, &out->policy_seq,
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
