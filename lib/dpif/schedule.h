/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPIF_SCHEDULE_H
#define EF_DPIF_SCHEDULE_H 1

/* Between a datapath and the pure plan of sched/plan.h.
 * Threads: main, port lock held. */

#include "dpif/datapath.h"
#include "sched/plan.h"

/* Fills in queues and PMDs of 'dp', nothing planned yet.  To be freed by
 * ef_sched_uninit(). */
void ef_schedule_init(struct ef_sched *, struct ef_datapath *dp);

/* Fills in the assignment in force as if it had been planned. */
void ef_schedule_init_current(struct ef_sched *, struct ef_datapath *dp);

/* Plans, tells the log, and stores the result in the rx queues' 'core_id' and
 * the PMDs' 'isolated'. */
void ef_schedule(struct ef_datapath *dp);

#endif /* dpif/schedule.h */
