/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_INPUT_H
#define EF_PMD_INPUT_H 1

/* Packets in: classify a batch, group it by flow, execute the flows' actions.
 *
 * The stages are those of struct ef_input, each a function of its own:
 * simple match and exact match cache (pmd/input.c), signature match cache and
 * classifier (pmd/lookup.c), upcall (pmd/miss.c).
 *
 * Threads: owner. */

#include <stddef.h>
#include <stdint.h>

#include "dp-packet.h"
#include "flow/key.h"
#include "openvswitch/types.h"

struct ef_act;
struct ef_flow;
struct ef_pmd;

/* A batch on its way through the stages.  A packet keeps its place from the
 * order in which it came, so that no stage can reorder packets of a flow. */
struct ef_input {
    /* Packets in the order received.  'flows[i]' is NULL while unknown, and
     * in the end if the packet was consumed on the way. */
    size_t n;
    struct dp_packet *packets[NETDEV_MAX_BURST];
    struct ef_flow *flows[NETDEV_MAX_BURST];
    uint16_t tcp_flags[NETDEV_MAX_BURST];

    /* Packets that the stages so far did not find a flow for: their keys and
     * places in the arrays above. */
    size_t n_missed;
    struct ef_key *keys[NETDEV_MAX_BURST];
    uint8_t places[NETDEV_MAX_BURST];
};

/* Packets from a port: sets up their metadata.  Takes the packets. */
void ef_pmd_input(struct ef_pmd *, struct dp_packet_batch *, odp_port_t);

/* Packets that pass the tables once more: their metadata counts.  Takes the
 * packets.  (As an action sees it: 'recirculate' of struct ef_act.) */
void ef_pmd_recirculate(struct ef_act *, struct dp_packet_batch *);

/* Stages after the exact match cache; each leaves in 'in' the packets it did
 * not find. */
void ef_input_lookup_smc(struct ef_pmd *, struct ef_input *);
void ef_input_lookup_classifier(struct ef_pmd *, struct ef_input *);

/* Stores 'key' -> 'flow' in the caches, as far as these are on and chance
 * will have it. 'key->len' must be set. */
void ef_input_cache(struct ef_pmd *, const struct ef_key *key,
                    struct ef_flow *flow);

#endif /* pmd/input.h */
