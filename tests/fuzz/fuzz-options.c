/* SPDX-License-Identifier: Apache-2.0 */

/* Fuzzes what the database and commands hand over as text: options of ports
 * and of the data path, QoS, pools, and connection tracking actions.
 *
 * Input: a digit that tells what is configured; the KEY=VALUE lines of a first
 * configuration; a line "--"; those of a second one, which may be refused.
 * DPDK runs with one virtual device, which is never started. */

#include <config.h>

#include "dpif/ops.h"

#include <ctype.h>

#include "action/ct-parse.h"
#include "core/settings.h"
#include "dirs.h"
#include "dpdk-fixture.h"
#include "dpdk/ethdev.h"
#include "dpdk/mempool-config.h"
#include "dpdk/mempool.h"
#include "dpdk/policer.h"
#include "dpdk/qos-batching.h"
#include "dpdk/vhost.h"
#include "dpif/datapath.h"
#include "dummy.h"
#include "fake-netdev.h"
#include "fuzz.h"
#include "netlink.h"
#include "odp-util.h"
#include "openvswitch/ofpbuf.h"
#include "ovs-numa.h"
#include "packets.h"

#define N_QUEUES 8

static struct dpif *dpif;
static struct ef_port *port;
static struct netdev *eth, *vhost;

static struct netdev *
open_netdev(const char *name, const char *type)
{
    struct netdev *netdev;

    FZ_CHECK(!netdev_open(name, type, &netdev));
    return netdev;
}

int
LLVMFuzzerInitialize(int *argc OVS_UNUSED, char ***argv OVS_UNUSED)
{
    fz_begin();
    dummy_enable("");
    FZ_CHECK(!dpif_create_and_open("ef-fuzz", "dummy", &dpif));
    port = fake_port("f0", 1, 1, 1);
    fake_of(port)->want_n_rxq = N_QUEUES;
    port->need_reconfigure = true;
    FZ_CHECK(!ef_port_reconfigure(port) && port->n_rxq == N_QUEUES);

    FZ_CHECK(fx_start());
    FZ_CHECK(!netdev_register_provider(&ef_ethdev_class)
             && !netdev_register_provider(&ef_vhost_client_class));
    eth = open_netdev("e0", "dpdk");
    vhost = open_netdev("v0", "dpdkvhostuserclient");
    return 0;
}

/* Numbers as text. */

static const char *
without_zeros(const char *s)
{
    s += strspn(s, "0");
    return s;
}

/* Whether 'a' and 'b', decimal digits only, are one number. */
static bool
is_same_number(const char *a, const char *b)
{
    return a && b && *a && *b
           && !a[strspn(a, "0123456789")] && !b[strspn(b, "0123456789")]
           && !strcmp(without_zeros(a), without_zeros(b));
}

static bool
says_number(const char *value, unsigned long long number)
{
    char *text = xasprintf("%llu", number);
    bool same = is_same_number(value, text);

    free(text);
    return same;
}

static bool
is_bool(const char *value)
{
    return !strcasecmp(value, "true") || !strcasecmp(value, "false");
}

static bool
is_hex(const char *value)
{
    const char *digits = value + (!strncasecmp(value, "0x", 2) ? 2 : 0);

    while (isxdigit((unsigned char) *digits)) {
        digits++;
    }
    return !*digits;
}

/* What is shown of keys. */

static void
check_setting(const struct ef_setting *s, void *aux OVS_UNUSED)
{
    FZ_CHECK(*s->scope);
    FZ_CHECK(!s->refused == !s->rule);
    FZ_CHECK(!s->rule || *s->rule);
}

/* Datapath: Open_vSwitch:other_config and Interface:other_config. */

