/* SPDX-License-Identifier: Apache-2.0 */

/* What ports of DPDK have in common, by way of a class without a device:
 * life, queues, pool, refused options, and the shared callbacks as the
 * package calls them. */

#include <config.h>

#include "dpdk/dev.h"

#include <errno.h>
#include <unistd.h>

#include "core/settings.h"
#include "dpdk-fixture.h"
#include "dpdk/mempool.h"
#include "ef-test.h"
#include "jsonrpc.h"
#include "openvswitch/vlog.h"
#include "sset.h"
#include "unixctl-fixture.h"

/* A class of ports without a device. */

static enum ef_dpdk_kind fake_kind;
static int fake_socket_id;

static struct netdev *
fake_alloc(void)
{
    struct ef_dpdk_dev *dev = xzalloc_cacheline(sizeof *dev);

    return &dev->up;
}

static int
fake_construct(struct netdev *netdev)
{
    ef_dpdk_dev_init(ef_dpdk_dev_cast(netdev), fake_kind, fake_socket_id);
    return 0;
}

static void
fake_destruct(struct netdev *netdev)
{
    ef_dpdk_dev_uninit(ef_dpdk_dev_cast(netdev));
}

static void
fake_dealloc(struct netdev *netdev)
{
    free_cacheline(ef_dpdk_dev_cast(netdev));
}

static int
fake_reconfigure(struct netdev *netdev)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    int error;

    ovs_mutex_lock(&dev->mutex);
    error = ef_dpdk_dev_set_pool(dev);
    if (!error) {
        error = ef_dpdk_dev_set_queues(dev, dev->want.n_rxq, dev->want.n_txq);
    }
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

/* Like a port that runs once it has a pool. */
static int
fake_set_config(struct netdev *netdev, const struct smap *options, char **errp)
{
    struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);
    int error;

    ovs_mutex_lock(&dev->mutex);
    ef_dpdk_dev_accept(dev);
    error = ef_dpdk_dev_set_pool_options(dev, options, dev->pool, errp);
    ovs_mutex_unlock(&dev->mutex);
    return error;
}

static const struct netdev_class fake_class = {
    .type = "ef-fakedpdk",
    EF_DPDK_DEV_CALLBACKS,
    .alloc = fake_alloc,
    .construct = fake_construct,
    .destruct = fake_destruct,
    .dealloc = fake_dealloc,
    .reconfigure = fake_reconfigure,
    .set_config = fake_set_config,
    .set_tx_multiq = ef_dpdk_set_tx_multiq,
};

/* Opens a port "p0" of an MTU that needs little memory. */
static struct ef_dpdk_dev *
open_port(enum ef_dpdk_kind kind, int socket_id)
{
    struct netdev *netdev;

    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    netdev_register_provider(&fake_class);
    fake_kind = kind;
    fake_socket_id = socket_id;
    if (!EF_CHECK(fx_start())
        || !EF_CHECK_EQ(netdev_open("p0", fake_class.type, &netdev), 0)) {
        return NULL;
    }
    EF_CHECK_EQ(netdev_set_mtu(netdev, 500), 0);
    return ef_dpdk_dev_cast(netdev);
}

static void
close_port(struct ef_dpdk_dev *dev)
{
    netdev_close(&dev->up);
    EF_CHECK(ovs_list_is_empty(&ef_dpdk_dev_list));
}

EF_TEST(new_port_has_defaults)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, -1);
    bool up;

    EF_REQUIRE(dev != NULL);
    EF_CHECK(ef_dpdk_is_dpdk(&dev->up));
    EF_CHECK(netdev_is_reconf_required(&dev->up));
    EF_CHECK_EQ(dev->max_frame, 1518);
    EF_CHECK_EQ(dev->want.n_rxq, 1);
    EF_CHECK_EQ(dev->want.rxq_size, 2048);
    EF_CHECK_EQ(netdev_get_numa_id(&dev->up), 0);
    EF_CHECK_EQ(ovs_list_size(&ef_dpdk_dev_list), 1u);
    atomic_read_relaxed(&dev->is_up, &up);
    EF_CHECK(up);
    EF_CHECK(netdev_get_ifindex(&dev->up) > 0);
    EF_CHECK_EQ(netdev_get_ifindex(&dev->up) >> 24, 0);
    EF_CHECK_EQ(netdev_set_miimon_interval(&dev->up, 1), EOPNOTSUPP);
    close_port(dev);
}

