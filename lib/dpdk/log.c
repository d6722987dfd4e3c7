/* SPDX-License-Identifier: Apache-2.0 */

/* Defines the log module "netdev_dpdk" that all files of DPDK ports share.
 * Included by nobody; see dpdk/log.h.  Any thread. */

#include <config.h>

#include "openvswitch/vlog.h"

VLOG_DEFINE_THIS_MODULE(netdev_dpdk);
