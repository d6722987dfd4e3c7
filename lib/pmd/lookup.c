/* SPDX-License-Identifier: Apache-2.0 */

/* Lookups after the exact match cache: signature match cache and megaflow
 * classifier, each for all packets of a batch that are left.  Called from
 * pmd/input.c by the owner of the instance. */

#include <config.h>

#include "pmd/input.h"

#include "flow/simple-match.h"
#include "pmd/miss.h"
#include "pmd/pmd.h"

/* Returns the flow at cmap index 'index' that 'packet' belongs to, or NULL.
 * The flow table mixes the flows of all ports, rules leave the port out:
 * so it is compared here. */
static struct ef_flow *
flow_at_index(const struct ef_pmd *pmd, uint32_t index,
              const struct ef_key *key, odp_port_t in_port)
{
    const struct cmap_node *node = cmap_find_by_index(&pmd->flows.flows,
                                                      index);
    struct ef_flow *flow;

    CMAP_NODE_FOR_EACH (flow, node, node) {
        if (flow->in_port == in_port && ef_rule_matches(&flow->rule, key)) {
            return flow;
        }
    }
    return NULL;
}

static void
cache_in_emc(struct ef_pmd *pmd, const struct ef_key *key,
             struct ef_flow *flow)
{
    if (pmd->emc_insert_min
        && ef_random_next(&pmd->random) <= pmd->emc_insert_min) {
        ef_emc_insert(&pmd->emc, key, flow);
    }
}

void
ef_input_cache(struct ef_pmd *pmd, const struct ef_key *key,
               struct ef_flow *flow)
{
    if (pmd->smc_enable) {
        ef_smc_insert(&pmd->smc, key->hash,
                      cmap_find_index(&pmd->flows.flows,
                                      ef_flow_hash(&flow->ufid)));
    }
    cache_in_emc(pmd, key, flow);
}

void
ef_input_lookup_smc(struct ef_pmd *pmd, struct ef_input *in)
{
    size_t n_left = 0;

    for (size_t i = 0; i < in->n_missed; i++) {
        ef_smc_prefetch(&pmd->smc, in->keys[i]->hash);
    }
    for (size_t i = 0; i < in->n_missed; i++) {
        struct ef_key *key = in->keys[i];
        uint8_t place = in->places[i];
        uint32_t index = ef_smc_lookup(&pmd->smc, key->hash);
        struct ef_flow *flow = NULL;

        if (index != EF_SMC_MISS) {
            flow = flow_at_index(pmd, index, key,
                                 in->packets[place]->md.in_port.odp_port);
        }
        if (flow) {
            ef_key_set_len(key);
            cache_in_emc(pmd, key, flow);
            in->flows[place] = flow;
        } else {
            in->keys[n_left] = key;
            in->places[n_left++] = place;
        }
    }
    pmd_perf_update_counter(&pmd->perf, PMD_STAT_SMC_HIT,
                            in->n_missed - n_left);
    in->n_missed = n_left;
}

void
ef_input_lookup_classifier(struct ef_pmd *pmd, struct ef_input *in)
{
    const size_t n = in->n_missed;
    /* All packets of a batch come by the same port. */
    odp_port_t in_port = in->packets[in->places[0]]->md.in_port.odp_port;
    struct ef_cls *cls = ef_flow_table_cls(&pmd->flows, in_port);
    struct ef_rule *rules[NETDEV_MAX_BURST];
    size_t n_missed = 0;
    int n_lookups = 0;

    for (size_t i = 0; i < n; i++) {
        ef_key_set_len(in->keys[i]);
    }
    if (OVS_LIKELY(cls)) {
        ef_cls_lookup(cls, (const struct ef_key *const *) in->keys, rules, n,
                      &n_lookups);
    } else {
        memset(rules, 0, n * sizeof *rules);
    }

    for (size_t i = 0; i < n; i++) {
        struct ef_flow *flow = ef_flow_from_rule(rules[i]);

        if (OVS_LIKELY(flow)) {
            ef_input_cache(pmd, in->keys[i], flow);
            in->flows[in->places[i]] = flow;
        } else {
            in->keys[n_missed] = in->keys[i];
            in->places[n_missed++] = in->places[i];
        }
    }
    in->n_missed = n_missed;
    pmd_perf_update_counter(&pmd->perf, PMD_STAT_MASKED_HIT, n - n_missed);
    pmd_perf_update_counter(&pmd->perf, PMD_STAT_MASKED_LOOKUP, n_lookups);
    if (OVS_UNLIKELY(n_missed)) {
        ef_input_miss(pmd, in);
    }
}
