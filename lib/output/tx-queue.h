/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_OUTPUT_TX_QUEUE_H
#define EF_OUTPUT_TX_QUEUE_H 1

/* By which tx queue of its port a batch leaves; for lib/output only.
 *
 * EF_TXQ_STATIC: the instance's own queue, which no other thread uses.
 * EF_TXQ_XPS: the queue that fewest threads used when it was chosen; kept
 * while it is used at least every EF_XPS_TIMEOUT_US.  EF_TXQ_HASH: packets of
 * one connection leave by one queue.  In the last two, threads share queues
 * and the driver is told so.
 *
 * Threads: the owner of the instance. */

#define EF_XPS_TIMEOUT_US 500000LL

struct dp_packet_batch;
struct ef_output;
struct ef_tx_port;

void ef_tx_queue_init(struct ef_tx_port *);
/* Gives back what the port is told about, and frees. */
void ef_tx_queue_uninit(struct ef_tx_port *);

/* Hands a batch for the port, which is not empty, to the driver.  The packets
 * are not ours any more afterwards, even if the driver dropped them.  Returns
 * a queue that got some. */
int ef_tx_queue_send(struct ef_output *, struct ef_tx_port *,
                     struct dp_packet_batch *, long long now_us);

#endif /* output/tx-queue.h */
