/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_ACTION_CT_PARSE_H
#define EF_ACTION_CT_PARSE_H 1

/* The connection tracking action's attributes, made into parameters for
 * conntrack_execute().
 *
 *     struct ef_ct_params params;
 *
 *     ef_ct_parse(action, &params);
 *     conntrack_execute(ct, batch, ..., ef_ct_nat(&params), ...);
 *
 * The result points into the action and into itself; it is good as long as
 * both stay where they are.
 *
 * Threads: any; on the packet path once for each batch. */

#include <stdbool.h>
#include <stdint.h>

#include "conntrack.h"

struct nlattr;

struct ef_ct_params {
    bool commit;
    bool force;
    uint16_t zone;
    uint32_t tp_id;             /* Timeout policy. */
    const char *helper;         /* NULL if none. */
    const uint32_t *mark;       /* Value and mask; NULL if none. */
    const struct ovs_key_ct_labels *labels;     /* Same. */

    bool has_nat;
    struct nat_action_info_t nat;       /* If 'has_nat'. */
};

/* Parses OVS_ACTION_ATTR_CT 'action'.  Attributes that mean nothing to this
 * data path are skipped.  Warns (rate limited) of address translation for a
 * connection that is not committed, and of a timeout policy that is not a
 * number; the default policy stands in for it. */
void ef_ct_parse(const struct nlattr *action, struct ef_ct_params *);

static inline const struct nat_action_info_t *
ef_ct_nat(const struct ef_ct_params *params)
{
    return params->has_nat ? &params->nat : NULL;
}

#endif /* action/ct-parse.h */
