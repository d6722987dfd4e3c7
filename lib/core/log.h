/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_LOG_H
#define EF_CORE_LOG_H 1

/* The data path's log module.
 *
 * Operators and test suites set the level of one module, "dpif_netdev", for
 * the whole user space data path.  core/log.c defines it; every other file
 * of the data path includes this header instead of defining a module of its
 * own, and then uses VLOG_INFO() and friends as usual.
 *
 * Threads: any. */

#include "openvswitch/vlog.h"

extern struct vlog_module *VLM_dpif_netdev;

/* The VLOG macros take the address of an object of this name. */
#define this_module (*VLM_dpif_netdev)

#endif /* core/log.h */
