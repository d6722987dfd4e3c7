/* SPDX-License-Identifier: Apache-2.0 */

/* Callbacks of struct netdev_class that are the same for all ports of DPDK:
 * what needs neither a device nor a guest.  Called by the package's netdev.c,
 * in the main thread mostly; queries also in others (revalidators, handlers).
 * Wishes are noted and a reconfiguration asked for. */

#include <config.h>

#include "dpdk/dev.h"

#include <errno.h>
#include <stdio.h>

#include "dpdk/log.h"
#include "dpdk/policer.h"
#include "hash.h"
#include "packets.h"
#include "sset.h"

/* The smallest MTU of IPv4. */
#define MIN_MTU 68

/* Drivers differ in how many VLAN tags they count as part of a frame. */
#define MAX_MTU (EF_DPDK_MAX_FRAME - EF_DPDK_FRAME_OVERHEAD \
                 - 2 * VLAN_HEADER_LEN)

int
ef_dpdk_get_numa_id(const struct netdev *netdev)
{
    return ef_dpdk_dev_cast(netdev)->socket_id;
}

/* Notes a wish under 'mutex'. */
static void
want(struct ef_dpdk_dev *dev, int *wish, int value)
{
    ovs_mutex_lock(&dev->mutex);
    if (*wish != value) {
        *wish = value;
        netdev_request_reconfigure(&dev->up);
    }
    ovs_mutex_unlock(&dev->mutex);
}

int
ef_dpdk_set_tx_multiq(struct netdev *netdev, unsigned n_txq)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);

    want(dev, &dev->want.n_txq, n_txq);
    return 0;
}

int
ef_dpdk_get_mtu(const struct netdev *netdev, int *mtup)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);

    ovs_mutex_lock(&dev->mutex);
    *mtup = dev->mtu;
    ovs_mutex_unlock(&dev->mutex);
    return 0;
}

int
ef_dpdk_set_mtu(struct netdev *netdev, int mtu)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);

    if (mtu < MIN_MTU || mtu > MAX_MTU) {
        VLOG_WARN("%s: unsupported MTU %d", netdev_get_name(netdev), mtu);
        return EINVAL;
    }
    want(dev, &dev->want.mtu, mtu);
    return 0;
}

int
ef_dpdk_get_etheraddr(const struct netdev *netdev, struct eth_addr *mac)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);

    ovs_mutex_lock(&dev->mutex);
    *mac = dev->hwaddr;
    ovs_mutex_unlock(&dev->mutex);
    return 0;
}

/* The kernel has no number for the port, so one is made of its name: positive
 * and of 24 bits, as collectors (RFC 2863) expect it. */
int
ef_dpdk_get_ifindex(const struct netdev *netdev)
{
    return 1 + hash_string(netdev_get_name(netdev), 0) % 0xfffffe;
}

long long
ef_dpdk_get_carrier_resets(const struct netdev *netdev)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    long long n;

    ovs_mutex_lock(&dev->mutex);
    n = dev->n_carrier_resets;
    ovs_mutex_unlock(&dev->mutex);
    return n;
}

int
ef_dpdk_set_miimon(struct netdev *netdev OVS_UNUSED,
                   long long interval_ms OVS_UNUSED)
{
    return EOPNOTSUPP;
}

/* Policing. */

static int
replace_policer(struct ef_dpdk_dev *dev, uint32_t rate_kbps,
                uint32_t burst_kb)
{
    struct ef_policer *old = ovsrcu_get_protected(struct ef_policer *,
                                                  &dev->policer);
    struct ef_policer *new = NULL;

    if (rate_kbps) {
        new = ef_policer_create(rate_kbps, burst_kb);
        if (!new) {
            return EINVAL;
        }
    }
    ovsrcu_set(&dev->policer, new);
    ef_policer_destroy_later(old);
    dev->policer_rate = rate_kbps;
    dev->policer_burst = burst_kb;
    return 0;
}

int
ef_dpdk_set_policing(struct netdev *netdev, uint32_t rate_kbps,
                     uint32_t burst_kb, uint32_t rate_kpkts OVS_UNUSED,
                     uint32_t burst_kpkts OVS_UNUSED)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    int error = 0;

    if (!rate_kbps) {
        burst_kb = 0;           /* Nothing is policed, however bursty. */
    }
    ovs_mutex_lock(&dev->mutex);
    if (rate_kbps != dev->policer_rate || burst_kb != dev->policer_burst) {
        error = replace_policer(dev, rate_kbps, burst_kb);
    }
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

/* Quality of service. */

int
ef_dpdk_get_qos_types(const struct netdev *netdev OVS_UNUSED,
                      struct sset *types)
{
    ef_qos_types(types);
    return 0;
}

int
ef_dpdk_get_qos(const struct netdev *netdev, const char **typep,
                struct smap *details)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = ef_qos_get(&dev->qos, typep, details);
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

int
ef_dpdk_set_qos(struct netdev *netdev, const char *type,
                const struct smap *details)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = ef_qos_set(&dev->qos, netdev_get_name(netdev), type, details);
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

int
ef_dpdk_get_queue(const struct netdev *netdev, unsigned queue_id,
                  struct smap *details)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = ef_qos_get_queue(&dev->qos, queue_id, details);
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

int
ef_dpdk_set_queue(struct netdev *netdev, unsigned queue_id,
                  const struct smap *details)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = ef_qos_set_queue(&dev->qos, netdev_get_name(netdev), queue_id,
                             details);
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

int
ef_dpdk_delete_queue(struct netdev *netdev, unsigned queue_id)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = ef_qos_delete_queue(&dev->qos, queue_id);
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

int
ef_dpdk_get_queue_stats(const struct netdev *netdev, unsigned queue_id,
                        struct netdev_queue_stats *stats)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = ef_qos_get_queue_stats(&dev->qos, queue_id, stats);
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

/* Which queues there were when the dump began. */
struct queue_dump {
    uint32_t *ids;
    size_t n, next;
};

int
ef_dpdk_queue_dump_start(const struct netdev *netdev, void **statep)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    struct queue_dump *dump = xzalloc(sizeof *dump);
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = ef_qos_list_queues(&dev->qos, &dump->ids, &dump->n);
    ovs_mutex_unlock(&dev->mutex);
    if (error) {
        ef_dpdk_queue_dump_done(netdev, dump);
        dump = NULL;            /* After an error, nobody calls _done(). */
    }
    *statep = dump;
    return error;
}

/* Passes over queues that are gone since. */
int
ef_dpdk_queue_dump_next(const struct netdev *netdev, void *dump_,
                        unsigned *queue_idp, struct smap *details)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    struct queue_dump *dump = dump_;
    int error = EOF;

    ovs_mutex_lock(&dev->mutex);
    while (error && dump->next < dump->n) {
        *queue_idp = dump->ids[dump->next++];
        error = ef_qos_get_queue(&dev->qos, *queue_idp, details);
    }
    ovs_mutex_unlock(&dev->mutex);
    return error ? EOF : 0;
}

int
ef_dpdk_queue_dump_done(const struct netdev *netdev OVS_UNUSED, void *dump_)
{
    struct queue_dump *dump = dump_;

    free(dump->ids);
    free(dump);
    return 0;
}
