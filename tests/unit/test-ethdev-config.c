/* SPDX-License-Identifier: Apache-2.0 */

/* Options of type=dpdk: what each means, and what happens to values that
 * break a rule, on a port to be created and on one that runs. */

#include <config.h>

#include "dpdk/ethdev.h"

#include "core/settings.h"
#include "dpdk/rx-burst.h"
#include "ef-test.h"
#include "ethdev-fixture.h"

#define RING_RULE "must be below the size of the ring, n_txq_desc"
#define DEVARGS "dpdk-devargs=net_null0"

static const struct {
    const char *option;
    const char *rule;
} malformed[] = {
    { "n_rxq=abc", "must be a number from 1 to 1024" },
    { "n_rxq=", "must be a number from 1 to 1024" },
    { "n_rxq=0", "must be a number from 1 to 1024" },
    { "n_rxq=-1", "must be a number from 1 to 1024" },
    { "n_rxq= 1", "must be a number from 1 to 1024" },
    { "n_rxq=2x", "must be a number from 1 to 1024" },
    { "n_rxq=1025", "must be a number from 1 to 1024" },
    { "n_rxq=4294967297", "must be a number from 1 to 1024" },
    { "n_rxq_desc=0", "must be a power of 2, at most 4096" },
    { "n_rxq_desc=1000", "must be a power of 2, at most 4096" },
    { "n_rxq_desc=8192", "must be a power of 2, at most 4096" },
    { "n_txq_desc=1e3", "must be a power of 2, at most 4096" },
    { "tx-free-thresh=0", "must be driver or a number from 1" },
    { "tx-free-thresh=", "must be driver or a number from 1" },
    { "tx-free-thresh=-32", "must be driver or a number from 1" },
    { "tx-free-thresh=32 ", "must be driver or a number from 1" },
    { "tx-free-thresh=auto", "must be driver or a number from 1" },
    { "tx-free-thresh=2048",
      RING_RULE },
    { "tx-free-thresh=99999999999999999999",
      RING_RULE },
    { "tx-rs-thresh=0", "must be driver or a number from 1" },
    { "tx-rs-thresh=1e1", "must be driver or a number from 1" },
    { "tx-rs-thresh=none", "must be driver or a number from 1" },
    { "tx-rs-thresh=2048",
      RING_RULE },
    { "dpdk-lsc-interrupt=yes", "must be true or false" },
    { "rx-flow-ctrl=1", "must be true or false" },
    { "tx-flow-ctrl=", "must be true or false" },
    { "flow-ctrl-autoneg=truee", "must be true or false" },
    { "rx-burst=0", "must be a number from 1 to 32" },
    { "rx-burst=33", "must be a number from 1 to 32" },
    { "rx-burst=-8", "must be a number from 1 to 32" },
    { "rx-burst=8 packets", "must be a number from 1 to 32" },
    { "rx-steering=lacp", "must be rss or rss+lacp" },
    { "dpdk-vf-mac=50:54", "must be an Ethernet address" },
    { "dpdk-vf-mac=01:00:5e:00:00:01", "must not be a multicast address" },
    { "dpdk-vf-mac=00:00:00:00:00:00", "must not be all zeros" },
};

static bool
must_be_accepted(const char *key OVS_UNUSED, const char *value OVS_UNUSED,
                 const char *rule, void *aux OVS_UNUSED)
{
    return EF_CHECK_STR_EQ(rule, NULL);
}

static struct ef_ethdev_request
parse_one(const char *key, const char *value)
{
    struct smap options = SMAP_CONST1(&options, key, value);
    struct ef_ethdev_request old, new;

    ef_ethdev_options_init(&old);
    ef_ethdev_options_parse(&options, &old, &new, must_be_accepted, NULL);
    return new;
}

