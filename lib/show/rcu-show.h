/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_RCU_SHOW_H
#define EF_SHOW_RCU_SHOW_H 1

/* The command "rcu/show [json]": grace periods, pending calls, the reclaimer,
 * producers that were slowed, and a line for each thread.
 *
 * First it begins a grace period that nobody needs and waits for it up to
 * EF_RCU_SHOW_PROBE_US, so that a thread is shown as late if it is late now.
 *
 * Threads: any, "ctl" if asked by a command; it waits for no other. */

struct ds;

#define EF_RCU_SHOW_PROBE_US 20000

void ef_rcu_show_init(void);

void ef_show_rcu(struct ds *);
/* The same as a JSON object, on one line. */
void ef_show_rcu_json(struct ds *);

#endif /* show/rcu-show.h */
