/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_POLL_H
#define EF_PMD_POLL_H 1

/* One receive batch from one queue, through to the output batches.
 * Threads: owner. */

#include "port/port.h"

struct ef_pmd;

/* Sets the EMC insertion probability for packets of a port. */
void ef_pmd_set_emc(struct ef_pmd *, bool emc_enabled);

/* Receives a batch from 'rxq' of port 'port_no', processes it, flushes output
 * that is due.  Returns the number of packets received. */
int ef_pmd_poll_rxq(struct ef_pmd *, struct ef_rxq *rxq, odp_port_t port_no);

#endif /* pmd/poll.h */
