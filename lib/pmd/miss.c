/* SPDX-License-Identifier: Apache-2.0 */

/* Miss path: upcalls from the packet path and the flows they install.  Called
 * from pmd/lookup.c by the owner of the instance.  ofproto runs in the
 * calling thread and may take its locks and use the heap; this is listed in
 * Documentation/package-calls-on-pmd.txt. */

#include <config.h>

#include "pmd/miss.h"

#include <errno.h>

#include "flow/flow-nlattr.h"
#include "odp-util.h"
#include "openvswitch/match.h"
#include "openvswitch/ofpbuf.h"
#include "pmd/input.h"
#include "pmd/pmd.h"
#include "stats/drop.h"

/* Buffers for the translation, used by one packet after the other. */
struct miss_bufs {
    struct ofpbuf actions;      /* For the packet at hand. */
    struct ofpbuf put_actions;  /* For the flow, if different. */
};

/* Installs the flow that ofproto decided on, unless another thread or an
 * earlier packet of ours was faster.  Returns the flow that is installed. */
static struct ef_flow *
install(struct ef_pmd *pmd, const struct ef_key *key, struct match *match,
        const ovs_u128 *ufid, const struct ofpbuf *actions,
        odp_port_t orig_in_port)
{
    struct ef_flow *flow;

    ef_match_fix_vlan(match);
    ovs_mutex_lock(&pmd->flows.mutex);
    flow = ef_flow_table_lookup(&pmd->flows, key, NULL);
    if (!flow) {
        flow = ef_flow_table_find(&pmd->flows, ufid);
    }
    if (!flow) {
        flow = ef_pmd_flow_add(pmd, match, ufid, actions->data, actions->size,
                               orig_in_port);
    }
    ovs_mutex_unlock(&pmd->flows.mutex);
    return flow;
}

static void
measure(struct ef_pmd *pmd, uint64_t start_tsc)
{
    struct pmd_perf_stats *perf = &pmd->perf;
    bool enabled;

    atomic_read_relaxed(&pmd->env->params.perf_metrics, &enabled);
    if (enabled) {
        uint64_t cycles = cycles_counter_update(perf) - start_tsc;

        perf->current.upcalls++;
        perf->current.upcall_cycles += cycles;
        histogram_add_sample(&perf->cycles_per_upcall, cycles);
    }
}

/* Consumes 'packet'.  Returns whether ofproto took it. */
static bool
handle_miss(struct ef_pmd *pmd, struct dp_packet *packet,
            const struct ef_key *key, struct miss_bufs *bufs)
{
    uint64_t start_tsc = cycles_counter_update(&pmd->perf);
    odp_port_t orig_in_port = packet->md.orig_in_port;
    struct dp_packet_batch batch;
    struct match match;
    ovs_u128 ufid;
    int error;

    match.tun_md.valid = false;
    miniflow_expand(&key->mf, &match.flow);
    memset(&match.wc, 0, sizeof match.wc);
    ofpbuf_clear(&bufs->actions);
    ofpbuf_clear(&bufs->put_actions);

    odp_flow_key_hash(&match.flow, sizeof match.flow, &ufid);
    error = ef_upcall(&pmd->env->upcall, pmd->core_id, packet, &match.flow,
                      &match.wc, &ufid, DPIF_UC_MISS, NULL, &bufs->actions,
                      &bufs->put_actions);
    if (error && error != ENOSPC) {
        ef_drop_packet(EF_DROP_UPCALL_ERROR, packet);
        return false;
    }

    /* The flow may say "to the controller" while these actions already sent
     * the packet there, so the packet is not run through the flow. */
    dp_packet_batch_init_packet(&batch, packet);
    ef_act_execute(&pmd->act, &batch, true, &match.flow, bufs->actions.data,
                   bufs->actions.size);

    if (!error) {
        const struct ofpbuf *actions = (bufs->put_actions.size
                                        ? &bufs->put_actions
                                        : &bufs->actions);

        ef_input_cache(pmd, key, install(pmd, key, &match, &ufid, actions,
                                         orig_in_port));
    }
    measure(pmd, start_tsc);

    /* ENOSPC: forwarded, but there were flows enough. */
    return !error;
}

static void
drop_all(struct ef_pmd *pmd, struct ef_input *in)
{
    for (size_t i = 0; i < in->n_missed; i++) {
        ef_drop_packet(EF_DROP_LOCK_ERROR, in->packets[in->places[i]]);
    }
    pmd_perf_update_counter(&pmd->perf, PMD_STAT_LOST, in->n_missed);
}

void
ef_input_miss(struct ef_pmd *pmd, struct ef_input *in)
{
    uint64_t actions_stub[512 / 8], put_stub[512 / 8];
    struct miss_bufs bufs;
    int n_ok = 0, n_failed = 0, n_lookups = 0;

    if (!ef_upcall_begin(&pmd->env->upcall)) {
        drop_all(pmd, in);
        return;
    }

    ofpbuf_use_stub(&bufs.actions, actions_stub, sizeof actions_stub);
    ofpbuf_use_stub(&bufs.put_actions, put_stub, sizeof put_stub);
    for (size_t i = 0; i < in->n_missed; i++) {
        uint8_t place = in->places[i];
        struct ef_flow *flow;

        /* The packet before may have brought the flow for this one. */
        flow = ef_flow_table_lookup(&pmd->flows, in->keys[i], &n_lookups);
        if (flow) {
            ef_input_cache(pmd, in->keys[i], flow);
            in->flows[place] = flow;
        } else if (handle_miss(pmd, in->packets[place], in->keys[i], &bufs)) {
            n_ok++;
        } else {
            n_failed++;
        }
    }
    ofpbuf_uninit(&bufs.actions);
    ofpbuf_uninit(&bufs.put_actions);
    ef_upcall_end(&pmd->env->upcall);

    pmd_perf_update_counter(&pmd->perf, PMD_STAT_MASKED_HIT,
                            in->n_missed - n_ok - n_failed);
    pmd_perf_update_counter(&pmd->perf, PMD_STAT_MASKED_LOOKUP, n_lookups);
    pmd_perf_update_counter(&pmd->perf, PMD_STAT_MISS, n_ok);
    pmd_perf_update_counter(&pmd->perf, PMD_STAT_LOST, n_failed);
}