static void
check_datapath(struct ef_datapath *dp)
{
    struct ef_params *params = &dp->env.params;
    uint32_t flush_us, target_us;
    uint8_t watermark;

    atomic_read_relaxed(&params->tx_flush_interval_us, &flush_us);
    atomic_read_relaxed(&params->latency_target_us, &target_us);
    atomic_read_relaxed(&params->tx_watermark, &watermark);
    FZ_CHECK(flush_us <= 1000000);
    FZ_CHECK(target_us <= EF_LATENCY_TARGET_MAX
             || target_us == EF_LATENCY_TARGET_UNSET);
    FZ_CHECK(watermark >= 1 && watermark <= 100);
    FZ_CHECK(dp->sleep_max.default_us <= EF_SLEEP_MAX_LIMIT_US);
    for (size_t i = 0; i < dp->sleep_max.n_cores; i++) {
        FZ_CHECK(dp->sleep_max.cores[i].max_us <= EF_SLEEP_MAX_LIMIT_US);
    }
    FZ_CHECK(dp->alb.interval_ms >= 60000
             && dp->alb.interval_ms <= EF_ALB_INTERVAL_MIN_MAX * 60000LL);
    FZ_CHECK(dp->alb.improvement_threshold <= 100);
    FZ_CHECK(dp->alb.load_threshold <= 100);
}

static void
fuzz_datapath(const struct smap *first, const struct smap *second)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);
    const struct smap *const maps[] = { first, second };

    for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
        const char *mask = smap_get(maps[i], "pmd-cpu-mask");
        char *old_mask = nullable_xstrdup(dp->pmd_cpu_mask);

        FZ_CHECK(!ef_dpif_set_config(dpif, maps[i]));
        check_datapath(dp);
        FZ_CHECK(nullable_string_is_equal(dp->pmd_cpu_mask,
                                          mask && !is_hex(mask) ? old_mask
                                          : mask));
        if (dp->pmd_cpu_mask) {
            ovs_numa_dump_destroy(
                ovs_numa_dump_cores_with_cmask(dp->pmd_cpu_mask));
        }
        free(old_mask);
    }
}

/* A list that is refused leaves queues where they are. */
static void
set_affinity(const struct smap *map)
{
    const char *list = smap_get(map, "pmd-rxq-affinity");
    unsigned before[N_QUEUES];
    char *list_before = nullable_xstrdup(port->affinity_list);
    int error;

    for (int i = 0; i < N_QUEUES; i++) {
        before[i] = port->rxqs[i].pinned_core;
    }
    error = ef_port_set_affinity(port, list);
    FZ_CHECK(!error || error == EINVAL);
    FZ_CHECK(nullable_string_is_equal(port->affinity_list,
                                      error ? list_before : list));
    for (int i = 0; i < N_QUEUES; i++) {
        unsigned core = port->rxqs[i].pinned_core;

        FZ_CHECK(!error || core == before[i]);
        FZ_CHECK(core == OVS_CORE_UNSPEC || core <= INT_MAX);
        FZ_CHECK(list || core == OVS_CORE_UNSPEC);
    }
    free(list_before);
}

static void
fuzz_port(const struct smap *first, const struct smap *second)
{
    const struct smap *const maps[] = { first, second };

    ef_port_set_affinity(port, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
        set_affinity(maps[i]);
        FZ_CHECK(!ef_dpif_port_set_config(dpif, ODPP_LOCAL, maps[i]));
    }
}

/* Interface:options of type=dpdk, first by themselves. */

struct eth_aux {
    const struct smap *map;
    const struct ef_ethdev_request *old, *new;
    size_t n_refused;
};

static void
check_number(const char *key, const char *value, const char *rule, int old,
             int new, int def, int max)
{
    FZ_CHECK(new >= 1 && new <= max);
    FZ_CHECK(new == (rule ? old : value ? new : def));
    FZ_CHECK(!value || rule || says_number(value, new));
    FZ_CHECK(!strstr(key, "_desc") || is_pow2(new));
}

