/* SPDX-License-Identifier: Apache-2.0 */

/* Settings and state of IP fragment handling, which belongs to the package's
 * conntrack module.  Main thread. */

#include <config.h>

#include "dpif/ops.h"

#include "conntrack.h"
#include "ct-dpif.h"
#include "dpif/datapath.h"
#include "ipf.h"

static struct ipf *
dpif_ipf(const struct dpif *dpif)
{
    return conntrack_ipf_ctx(ef_dpif_datapath(dpif)->env.conntrack);
}

int
ef_dpif_ipf_set_enabled(struct dpif *dpif, bool v6, bool enable)
{
    return ipf_set_enabled(dpif_ipf(dpif), v6, enable);
}

int
ef_dpif_ipf_set_min_frag(struct dpif *dpif, bool v6, uint32_t min_frag)
{
    return ipf_set_min_frag(dpif_ipf(dpif), v6, min_frag);
}

int
ef_dpif_ipf_set_max_nfrags(struct dpif *dpif, uint32_t max_frags)
{
    return ipf_set_max_nfrags(dpif_ipf(dpif), max_frags);
}

static void
copy_proto(struct dpif_ipf_proto_status *dst,
           const struct ipf_proto_status *src)
{
    dst->enabled = src->enabled;
    dst->min_frag_size = src->min_frag_size;
    dst->nfrag_accepted = src->nfrag_accepted;
    dst->nfrag_completed_sent = src->nfrag_completed_sent;
    dst->nfrag_expired_sent = src->nfrag_expired_sent;
    dst->nfrag_overlap = src->nfrag_overlap;
    dst->nfrag_purged = src->nfrag_purged;
    dst->nfrag_too_small = src->nfrag_too_small;
}

int
ef_dpif_ipf_get_status(struct dpif *dpif, struct dpif_ipf_status *dst)
{
    struct ipf_status src;
    int error;

    error = ipf_get_status(dpif_ipf(dpif), &src);
    if (!error) {
        copy_proto(&dst->v4, &src.v4);
        copy_proto(&dst->v6, &src.v6);
        dst->nfrag = src.nfrag;
        dst->nfrag_max = src.nfrag_max;
    }
    return error;
}

int
ef_dpif_ipf_dump_start(struct dpif *dpif OVS_UNUSED, struct ipf_dump_ctx **ctx)
{
    return ipf_dump_start(ctx);
}

int
ef_dpif_ipf_dump_next(struct dpif *dpif, void *ctx, char **line)
{
    return ipf_dump_next(dpif_ipf(dpif), ctx, line);
}

int
ef_dpif_ipf_dump_done(struct dpif *dpif OVS_UNUSED, void *ctx)
{
    return ipf_dump_done(ctx);
}