EF_TEST(mtu_becomes_a_fact)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);
    struct ef_mempool *pool;
    int mtu;

    EF_REQUIRE(dev != NULL);
    EF_CHECK_EQ(netdev_get_mtu(&dev->up, &mtu), 0);
    EF_CHECK_EQ(mtu, 1500);
    EF_REQUIRE_EQ(netdev_reconfigure(&dev->up), 0);
    EF_CHECK_EQ(netdev_get_mtu(&dev->up, &mtu), 0);
    EF_CHECK_EQ(mtu, 500);
    EF_CHECK_EQ(dev->max_frame, 518);
    EF_REQUIRE(dev->pool != NULL);
    EF_CHECK(dev->rte_pool == ef_mempool_rte(dev->pool));

    pool = dev->pool;
    EF_CHECK_EQ(netdev_set_mtu(&dev->up, 68), 0);
    EF_CHECK(netdev_is_reconf_required(&dev->up));
    EF_CHECK_EQ(netdev_reconfigure(&dev->up), 0);
    EF_CHECK(dev->pool == pool);
    EF_CHECK_EQ(netdev_set_mtu(&dev->up, 68), 0);
    EF_CHECK(!netdev_is_reconf_required(&dev->up));

    EF_CHECK_EQ(netdev_set_mtu(&dev->up, 67), EINVAL);
    EF_CHECK_EQ(netdev_set_mtu(&dev->up, 9703), EINVAL);
    EF_CHECK_EQ(netdev_set_mtu(&dev->up, -1), EINVAL);
    EF_CHECK_EQ(netdev_set_mtu(&dev->up, INT_MAX), EINVAL);
    EF_CHECK(!netdev_is_reconf_required(&dev->up));
    EF_CHECK_EQ(netdev_set_mtu(&dev->up, 9702), 0);
    EF_CHECK_EQ(dev->want.mtu, 9702);
    close_port(dev);
}

EF_TEST(failed_pool_changes_nothing)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);
    struct ef_mempool *pool;

    EF_REQUIRE(dev != NULL);
    EF_REQUIRE_EQ(netdev_reconfigure(&dev->up), 0);
    pool = dev->pool;
    dev->want.mtu = 60000;              /* Needs a gigabyte. */
    EF_CHECK_EQ(netdev_reconfigure(&dev->up), ENOMEM);
    EF_CHECK(dev->pool == pool && dev->rte_pool == ef_mempool_rte(pool));
    EF_CHECK_EQ(dev->mtu, 500);
    EF_CHECK_EQ(dev->max_frame, 518);
    close_port(dev);
}

EF_TEST(guest_of_unknown_node_has_no_pool)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_VHOST_CLIENT, -1);

    EF_REQUIRE(dev != NULL);
    EF_CHECK_EQ(netdev_reconfigure(&dev->up), 0);
    EF_CHECK(!dev->pool && !dev->rte_pool);
    EF_CHECK_EQ(dev->mtu, 500);
    dev->want.socket_id = 0;
    EF_CHECK_EQ(netdev_reconfigure(&dev->up), 0);
    EF_CHECK(dev->pool && dev->rte_pool);
    EF_CHECK_EQ(netdev_get_numa_id(&dev->up), 0);
    close_port(dev);
}

