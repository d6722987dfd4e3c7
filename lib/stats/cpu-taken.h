/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_STATS_CPU_TAKEN_H
#define EF_STATS_CPU_TAKEN_H 1

/* Time in which a thread wanted to run and something else had the processor,
 * as the kernel counts it.
 *
 * Threads: any but PMDs: reads files. */

#include <stdint.h>

/* Since the thread 'tid' of this process began: ready, and not run by this
 * kernel.  Negative if the kernel does not say. */
int64_t ef_cpu_run_delay_us(int tid);

/* Since boot: 'core' did not run because a hypervisor ran others on the
 * processor.  In steps of the kernel's clock tick, 10 ms as a rule.  Negative
 * if there is no such core. */
int64_t ef_cpu_steal_ms(unsigned core);

#endif /* stats/cpu-taken.h */
