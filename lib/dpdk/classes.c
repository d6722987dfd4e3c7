/* SPDX-License-Identifier: Apache-2.0 */

/* Makes the kinds of ports that need DPDK known to the package's netdev.c.
 * Called once by eal.c in the main thread, when EAL has started. */

#include <config.h>

#include "dpdk/classes.h"

#include "dpdk/buffer-store.h"
#include "dpdk/ethdev.h"
#include "dpdk/log.h"
#include "dpdk/mempool.h"
#include "dpdk/vhost.h"
#include "stats/stamp.h"

void
ef_dpdk_register_classes(const struct smap *other_config)
{
    int error = ef_store_register();

    if (error) {
        VLOG_ERR("DPDK does not take the mempool handler \"%s\" (%s): its "
                 "ports will have no buffers", EF_STORE_OPS,
                 ovs_strerror(error));
    }
    error = ef_stamp_register();
    if (error) {
        VLOG_WARN("latency of packets is not measured: no room in buffers "
                  "(%s)", ovs_strerror(error));
    }
    ef_mempool_configure(other_config);
    ef_vhost_configure(other_config);
    ef_mempool_commands_init();

    netdev_register_provider(&ef_ethdev_class);
    netdev_register_provider(&ef_vhost_server_class);
    netdev_register_provider(&ef_vhost_client_class);
}
