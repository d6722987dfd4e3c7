/* SPDX-License-Identifier: Apache-2.0 */

/* Interface:options of type=dpdk -> struct ef_ethdev_request, apart from
 * dpdk-devargs: one table with a parser and a place for each option.
 *
 * Pure; called by ethdev-config in the main thread. */

#include <config.h>

#include "dpdk/ethdev.h"

#include "core/digits.h"
#include "dp-packet.h"
#include "dpdk/rx-burst.h"
#include "packets.h"
#include "smap.h"

/* Stores what 'value' means in '*field'.  Returns NULL, or the rule that it
 * breaks and leaves '*field' as it was. */
typedef const char *parse_func(const char *value, void *field);

static parse_func parse_n_rxq, parse_ring_size, parse_bool, parse_steering,
    parse_mac, parse_thresh, parse_rx_burst;

#define FIELD(NAME)                                             \
    offsetof(struct ef_ethdev_request, NAME),                   \
    MEMBER_SIZEOF(struct ef_ethdev_request, NAME)

static const struct option {
    const char *key;
    parse_func *parse;
    size_t offset, size;        /* In struct ef_ethdev_request. */
    bool needs_setup;           /* Cannot change while the device runs. */
} options[] = {
    { "n_rxq", parse_n_rxq, FIELD(n_rxq), true },
    { "n_rxq_desc", parse_ring_size, FIELD(rxq_size), true },
    { "n_txq_desc", parse_ring_size, FIELD(txq_size), true },
    { "tx-free-thresh", parse_thresh, FIELD(tx_free_thresh), true },
    { "tx-rs-thresh", parse_thresh, FIELD(tx_rs_thresh), true },
    { "dpdk-lsc-interrupt", parse_bool, FIELD(lsc_interrupt), true },
    { "rx-steering", parse_steering, FIELD(steer_lacp), true },
    { "dpdk-vf-mac", parse_mac, FIELD(vf_mac), true },
    { "rx-burst", parse_rx_burst, FIELD(rx_burst), false },
    { "rx-flow-ctrl", parse_bool, FIELD(rx_flow_ctrl), false },
    { "tx-flow-ctrl", parse_bool, FIELD(tx_flow_ctrl), false },
    { "flow-ctrl-autoneg", parse_bool, FIELD(flow_ctrl_autoneg), false },
};

static void *
field_of(const struct option *option, struct ef_ethdev_request *request)
{
    return (char *) request + option->offset;
}

static const void *
field_of_const(const struct option *option,
               const struct ef_ethdev_request *request)
{
    return (const char *) request + option->offset;
}

void
ef_ethdev_options_init(struct ef_ethdev_request *request)
{
    *request = (struct ef_ethdev_request) {
        .n_rxq = 1,
        .rxq_size = EF_DPDK_DEFAULT_QUEUE_SIZE,
        .txq_size = EF_DPDK_DEFAULT_QUEUE_SIZE,
        .rx_burst = NETDEV_MAX_BURST,
        .tx_free_thresh = EF_TX_THRESH_DRIVER,
        .tx_rs_thresh = EF_TX_THRESH_DRIVER,
    };
}

void
ef_ethdev_options_parse(const struct smap *smap,
                        const struct ef_ethdev_request *old,
                        struct ef_ethdev_request *new,
                        ef_ethdev_option_func *cb, void *aux)
{
    ef_ethdev_options_init(new);
    new->flow_ctrl_asked = smap_get(smap, "rx-flow-ctrl")
                           || smap_get(smap, "tx-flow-ctrl")
                           || smap_get(smap, "flow-ctrl-autoneg");

    for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
        const struct option *option = &options[i];
        const char *value = smap_get(smap, option->key);
        const char *rule = NULL;

        if (value) {
            rule = option->parse(value, field_of(option, new));
            if (rule) {
                memcpy(field_of(option, new), field_of_const(option, old),
                       option->size);
            }
        }
        if (!cb(option->key, value, rule, aux)) {
            return;
        }
    }
}

bool
ef_ethdev_options_need_setup(const struct ef_ethdev_request *a,
                             const struct ef_ethdev_request *b)
{
    for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
        if (options[i].needs_setup
            && memcmp(field_of_const(&options[i], a),
                      field_of_const(&options[i], b), options[i].size)) {
            return true;
        }
    }
    return false;
}

/* Parsers. */

static const char *
parse_n_rxq(const char *value, void *n_rxq)
{
    uint64_t n;

    if (!ef_digits_whole(value, RTE_MAX_QUEUES_PER_PORT, &n) || !n) {
        return "must be a number from 1 to "
               OVS_STRINGIZE(RTE_MAX_QUEUES_PER_PORT);
    }
    *(int *) n_rxq = n;
    return NULL;
}

static const char *
parse_ring_size(const char *value, void *size)
{
    uint64_t n;

    if (!ef_digits_whole(value, EF_DPDK_MAX_QUEUE_SIZE, &n)
        || !n || !is_pow2(n)) {
        return "must be a power of 2, at most "
               OVS_STRINGIZE(EF_DPDK_MAX_QUEUE_SIZE);
    }
    *(int *) size = n;
    return NULL;
}

static const char *
parse_thresh(const char *value, void *thresh)
{
    return ef_tx_thresh_parse(value, thresh);
}

static const char *
parse_rx_burst(const char *value, void *n)
{
    return ef_rx_burst_parse(value, n);
}

static const char *
parse_bool(const char *value, void *flag)
{
    bool is_true = !strcasecmp(value, "true");

    if (!is_true && strcasecmp(value, "false")) {
        return "must be true or false";
    }
    *(bool *) flag = is_true;
    return NULL;
}

static const char *
parse_steering(const char *value, void *steer_lacp)
{
    bool lacp = !strcmp(value, "rss+lacp");

    if (!lacp && strcmp(value, "rss")) {
        return "must be rss or rss+lacp";
    }
    *(bool *) steer_lacp = lacp;
    return NULL;
}

static const char *
parse_mac(const char *value, void *vf_mac)
{
    struct eth_addr mac;

    if (!eth_addr_from_string(value, &mac)) {
        return "must be an Ethernet address";
    } else if (eth_addr_is_multicast(mac)) {
        return "must not be a multicast address";
    } else if (eth_addr_is_zero(mac)) {
        return "must not be all zeros";
    }
    *(struct eth_addr *) vf_mac = mac;
    return NULL;
}
