/* SPDX-License-Identifier: Apache-2.0 */

/* options:dpdk-devargs: which device a port gets, that bad ones leave nothing
 * behind and can be corrected, and that devices go with their ports. */

#include <config.h>

#include "dpdk/ethdev.h"

#include <rte_dev.h>

#include "ef-test.h"
#include "ethdev-fixture.h"

#define N_REUSE 1000

static bool
is_attached(const char *devargs)
{
    uint16_t port_id;

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    port_id = ef_ethdev_find(devargs);
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);
    return port_id != EF_ETHDEV_NONE;
}

/* Checks that 'devargs' make no port, and what the user is told. */
static void
check_bad(const char *devargs)
{
    char *message = xasprintf("Error attaching device '%s' to DPDK", devargs);
    char *option = xasprintf("dpdk-devargs=%s", devargs);
    struct netdev *port = fixture_open("p0");
    char *error;

    EF_CHECK_EQ(fixture_set(port, &error, option, NULL), EINVAL);
    EF_CHECK_STR_EQ(error, message);
    EF_CHECK_EQ(ef_ethdev_cast(port)->port_id, EF_ETHDEV_NONE);
    EF_CHECK_EQ(rte_eth_dev_count_total(), 0);
    netdev_close(port);
    free(error);
    free(option);
    free(message);
}

EF_TEST(bad_devargs_leave_nothing)
{
    check_bad("nonsense");
    check_bad("0000:ff:1f.7");
    check_bad("=");
    check_bad(",");
    check_bad("net_nosuch0,a=b");
    check_bad("net_null0,nonsense=1");
    check_bad("net_pcap0,rx_pcap=/no/such/file");
    check_bad("class=eth,mac=");
    check_bad("class=eth,mac=zz:00:00:00:00:01");
    check_bad("class=eth,mac=50:54:00:00:00:01");
}

/* DPDK's newer syntax, without what it takes for granted. */
EF_TEST(devargs_that_dpdk_cannot_take)
{
    check_bad("class=eth");
    check_bad("class=eth,representor=1");
    check_bad("bus=vdev");
    check_bad("bus=vdev,name=net_null0");
    check_bad("bus=vdev/class=eth");
    check_bad("bus=nosuch/class=eth/driver=x");
    check_bad("driver=x");
    check_bad("vdev");
}

EF_TEST(bad_devargs_can_be_corrected)
{
    struct netdev *port = fixture_open("p0");
    char *error;

    for (int i = 0; i < 3; i++) {
        EF_CHECK_EQ(fixture_set(port, &error,
                                "dpdk-devargs=net_null0,nonsense=1", NULL),
                    EINVAL);
        free(error);
    }
    /* Of the same name, in the same port or another. */
    EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_null0", NULL), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    netdev_close(port);

    netdev_close(fixture_open_null("p0"));
    EF_CHECK_EQ(rte_eth_dev_count_total(), 0);
}

EF_TEST(device_without_a_port_is_removed)
{
    char *error = NULL;
    bool attached;
    uint16_t port_id;

    if (!EF_CHECK(fixture_start())) {
        return;
    }
    if (rte_dev_probe("crypto_null0")) {
        EF_TEST_SKIP("there is no driver crypto_null");
    }
    EF_CHECK_EQ(rte_eal_hotplug_remove("vdev", "crypto_null0"), 0);

    ovs_mutex_lock(&ef_dpdk_dev_list_mutex);
    EF_CHECK_EQ(ef_ethdev_attach("crypto_null0", &port_id, &attached, &error),
                EINVAL);
    ovs_mutex_unlock(&ef_dpdk_dev_list_mutex);
    EF_CHECK_STR_EQ(error, "Error attaching device 'crypto_null0' to DPDK");
    free(error);
    /* Nothing to be removed. */
    EF_CHECK(rte_eal_hotplug_remove("vdev", "crypto_null0") != 0);
}

EF_TEST(device_of_another_port_is_not_taken)
{
    struct netdev *p0 = fixture_open_null("p0");
    struct netdev *p1 = fixture_open("p1");
    char *error;

    EF_CHECK_EQ(fixture_set(p1, &error, "dpdk-devargs=net_null0", NULL),
                EADDRINUSE);
    EF_CHECK_STR_EQ(error, "'p1' is trying to use device 'net_null0' "
                    "which is already in use by 'p0'");
    free(error);
    netdev_close(p1);
    EF_CHECK(is_attached("net_null0"));

    /* Nor by a live port, which keeps what it has. */
    p1 = fixture_open("p1");
    EF_CHECK_EQ(fixture_set(p1, &error, "dpdk-devargs=net_null1", NULL), 0);
    EF_CHECK_EQ(netdev_reconfigure(p1), 0);
    EF_CHECK_EQ(fixture_set(p1, &error, "dpdk-devargs=net_null0", NULL), 0);
    EF_CHECK_STR_EQ(ef_ethdev_cast(p1)->dev.config_error,
                    "'dpdk-devargs=net_null0': the device is already in use "
                    "by 'p0'");
    EF_CHECK_STR_EQ(ef_ethdev_cast(p1)->devargs, "net_null1");

    netdev_close(p0);
    netdev_close(p1);
    EF_CHECK_EQ(rte_eth_dev_count_total(), 0);
}

