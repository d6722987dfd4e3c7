/* SPDX-License-Identifier: Apache-2.0 */

/* A driver's wish to be reset, for instance by a virtual function whose
 * physical function was reset.
 *
 * It comes in DPDK's interrupt thread, for which the main thread waits inside
 * of DPDK (when it stops or closes a device): so the callback takes no lock
 * that is held while DPDK is called.  It may also come between the attaching
 * of a device and the day that a port knows its number, so it is noted by
 * number and not lost. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_errno.h>

#include "dpdk/log.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

static atomic_bool pending[RTE_MAX_ETHPORTS];

/* A leaf: held for a look-up and netdev_request_reconfigure(), which calls
 * nobody back. */
static struct ovs_mutex watchers_mutex = OVS_MUTEX_INITIALIZER;
static struct netdev *watchers[RTE_MAX_ETHPORTS];

void
ef_ethdev_reset_init(void)
{
    int error = rte_eth_dev_callback_register(RTE_ETH_ALL,
                                              RTE_ETH_EVENT_INTR_RESET,
                                              ef_ethdev_on_reset, NULL);

    if (error) {
        VLOG_ERR("Ethernet device callback register error: %s",
                 rte_strerror(-error));
    }
}

void
ef_ethdev_reset_watch(uint16_t port_id, struct netdev *netdev)
{
    if (port_id >= RTE_MAX_ETHPORTS) {
        return;
    }
    ovs_mutex_lock(&watchers_mutex);
    watchers[port_id] = netdev;
    ovs_mutex_unlock(&watchers_mutex);
    if (!netdev) {
        atomic_store_relaxed(&pending[port_id], false);
    }
}

bool
ef_ethdev_reset_take(uint16_t port_id)
{
    bool was_pending;

    /* Pairs with the release in ef_ethdev_on_reset(): whoever takes the flag
     * sees what the driver noted before it asked.  Cleared before the reset,
     * so that a new wish during the reset is not lost. */
    was_pending = atomic_exchange_explicit(&pending[port_id], false,
                                           memory_order_acq_rel);
    return was_pending;
}

bool
ef_ethdev_reset_is_pending(uint16_t port_id)
{
    bool is_pending;

    /* A stale value is harmless: the callback asks for a reconfiguration
     * after it sets the flag. */
    atomic_read_relaxed(&pending[port_id], &is_pending);
    return is_pending;
}

int
ef_ethdev_on_reset(uint16_t port_id, enum rte_eth_event_type type,
                   void *aux OVS_UNUSED, void *ret OVS_UNUSED)
{
    struct netdev *netdev;

    if (type != RTE_ETH_EVENT_INTR_RESET || port_id >= RTE_MAX_ETHPORTS) {
        return 0;
    }

    /* Release: pairs with ef_ethdev_reset_take(). */
    atomic_store_explicit(&pending[port_id], true, memory_order_release);

    ovs_mutex_lock(&watchers_mutex);
    netdev = watchers[port_id];
    if (netdev) {
        netdev_request_reconfigure(netdev);
        VLOG_DBG_RL(&rl, "%s: Device reset requested.",
                    netdev_get_name(netdev));
    }
    ovs_mutex_unlock(&watchers_mutex);
    return 0;
}
