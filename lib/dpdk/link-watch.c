/* SPDX-License-Identifier: Apache-2.0 */

/* Notices carriers that come and go: every few seconds for devices that have
 * to be asked, at once for those that interrupt (dpdk-lsc-interrupt).
 *
 * A thread of its own, which takes the locks of ports; and DPDK's interrupt
 * thread, which only wakes it up and takes none. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_errno.h>

#include "dpdk/log.h"
#include "latch.h"
#include "openvswitch/poll-loop.h"

#define INTERVAL_MS 5000

static struct latch link_changed;

/* DPDK's interrupt thread. */
static int
on_link_change(uint16_t port_id OVS_UNUSED,
               enum rte_eth_event_type type OVS_UNUSED,
               void *aux OVS_UNUSED, void *ret OVS_UNUSED)
{
    latch_set(&link_changed);
    return 0;
}

static void
check_all(void)
{
    struct ef_dpdk_dev *dev;

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    LIST_FOR_EACH (dev, list_node, &ef_dpdk_dev_list) {
        if (dev->kind == EF_DPDK_ETH) {
            struct ef_ethdev *ef = CONTAINER_OF(dev, struct ef_ethdev, dev);

            ovs_mutex_lock(&dev->mutex);
            if (ef->is_started) {
                ef_ethdev_check_link(ef);
            }
            ovs_mutex_unlock(&dev->mutex);
        }
    }
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);
}

static void *
link_watch_main(void *aux OVS_UNUSED)
{
    pthread_detach(pthread_self());
    for (;;) {
        /* First, so that a change while ports are asked is not lost. */
        latch_poll(&link_changed);
        check_all();

        latch_wait(&link_changed);
        poll_timer_wait(INTERVAL_MS);
        poll_block();
    }
    return NULL;
}

void
ef_link_watch_start(void)
{
    int error;

    latch_init(&link_changed);
    error = rte_eth_dev_callback_register(RTE_ETH_ALL,
                                          RTE_ETH_EVENT_INTR_LSC,
                                          on_link_change, NULL);
    if (error) {
        VLOG_ERR("Ethernet device callback register error: %s",
                 rte_strerror(-error));
    }
    ovs_thread_create("dpdk_watchdog", link_watch_main, NULL);
}