EF_TEST(counters_outlive_other_queue_numbers)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);

    EF_REQUIRE(dev != NULL);
    EF_REQUIRE_EQ(ef_dpdk_dev_set_queues(dev, 2, 2), 0);
    EF_CHECK_EQ((uintptr_t) dev->txqs % CACHE_LINE_SIZE, 0u);
    ef_counter_add(&dev->txqs[1].n.retries, 1);
    ef_counter_add(&dev->txqs[1].n.failure_drops, 2);
    ef_counter_add(&dev->txqs[1].n.mtu_exceeded_drops, 3);
    ef_counter_add(&dev->txqs[1].n.qos_drops, 4);
    ef_counter_add(&dev->txqs[1].n.invalid_hwol_drops, 5);
    ef_counter_add(&dev->txqs[1].n.down_drops, 6);
    ef_counter_add(&dev->rxq_counters[0].qos_drops, 7);
    ef_counter_add(&dev->rxq_counters[0].overload_drops, 8);
    ef_counter_add(&dev->rxq_counters[0].priority_packets, 9);

    EF_REQUIRE_EQ(ef_dpdk_dev_set_queues(dev, 1, 3), 0);
    EF_CHECK_EQ(ef_counter_get(&dev->txqs[1].n.retries), 1u);
    EF_CHECK_EQ(ef_counter_get(&dev->txqs[1].n.failure_drops), 2u);
    EF_CHECK_EQ(ef_counter_get(&dev->txqs[1].n.mtu_exceeded_drops), 3u);
    EF_CHECK_EQ(ef_counter_get(&dev->txqs[1].n.qos_drops), 4u);
    EF_CHECK_EQ(ef_counter_get(&dev->txqs[1].n.invalid_hwol_drops), 5u);
    EF_CHECK_EQ(ef_counter_get(&dev->txqs[1].n.down_drops), 6u);
    EF_CHECK_EQ(ef_counter_get(&dev->txqs[2].n.retries), 0u);
    EF_CHECK_EQ(ef_counter_get(&dev->rxq_counters[0].qos_drops), 7u);
    EF_CHECK_EQ(ef_counter_get(&dev->rxq_counters[0].overload_drops), 8u);
    EF_CHECK_EQ(ef_counter_get(&dev->rxq_counters[0].priority_packets), 9u);
    EF_CHECK(rte_spinlock_trylock(&dev->txqs[2].lock));
    rte_spinlock_unlock(&dev->txqs[2].lock);

    /* More than there is memory. */
    EF_CHECK_EQ(ef_dpdk_dev_set_queues(dev, 1, 10 * 1000 * 1000), ENOMEM);
    EF_CHECK_EQ(dev->n_txqs, 3u);
    EF_CHECK_EQ(ef_counter_get(&dev->txqs[1].n.retries), 1u);

    EF_CHECK_EQ(ef_dpdk_dev_set_queues(dev, 0, 0), 0);
    EF_CHECK(!dev->txqs && !dev->rxq_counters);
    close_port(dev);
}

/* What "evenflow/config-show" would tell about a key of p0. */
struct shown {
    const char *key;
    char in_force[32], refused[32];
};

static void
look(const struct ef_setting *setting, void *shown_)
{
    struct shown *shown = shown_;

    if (!strcmp(setting->scope, "Interface p0")
        && !strcmp(setting->key, shown->key)) {
        ovs_strlcpy(shown->in_force, setting->in_force ? setting->in_force
                    : "", sizeof shown->in_force);
        ovs_strlcpy(shown->refused, setting->refused ? setting->refused : "",
                    sizeof shown->refused);
    }
}

static struct shown
shown(const char *key)
{
    struct shown result = { .key = key };

    ef_settings_for_each(look, &result);
    return result;
}

static void
refuse(struct ef_dpdk_dev *dev, const char *key, const char *value)
{
    ovs_mutex_lock(&dev->mutex);
    ef_dpdk_dev_refuse(dev, key, value, "must be from %d to %d", 0, 32);
    ovs_mutex_unlock(&dev->mutex);
}

static void
accept_all(struct ef_dpdk_dev *dev)
{
    ovs_mutex_lock(&dev->mutex);
    ef_dpdk_dev_accept(dev);
    ovs_mutex_unlock(&dev->mutex);
}

EF_TEST(refusals_are_shown_until_accepted)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);

    EF_REQUIRE(dev != NULL);
    ef_settings_accept("Interface p0", "retries", "8");
    refuse(dev, "retries", "77");
    EF_CHECK_STR_EQ(dev->config_error, "'retries=77': must be from 0 to 32");
    EF_CHECK_STR_EQ(shown("retries").refused, "77");
    EF_CHECK_STR_EQ(shown("retries").in_force, "8");

    /* Two at a time, and one value after the other. */
    refuse(dev, "burst", "-1");
    refuse(dev, "retries", "78");
    EF_CHECK_STR_EQ(dev->config_error,
                    "'burst=-1': must be from 0 to 32; "
                    "'retries=78': must be from 0 to 32");

    accept_all(dev);
    EF_CHECK(!dev->config_error);
    EF_CHECK_STR_EQ(shown("retries").refused, "");
    EF_CHECK_STR_EQ(shown("retries").in_force, "8");

    refuse(dev, "retries", "79");
    close_port(dev);
    EF_CHECK_STR_EQ(shown("retries").refused, "");
}

