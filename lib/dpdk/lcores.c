/* SPDX-License-Identifier: Apache-2.0 */

/* A table of DPDK's lcore ids that PMDs have.  A PMD writes its own entry when
 * it attaches to DPDK and before it detaches (dpdk/eal.c); whoever sizes or
 * shows stores of buffers reads, in any thread.
 *
 * An entry orders nothing: who needs more than the number of a core takes a
 * lock after it was entered (ef_mempool_core_starts()). */

#include <config.h>

#include "dpdk/lcores.h"

#include <rte_config.h>

#include "ovs-atomic.h"
#include "util.h"

/* The number of the core plus 1, or 0: no PMD's. */
static atomic_uint cores[RTE_MAX_LCORE];

void
ef_lcores_enter(unsigned lcore, unsigned core)
{
    ovs_assert(lcore < RTE_MAX_LCORE);
    atomic_store_relaxed(&cores[lcore], core + 1);
}

void
ef_lcores_leave(unsigned lcore)
{
    ovs_assert(lcore < RTE_MAX_LCORE);
    atomic_store_relaxed(&cores[lcore], 0);
}

bool
ef_lcores_get(unsigned lcore, unsigned *core)
{
    unsigned entry = 0;

    if (lcore < RTE_MAX_LCORE) {
        atomic_read_relaxed(&cores[lcore], &entry);
    }
    if (entry) {
        *core = entry - 1;
    }
    return entry;
}

unsigned
ef_lcores_n(void)
{
    unsigned core, n = 0;

    for (unsigned i = 0; i < RTE_MAX_LCORE; i++) {
        n += ef_lcores_get(i, &core);
    }
    return n;
}
