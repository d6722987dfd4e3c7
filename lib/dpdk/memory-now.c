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
spec_of(const struct ef_mempool_request *r)
{
    struct ef_memory_spec spec = {
        .name = xstrdup(r->port_name),
        .pool_name = nullable_xstrdup(r->pool_name),
        .request = *r,
    };

    spec.request.port_name = spec.name;
    spec.request.pool_name = spec.pool_name;
    spec.request.cache_size = NULL;
    return spec;
}

struct specs {
    struct ef_memory_spec *specs;
    size_t n;
};

static void
add_port(struct specs *all, const struct ef_dpdk_dev *dev)
    OVS_REQUIRES(dev->mutex)
{
    struct ef_mempool_request *requests;
    size_t n;

    if (!has_request(dev)) {
        return;
    }
    requests = xcalloc(dev->want.n_rxq + 1, sizeof *requests);
    n = ef_dpdk_dev_pool_requests(dev, requests);
    all->specs = xrealloc(all->specs, (all->n + n) * sizeof *all->specs);
    for (size_t i = 0; i < n; i++) {
        all->specs[all->n++] = spec_of(&requests[i]);
    }
    free(requests);
}

static int
compare_names(const void *a_, const void *b_)
{
    const struct ef_memory_spec *a = a_;
    const struct ef_memory_spec *b = b_;

    return strcmp(a->name, b->name);
}

/* The list is locked. */
static int
add_ports(struct specs *all, int *n_tries)
{
    struct ef_dpdk_dev *dev;

    LIST_FOR_EACH (dev, list_node, &ef_dpdk_dev_list) {
        if (!ef_dpdk_try_lock(&dev->mutex, n_tries)) {
            return EBUSY;
        }
        add_port(all, dev);
        ovs_mutex_unlock(&dev->mutex);
    }
    return 0;
}

int
ef_memory_specs_now(struct ef_memory_spec **specsp, size_t *np)
{
    struct specs all = { .n = 0 };
    int n_tries = EF_DPDK_TRIES;
    int error = EBUSY;

    if (ef_dpdk_try_lock(&ef_dpdk_dev_list_mutex, &n_tries)) {
        error = add_ports(&all, &n_tries);
        ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);
    }
    if (error) {
        ef_memory_specs_free(all.specs, all.n);
        all = (struct specs) { .n = 0 };
    } else if (all.n) {
        qsort(all.specs, all.n, sizeof *all.specs, compare_names);
    }
    *specsp = all.specs;
    *np = all.n;
    return error;
}
