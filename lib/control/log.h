/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CONTROL_LOG_H
#define EF_CONTROL_LOG_H 1

/* The log module "unixctl", which test suites set to debug.
 * control/request.c defines it; the other files here include this header.
 *
 * Threads: any. */

#include "openvswitch/vlog.h"

extern struct vlog_module *VLM_unixctl;

/* The VLOG macros take the address of an object of this name. */
#define this_module (*VLM_unixctl)

#endif /* control/log.h */
