/* SPDX-License-Identifier: Apache-2.0 */

/* The device net_ef_tx: arguments, queues' set-up, start and stop, counts.
 * See net_ef_tx.h for what it is.
 *
 * Main thread; loaded by EAL. */

#include <config.h>

#include "net_ef_tx.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_kvargs.h>
#include <rte_malloc.h>

#include "compat/dpdk-driver-abi.h"
#include "wire.h"

#define DEFAULT_FREE_THRESH 32
#define DEFAULT_RS_THRESH 32
#define DEFAULT_QUEUES 16
#define MAX_RING 4096
#define MIN_RING 64

struct device {
    struct ef_tx_control *control;
    struct rte_ether_addr mac;
    uint32_t max_queues;
    uint32_t has_cleanup;
    uint32_t arp_interval;
    uint32_t n_sources;
    bool counts_used;
    struct ef_wire *in, *out;   /* Or NULL. */
};

static struct device *
device_of(const struct rte_eth_dev *dev)
{
    return dev->data->dev_private;
}

/* Queues. */

static int
rxq_setup(struct rte_eth_dev *dev, uint16_t i, uint16_t size,
          unsigned socket_id, const struct rte_eth_rxconf *conf,
          struct rte_mempool *pool)
{
    struct ef_rx_queue *q = ef_rx_queue_create(size, socket_id);

    (void) conf;
    if (!q) {
        return -ENOMEM;
    }
    q->control = device_of(dev)->control;
    q->pool = pool;
    q->port_id = dev->data->port_id;
    q->arp_interval = device_of(dev)->arp_interval;
    q->n_sources = device_of(dev)->n_sources;
    q->wire = i ? NULL : device_of(dev)->in;
    dev->data->rx_queues[i] = q;
    return 0;
}

static int
txq_setup(struct rte_eth_dev *dev, uint16_t i, uint16_t size,
          unsigned socket_id, const struct rte_eth_txconf *conf)
{
    unsigned free_thresh = conf->tx_free_thresh, rs_thresh;
    struct ef_tx_queue *q;

    free_thresh = free_thresh ? free_thresh : DEFAULT_FREE_THRESH;
    rs_thresh = conf->tx_rs_thresh ? conf->tx_rs_thresh : DEFAULT_RS_THRESH;
    if (free_thresh >= size - 3u || rs_thresh > free_thresh
        || size % rs_thresh) {
        return -EINVAL;
    }
    q = ef_tx_queue_create(size, socket_id);
    if (!q) {
        return -ENOMEM;
    }
    q->control = device_of(dev)->control;
    q->free_thresh = free_thresh;
    q->rs_thresh = rs_thresh;
    q->counts_used = device_of(dev)->counts_used;
    q->wire = device_of(dev)->out;
    dev->data->tx_queues[i] = q;
    return 0;
}

static void
txq_info(struct rte_eth_dev *dev, uint16_t i, struct rte_eth_txq_info *info)
{
    const struct ef_tx_queue *q = dev->data->tx_queues[i];

    info->nb_desc = q->size;
    info->conf.tx_free_thresh = q->free_thresh;
    info->conf.tx_rs_thresh = q->rs_thresh;
}

static void
rxq_release(struct rte_eth_dev *dev, uint16_t i)
{
    if (dev->data->rx_queues[i]) {
        ef_rx_queue_empty(dev->data->rx_queues[i]);
        ef_rx_queue_destroy(dev->data->rx_queues[i]);
        dev->data->rx_queues[i] = NULL;
    }
}

static void
txq_release(struct rte_eth_dev *dev, uint16_t i)
{
    if (dev->data->tx_queues[i]) {
        ef_tx_queue_empty(dev->data->tx_queues[i]);
        ef_tx_queue_destroy(dev->data->tx_queues[i]);
        dev->data->tx_queues[i] = NULL;
    }
}

/* Device. */

static int
do_nothing(struct rte_eth_dev *dev)
{
    (void) dev;
    return 0;
}