static void
check_flag(const char *value, const char *rule, bool old, bool new)
{
    FZ_CHECK(new == (rule ? old : value ? !strcasecmp(value, "true") : false));
    FZ_CHECK(!value || !rule == is_bool(value));
}

static bool
on_option(const char *key, const char *value, const char *rule, void *aux_)
{
    struct eth_aux *aux = aux_;
    const struct ef_ethdev_request *old = aux->old, *new = aux->new;

    FZ_CHECK(nullable_string_is_equal(value, smap_get(aux->map, key)));
    FZ_CHECK(!rule || (value && *rule));
    aux->n_refused += rule != NULL;
    if (!strcmp(key, "n_rxq")) {
        check_number(key, value, rule, old->n_rxq, new->n_rxq, 1,
                     RTE_MAX_QUEUES_PER_PORT);
    } else if (!strcmp(key, "n_rxq_desc")) {
        check_number(key, value, rule, old->rxq_size, new->rxq_size,
                     EF_DPDK_DEFAULT_QUEUE_SIZE, EF_DPDK_MAX_QUEUE_SIZE);
    } else if (!strcmp(key, "n_txq_desc")) {
        check_number(key, value, rule, old->txq_size, new->txq_size,
                     EF_DPDK_DEFAULT_QUEUE_SIZE, EF_DPDK_MAX_QUEUE_SIZE);
    } else if (!strcmp(key, "rx-burst")) {
        check_number(key, value, rule, old->rx_burst, new->rx_burst,
                     NETDEV_MAX_BURST, NETDEV_MAX_BURST);
    } else if (!strcmp(key, "dpdk-lsc-interrupt")) {
        check_flag(value, rule, old->lsc_interrupt, new->lsc_interrupt);
    } else if (!strcmp(key, "rx-flow-ctrl")) {
        check_flag(value, rule, old->rx_flow_ctrl, new->rx_flow_ctrl);
    } else if (!strcmp(key, "dpdk-vf-mac")) {
        FZ_CHECK(!eth_addr_is_multicast(new->vf_mac));
        FZ_CHECK(!rule || eth_addr_equals(new->vf_mac, old->vf_mac));
        FZ_CHECK(!value || rule || !eth_addr_is_zero(new->vf_mac));
    } else if (!strcmp(key, "rx-steering")) {
        FZ_CHECK(!value || rule
                 || new->steer_lacp == !strcmp(value, "rss+lacp"));
    }
    return true;
}

static size_t
parse_eth(const struct smap *map, const struct ef_ethdev_request *old,
          struct ef_ethdev_request *new)
{
    struct eth_aux aux = { .map = map, .old = old, .new = new };

    ef_ethdev_options_parse(map, old, new, on_option, &aux);
    return aux.n_refused;
}

static void
fuzz_eth_options(const struct smap *first, const struct smap *second)
{
    struct ef_ethdev_request def, a, b;

    ef_ethdev_options_init(&def);
    parse_eth(first, &def, &a);
    parse_eth(second, &a, &b);
    FZ_CHECK(!ef_ethdev_options_need_setup(&a, &a));
    FZ_CHECK(ef_ethdev_options_need_setup(&a, &b)
             == ef_ethdev_options_need_setup(&b, &a));
}

/* The same with a port.  Its device stays: others would be attached. */

static void
check_config_error(const struct ef_dpdk_dev *dev, const struct smap *map)
{
    const struct smap_node *node;

    FZ_CHECK(!dev->config_error == smap_is_empty(&dev->refused));
    SMAP_FOR_EACH (node, &dev->refused) {
        FZ_CHECK(fz_names_pair(node->value, map));
        FZ_CHECK(strstr(dev->config_error, node->value));
    }
}

