/* SPDX-License-Identifier: Apache-2.0 */

/* Looks at the completions of all ports of type=dpdk and at their pools, and
 * shows what is wrong.
 *
 * Called by the main loop; acts some times a second, so that an alarm comes
 * within a second of its cause. */

#include <config.h>

#include "dpdk/tx-facts.h"

#include "dpdk/ethdev.h"
#include "dpdk/mempool.h"
#include "dpdk/pool-alarm.h"
#include "dpdk/tx-alarm.h"
#include "openvswitch/poll-loop.h"
#include "util.h"

#define INTERVAL_MS 250
#define POOL_INTERVAL_MS 1000

static long long next_ms, next_pool_ms;
static bool has_ports;          /* Else nobody needs to be woken. */

static const char *
pool_cause(const struct ef_dpdk_dev *dev)
{
    const char *cause = dev->rte_pool
                        ? ef_pool_alarm_get(dev->rte_pool->name) : NULL;

    for (unsigned i = 0; i < dev->n_rxq_pools && !cause; i++) {
        cause = ef_pool_alarm_get(dev->rxq_pools[i]->name);
    }
    return cause;
}

static void
judge(struct ef_dpdk_dev *dev, long long now_ms)
{
    const struct ef_ethdev *eth = CONTAINER_OF(dev, struct ef_ethdev, dev);
    struct ef_tx_watch_stats *queues = xcalloc(dev->n_txqs, sizeof *queues);
    struct ef_tx_alarm_input input = {
        .name = netdev_get_name(&dev->up),
        .queues = queues,
        .thresh = eth->thresh,
        .link_is_down = !eth->link.link_status,
        .pool_cause = pool_cause(dev),
    };

    for (unsigned i = 0; i < dev->n_txqs && dev->txqs[i].watch; i++) {
        ef_tx_watch_get_flow(dev->txqs[i].watch, &queues[i]);
        input.n_queues++;
    }
    if (!dev->alarm) {
        dev->alarm = ef_tx_alarm_create();
    }
    if (ef_tx_alarm_judge(dev->alarm, &input, now_ms)) {
        /* The bridge reads the status of ports that changed. */
        netdev_change_seq_changed(&dev->up);
    }
    free(queues);
}

static void
judge_pools(long long now_ms)
{
    struct ef_mempool_facts *pools;
    size_t n = ef_mempool_get_facts(&pools);

    ef_pool_alarm_judge(pools, n, now_ms);
    ef_mempool_facts_free(pools, n);
}

void
ef_tx_alarm_run(long long now_ms)
{
    struct ef_dpdk_dev *dev;

    if (now_ms < next_ms) {
        return;
    }
    next_ms = now_ms + INTERVAL_MS;
    if (has_ports && now_ms >= next_pool_ms) {
        next_pool_ms = now_ms + POOL_INTERVAL_MS;
        judge_pools(now_ms);
    }

    has_ports = false;
    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    LIST_FOR_EACH (dev, list_node, &ef_dpdk_dev_list) {
        if (dev->kind == EF_DPDK_ETH) {
            ovs_mutex_lock(&dev->mutex);
            judge(dev, now_ms);
            ovs_mutex_unlock(&dev->mutex);
        }
        has_ports = true;
    }
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);
}

void
ef_tx_alarm_wait(void)
{
    if (has_ports) {
        poll_timer_wait_until(next_ms);
    }
}
