/* SPDX-License-Identifier: Apache-2.0 */

/* Size of receive bursts.  Set by the main thread from the options of a port;
 * read by the PMDs that poll it. */

#include <config.h>

#include "dpdk/rx-burst.h"

#include "core/digits.h"
#include "dp-packet.h"
#include "dpdk/dev.h"
#include "dpdk/log.h"

BUILD_ASSERT_DECL(NETDEV_MAX_BURST == 32);      /* As in the rule. */

const char *
ef_rx_burst_parse(const char *value, unsigned *n)
{
    uint64_t number;

    if (!ef_digits_whole(value, NETDEV_MAX_BURST, &number) || !number) {
        return "must be a number from 1 to 32";
    }
    *n = number;
    return NULL;
}

void
ef_rx_burst_set(struct netdev *netdev, unsigned n)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);

    if (n != ef_rx_burst_read(&dev->rx_burst)) {
        atomic_store_relaxed(&dev->rx_burst, n);
        VLOG_INFO("%s: receives up to %u packets at a time",
                  netdev_get_name(netdev), n);
        /* PMDs keep a copy. */
        netdev_change_seq_changed(netdev);
    }
}

unsigned
ef_rx_burst(const struct netdev *netdev)
{
    return (ef_dpdk_is_dpdk(netdev)
            ? ef_rx_burst_read(&ef_dpdk_dev_cast(netdev)->rx_burst)
            : NETDEV_MAX_BURST);
}