static int
update_link(struct rte_eth_dev *dev, int wait)
{
    (void) dev;
    (void) wait;
    return 0;
}

static int
set_mtu(struct rte_eth_dev *dev, uint16_t mtu)
{
    (void) dev;
    (void) mtu;
    return 0;
}

static int
set_mac(struct rte_eth_dev *dev, struct rte_ether_addr *mac)
{
    (void) dev;
    (void) mac;
    return 0;
}

static int
link_up(struct rte_eth_dev *dev)
{
    dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
    return 0;
}

static int
link_down(struct rte_eth_dev *dev)
{
    dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
    return 0;
}

static int
stop(struct rte_eth_dev *dev)
{
    for (int i = 0; i < dev->data->nb_rx_queues; i++) {
        ef_rx_queue_empty(dev->data->rx_queues[i]);
    }
    for (int i = 0; i < dev->data->nb_tx_queues; i++) {
        ef_tx_queue_empty(dev->data->tx_queues[i]);
    }
    return link_down(dev);
}

static int
start(struct rte_eth_dev *dev)
{
    for (int i = 0; i < dev->data->nb_rx_queues; i++) {
        int error = ef_rx_queue_fill(dev->data->rx_queues[i]);

        if (error) {
            stop(dev);
            return -error;
        }
    }
    return link_up(dev);
}

static int
close_device(struct rte_eth_dev *dev)
{
    for (int i = 0; i < dev->data->nb_rx_queues; i++) {
        rxq_release(dev, i);
    }
    for (int i = 0; i < dev->data->nb_tx_queues; i++) {
        txq_release(dev, i);
    }
    munmap(device_of(dev)->control, sizeof(struct ef_tx_control));
    ef_wire_detach(device_of(dev)->in);
    /* A part of the private data, not to be freed by itself. */
    dev->data->mac_addrs = NULL;
    return 0;
}

static int
get_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
    const struct rte_eth_desc_lim limits = {
        .nb_max = MAX_RING, .nb_min = MIN_RING, .nb_align = 1,
    };

    info->max_mac_addrs = 1;
    info->max_rx_pktlen = RTE_ETHER_MAX_JUMBO_FRAME_LEN;
    info->max_mtu = info->max_rx_pktlen - RTE_ETHER_HDR_LEN;
    info->min_rx_bufsize = 1024;
    info->max_rx_queues = device_of(dev)->max_queues;
    info->max_tx_queues = device_of(dev)->max_queues;
    info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
    info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_SCATTER;
    info->rx_desc_lim = limits;
    info->tx_desc_lim = limits;
    info->default_txconf.tx_free_thresh = DEFAULT_FREE_THRESH;
    info->default_txconf.tx_rs_thresh = DEFAULT_RS_THRESH;
    return 0;
}

static int
get_stats(struct rte_eth_dev *dev, struct rte_eth_stats *stats)
{
    for (int i = 0; i < dev->data->nb_rx_queues; i++) {
        const struct ef_rx_queue *q = dev->data->rx_queues[i];

        stats->ipackets += q ? q->counts.n_packets : 0;
        stats->ibytes += q ? q->counts.n_bytes : 0;
        stats->imissed += q ? q->counts.n_lost : 0;
        stats->rx_nombuf += q ? q->n_no_buffer : 0;
    }
    if (device_of(dev)->in) {
        stats->imissed += __atomic_load_n(&device_of(dev)->in->n_lost,
                                          __ATOMIC_RELAXED);
    }
    for (int i = 0; i < dev->data->nb_tx_queues; i++) {
        const struct ef_tx_queue *q = dev->data->tx_queues[i];

        stats->opackets += q ? q->counts.n_packets : 0;
        stats->obytes += q ? q->counts.n_bytes : 0;
    }
    return 0;
}

