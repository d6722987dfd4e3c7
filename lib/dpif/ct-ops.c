/* SPDX-License-Identifier: Apache-2.0 */

/* Connection tracking as the dpif layer sees it: dump, flush, settings and
 * timeout policies.  Everything is the package's conntrack module; limits of
 * zones are in ct-limit-ops.c.  Main thread. */

#include <config.h>

#include "dpif/ops.h"

#include "compat/dpif-members.h"
#include "conntrack.h"
#include "conntrack-private.h"
#include "conntrack-tp.h"
#include "ct-dpif.h"
#include "dpif/datapath.h"

struct ct_dump {
    struct ct_dpif_dump_state up;
    struct conntrack_dump dump;
};

struct conntrack *
ef_dpif_conntrack(const struct dpif *dpif)
{
    return ef_dpif_datapath(dpif)->env.conntrack;
}

static struct ct_dump *
ct_dump_cast(struct ct_dpif_dump_state *state)
{
    return CONTAINER_OF(state, struct ct_dump, up);
}

int
ef_dpif_ct_dump_start(struct dpif *dpif, struct ct_dpif_dump_state **state,
                      const uint16_t *zone, int *n_buckets)
{
    struct ct_dump *dump = xzalloc(sizeof *dump);

    *state = &dump->up;
    return conntrack_dump_start(ef_dpif_conntrack(dpif), &dump->dump, zone,
                                n_buckets);
}

int
ef_dpif_ct_dump_next(struct dpif *dpif OVS_UNUSED,
                     struct ct_dpif_dump_state *state,
                     struct ct_dpif_entry *entry)
{
    return conntrack_dump_next(&ct_dump_cast(state)->dump, entry);
}

int
ef_dpif_ct_dump_done(struct dpif *dpif OVS_UNUSED,
                     struct ct_dpif_dump_state *state)
{
    struct ct_dump *dump = ct_dump_cast(state);
    int error = conntrack_dump_done(&dump->dump);

    free(dump);
    return error;
}

int
ef_dpif_ct_flush(struct dpif *dpif, const uint16_t *zone,
                 const struct ct_dpif_tuple *tuple)
{
    struct conntrack *ct = ef_dpif_conntrack(dpif);

    return (tuple
            ? conntrack_flush_tuple(ct, tuple, zone ? *zone : 0)
            : conntrack_flush(ct, zone));
}

int
ef_dpif_ct_set_maxconns(struct dpif *dpif, uint32_t max_conns)
{
    return conntrack_set_maxconns(ef_dpif_conntrack(dpif), max_conns);
}

int
ef_dpif_ct_get_maxconns(struct dpif *dpif, uint32_t *max_conns)
{
    return conntrack_get_maxconns(ef_dpif_conntrack(dpif), max_conns);
}

int
ef_dpif_ct_get_nconns(struct dpif *dpif, uint32_t *n_conns)
{
    return conntrack_get_nconns(ef_dpif_conntrack(dpif), n_conns);
}

int
ef_dpif_ct_set_tcp_seq_chk(struct dpif *dpif, bool enabled)
{
    return conntrack_set_tcp_seq_chk(ef_dpif_conntrack(dpif), enabled);
}

int
ef_dpif_ct_get_tcp_seq_chk(struct dpif *dpif, bool *enabled)
{
    *enabled = conntrack_get_tcp_seq_chk(ef_dpif_conntrack(dpif));
    return 0;
}

int
ef_dpif_ct_get_features(struct dpif *dpif OVS_UNUSED,
                        enum ct_features *features)
{
    if (features) {
        *features = CONNTRACK_F_ZERO_SNAT;
    }
    return 0;
}

int
ef_dpif_ct_set_timeout_policy(struct dpif *dpif,
                              const struct ct_dpif_timeout_policy *policy)
{
    struct timeout_policy tp = { .policy = *policy };

    return timeout_policy_update(ef_dpif_conntrack(dpif), &tp);
}

int
ef_dpif_ct_get_timeout_policy(struct dpif *dpif, uint32_t id,
                              struct ct_dpif_timeout_policy *policy)
{
    struct conntrack *ct = ef_dpif_conntrack(dpif);
    const struct timeout_policy *tp = timeout_policy_get(ct, id);

    if (!tp) {
        return ENOENT;
    }
    *policy = tp->policy;
    return 0;
}

int
ef_dpif_ct_del_timeout_policy(struct dpif *dpif, uint32_t id)
{
    return timeout_policy_delete(ef_dpif_conntrack(dpif), id);
}

/* A policy's name is its number, for every protocol. */
int
ef_dpif_ct_get_timeout_policy_name(struct dpif *dpif OVS_UNUSED, uint32_t id,
                                   uint16_t dl_type OVS_UNUSED,
                                   uint8_t nw_proto OVS_UNUSED,
                                   char **name, bool *is_generic)
{
    *name = xasprintf("%"PRIu32, id);
    *is_generic = true;
    return 0;
}
