/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_ETHDEV_FIXTURE_H
#define EF_ETHDEV_FIXTURE_H 1

/* Ports of type=dpdk with virtual devices, without huge pages or PCI.
 *
 *     struct netdev *port = fixture_open("p0");
 *     EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_null0",
 *                             "n_rxq=2", NULL), 0);
 *     EF_CHECK_EQ(netdev_reconfigure(port), 0);
 *     netdev_close(port);
 */

#include <stdarg.h>

#include <rte_eal.h>

#include "dpdk/buffer-store.h"
#include "dpdk/ethdev.h"
#include "dpdk/mempool.h"
#include "netdev.h"
#include "openvswitch/vlog.h"
#include "ovs-rcu.h"
#include "smap.h"
#include "timeval.h"

/* Starts EAL, once, and registers the class. */
static inline bool
fixture_start(void)
{
    static int state;
    char *argv[] = { "test", "--no-huge", "--no-pci", "--no-telemetry", "-m",
                     "512", "--no-shconf", "--log-level", "*:critical",
                     NULL };
    struct smap small_pools = SMAP_CONST1(&small_pools, "per-port-memory",
                                          "true");

    if (!state) {
        /* Else the thread that watches links would start the clock, which
         * registers commands, while this one registers more. */
        time_msec();
        /* Refusals are what is tested. */
        vlog_set_levels(NULL, VLF_CONSOLE,
                        getenv("EF_TEST_LOG") ? VLL_DBG : VLL_OFF);
        state = rte_eal_init(ARRAY_SIZE(argv) - 1, argv) >= 0
                && !ef_store_register()
                && !netdev_register_provider(&ef_ethdev_class) ? 1 : -1;
        ef_mempool_configure(&small_pools);
    }
    return state > 0;
}

static inline struct netdev *
fixture_open(const char *name)
{
    struct netdev *netdev;

    if (!EF_CHECK(fixture_start())
        || !EF_CHECK_EQ(netdev_open(name, "dpdk", &netdev), 0)) {
        exit(EXIT_FAILURE);
    }
    /* As the main loop does: what waits for a grace period goes. */
    ovsrcu_quiesce();
    return netdev;
}

/* Sets "KEY=VALUE" options, NULL at the end.  The caller frees '*errorp'. */
static inline int
fixture_set(struct netdev *netdev, char **errorp, ...)
{
    struct smap options = SMAP_INITIALIZER(&options);
    const char *option;
    va_list args;
    int error;

    va_start(args, errorp);
    while ((option = va_arg(args, const char *)) != NULL) {
        const char *value = strchr(option, '=') + 1;

        smap_add_nocopy(&options, xmemdup0(option, value - 1 - option),
                        xstrdup(value));
    }
    va_end(args);

    *errorp = NULL;
    error = netdev_set_config(netdev, &options, errorp);
    smap_destroy(&options);
    return error;
}

/* Opens a port with "net_null0" and sets it up. */
static inline struct netdev *
fixture_open_null(const char *name)
{
    struct netdev *netdev = fixture_open(name);
    char *error;

    EF_CHECK_EQ(fixture_set(netdev, &error, "dpdk-devargs=net_null0", NULL),
                0);
    EF_CHECK_STR_EQ(error, NULL);
    EF_CHECK_EQ(netdev_reconfigure(netdev), 0);
    return netdev;
}

#endif /* ethdev-fixture.h */
