/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_EAL_VLOG_H
#define EF_DPDK_EAL_VLOG_H 1

/* The log module of DPDK itself and of its start, "dpdk", which operators
 * know.  A file that includes this defines no module of its own.
 *
 * Threads: any. */

#include "openvswitch/vlog.h"

extern struct vlog_module *VLM_dpdk;

/* The VLOG macros take the address of an object of this name. */
#define this_module (*VLM_dpdk)

#endif /* dpdk/eal-vlog.h */
