/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_FLOW_NLATTR_H
#define EF_FLOW_FLOW_NLATTR_H 1

/* Between Netlink attributes, as the dpif layer speaks, and our flows.
 * Threads: any, not quiescent while the result points into a flow. */

#include <stdbool.h>
#include <stddef.h>

#include "flow/megaflow.h"

struct match;
struct ofpbuf;
struct odp_support;

/* What the data path supports, for odp_flow_key_from_flow(). */
extern const struct odp_support ef_odp_support;

/* Parses 'key' into 'flow'.  Returns 0 or EINVAL; tells the log why unless
 * 'probe'. */
int ef_flow_from_nlattrs(const struct nlattr *key, size_t key_len,
                         struct flow *flow, bool probe);

/* Parses 'key' and 'mask' into 'match'.  A mask that does not mention VLANs
 * becomes an exact match on "no tag", since Netlink cannot say otherwise; use
 * ef_match_fix_vlan() for matches that did not come by Netlink.  Returns 0 or
 * EINVAL, as above. */
int ef_match_from_nlattrs(const struct nlattr *key, size_t key_len,
                          const struct nlattr *mask, size_t mask_len,
                          struct match *match, bool probe);
void ef_match_fix_vlan(struct match *);

/* Fills in '*dst' except for statistics and attributes.  Key and mask are
 * appended to the buffers, which may be one and the same; actions stay where
 * they are, protected by RCU.  With 'terse', identity only. */
void ef_flow_to_dpif_flow(const struct ef_flow *, struct ofpbuf *key_buf,
                          struct ofpbuf *mask_buf, struct dpif_flow *dst,
                          bool terse);

/* Logs a flow that was added ('old' null) or modified, at debug level. */
void ef_flow_log_change(const struct ef_flow *, const struct match *,
                        const struct ef_flow_actions *old,
                        const struct nlattr *actions, size_t actions_len);

#endif /* flow/flow-nlattr.h */
