/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_ODP_ACTIONS_H
#define EF_COMPAT_ODP_ACTIONS_H 1

/* Actions of the data path's netlink that not every package has.
 *
 * EF_ODP_KERNEL_ACTIONS are case labels, for a switch over all actions, of
 * those that ofproto gives to the kernel's data path only: psample has its
 * readers there, and dec_ttl never left it. */

#include "odp-netlink.h"

#ifdef EF_HAVE_PSAMPLE
#define EF_ODP_KERNEL_ACTIONS                   \
    case OVS_ACTION_ATTR_DEC_TTL:               \
    case OVS_ACTION_ATTR_PSAMPLE:
#else
#define EF_ODP_KERNEL_ACTIONS
#endif

#endif /* compat/odp-actions.h */
