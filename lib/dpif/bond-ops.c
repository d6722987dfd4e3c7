/* SPDX-License-Identifier: Apache-2.0 */

/* Bonds with lb_output: every instance gets the map, and its bytes count
 * towards the sum.  An instance that is added later takes the datapath's own
 * table over.  Main thread. */

#include <config.h>

#include "dpif/ops.h"

#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "output/bond.h"

int
ef_dpif_bond_add(struct dpif *dpif, uint32_t id, odp_port_t *members)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_pmd *pmd;

    ef_bond_put(&dp->bonds, id, members);
    EF_PMD_FOR_EACH (pmd, dp) {
        ef_bond_put(&pmd->bonds, id, members);
    }
    return 0;
}

int
ef_dpif_bond_del(struct dpif *dpif, uint32_t id)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_pmd *pmd;
    int error;

    error = ef_bond_del(&dp->bonds, id);
    if (!error) {
        EF_PMD_FOR_EACH (pmd, dp) {
            ef_bond_del(&pmd->bonds, id);
        }
    }
    return error;
}

int
ef_dpif_bond_stats_get(struct dpif *dpif, uint32_t id, uint64_t *n_bytes)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_pmd *pmd;

    if (!ef_bond_find(&dp->bonds, id)) {
        return ENOENT;
    }
    EF_PMD_FOR_EACH (pmd, dp) {
        ef_bond_add_bytes(&pmd->bonds, id, n_bytes);
    }
    return 0;
}
