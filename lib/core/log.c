/* SPDX-License-Identifier: Apache-2.0 */

/* Defines the log module "dpif_netdev" that all files of the data path
 * share.  Included by nobody; see core/log.h.  Any thread. */

#include <config.h>

#include "openvswitch/vlog.h"

VLOG_DEFINE_THIS_MODULE(dpif_netdev);
