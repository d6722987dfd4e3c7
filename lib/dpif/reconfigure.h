/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPIF_RECONFIGURE_H
#define EF_DPIF_RECONFIGURE_H 1

/* Brings threads, ports and queues in line with the configuration.
 * Threads: main, 'dp->ports.rwlock' held for writing. */

#include <stdbool.h>

#include "dpif/datapath.h"

/* After ports were added or removed and after every change of the
 * configuration.  A port that cannot be configured is removed. */
void ef_datapath_reconfigure(struct ef_datapath *);

/* Asks for it in the next ef_dpif_run(). Any thread. */
void ef_datapath_request_reconfigure(struct ef_datapath *);

/* Whether somebody asked, or a device waits for it. */
bool ef_datapath_needs_reconfigure(const struct ef_datapath *);

/* Automatic load balancing: asks for a reconfiguration if that would even out
 * the load.  Called all the time, acts once an interval; a read lock will
 * do. */
void ef_datapath_run_alb(struct ef_datapath *, long long now_ms);

#endif /* dpif/reconfigure.h */