EF_TEST(live_port_keeps_its_device_until_there_is_another)
{
    struct netdev *port = fixture_open_null("p0");
    struct ef_ethdev *ef = ef_ethdev_cast(port);
    uint16_t port_id = ef->port_id;
    char *error;

    /* However often the bridge says it: refused, never EAGAIN. */
    for (int i = 0; i < 3; i++) {
        EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=nonsense", NULL),
                    0);
        EF_CHECK_STR_EQ(ef->dev.config_error, "'dpdk-devargs=nonsense': "
                        "Error attaching device 'nonsense' to DPDK");
        EF_CHECK_EQ(ef->port_id, port_id);
        EF_CHECK(ef->is_started);
    }

    EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_null0", NULL), 0);
    EF_CHECK_STR_EQ(ef->dev.config_error, NULL);

    /* As the bridge does: deletes the port, then creates it anew. */
    EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_null1", NULL),
                EAGAIN);
    free(error);
    netdev_close(port);
    port = fixture_open("p0");
    EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_null1", NULL), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK(!is_attached("net_null0"));
    EF_CHECK(is_attached("net_null1"));

    /* The new device was attached for the old port. */
    netdev_close(port);
    EF_CHECK_EQ(rte_eth_dev_count_total(), 0);
}

EF_TEST(other_arguments_of_a_device)
{
    struct netdev *port = fixture_open_null("p0");
    char *error;

    EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_null0,size=128",
                            NULL), EAGAIN);
    free(error);
    netdev_close(port);

    port = fixture_open("p0");
    EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_null0,nope=1",
                            NULL), EINVAL);
    free(error);
    netdev_close(port);

    port = fixture_open("p0");
    EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_null0,size=128",
                            NULL), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    netdev_close(port);
    EF_CHECK_EQ(rte_eth_dev_count_total(), 0);
}

EF_TEST(device_by_mac)
{
    struct netdev *port = fixture_open_null("p0");
    struct ef_ethdev *ef = ef_ethdev_cast(port);
    char *by_mac = xasprintf("dpdk-devargs=class=eth,mac="ETH_ADDR_FMT,
                             ETH_ADDR_ARGS(ef->dev.hwaddr));
    char *error;

    /* The same device by another name: nothing to be done. */
    EF_CHECK_EQ(fixture_set(port, &error, by_mac, NULL), 0);
    EF_CHECK_STR_EQ(ef->devargs, by_mac + strlen("dpdk-devargs="));
    EF_CHECK_STR_EQ(ef->dev.config_error, NULL);
    netdev_close(port);
    EF_CHECK_EQ(rte_eth_dev_count_total(), 0);
    free(by_mac);
}

EF_TEST(device_that_was_there_stays)
{
    struct rte_ether_addr mac;
    struct netdev *port;
    uint16_t port_id;
    char *by_mac;
    char *error;

    EF_REQUIRE(fixture_start());
    EF_REQUIRE_EQ(rte_dev_probe("net_null5"), 0);
    EF_REQUIRE_EQ(rte_eth_dev_get_port_by_name("net_null5", &port_id), 0);
    EF_REQUIRE_EQ(rte_eth_macaddr_get(port_id, &mac), 0);
    by_mac = xasprintf("dpdk-devargs=class=eth,mac="ETH_ADDR_FMT,
                       ETH_ADDR_BYTES_ARGS(mac.addr_bytes));

    port = fixture_open("p0");
    EF_CHECK_EQ(fixture_set(port, &error, by_mac, NULL), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    netdev_close(port);
    EF_CHECK(is_attached("net_null5"));

    /* As netdev-dpdk/detach does. */
    EF_CHECK_EQ(ef_ethdev_remove(port_id), 0);
    EF_CHECK_EQ(rte_eth_dev_count_total(), 0);
    free(by_mac);
}

EF_TEST(device_that_went_by_itself)
{
    struct netdev *port = fixture_open_null("p0");
    uint16_t port_id = ef_ethdev_cast(port)->port_id;
    struct smap status = SMAP_INITIALIZER(&status);
    char *error;

    rte_eth_dev_stop(port_id);
    EF_REQUIRE_EQ(rte_eal_hotplug_remove("vdev", "net_null0"), 0);

    netdev_get_config(port, &status);
    smap_destroy(&status);
    EF_CHECK_EQ(fixture_set(port, &error, "dpdk-devargs=net_null0", NULL),
                EAGAIN);
    free(error);
    netdev_close(port);
    netdev_close(fixture_open_null("p0"));
    EF_CHECK_EQ(rte_eth_dev_count_total(), 0);
}

EF_TEST(names_can_be_reused_at_once)
{
    for (int i = 0; i < N_REUSE; i++) {
        struct netdev *port = fixture_open_null("p0");
        int n_rxq = netdev_n_rxq(port);

        netdev_close(port);
        if (!EF_CHECK_EQ(n_rxq, 1)
            || !EF_CHECK_EQ(rte_eth_dev_count_total(), 0)) {
            printf("# in round %d\n", i);
            break;
        }
    }
}

EF_TEST_MUST_FAIL(planted_fault)
{
    check_bad("net_null0");
}
