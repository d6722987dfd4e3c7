/* SPDX-License-Identifier: Apache-2.0 */

/* Prints the line that names an instance.
 *
 * Called by the other files of show/, on the main thread. */

#include <config.h>

#include "show/pmd-title.h"

#include "openvswitch/dynamic-string.h"
#include "ovs-numa.h"
#include "pmd/pmd.h"

void
ef_show_pmd_title(struct ds *ds, const struct ef_pmd *pmd)
{
    bool is_thread = ef_pmd_is_thread(pmd);

    ds_put_format(ds, "%s thread", is_thread ? "pmd" : "main");
    if (pmd->numa_id != OVS_NUMA_UNSPEC) {
        ds_put_format(ds, " numa_id %d", pmd->numa_id);
    }
    if (is_thread && pmd->core_id != OVS_CORE_UNSPEC) {
        ds_put_format(ds, " core_id %u", pmd->core_id);
    }
    ds_put_cstr(ds, ":\n");
}