EF_TEST(values_are_taken)
{
    struct ef_ethdev_request request;

    EF_CHECK_EQ(parse_one("n_rxq", "1024").n_rxq, 1024);
    EF_CHECK_EQ(parse_one("n_rxq_desc", "1").rxq_size, 1);
    EF_CHECK_EQ(parse_one("n_rxq_desc", "4096").rxq_size, 4096);
    EF_CHECK_EQ(parse_one("n_txq_desc", "512").txq_size, 512);
    EF_CHECK_EQ(parse_one("tx-free-thresh", "64").tx_free_thresh, 64);
    EF_CHECK_EQ(parse_one("tx-free-thresh", "driver").tx_free_thresh,
                EF_TX_THRESH_DRIVER);
    EF_CHECK_EQ(parse_one("tx-rs-thresh", "1").tx_rs_thresh, 1);
    EF_CHECK_EQ(parse_one("rx-burst", "1").rx_burst, 1);
    EF_CHECK_EQ(parse_one("rx-burst", "32").rx_burst, 32);
    EF_CHECK(parse_one("dpdk-lsc-interrupt", "TRUE").lsc_interrupt);
    EF_CHECK(!parse_one("dpdk-lsc-interrupt", "false").lsc_interrupt);
    EF_CHECK(parse_one("rx-steering", "rss+lacp").steer_lacp);
    EF_CHECK(!parse_one("rx-steering", "rss").steer_lacp);

    request = parse_one("rx-flow-ctrl", "true");
    EF_CHECK(request.rx_flow_ctrl && request.flow_ctrl_asked);
    EF_CHECK(!request.tx_flow_ctrl && !request.flow_ctrl_autoneg);
    EF_CHECK(parse_one("tx-flow-ctrl", "false").flow_ctrl_asked);
    EF_CHECK(parse_one("flow-ctrl-autoneg", "true").flow_ctrl_autoneg);

    request = parse_one("dpdk-vf-mac", "50:54:00:00:00:01");
    EF_CHECK_EQ(request.vf_mac.ea[5], 1);
    /* The rest is at its default. */
    EF_CHECK_EQ(request.n_rxq, 1);
    EF_CHECK_EQ(request.rxq_size, EF_DPDK_DEFAULT_QUEUE_SIZE);
    EF_CHECK(!request.flow_ctrl_asked);
}

EF_TEST(only_pause_frames_change_on_the_run)
{
    struct ef_ethdev_request a = parse_one("n_rxq", "2"), b = a;

    EF_CHECK(!ef_ethdev_options_need_setup(&a, &b));
    b.rx_flow_ctrl = b.flow_ctrl_asked = true;
    EF_CHECK(!ef_ethdev_options_need_setup(&a, &b));
    b.txq_size /= 2;
    EF_CHECK(ef_ethdev_options_need_setup(&a, &b));
    b = a;
    b.tx_free_thresh = 32;
    EF_CHECK(ef_ethdev_options_need_setup(&a, &b));
    b = a;
    b.tx_rs_thresh = 32;
    EF_CHECK(ef_ethdev_options_need_setup(&a, &b));
}

EF_TEST(new_port_with_malformed_value_is_not_created)
{
    for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
        struct netdev *port = fixture_open("p0");
        char *message = xasprintf("'%s': %s", malformed[i].option,
                                  malformed[i].rule);
        char *error;

        EF_CHECK_EQ(fixture_set(port, &error, DEVARGS, malformed[i].option,
                                NULL), EINVAL);
        EF_CHECK_STR_EQ(error, message);
        EF_CHECK_EQ(rte_eth_dev_count_avail(), 0);
        free(error);
        free(message);
        netdev_close(port);
    }
}

EF_TEST(live_port_refuses_malformed_value)
{
    struct netdev *port = fixture_open("p0");
    struct ef_ethdev *ef = ef_ethdev_cast(port);
    struct ef_ethdev_request before;
    char *error;

    EF_REQUIRE_EQ(fixture_set(port, &error, DEVARGS, "n_rxq=2",
                              "n_rxq_desc=1024", "n_txq_desc=512",
                              "tx-flow-ctrl=true", "rx-burst=8", NULL), 0);
    EF_REQUIRE_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(ef_rx_burst(port), 8);
    before = ef->want;

    for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
        char *message = xasprintf("'%s': %s", malformed[i].option,
                                  malformed[i].rule);
        uint64_t seq = netdev_get_change_seq(port);

        /* Options that are not set are at their defaults; one that is refused
         * keeps its value. */
        EF_CHECK_EQ(fixture_set(port, &error, DEVARGS, malformed[i].option,
                                NULL), 0);
        EF_CHECK_STR_EQ(error, NULL);
        EF_CHECK_STR_EQ(ef->dev.config_error, message);
        EF_CHECK(netdev_get_change_seq(port) != seq);
        if (!strncmp(malformed[i].option, "n_rxq=", 6)) {
            EF_CHECK_EQ(ef->want.n_rxq, 2);
        } else if (!strncmp(malformed[i].option, "n_rxq_desc=", 11)) {
            EF_CHECK_EQ(ef->dev.want.rxq_size, 1024);
        } else if (!strncmp(malformed[i].option, "n_txq_desc=", 11)) {
            EF_CHECK_EQ(ef->dev.want.txq_size, 512);
        } else if (!strncmp(malformed[i].option, "tx-flow-ctrl=", 13)) {
            EF_CHECK(ef->want.tx_flow_ctrl);
        } else if (!strncmp(malformed[i].option, "rx-burst=", 9)) {
            EF_CHECK_EQ(ef_rx_burst(port), 8);
        }

        EF_CHECK_EQ(fixture_set(port, &error, DEVARGS, "n_rxq=2",
                                "n_rxq_desc=1024", "n_txq_desc=512",
                                "tx-flow-ctrl=true", "rx-burst=8", NULL), 0);
        EF_CHECK_STR_EQ(ef->dev.config_error, NULL);
        EF_CHECK_MEM_EQ(&ef->want, &before, sizeof before);
        free(message);
    }

    /* Nothing of this asked for another set-up than the one there is. */
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(netdev_n_rxq(port), 2);
    netdev_close(port);
}