static void
set_eth(struct smap *map)
{
    struct ef_ethdev *ef = ef_ethdev_cast(eth);
    struct ef_ethdev_request old = ef->want, want;
    const char *key;
    char *error = NULL;
    size_t n_refused;

    smap_replace(map, "dpdk-devargs", "net_null0");
    n_refused = parse_eth(map, &old, &want);
    if (ef_tx_thresh_check(want.tx_free_thresh, want.tx_rs_thresh,
                           want.txq_size, &key)) {
        /* They go together. */
        want.tx_free_thresh = old.tx_free_thresh;
        want.tx_rs_thresh = old.tx_rs_thresh;
        want.txq_size = old.txq_size;
    }
    FZ_CHECK(!netdev_set_config(eth, map, &error) && !error);
    FZ_CHECK(smap_count(&ef->dev.refused) >= n_refused);
    check_config_error(&ef->dev, map);

    /* What the device cannot do is refused as well. */
    FZ_CHECK(!ef->want.lsc_interrupt && eth_addr_is_zero(ef->want.vf_mac));
    FZ_CHECK(ef->want.n_rxq == want.n_rxq
             && ef->want.rxq_size == want.rxq_size
             && ef->want.txq_size == want.txq_size
             && ef->want.tx_free_thresh == want.tx_free_thresh
             && ef->want.tx_rs_thresh == want.tx_rs_thresh
             && ef->want.rx_burst == want.rx_burst
             && ef->want.flow_ctrl_asked == want.flow_ctrl_asked);
}

static void
fuzz_eth(struct smap *first, struct smap *second)
{
    struct smap defaults = SMAP_INITIALIZER(&defaults);
    struct smap config = SMAP_INITIALIZER(&config);

    set_eth(&defaults);
    set_eth(first);
    set_eth(second);
    ef_settings_for_each(check_setting, NULL);
    netdev_get_config(eth, &config);
    FZ_CHECK(smap_get(&config, "requested_rx_queues"));
    smap_destroy(&config);
    smap_destroy(&defaults);
}

/* Options of vhost ports, and keys of the switch for all of them. */

static void
set_vhost(const struct smap *map)
{
    struct ef_vhost *v = ef_vhost_cast(vhost);
    const char *value = smap_get(map, "tx-retries-max");
    const char *path = smap_get(map, "vhost-server-path");
    char *old_path = nullable_xstrdup(v->path);
    int old, retries;
    char *error = NULL;

    atomic_read_relaxed(&v->retries_max, &old);
    FZ_CHECK(!netdev_set_config(vhost, map, &error) && !error);
    atomic_read_relaxed(&v->retries_max, &retries);
    check_config_error(&v->dev, map);

    FZ_CHECK(retries >= 0 && retries <= EF_VHOST_RETRIES_MAX);
    if (smap_get(&v->dev.refused, "tx-retries-max")) {
        FZ_CHECK(retries == old);
    } else {
        FZ_CHECK(!value ? retries == EF_VHOST_RETRIES_DEFAULT
                 : atoi(value) == retries);
    }
    FZ_CHECK(nullable_string_is_equal(
                 v->path, smap_get(&v->dev.refused, "vhost-server-path")
                 ? old_path : path));
    FZ_CHECK(!v->path || (*v->path && strlen(v->path) < 108));
    free(old_path);
}

static void
fuzz_vhost(const struct smap *first, const struct smap *second)
{
    struct smap defaults = SMAP_INITIALIZER(&defaults);

    set_vhost(&defaults);
    set_vhost(first);
    set_vhost(second);
    ef_vhost_configure(second);
    FZ_CHECK(!strstr(ef_vhost_sock_dir() + strlen(ovs_rundir()), ".."));
    ef_settings_for_each(check_setting, NULL);
}

/* QoS. */

static void
check_rates(const struct smap *set, const struct smap *got)
{
    static const char *const keys[] = { "cir", "cbs", "eir", "ebs" };

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const char *value = smap_get(set, keys[i]);
        const char *now = smap_get(got, keys[i]);

        FZ_CHECK(!now || is_same_number(now, value ? value : "0"));
    }
}