/* The packet path may count on meanwhile: the test that asks for it waits. */
static int
reset_stats(struct rte_eth_dev *dev)
{
    for (int i = 0; i < dev->data->nb_rx_queues; i++) {
        struct ef_rx_queue *q = dev->data->rx_queues[i];

        memset(&q->counts, 0, sizeof q->counts);
        q->n_no_buffer = 0;
    }
    for (int i = 0; i < dev->data->nb_tx_queues; i++) {
        struct ef_tx_queue *q = dev->data->tx_queues[i];

        memset(&q->counts, 0, sizeof q->counts);
    }
    return 0;
}

#define FUNC(F) ((abi_func *) F)
#define FUNCS                                                           \
    [ABI_CONFIGURE] = FUNC(do_nothing), [ABI_START] = FUNC(start),      \
    [ABI_STOP] = FUNC(stop), [ABI_SET_LINK_UP] = FUNC(link_up),         \
    [ABI_SET_LINK_DOWN] = FUNC(link_down),                              \
    [ABI_CLOSE] = FUNC(close_device),                                   \
    [ABI_LINK_UPDATE] = FUNC(update_link),                              \
    [ABI_PROMISC_ON] = FUNC(do_nothing),                                \
    [ABI_PROMISC_OFF] = FUNC(do_nothing),                               \
    [ABI_ALLMULTI_ON] = FUNC(do_nothing),                               \
    [ABI_ALLMULTI_OFF] = FUNC(do_nothing),                              \
    [ABI_MAC_SET] = FUNC(set_mac), [ABI_MTU_SET] = FUNC(set_mtu),       \
    [ABI_STATS_GET] = FUNC(get_stats),                                  \
    [ABI_STATS_RESET] = FUNC(reset_stats),                              \
    [ABI_INFO_GET] = FUNC(get_info),                                    \
    [ABI_TXQ_INFO_GET] = FUNC(txq_info),                                \
    [ABI_RXQ_SETUP] = FUNC(rxq_setup),                                  \
    [ABI_RXQ_RELEASE] = FUNC(rxq_release),                              \
    [ABI_TXQ_SETUP] = FUNC(txq_setup),                                  \
    [ABI_TXQ_RELEASE] = FUNC(txq_release)

static abi_func *const funcs[ABI_N_FUNCS] = { FUNCS };
static abi_func *const funcs_with_cleanup[ABI_N_FUNCS] = {
    FUNCS, [ABI_TX_DONE_CLEANUP] = FUNC(ef_tx_cleanup),
};

/* Arguments. */

static int
parse_number(const char *key, const char *value, void *number)
{
    char *end;
    unsigned long n;

    errno = 0;
    n = strtoul(value ? value : "", &end, 10);
    if (!value || end == value || *end || errno || n > UINT32_MAX) {
        RTE_LOG(ERR, PMD, "net_ef_tx: %s: not a number\n", key);
        return -EINVAL;
    }
    *(uint32_t *) number = n;
    return 0;
}

static int
parse_count(const char *key, const char *value, void *counts_used)
{
    (void) key;
    *(bool *) counts_used = value && !strcmp(value, "used");
    return 0;
}

static int
parse_wire(const char *key, const char *value, void *device_)
{
    struct device *device = device_;
    uint32_t n;
    int error = parse_number(key, value, &n);

    if (!error) {
        error = -ef_wire_attach(n, &device->in, &device->out);
    }
    if (error) {
        RTE_LOG(ERR, PMD, "net_ef_tx: %s: %s\n", key, strerror(-error));
    }
    return error;
}

