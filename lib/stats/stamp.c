/* SPDX-License-Identifier: Apache-2.0 */

/* The place of a time stamp in an mbuf.  Registered by the main thread when
 * EAL has started; read by whoever has packets. */

#include <config.h>

#include "stats/stamp.h"

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#include "util.h"

atomic_uint64_t ef_stamp_flag = RTE_MBUF_F_FIRST_FREE;
atomic_uint32_t ef_stamp_ofs = ROUND_UP(offsetof(struct rte_mbuf, dynfield1),
                                        sizeof(uint64_t));

int
ef_stamp_register(void)
{
    static const struct rte_mbuf_dynfield field = {
        .name = "evenflow_received",
        .size = sizeof(uint64_t),
        .align = sizeof(uint64_t),
    };
    static const struct rte_mbuf_dynflag flag = {
        .name = "evenflow_received",
    };
    int ofs = rte_mbuf_dynfield_register(&field);
    int bit = ofs < 0 ? -1 : rte_mbuf_dynflag_register(&flag);

    if (bit < 0) {
        int error = rte_errno ? rte_errno : ENOSPC;

        atomic_store_relaxed(&ef_stamp_flag, 0);
        return error;
    }
    atomic_store_relaxed(&ef_stamp_ofs, ofs);
    atomic_store_relaxed(&ef_stamp_flag, UINT64_C(1) << bit);
    return 0;
}
