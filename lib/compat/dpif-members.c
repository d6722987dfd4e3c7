/* SPDX-License-Identifier: Apache-2.0 */

/* Callbacks of struct dpif_class that only newer packages have: conntrack's
 * expectations, of its application gateways, and how often it looks for
 * connections that have timed out.
 *
 * Called by the package's ct-dpif.c in the main thread. */

#include <config.h>

#include "compat/dpif-members.h"

#include "conntrack.h"
#include "ct-dpif.h"
#include "util.h"

#ifdef EF_HAVE_CT_EXPECTATIONS

struct expectation_dump {
    struct ct_dpif_dump_state up;
    struct conntrack_dump dump;
};

static struct expectation_dump *
dump_cast(struct ct_dpif_dump_state *state)
{
    return CONTAINER_OF(state, struct expectation_dump, up);
}

int
ef_dpif_ct_exp_dump_start(struct dpif *dpif,
                          struct ct_dpif_dump_state **state,
                          const uint16_t *zone)
{
    struct expectation_dump *dump = xzalloc(sizeof *dump);

    *state = &dump->up;
    return conntrack_exp_dump_start(ef_dpif_conntrack(dpif), &dump->dump,
                                    zone);
}

int
ef_dpif_ct_exp_dump_next(struct dpif *dpif OVS_UNUSED,
                         struct ct_dpif_dump_state *state,
                         struct ct_dpif_exp *entry)
{
    return conntrack_exp_dump_next(&dump_cast(state)->dump, entry);
}

int
ef_dpif_ct_exp_dump_done(struct dpif *dpif OVS_UNUSED,
                         struct ct_dpif_dump_state *state)
{
    struct expectation_dump *dump = dump_cast(state);
    int error = conntrack_exp_dump_done(&dump->dump);

    free(dump);
    return error;
}

#endif /* EF_HAVE_CT_EXPECTATIONS */

#ifdef EF_HAVE_CT_SWEEP_INTERVAL

int
ef_dpif_ct_set_sweep_interval(struct dpif *dpif, uint32_t ms)
{
    return conntrack_set_sweep_interval(ef_dpif_conntrack(dpif), ms);
}

int
ef_dpif_ct_get_sweep_interval(struct dpif *dpif, uint32_t *ms)
{
    *ms = conntrack_get_sweep_interval(ef_dpif_conntrack(dpif));
    return 0;
}

#endif /* EF_HAVE_CT_SWEEP_INTERVAL */
