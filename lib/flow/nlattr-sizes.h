/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_TUNNEL_NLATTR_H
#define EF_FLOW_TUNNEL_NLATTR_H 1

/* Sizes of the attributes within OVS_KEY_ATTR_TUNNEL, of a flow's key or mask.
 *
 * The package's parser only looks at those of the first few types: others of a
 * wrong size end the process or overwrite memory, and some are formatted for
 * the log without a look.  So nothing is given to it before this agrees.
 *
 * Threads: any. */

#include <stdbool.h>
#include <stddef.h>

struct nlattr;

bool ef_tunnel_nlattrs_are_sound(const struct nlattr *attrs, size_t len);

#endif /* flow/tunnel-nlattr.h */
