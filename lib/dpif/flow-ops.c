/* SPDX-License-Identifier: Apache-2.0 */

/* Flow put, delete, get and flush.
 *
 * Handlers, revalidators and the main thread call, and PMDs by way of upcalls.
 * Changes take the flow table's mutex of one instance at a time; nothing here
 * quiesces, so instances need no reference. */

#include <config.h>

#include "dpif/ops.h"

#include "core/log.h"
#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "flow/flow-nlattr.h"
#include "flow/key.h"
#include "odp-util.h"
#include "openvswitch/match.h"

/* Does something to the flows of one instance and stores in '*stats'
 * (zeroed) the statistics of the flow concerned. */
typedef int pmd_op(struct ef_datapath *, struct ef_pmd *, const void *aux,
                   struct dpif_flow_stats *stats);

static void
add_stats(struct dpif_flow_stats *sum, const struct dpif_flow_stats *stats)
{
    sum->n_bytes += stats->n_bytes;
    sum->n_packets += stats->n_packets;
    sum->tcp_flags |= stats->tcp_flags;
    sum->used = MAX(sum->used, stats->used);
}

/* Calls 'op' for the instance 'pmd_id', or for all if that is PMD_ID_NULL; an
 * error of one does not spare the others.  Returns 0, the first error, or
 * EINVAL if there is no such instance. */
static int
for_pmds(struct ef_datapath *dp, unsigned pmd_id, pmd_op *op, const void *aux,
         struct dpif_flow_stats *sum)
{
    bool found = false;
    struct ef_pmd *pmd;
    int error = 0;

    if (sum) {
        memset(sum, 0, sizeof *sum);
    }
    EF_PMD_FOR_EACH (pmd, dp) {
        if (pmd_id == PMD_ID_NULL || pmd_id == pmd->core_id) {
            struct dpif_flow_stats stats = { .n_packets = 0 };
            int pmd_error = op(dp, pmd, aux, &stats);

            found = true;
            if (!pmd_error && sum) {
                add_stats(sum, &stats);
            }
            error = error ? error : pmd_error;
        }
    }
    return found ? error : EINVAL;
}

int
ef_dpif_flow_flush(struct dpif *dpif)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_pmd *pmd;

    EF_PMD_FOR_EACH (pmd, dp) {
        ef_pmd_flow_flush(pmd);
    }
    return 0;
}

/* Put. */

struct put {
    const struct dpif_flow_put *request;
    struct match match;
    struct ef_key key;          /* Unmasked. */
    ovs_u128 ufid;              /* The request's, or made from the key. */
};

/* Without a ufid the unmasked key says which flow is meant.  A packet that
 * looks like this key decides: it may well hit a wider flow, with which a new
 * one would overlap. */
static struct ef_flow *
put_find(struct ef_pmd *pmd, const struct put *put)
    OVS_REQUIRES(pmd->flows.mutex)
{
    struct ef_flow *flow = ef_flow_table_find(&pmd->flows, &put->ufid);

    if (put->request->ufid
        || (flow && flow_equal(&flow->flow, &put->match.flow))) {
        return flow;
    }
    return ef_flow_table_lookup(&pmd->flows, &put->key, NULL);
}

static int
put_create(struct ef_pmd *pmd, const struct put *put)
    OVS_REQUIRES(pmd->flows.mutex)
{
    const struct dpif_flow_put *request = put->request;

    if (!(request->flags & DPIF_FP_CREATE)) {
        return ENOENT;
    }
    if (ef_flow_table_find(&pmd->flows, &put->ufid)) {
        /* Of another key, put under a ufid of the caller's own choice. */
        return EEXIST;
    }
    ef_pmd_flow_add(pmd, &put->match, &put->ufid, request->actions,
                    request->actions_len, ODPP_NONE);
    return 0;
}

static int
put_modify(struct ef_datapath *dp, struct ef_pmd *pmd, struct ef_flow *flow,
           const struct put *put, struct dpif_flow_stats *stats)
    OVS_REQUIRES(pmd->flows.mutex)
{
    const struct dpif_flow_put *request = put->request;

    if (!(request->flags & DPIF_FP_MODIFY)) {
        return request->flags & DPIF_FP_CREATE ? EEXIST : EINVAL;
    }
    if (!request->ufid && !flow_equal(&flow->flow, &put->match.flow)) {
        return EINVAL;          /* Overlaps. */
    }
    if (request->flags & DPIF_FP_ZERO_STATS) {
        /* Counters have one writer, and it is not us. */
        return EOPNOTSUPP;
    }
    ef_pmd_flow_modify(pmd, flow, &put->match, request->actions,
                       request->actions_len);
    ef_offload_flow_status(&dp->env.offload, flow, stats, NULL);
    return 0;
}

