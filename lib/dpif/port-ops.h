/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPIF_PORT_OPS_H
#define EF_DPIF_PORT_OPS_H 1

/* Adding and removing ports.
 * Threads: main, 'dp->ports.rwlock' held for writing. */

#include "dpif/datapath.h"

/* Opens device 'name' of 'type' and makes it port 'port_no', which is free.
 * Returns 0 or a positive errno: EEXIST if the device is a port already,
 * EINVAL if it cannot be configured. */
int ef_datapath_add_port(struct ef_datapath *, const char *name,
                         const char *type, odp_port_t port_no);

/* Removes 'port' from use and frees it.  May drop the lock in between. */
void ef_datapath_del_port(struct ef_datapath *, struct ef_port *port);

#endif /* dpif/port-ops.h */