/* Pools by name. */

static void
set_numbers(const char *numbers)
{
    struct smap config = SMAP_CONST1(&config, "mempool-config", numbers);

    ef_mempool_set_config(&config);
}

/* Sets the options as the bridge does; NULL: not set. */
static int
set_options(struct ef_dpdk_dev *dev, const char *name, const char *rxqs,
            const char *cache_size, char **errp)
{
    struct smap options = SMAP_INITIALIZER(&options);
    int error;

    if (name) {
        smap_add(&options, "mempool", name);
    }
    if (rxqs) {
        smap_add(&options, "mempool-rxq", rxqs);
    }
    if (cache_size) {
        smap_add(&options, "mempool-cache-size", cache_size);
    }
    *errp = NULL;
    error = netdev_set_config(&dev->up, &options, errp);
    smap_destroy(&options);
    return error;
}

EF_TEST(queues_can_have_pools_of_their_own)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);
    struct rte_mempool *v6;
    char *error;

    EF_REQUIRE(dev != NULL);
    set_numbers("v4:1024,v6:2048");
    EF_CHECK_EQ(set_options(dev, "v4", "3:v6,1:v6,0:v4,9:x", NULL, &error), 0);
    EF_REQUIRE_EQ(netdev_reconfigure(&dev->up), 0);
    EF_CHECK_EQ(dev->rte_pool->size, 1024u);
    EF_CHECK_EQ(dev->n_rxq_pools, 0u);
    EF_CHECK(ef_dpdk_dev_rxq_pool(dev, 0) == dev->rte_pool);

    /* More queues, more pools. */
    dev->want.n_rxq = 4;
    EF_REQUIRE_EQ(netdev_reconfigure(&dev->up), 0);
    v6 = ef_dpdk_dev_rxq_pool(dev, 1);
    EF_CHECK_EQ(v6->size, 2048u);
    EF_CHECK(ef_dpdk_dev_rxq_pool(dev, 3) == v6);
    EF_CHECK(ef_dpdk_dev_rxq_pool(dev, 0) == dev->rte_pool);
    EF_CHECK(ef_dpdk_dev_rxq_pool(dev, 2) == dev->rte_pool);
    EF_CHECK(ef_dpdk_dev_rxq_pool(dev, 4) == dev->rte_pool);
    EF_CHECK_STR_EQ(shown("mempool-rxq").in_force, "3:v6,1:v6,0:v4,9:x");

    /* Back to the pool of all. */
    EF_CHECK_EQ(set_options(dev, NULL, NULL, NULL, &error), 0);
    EF_CHECK(netdev_is_reconf_required(&dev->up));
    EF_REQUIRE_EQ(netdev_reconfigure(&dev->up), 0);
    EF_CHECK_EQ(dev->rte_pool->size, 16384u);
    EF_CHECK(ef_dpdk_dev_rxq_pool(dev, 1) == dev->rte_pool);
    close_port(dev);
}

EF_TEST(bad_pool_options_of_a_new_port_are_errors)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);
    char *error;

    EF_REQUIRE(dev != NULL);
    EF_CHECK_EQ(set_options(dev, "a b", NULL, NULL, &error), EINVAL);
    EF_CHECK_STR_EQ(error, "'mempool=a b': a pool's name must be 1 to 20 "
                    "letters, digits, '-', '_' or '.'");
    free(error);
    EF_CHECK_EQ(set_options(dev, NULL, NULL, "64", &error), EINVAL);
    EF_CHECK_STR_EQ(error, "'mempool-cache-size=64': belongs to a named pool, "
                    "so options:mempool must be set");
    free(error);
    close_port(dev);
}

