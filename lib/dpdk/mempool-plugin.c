/* SPDX-License-Identifier: Apache-2.0 */

/* What makes of the handler a loadable object, libef-mempool.so, for DPDK's
 * secondary processes (dpdk-proc-info -d): a constructor, run by the thread
 * that loads it.  Not part of the switch.
 *
 * A pool names its handler by an index into a table that each process fills
 * for itself.  The switch registers last, after all drivers.  This object is
 * loaded first, before DPDK's drivers, and so would get another index.
 * Therefore it fills all slots that are unused yet and leaves their number as
 * it is: drivers that come later overwrite theirs, and the one that the switch
 * has, whatever it is, stays ours.
 */

#include <config.h>

#include "dpdk/buffer-store.h"

#include <rte_mempool.h>

static void __attribute__((constructor))
fill_unused_slots(void)
{
    struct rte_mempool_ops_table *table = &rte_mempool_ops_table;

    rte_spinlock_lock(&table->sl);
    for (uint32_t i = table->num_ops; i < RTE_MEMPOOL_MAX_OPS_IDX; i++) {
        table->ops[i] = ef_store_ops;
    }
    rte_spinlock_unlock(&table->sl);
}
