/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_LCORES_H
#define EF_DPDK_LCORES_H 1

/* Which PMD thread has which of DPDK's lcore ids.
 *
 * DPDK numbers threads as they register; operators number cores.  A store of
 * buffers belongs to an lcore and is configured by core.
 *
 * Threads: the PMD itself enters and leaves (dpdk_attach_thread()); any
 * reads. */

#include <stdbool.h>

/* Entered before its first packet, left after the last. */
void ef_lcores_enter(unsigned lcore, unsigned core);
void ef_lcores_leave(unsigned lcore);

/* Returns whether 'lcore' is a PMD's, and stores which core's. */
bool ef_lcores_get(unsigned lcore, unsigned *core);
/* PMDs that have an lcore. */
unsigned ef_lcores_n(void);

#endif /* dpdk/lcores.h */