EF_TEST(bad_pool_options_of_a_live_port_are_refused)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);
    char *error;

    EF_REQUIRE(dev != NULL);
    set_numbers("a:1024");
    EF_CHECK_EQ(set_options(dev, "a", NULL, "64", &error), 0);
    EF_REQUIRE_EQ(netdev_reconfigure(&dev->up), 0);
    EF_CHECK_EQ(set_options(dev, "a/b", "0", "513", &error), 0);
    EF_CHECK(!netdev_is_reconf_required(&dev->up));
    EF_CHECK_STR_EQ(shown("mempool").in_force, "a");
    EF_CHECK_STR_EQ(shown("mempool").refused, "a/b");
    EF_CHECK_STR_EQ(shown("mempool-rxq").refused, "0");
    EF_CHECK_STR_EQ(shown("mempool-cache-size").in_force, "64");
    EF_CHECK_STR_EQ(shown("mempool-cache-size").refused, "513");
    EF_CHECK(strstr(dev->config_error, "half of the pool") != NULL);
    EF_CHECK_EQ(set_options(dev, "a", NULL, "512", &error), 0);
    EF_CHECK(!dev->config_error);
    EF_CHECK_STR_EQ(shown("mempool-cache-size").in_force, "512");
    close_port(dev);
}

EF_TEST(port_keeps_its_pool_when_a_named_one_cannot_be_had)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);
    struct ef_mempool *pool;
    char *error;

    EF_REQUIRE(dev != NULL);
    EF_REQUIRE_EQ(netdev_reconfigure(&dev->up), 0);
    pool = dev->pool;
    set_numbers("big:2000000");
    for (int i = 0; i < 2; i++) {       /* The bridge sets options again. */
        EF_CHECK_EQ(set_options(dev, "big", NULL, NULL, &error), 0);
        EF_CHECK_EQ(netdev_is_reconf_required(&dev->up), !i);
        if (!i) {
            EF_CHECK_EQ(netdev_reconfigure(&dev->up), 0);
        }
        EF_CHECK(dev->pool == pool);
        EF_CHECK(dev->config_error
                 && strstr(dev->config_error, "'mempool=big': there are no "
                           "buffers for MTU 500 on NUMA node 0"));
        EF_CHECK_STR_EQ(shown("mempool").in_force, "");
        EF_CHECK_STR_EQ(shown("mempool").refused, "big");
    }

    /* A number that can be had. */
    set_numbers("big:1024");
    EF_CHECK(netdev_is_reconf_required(&dev->up));
    EF_CHECK_EQ(netdev_reconfigure(&dev->up), 0);
    EF_CHECK_EQ(dev->rte_pool->size, 1024u);
    EF_CHECK(!dev->config_error);
    EF_CHECK_STR_EQ(shown("mempool").in_force, "big");
    close_port(dev);
}

/* How many lines of the log end with 'text'. */
static int
count_log(const char *file, const char *text)
{
    FILE *stream = fopen(file, "r");
    char line[512];
    int n = 0;

    while (stream && fgets(line, sizeof line, stream)) {
        n += strstr(line, text) != NULL;
    }
    if (stream) {
        fclose(stream);
    }
    return n;
}

EF_TEST(same_refusal_is_logged_once)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);
    char *file = xasprintf("%s/ef-dpdk-dev-%ld.log",
                           getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
                           (long) getpid());
    const char *text = "WARN|p0: 'retries=77': must be from 0 to 32";

    EF_REQUIRE(dev != NULL);
    EF_REQUIRE_EQ(vlog_set_log_file(file), 0);
    for (int i = 0; i < 5; i++) {       /* The bridge sets options again. */
        accept_all(dev);
        refuse(dev, "retries", "77");
        EF_CHECK(dev->config_error != NULL);
    }
    EF_CHECK_EQ(count_log(file, text), 1);

    accept_all(dev);                    /* Corrected, and wrong again. */
    accept_all(dev);
    refuse(dev, "retries", "77");
    EF_CHECK_EQ(count_log(file, text), 2);
    vlog_set_log_file(NULL);
    unlink(file);
    free(file);
    close_port(dev);
}

EF_TEST(policing_comes_and_goes)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);
    struct ef_policer *policer;

    EF_REQUIRE(dev != NULL);
