/* SPDX-License-Identifier: Apache-2.0 */

/* The part of the package's dpdk.h that PMDs call themselves, when they start
 * and when they end: an lcore id of DPDK's, and with it stores of free buffers
 * of their own (dpdk/mempool.h). */

#include <config.h>

#include "dpdk.h"

#include <rte_lcore.h>

#include "dpdk/eal-vlog.h"
#include "dpdk/lcores.h"
#include "dpdk/mempool.h"
#include "util.h"

/* EAL gives the calling PMD an lcore id, while there are any; without one it
 * works, but each of its batches of buffers comes from the shared store. */
bool
dpdk_attach_thread(unsigned cpu)
{
    bool attached;

    ovs_assert(cpu != NON_PMD_CORE_ID);
    if (!dpdk_available()) {
        return false;
    }
    attached = !rte_thread_register();
    if (attached) {
        VLOG_INFO("PMD thread uses DPDK lcore %u.", rte_lcore_id());
        ef_lcores_enter(rte_lcore_id(), cpu);
        ef_mempool_core_starts(rte_lcore_id());
    } else {
        VLOG_WARN("DPDK max threads count has been reached. "
                  "PMD thread performance may be impacted.");
    }
    return attached;
}

/* The caller holds no buffer any more.  Left before the stores are flushed, so
 * that nobody sizes them for it again. */
void
dpdk_detach_thread(void)
{
    unsigned lcore_id = rte_lcore_id();

    ef_lcores_leave(lcore_id);
    ef_mempool_core_ends(lcore_id);
    rte_thread_unregister();
    VLOG_INFO("PMD thread released DPDK lcore %u.", lcore_id);
}