/* Sets what 'map' says; what is refused leaves all as it was. */
static void
set_qos(struct ef_qos_slot *slot, const char *type, const struct smap *map)
{
    struct smap before = SMAP_INITIALIZER(&before);
    struct smap after = SMAP_INITIALIZER(&after);
    const char *type_before, *type_after;

    ef_qos_get(slot, &type_before, &before);
    if (!ef_qos_set(slot, "p0", type, map)) {
        ef_qos_get(slot, &type_after, &after);
        FZ_CHECK(!strcmp(type_after, type));
        check_rates(map, &after);
    } else {
        ef_qos_get(slot, &type_after, &after);
        FZ_CHECK(!strcmp(type_before, type_after));
        FZ_CHECK(smap_equal(&before, &after));
    }
    smap_destroy(&before);
    smap_destroy(&after);
}

static void
set_queue(struct ef_qos_slot *slot, uint32_t id, const struct smap *map)
{
    struct smap got = SMAP_INITIALIZER(&got);
    uint32_t *ids;
    size_t n;

    if (!ef_qos_set_queue(slot, "p0", id, map)) {
        FZ_CHECK(!ef_qos_get_queue(slot, id, &got));
        if (id || !smap_is_empty(map)) {
            check_rates(map, &got);
        }
        FZ_CHECK(!ef_qos_list_queues(slot, &ids, &n) && n >= 1 && n <= 2);
        free(ids);
    }
    smap_destroy(&got);
}

/* What PMDs read of a queue that was set is within its bounds. */
static void
check_classes(const struct ef_qos_slot *slot)
{
    struct ef_batching_class classes[EF_BATCHING_CLASSES];

    if (!ef_batching_get(slot, classes)) {
        return;
    }
    for (size_t i = 0; i < EF_BATCHING_CLASSES; i++) {
        const struct ef_batching_class *class = &classes[i];

        FZ_CHECK(!class->exists
                 || ((class->latency_target_us <= EF_LATENCY_TARGET_MAX
                      || class->latency_target_us == EF_LATENCY_TARGET_UNSET)
                     && class->output_batch >= 1
                     && class->output_batch <= NETDEV_MAX_BURST));
    }
}

static void
fuzz_qos(const struct smap *first, const struct smap *second)
{
    struct ef_qos_slot slot;
    struct ef_policer *policer;
    uint32_t id = smap_get_uint(second, "queue", 0);

    ef_qos_slot_init(&slot);
    set_qos(&slot, smap_get_def(first, "type", "trtcm-policer"), first);
    set_qos(&slot, smap_get_def(second, "type", "egress-policer"), second);
    set_queue(&slot, id, second);
    set_queue(&slot, id, first);
    check_classes(&slot);
    ef_qos_delete_queue(&slot, id);
    set_qos(&slot, "", second);
    ef_qos_slot_destroy(&slot);

    policer = ef_policer_create(smap_get_uint(first, "rate", 1),
                                smap_get_uint(first, "burst", 0));
    ef_policer_destroy(policer);
}

/* Pools. */

