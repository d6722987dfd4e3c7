/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_OUTPUT_TX_POLICY_H
#define EF_OUTPUT_TX_POLICY_H 1

/* When the batches of a port are sent; for lib/output only.
 *
 *     latency-target   of the port, else of the data path
 *     unset            'tx-flush-interval' after the batch before
 *     0                after each receive batch
 *     more             output/hold.h, unless the consumer's ring or queue is
 *                      filled beyond 'tx-watermark' after the batch before:
 *                      one that is short of room does not get more at a time
 *
 * and always when 'output-batch' packets are there.
 *
 * Classes of a port (QoS egress-batching, dpdk/qos-batching.h) have targets of
 * their own.  Packets of up to 'small-packet' bytes go to the class with the
 * shortest target, or to one that is sent after each receive batch if the port
 * has no classes.
 *
 * An instance that sleeps when it likes (may_hold is false) never holds.
 *
 * Threads: the owner of the instance. */

#include "output/tx-port.h"

/* Takes over what the main thread has set, for all ports. */
void ef_tx_policy_refresh(struct ef_output *);

/* After a send to 'txq' of a port that holds: is there room? */
void ef_tx_policy_look(struct ef_output *, struct ef_tx_port *, int txq);

/* Whether the main thread has set something else since. */
static inline bool
ef_tx_policy_is_stale(const struct ef_output *out)
{
    uint32_t seq;

    atomic_read_relaxed(&ef_params_output_seq, &seq);
    return seq != out->policy_seq;
}

#endif /* output/tx-policy.h */