#define POLICER ovsrcu_get(struct ef_policer *, &dev->policer)
    EF_CHECK_EQ(netdev_set_policing(&dev->up, 0, 1000, 5, 5), 0);
    EF_CHECK(!POLICER);
    EF_CHECK_EQ(netdev_set_policing(&dev->up, 1000, 100, 0, 0), 0);
    policer = POLICER;
    EF_CHECK(policer != NULL);
    EF_CHECK_EQ(netdev_set_policing(&dev->up, 1000, 100, 9, 9), 0);
    EF_CHECK(POLICER == policer);
    EF_CHECK_EQ(netdev_set_policing(&dev->up, 2000, 100, 0, 0), 0);
    EF_CHECK(POLICER && POLICER != policer);
    EF_CHECK_EQ(netdev_set_policing(&dev->up, 0, 100, 0, 0), 0);
    EF_CHECK(!POLICER);
    EF_CHECK_EQ(netdev_set_policing(&dev->up, 3000, 0, 0, 0), 0);
    close_port(dev);
}

EF_TEST(queues_are_dumped)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);
    struct smap details = SMAP_INITIALIZER(&details);
    struct netdev_queue_dump dump;
    unsigned id, sum = 0;
    int n = 0;

    EF_REQUIRE(dev != NULL);
    NETDEV_QUEUE_FOR_EACH (&id, &details, &dump, &dev->up) {
        n++;
    }
    EF_CHECK_EQ(n, 0);

    smap_add(&details, "cir", "1000");
    smap_add(&details, "cbs", "1000");
    EF_REQUIRE_EQ(netdev_set_qos(&dev->up, "trtcm-policer", &details), 0);
    for (id = 1; id < 5; id++) {
        EF_CHECK_EQ(netdev_set_queue(&dev->up, id, &details), 0);
    }
    /* As the bridge does, queues are deleted meanwhile: here, ahead. */
    NETDEV_QUEUE_FOR_EACH (&id, &details, &dump, &dev->up) {
        EF_CHECK_STR_EQ(smap_get(&details, "cir"), "1000");
        n++;
        sum += id;
        EF_CHECK_EQ(netdev_delete_queue(&dev->up, 3), 0);
    }
    EF_CHECK_EQ(n, 4);
    EF_CHECK_EQ(sum, 7u);
    smap_destroy(&details);
    close_port(dev);
}

/* Checks that the pool of 'port' (NULL: of all) is told as 'text', or an
 * error. */
static void
check_info(const char *path, const char *port, bool error, const char *text)
{
    char *args[] = { CONST_CAST(char *, port) };
    char *result = NULL, *error_text = NULL;
    struct jsonrpc *client;
    const char *reply;

    EF_REQUIRE(!unixctl_client_create(path, &client));
    EF_CHECK(!ef_client_transact_text(client, "netdev-dpdk/get-mempool-info",
                                      port ? 1 : 0, args, &result,
                                      &error_text));
    reply = error ? error_text : result;
    if (!EF_CHECK(reply && strstr(reply, text))) {
        printf("# %s\n", reply);
    }
    jsonrpc_close(client);
    free(result);
    free(error_text);
}

EF_TEST(command_tells_about_pools)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_VHOST_CLIENT, -1);
    char *path = xasprintf("/tmp/ef-dpdk-dev-%ld.ctl", (long) getpid());

    EF_REQUIRE(dev != NULL);
    ef_mempool_commands_init();
    EF_REQUIRE(!unixctl_fixture_start(path));

    check_info(path, "nobody", true, "Not a DPDK Interface");
    EF_CHECK_EQ(netdev_reconfigure(&dev->up), 0);
    check_info(path, "p0", true, "Not allocated");
    dev->want.socket_id = 0;
    EF_REQUIRE_EQ(netdev_reconfigure(&dev->up), 0);
    check_info(path, "p0", false, "    count: avail (16384), in use (0)\n");
    check_info(path, "p0", false, dev->rte_pool->name);
    check_info(path, NULL, false, dev->rte_pool->name);

    unixctl_fixture_end();
    free(path);
    close_port(dev);
}

/* Planted: an MTU that nobody made a fact. */
EF_TEST_MUST_FAIL(wish_is_not_a_fact)
{
    struct ef_dpdk_dev *dev = open_port(EF_DPDK_ETH, 0);

    EF_REQUIRE(dev != NULL);
    EF_CHECK_EQ(dev->mtu, 500);
    close_port(dev);
}
