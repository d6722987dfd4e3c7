/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_MEMORY_PLAN_SHOW_H
#define EF_SHOW_MEMORY_PLAN_SHOW_H 1

/* The command "dpif-netdev/memory-plan [SPEC]... [json]": pools of buffers and
 * hugepages that ports will need, with the settings in force, before there are
 * any; without SPEC, those that there are.  dpdk/memory-plan.h has the grammar
 * of a SPEC.
 *
 * Threads: any, "ctl" if asked by a command. */

struct ds;
struct ef_memory_plan;

#define EF_MEMORY_PLAN_MAX_SPECS 1000

void ef_memory_plan_show_init(void);

/* Pure. */
void ef_show_memory_plan(struct ds *, const struct ef_memory_plan *);
/* The same as a JSON object, on one line. */
void ef_show_memory_plan_json(struct ds *, const struct ef_memory_plan *);

#endif /* show/memory-plan-show.h */
