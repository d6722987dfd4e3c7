/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_DEV_POOL_H
#define EF_DPDK_DEV_POOL_H 1

/* The pools of a port, part of struct ef_dpdk_dev: one for the port and those
 * of receive queues that name another (options:mempool-rxq).
 *
 * A pool that cannot be had leaves the port with those that it has; the option
 * that named it is shown as refused until the option changes or the pool can
 * be had: it is asked for again when "mempool-config" changes, and whenever
 * the port is reconfigured.
 *
 * Threads: main, under dev->mutex (but the last function takes it itself);
 * ef_dpdk_dev_rxq_pool() in dpdk/dev.h is for the packet path. */

#include <stdbool.h>

#include "dpdk/pool-options.h"

struct ef_dpdk_dev;
struct ef_mempool;
struct ef_mempool_request;
struct smap;

/* A pool of some receive queues. */
struct ef_dpdk_queue_pool {
    char *name;
    struct ef_mempool *pool;
};

/* Of a port. */
struct ef_dpdk_pools {
    struct ef_pool_options want;
    struct ef_pool_options is;  /* What the pools below were taken for. */
    struct ef_dpdk_queue_pool *of_rxqs; /* Without those of 'want.name'. */
    size_t n_of_rxqs;
    int tx_free_burst;          /* See struct ef_mempool_request; the class
                                 * sets it. */
    bool is_stale;              /* Options changed since the last
                                 * ef_dpdk_dev_set_pool(). */
    char *failed_key;           /* The option whose pool could not be had, */
    char *failed_rule;          /* and why; or NULL. */
};

void ef_dpdk_dev_pools_init(struct ef_dpdk_dev *);
void ef_dpdk_dev_pools_uninit(struct ef_dpdk_dev *);

/* Takes Interface:options about buffers and asks for a reconfiguration if they
 * mean other pools.  Call it after ef_dpdk_dev_accept().  Bad values of a live
 * port are refused, the old ones stay.  Those of a new port: returns EINVAL
 * and stores a message, to be freed, in '*errp'. */
int ef_dpdk_dev_set_pool_options(struct ef_dpdk_dev *, const struct smap *,
                                 bool is_live, char **errp);

/* What a reconfiguration would ask for: fills 'requests', up to one for each
 * rx queue and one more, and returns how many.  Strings are the port's. */
size_t ef_dpdk_dev_pool_requests(const struct ef_dpdk_dev *,
                                 struct ef_mempool_request *requests);

/* "mempool-config" changed: asks for a reconfiguration of ports that could not
 * have a pool.  Takes ef_dpdk_dev_list_mutex and each port's mutex. */
void ef_dpdk_dev_retry_pools(void);

#endif /* dpdk/dev-pool.h */
