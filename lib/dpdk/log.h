/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_LOG_H
#define EF_DPDK_LOG_H 1

/* The log module of DPDK ports, "netdev_dpdk", which operators know.  A file
 * that includes this defines no module of its own.  Threads: any. */

#include "openvswitch/vlog.h"

extern struct vlog_module *VLM_netdev_dpdk;

/* The VLOG macros take the address of an object of this name. */
#define this_module (*VLM_netdev_dpdk)

#endif /* dpdk/log.h */