/* Maps the control block: memory of its own without a path. */
static int
map_control(const char *key, const char *path, void *controlp)
{
    const size_t size = sizeof(struct ef_tx_control);
    int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    void *memory = MAP_FAILED;

    (void) key;
    if (!path || (fd >= 0 && !ftruncate(fd, size))) {
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      path ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (memory == MAP_FAILED) {
        RTE_LOG(ERR, PMD, "net_ef_tx: no control block: %s\n",
                strerror(errno));
        return -1;
    }
    *(struct ef_tx_control **) controlp = memory;
    return 0;
}

static int
parse_args(struct device *device, const struct rte_kvargs *args)
{
    struct ef_tx_control initial = { .rx_size = 60 };
    const struct {
        const char *key;
        arg_handler_t handler;
        void *value;
    } keys[] = {
        { "delay-us", parse_number, &initial.delay_us },
        { "rate", parse_number, &initial.rate },
        { "hold", parse_number, &initial.hold },
        { "stop", parse_number, &initial.stop },
        { "rx-rate", parse_number, &initial.rx_rate },
        { "rx-size", parse_number, &initial.rx_size },
        { "rx-arp", parse_number, &device->arp_interval },
        { "rx-sources", parse_number, &device->n_sources },
        { "queues", parse_number, &device->max_queues },
        { "cleanup", parse_number, &device->has_cleanup },
        { "count", parse_count, &device->counts_used },
        { "control", map_control, &device->control },
        { "wire", parse_wire, device },
    };

    for (unsigned i = 0; i < RTE_DIM(keys); i++) {
        if (rte_kvargs_process(args, keys[i].key, keys[i].handler,
                               keys[i].value)) {
            return -EINVAL;
        }
    }
    if (!device->max_queues || device->max_queues > RTE_MAX_QUEUES_PER_PORT
        || (!device->control && map_control(NULL, NULL, &device->control))) {
        return -EINVAL;
    }
    *device->control = initial;
    return 0;
}

/* Life. */

static int
create(struct rte_vdev_device *vdev, const struct rte_kvargs *args)
{
    static uint8_t n_created;
    struct rte_eth_dev *dev = rte_eth_dev_allocate(vdev->device.name);
    struct device *device;

    if (!dev) {
        return -ENOMEM;
    }
    device = rte_zmalloc("ef_tx", sizeof *device, 64);
    dev->data->dev_private = device;
    if (!device) {
        rte_eth_dev_release_port(dev);
        return -ENOMEM;
    }
    device->max_queues = DEFAULT_QUEUES;
    device->has_cleanup = true;
    device->mac = (struct rte_ether_addr) { { 2, 0xef, 1, 0, 0, n_created++ }};
    if (parse_args(device, args)) {
        if (device->control) {
            munmap(device->control, sizeof *device->control);
        }
        ef_wire_detach(device->in);
        rte_eth_dev_release_port(dev);
        return -EINVAL;
    }
    dev->data->mac_addrs = &device->mac;
    dev->data->numa_node = vdev->device.numa_node;
    dev->data->dev_link.link_speed = RTE_ETH_SPEED_NUM_10G;
    dev->data->dev_link.link_duplex = RTE_ETH_LINK_FULL_DUPLEX;
    dev->device = &vdev->device;
    dev->dev_ops = device->has_cleanup ? funcs_with_cleanup : funcs;
    dev->rx_pkt_burst = ef_rx_burst;
    dev->tx_pkt_burst = ef_tx_burst;
    dev->rx_descriptor_status = ef_rx_status;
    dev->tx_descriptor_status = ef_tx_status;
    rte_eth_dev_probing_finish(dev);
    return 0;
}

static int
probe(struct rte_vdev_device *vdev)
{
    static const char *const keys[] = {
        "delay-us", "rate", "hold", "stop", "rx-rate", "rx-size", "queues",
        "rx-arp", "rx-sources", "cleanup", "count", "control", "wire", NULL,
    };
    struct rte_devargs *devargs = vdev->device.devargs;
    struct rte_kvargs *args = rte_kvargs_parse(devargs && devargs->args
                                               ? devargs->args : "", keys);
    int error = args ? create(vdev, args) : -EINVAL;

    rte_kvargs_free(args);
    return error;
}

static int
remove_device(struct rte_vdev_device *vdev)
{
    struct rte_eth_dev *dev = rte_eth_dev_allocated(vdev->device.name);

    return dev ? rte_eth_dev_close(dev->data->port_id) : 0;
}

static struct rte_vdev_driver driver = {
    .driver.name = "net_ef_tx",
    .probe = probe,
    .remove = remove_device,
};

RTE_INIT(register_driver)
{
    rte_vdev_register(&driver);
}
