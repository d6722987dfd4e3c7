/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_NLATTR_SIZES_H
#define EF_FLOW_NLATTR_SIZES_H 1

/* Sizes of attributes of a flow's key or mask that the package does not look
 * at: most of those within OVS_KEY_ATTR_TUNNEL when it parses, and
 * OVS_KEY_ATTR_ETHERTYPE of a mask when it formats for the log.  A wrong one
 * ends the process or overwrites memory.  So nothing is given to the package
 * before this agrees.
 *
 * Threads: any. */

#include <stdbool.h>
#include <stddef.h>

struct nlattr;

bool ef_nlattr_sizes_are_sound(const struct nlattr *attrs, size_t len);

#endif /* flow/nlattr-sizes.h */
