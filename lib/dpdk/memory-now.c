/* SPDX-License-Identifier: Apache-2.0 */

/* Collects what the DPDK ports that there are ask of their pools, for
 * "dpif-netdev/memory-plan" without arguments.
 *
 * Called on the thread "ctl".  Takes the mutex of each port, which the main
 * thread holds while it reconfigures that port. */

#include <config.h>

#include "dpdk/memory-plan.h"

#include <stdlib.h>
#include <string.h>

#include "dpdk/dev.h"
#include "openvswitch/list.h"
#include "util.h"

/* A guest whose node is not known has no pool. */
static bool
has_request(const struct ef_dpdk_dev *dev)
    OVS_REQUIRES(dev->mutex)
{
    return dev->kind == EF_DPDK_ETH || dev->want.socket_id >= 0;
}

static struct ef_memory_spec
spec_of(const struct ef_dpdk_dev *dev)
    OVS_REQUIRES(dev->mutex)
{
    struct ef_memory_spec spec = {
        .name = xstrdup(netdev_get_name(&dev->up)),
        .request = {
            .mtu = dev->want.mtu,
            .socket_id = dev->want.socket_id,
            .n_rxq = dev->want.n_rxq,
            .rxq_size = dev->want.rxq_size,
            .n_txq = dev->want.n_txq,
            .txq_size = dev->want.txq_size,
            .copies = dev->kind != EF_DPDK_ETH,
        },
    };

    spec.request.port_name = spec.name;
    return spec;
}

static int
compare_names(const void *a_, const void *b_)
{
    const struct ef_memory_spec *a = a_;
    const struct ef_memory_spec *b = b_;

    return strcmp(a->name, b->name);
}

size_t
ef_memory_specs_now(struct ef_memory_spec **specsp)
{
    struct ef_memory_spec *specs = NULL;
    size_t n = 0, allocated = 0;
    struct ef_dpdk_dev *dev;

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    LIST_FOR_EACH (dev, list_node, &ef_dpdk_dev_list) {
        ovs_mutex_lock(&dev->mutex);
        if (has_request(dev)) {
            if (n == allocated) {
                specs = x2nrealloc(specs, &allocated, sizeof *specs);
            }
            specs[n++] = spec_of(dev);
        }
        ovs_mutex_unlock(&dev->mutex);
    }
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);

    qsort(specs, n, sizeof *specs, compare_names);
    *specsp = specs;
    return n;
}