static void
fuzz_mempool(const struct smap *first, const struct smap *second OVS_UNUSED)
{
    const char *value = smap_get_def(first, "shared-mempool-config", "");
    const char *per_port_value = smap_get(first, "per-port-memory");
    const struct ef_mempool_step *fit;
    struct ef_mempool_steps steps;
    int mtu = smap_get_uint(first, "mtu", 1500) % (EF_MEMPOOL_MAX_MTU + 1);
    const char *rule;
    bool per_port;

    rule = ef_mempool_steps_parse(value, &steps);
    FZ_CHECK(!rule || (*rule && !steps.n && !steps.steps));
    FZ_CHECK(steps.n <= strlen(value));
    for (size_t i = 0; i < steps.n; i++) {
        const struct ef_mempool_step *step = &steps.steps[i];
        uint32_t size = ef_mempool_buf_size(step->mtu);

        FZ_CHECK(step->mtu >= 0 && step->mtu <= EF_MEMPOOL_MAX_MTU);
        FZ_CHECK(step->socket_id >= EF_MEMPOOL_ALL_SOCKETS);
        FZ_CHECK(size <= UINT16_MAX && size >= step->mtu + 128);
    }
    fit = ef_mempool_steps_fit(&steps, mtu, 0);
    FZ_CHECK(!fit || ef_mempool_buf_size(fit->mtu)
                     >= ef_mempool_buf_size(mtu));
    ef_mempool_steps_clear(&steps);

    rule = ef_mempool_per_port_parse(per_port_value, &per_port);
    FZ_CHECK(!rule == (!per_port_value || is_bool(per_port_value)));
    FZ_CHECK(!rule || !per_port);
    ef_mempool_configure(first);
    ef_settings_for_each(check_setting, NULL);
}

/* Connection tracking, as text and as attributes. */

static void
check_ct(const struct nlattr *action)
{
    struct ef_ct_params p;
    volatile size_t sum = 0;    /* All that is pointed to can be read. */

    ef_ct_parse(action, &p);
    FZ_CHECK(!p.force || p.commit);
    sum += p.helper ? strlen(p.helper) : 0;
    sum += p.mark ? p.mark[0] ^ p.mark[1] : 0;
    for (size_t i = 0; p.labels && i < 2 * sizeof *p.labels; i++) {
        sum += ((const uint8_t *) p.labels)[i];
    }
    if (ef_ct_nat(&p)) {
        unsigned ports = NAT_ACTION_SRC_PORT | NAT_ACTION_DST_PORT;

        FZ_CHECK(!(p.nat.nat_action & ports) || p.nat.min_port
                 || p.nat.max_port);
        FZ_CHECK(!(p.nat.nat_action & NAT_ACTION_SRC_PORT)
                 || p.nat.nat_action & NAT_ACTION_SRC);
        FZ_CHECK(!(p.nat.nat_action & NAT_ACTION_DST_PORT)
                 || p.nat.nat_action & NAT_ACTION_DST);
    }
}

static void
fuzz_ct(const struct smap *first, const struct smap *second OVS_UNUSED)
{
    const char *text = smap_get_def(first, "actions", "");
    const struct nlattr *a;
    struct ofpbuf actions;
    unsigned int left;

    ofpbuf_init(&actions, 0);
    if (!odp_actions_from_string(text, NULL, &actions)) {
        NL_ATTR_FOR_EACH (a, left, actions.data, actions.size) {
            if (nl_attr_type(a) == OVS_ACTION_ATTR_CT) {
                struct nlattr *copy = xmemdup(a, a->nla_len);

                check_ct(copy);
                free(copy);
            }
        }
    }
    ofpbuf_uninit(&actions);
}

/* Dispatch. */

static void
fuzz(uint8_t what, struct smap *first, struct smap *second)
{
    switch (what % 8) {
    case 0: fuzz_datapath(first, second); break;
    case 1: fuzz_port(first, second); break;
    case 2: fuzz_eth_options(first, second); break;
    case 3: fuzz_eth(first, second); break;
    case 4: fuzz_vhost(first, second); break;
    case 5: fuzz_qos(first, second); break;
    case 6: fuzz_mempool(first, second); break;
    case 7: fuzz_ct(first, second); break;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fz_input in = { data, size };
    uint8_t what = fz_u8(&in) - '0';
    char *text = fz_string(&in);
    char *end = strstr(text, "\n--\n");
    struct smap first, second;
    char none[] = "";

    if (end) {
        *end = '\0';
    }
    fz_smap(text, &first);
    fz_smap(end ? end + 4 : none, &second);
    fuzz(what, &first, &second);
    smap_destroy(&first);
    smap_destroy(&second);
    free(text);
    fz_done();
    return 0;
}