/* What evenflow/config-show has of a key of "p0". */
struct shown {
    const char *key;
    char *found, *refused;
};

static void
find_setting(const struct ef_setting *setting, void *shown_)
{
    struct shown *shown = shown_;

    if (!strcmp(setting->scope, "Interface p0")
        && !strcmp(setting->key, shown->key)) {
        shown->found = nullable_xstrdup(setting->in_force);
        shown->refused = nullable_xstrdup(setting->refused);
    }
}

static void
check_shown(const char *key, const char *in_force, const char *refused)
{
    struct shown shown = { .key = key };

    ef_settings_for_each(find_setting, &shown);
    EF_CHECK_STR_EQ(shown.found, in_force);
    EF_CHECK_STR_EQ(shown.refused, refused);
    free(shown.found);
    free(shown.refused);
}

EF_TEST(thresholds_and_ring_change_as_a_set)
{
    struct netdev *port = fixture_open("p0");
    struct ef_ethdev *ef = ef_ethdev_cast(port);
    char *error;

    EF_REQUIRE_EQ(fixture_set(port, &error, DEVARGS, "n_txq_desc=512",
                              "tx-free-thresh=400", "tx-rs-thresh=32", NULL),
                  0);
    EF_REQUIRE_EQ(netdev_reconfigure(port), 0);

    /* The ring alone, too small for what stays. */
    EF_CHECK_EQ(fixture_set(port, &error, DEVARGS, "n_txq_desc=256",
                            "tx-free-thresh=400", "tx-rs-thresh=32", NULL), 0);
    EF_CHECK_STR_EQ(ef->dev.config_error,
                    "'n_txq_desc=256': must be above tx-free-thresh");
    EF_CHECK_EQ(ef->dev.want.txq_size, 512);
    check_shown("n_txq_desc", "512", "256");
    check_shown("tx-free-thresh", "400", NULL);
    EF_CHECK_EQ(fixture_set(port, &error, DEVARGS, "n_txq_desc=256",
                            "tx-free-thresh=200", "tx-rs-thresh=256", NULL),
                0);
    EF_CHECK_STR_EQ(ef->dev.config_error,
                    "'n_txq_desc=256': goes together with tx-rs-thresh, which "
                    "is refused; "
                    "'tx-free-thresh=200': goes together with tx-rs-thresh, "
                    "which is refused; 'tx-rs-thresh=256': " RING_RULE);
    EF_CHECK_EQ(ef->want.tx_free_thresh, 400);
    EF_CHECK_EQ(ef->want.tx_rs_thresh, 32);
    EF_CHECK_EQ(ef->want.txq_size, 512);
    check_shown("tx-free-thresh", "400", "200");
    EF_CHECK(!netdev_is_reconf_required(port));

    /* Together, they fit. */
    EF_CHECK_EQ(fixture_set(port, &error, DEVARGS, "n_txq_desc=256",
                            "tx-free-thresh=200", "tx-rs-thresh=32", NULL), 0);
    EF_CHECK_STR_EQ(ef->dev.config_error, NULL);
    EF_CHECK_EQ(ef->dev.want.txq_size, 256);
    EF_CHECK_EQ(ef->want.tx_free_thresh, 200);
    check_shown("n_txq_desc", "256", NULL);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    netdev_close(port);
}

