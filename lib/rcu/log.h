/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_RCU_LOG_H
#define EF_RCU_LOG_H 1

/* The log module "ovs_rcu", which monitoring programs and test suites know.
 * rcu/ovs-rcu.c defines it; the other files here include this header.
 *
 * Threads: any. */

#include "openvswitch/vlog.h"

extern struct vlog_module *VLM_ovs_rcu;

/* The VLOG macros take the address of an object of this name. */
#define this_module (*VLM_ovs_rcu)

#endif /* rcu/log.h */
