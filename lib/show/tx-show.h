/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_TX_SHOW_H
#define EF_SHOW_TX_SHOW_H 1

/* The command "dpif-netdev/tx-show [PORT] [json]": of one port of DPDK's or
 * all, thresholds and what would be better, alarms, and a line for each
 * transmit queue.  Documentation/topics/transmit-completion.rst tells what the
 * numbers mean.
 *
 * Threads: any, "ctl" if asked by a command. */

#include <stddef.h>

struct ds;
struct ef_tx_port_facts;

void ef_tx_show_init(void);

/* Pure. */
void ef_show_tx(struct ds *, const struct ef_tx_port_facts *, size_t n);
/* The same as a JSON object, on one line.  What is not known is null. */
void ef_show_tx_json(struct ds *, const struct ef_tx_port_facts *, size_t n);

#endif /* show/tx-show.h */