EF_TEST(several_refusals_are_shown)
{
    struct netdev *port = fixture_open_null("p0");
    struct ef_ethdev *ef = ef_ethdev_cast(port);
    char *error;

    EF_CHECK_EQ(fixture_set(port, &error, DEVARGS, "n_rxq=no",
                            "rx-steering=no", "n_txq_desc=64", NULL), 0);
    EF_CHECK_STR_EQ(ef->dev.config_error,
                    "'n_rxq=no': must be a number from 1 to 1024; "
                    "'rx-steering=no': must be rss or rss+lacp");
    EF_CHECK_EQ(ef->dev.want.txq_size, 64);
    netdev_close(port);
}

EF_TEST(what_the_device_cannot_is_refused_and_the_port_works)
{
    struct netdev *port = fixture_open("p0");
    struct ef_ethdev *ef = ef_ethdev_cast(port);
    char *error;

    EF_CHECK_EQ(fixture_set(port, &error, DEVARGS, "dpdk-lsc-interrupt=true",
                            "dpdk-vf-mac=50:54:00:00:00:01", NULL), 0);
    EF_CHECK_STR_EQ(error, NULL);
    EF_CHECK_STR_EQ(ef->dev.config_error,
                    "'dpdk-lsc-interrupt=true': the device cannot interrupt "
                    "when its link changes; "
                    "'dpdk-vf-mac=50:54:00:00:00:01': is only supported for "
                    "VF representors");
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    netdev_close(port);
}

EF_TEST(a_device_is_needed)
{
    struct netdev *port = fixture_open("p0");
    char *error;

    EF_CHECK_EQ(fixture_set(port, &error, "n_rxq=1", NULL), EINVAL);
    EF_CHECK_STR_EQ(error, "'p0' is missing 'options:dpdk-devargs'. The old "
                    "'dpdk<port_id>' names are not supported");
    free(error);
    EF_CHECK_EQ(netdev_reconfigure(port), ENODEV);
    netdev_close(port);

    /* A live port keeps the one that it has. */
    port = fixture_open_null("p0");
    EF_CHECK_EQ(fixture_set(port, &error, "n_rxq=1", NULL), 0);
    EF_CHECK_STR_EQ(ef_ethdev_cast(port)->dev.config_error,
                    "'dpdk-devargs=': must name a device");
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    netdev_close(port);
}

EF_TEST(config_shows_requests_and_facts)
{
    static const char *expected[][2] = {
        { "requested_rx_queues", "2" }, { "configured_rx_queues", "2" },
        { "requested_tx_queues", "1" }, { "configured_tx_queues", "1" },
        { "requested_rxq_descriptors", "256" },
        { "configured_rxq_descriptors", "256" },
        { "requested_txq_descriptors", "128" },
        { "configured_txq_descriptors", "128" },
        { "requested_tx_free_thresh", "64" },
        { "configured_tx_free_thresh", "not-reported" },
        { "requested_tx_rs_thresh", "driver" },
        { "configured_tx_rs_thresh", "not-reported" },
        { "mtu", "1500" }, { "rx_csum_offload", "false" },
        { "tx_tso_offload", "false" }, { "lsc_interrupt_mode", "false" },
    };
    struct smap config = SMAP_INITIALIZER(&config);
    struct netdev *port = fixture_open("p0");
    char *error;

    /* Before there is a device, too. */
    EF_CHECK_EQ(netdev_get_config(port, &config), 0);
    smap_clear(&config);

    EF_CHECK_EQ(fixture_set(port, &error, DEVARGS, "n_rxq=2",
                            "n_rxq_desc=256", "n_txq_desc=128",
                            "tx-free-thresh=64", NULL), 0);
    EF_CHECK_EQ(netdev_reconfigure(port), 0);
    EF_CHECK_EQ(netdev_get_config(port, &config), 0);
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        EF_CHECK_STR_EQ(smap_get(&config, expected[i][0]), expected[i][1]);
    }
    EF_CHECK_EQ(smap_count(&config), ARRAY_SIZE(expected));
    smap_destroy(&config);
    netdev_close(port);
}

EF_TEST_MUST_FAIL(planted_fault)
{
    EF_CHECK_EQ(parse_one("n_rxq", "2").n_rxq, 1);
}
