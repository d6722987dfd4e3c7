/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_OVERLOAD_INPUT_H
#define EF_PMD_OVERLOAD_INPUT_H 1

/* A turn of a receive queue that may be in overload (pmd/overload.h).
 * Threads: the owner of the instance. */

#include <stddef.h>

#include "openvswitch/types.h"

struct dp_packet_batch;
struct ef_pmd;
struct ef_rxq;

/* Handles 'batch', which 'rxq' of port 'port_no' gave, and what else has to be
 * taken from the queue.  Takes the packets.  Returns how many were handled
 * beside those of 'batch'. */
size_t ef_overload_input(struct ef_pmd *, struct ef_rxq *rxq,
                         struct dp_packet_batch *batch, odp_port_t port_no);

#endif /* pmd/overload-input.h */