static int
put_on_pmd(struct ef_datapath *dp, struct ef_pmd *pmd, const void *put_,
           struct dpif_flow_stats *stats)
{
    const struct put *put = put_;
    struct ef_flow *flow;
    int error;

    ovs_mutex_lock(&pmd->flows.mutex);
    flow = put_find(pmd, put);
    error = (flow
             ? put_modify(dp, pmd, flow, put, stats)
             : put_create(pmd, put));
    ovs_mutex_unlock(&pmd->flows.mutex);
    return error;
}

/* Each classifier belongs to one input port. */
static int
check_in_port(const struct dpif_flow_put *request, const struct match *match)
{
    static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(1, 5);
    const char *what = (request->flags & DPIF_FP_CREATE ? "[create]"
                        : request->flags & DPIF_FP_MODIFY ? "[modify]"
                        : "[zero]");

    if (match->wc.masks.in_port.odp_port == ODPP_NONE) {
        return 0;
    }
    VLOG_ERR_RL(&rl, "failed to put%s flow: in_port is not an exact match",
                what);
    return EINVAL;
}

int
ef_dpif_flow_put(struct dpif *dpif, const struct dpif_flow_put *request)
{
    struct put put = { .request = request };
    int error;

    if (request->stats) {
        memset(request->stats, 0, sizeof *request->stats);
    }
    error = ef_match_from_nlattrs(request->key, request->key_len,
                                  request->mask, request->mask_len,
                                  &put.match,
                                  request->flags & DPIF_FP_PROBE);
    if (!error) {
        error = check_in_port(request, &put.match);
    }
    if (error) {
        return error;
    }

    if (request->ufid) {
        put.ufid = *request->ufid;
    } else {
        odp_flow_key_hash(&put.match.flow, sizeof put.match.flow, &put.ufid);
    }
    ef_key_from_flow(&put.key, &put.match.flow);
    return for_pmds(ef_dpif_datapath(dpif), request->pmd_id, put_on_pmd, &put,
                    request->stats);
}

/* Delete and get. */

/* Stores in '*ufid' the ufid that is meant.  Returns false if the caller
 * names none, and no key that makes sense. */
static bool
choose_ufid(const ovs_u128 *given, const struct nlattr *key, size_t key_len,
            ovs_u128 *ufid)
{
    struct flow flow;

    if (given) {
        *ufid = *given;
        return true;
    }
    if (!key_len || ef_flow_from_nlattrs(key, key_len, &flow, false)) {
        return false;
    }
    odp_flow_key_hash(&flow, sizeof flow, ufid);
    return true;
}

static int
del_on_pmd(struct ef_datapath *dp, struct ef_pmd *pmd, const void *ufid,
           struct dpif_flow_stats *stats)
{
    struct ef_flow *flow;

    ovs_mutex_lock(&pmd->flows.mutex);
    flow = ef_flow_table_find(&pmd->flows, ufid);
    if (flow) {
        ef_offload_flow_status(&dp->env.offload, flow, stats, NULL);
        ef_pmd_flow_remove(pmd, flow);
    }
    ovs_mutex_unlock(&pmd->flows.mutex);
    return flow ? 0 : ENOENT;
}

int
ef_dpif_flow_del(struct dpif *dpif, const struct dpif_flow_del *request)
{
    ovs_u128 ufid;

    if (!choose_ufid(request->ufid, request->key, request->key_len, &ufid)) {
        return ENOENT;
    }
    return for_pmds(ef_dpif_datapath(dpif), request->pmd_id, del_on_pmd,
                    &ufid, request->stats);
}

int
ef_dpif_flow_get(const struct dpif *dpif, const struct dpif_flow_get *request)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    struct ef_pmd *pmd;
    int error = EINVAL;
    ovs_u128 ufid;

    if (!choose_ufid(request->ufid, request->key, request->key_len, &ufid)) {
        return ENOENT;
    }
    EF_PMD_FOR_EACH (pmd, dp) {
        if (request->pmd_id == PMD_ID_NULL
            || request->pmd_id == pmd->core_id) {
            struct ef_flow *flow = ef_flow_table_find(&pmd->flows, &ufid);

            if (flow) {
                ef_flow_to_dpif_flow(flow, request->buffer, request->buffer,
                                     request->flow, false);
                ef_offload_flow_status(&dp->env.offload, flow,
                                       &request->flow->stats,
                                       &request->flow->attrs);
                return 0;
            }
            error = ENOENT;
        }
    }
    return error;
}
