/* SPDX-License-Identifier: Apache-2.0 */

/* Tunnel headers: adds one to packets that stay with their actions, or
 * removes one and sends what was inside through the tables as coming from
 * the tunnel's port.  The headers' code is the package's (netdev classes).
 *
 * Called by execute.c on the thread that owns the instance. */

#include <config.h>

#include "action/handlers.h"

#include "action/execute.h"
#include "dp-packet.h"
#include "netdev.h"
#include "odp-netlink.h"
#include "output/tx-port.h"
#include "port/port.h"
#include "stats/drop.h"

static bool push(const struct ef_act *, struct dp_packet_batch *,
                 const struct ovs_action_push_tnl *);
static void pop(struct dp_packet_batch *, const struct ef_port *, odp_port_t);

void
ef_act_tunnel_push(struct ef_act *act, struct dp_packet_batch *batch,
                   const struct ovs_action_push_tnl *header, bool steal)
{
    if (steal) {
        /* Nobody would see the header. */
        ef_act_finish(batch, true);
        return;
    }

    dp_packet_batch_apply_cutlen(batch);
    if (!push(act, batch, header)) {
        /* The actions that follow are meant for packets with the header. */
        ef_drop_batch(EF_DROP_TUNNEL_PUSH_ERROR, batch, true);
    }
}

void
ef_act_tunnel_pop(struct ef_act *act, struct dp_packet_batch *batch,
                  odp_port_t tnl_port_no, bool steal)
{
    struct dp_packet_batch copies;
    struct ef_port *port;

    if (!ef_act_may_recirculate(act)) {
        ef_act_refuse(EF_DROP_RECIRC_ERROR, batch, steal);
        return;
    }
    port = ef_output_find_tunnel(act->output, tnl_port_no);
    if (!port) {
        ef_act_refuse(EF_DROP_INVALID_TNL_PORT, batch, steal);
        return;
    }

    batch = ef_act_take_truncated(batch, steal, &copies);
    pop(batch, port, tnl_port_no);
    if (!dp_packet_batch_is_empty(batch)) {
        ef_act_recirculate(act, batch);
    }
}

static bool
push(const struct ef_act *act, struct dp_packet_batch *batch,
     const struct ovs_action_push_tnl *header)
{
    struct ef_port *port = ef_output_find_tunnel(act->output,
                                                 header->tnl_port);

    return port && !netdev_push_header(port->netdev, batch, header);
}

/* Leaves in 'batch' what was inside.  The package frees a packet whose header
 * it does not accept. */
static void
pop(struct dp_packet_batch *batch, const struct ef_port *port,
    odp_port_t tnl_port_no)
{
    size_t n = dp_packet_batch_size(batch);
    struct dp_packet *packet;

    netdev_pop_header(port->netdev, batch);
    n -= dp_packet_batch_size(batch);
    if (n) {
        ef_drop_count(EF_DROP_TUNNEL_POP_ERROR, n);
    }
    DP_PACKET_BATCH_FOR_EACH (i, packet, batch) {
        packet->md.in_port.odp_port = tnl_port_no;
    }
}
