/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_ACTION_EXECUTE_H
#define EF_ACTION_EXECUTE_H 1

/* Executes actions on a batch of packets.
 *
 * Header rewriting is the package's odp_execute_actions(); what concerns the
 * data path (output, tunnels, upcalls, recirculation, connection tracking,
 * meters, bonds) comes back to one file each in this folder.
 *
 * Threads: the instance that owns the context. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "action/meter.h"
#include "action/upcall.h"
#include "output/bond.h"
#include "output/tx-port.h"

struct conntrack;
struct dp_packet_batch;
struct flow;
struct nlattr;

/* Packets pass the tables at most this many times more. */
#define EF_RECIRC_DEPTH_MAX 6

/* An instance as actions see it. */
struct ef_act {
    /* Constant. */
    unsigned core_id;
    struct ef_output *output;
    struct ef_bond_table *bonds;
    struct ef_meter_table *meters;
    struct conntrack *conntrack;
    struct ef_upcall *upcall;
    /* Sends packets through the tables again; takes them. */
    void (*recirculate)(struct ef_act *, struct dp_packet_batch *);

    /* For the packets at hand. */
    long long now_us;           /* time_usec() when they came. */
    struct ef_rxq *rxq;         /* Where they came from; may be null. */
    uint32_t depth;             /* Passes so far. */
};

/* Executes 'actions' on 'batch'.  'flow' is the flow of the packets as it
 * was before.  With 'steal' the packets are consumed; otherwise they stay the
 * caller's, as the actions left them. */
void ef_act_execute(struct ef_act *, struct dp_packet_batch *batch,
                    bool steal, const struct flow *flow,
                    const struct nlattr *actions, size_t actions_len);

#endif /* action/execute.h */
