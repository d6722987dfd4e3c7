/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_DPDK_DRIVER_ABI_H
#define EF_COMPAT_DPDK_DRIVER_ABI_H 1

/* What a driver outside of DPDK's tree has to know of DPDK 22.11, whose
 * packages come without the headers for drivers: where in its structures the
 * members are that this driver uses, and which place each of the driver's
 * functions has in its table.  The layout did not change between releases of
 * 22.11; another DPDK needs other numbers.
 *
 * AT(OFFSET, TYPE, NAME) is a member at that place, in bytes. */

#include <stddef.h>
#include <stdint.h>

#include <rte_version.h>

#if RTE_VERSION < RTE_VERSION_NUM(22, 11, 0, 0) \
    || RTE_VERSION >= RTE_VERSION_NUM(23, 0, 0, 0)
#error "this driver knows the insides of DPDK 22.11 only"
#endif

#define ABI_JOIN(A, B) A##B
#define ABI_PAD(N) ABI_JOIN(pad_, N)
#define AT(OFFSET, TYPE, NAME)                                          \
    __extension__ struct {                                              \
        uint8_t ABI_PAD(__COUNTER__)[OFFSET];                           \
        TYPE NAME;                                                      \
    } __attribute__((packed, aligned(8)))

struct rte_devargs;

struct rte_driver {
    void *links[2];
    const char *name;
    const char *alias;
};

struct rte_device {
    void *links[2];
    const char *name;
    const char *bus_info;
    const struct rte_driver *driver;
    const void *bus;
    int numa_node;
    struct rte_devargs *devargs;
};

struct rte_vdev_device {
    void *links[2];
    struct rte_device device;
};

struct rte_vdev_driver {
    void *links[2];
    struct rte_driver driver;
    int (*probe)(struct rte_vdev_device *);
    int (*remove)(struct rte_vdev_device *);
    void *dma[2];
    uint32_t flags;
};

/* All functions of a driver that are not on the packet path. */
typedef void abi_func(void);
enum {
    ABI_CONFIGURE = 0, ABI_START = 1, ABI_STOP = 2, ABI_SET_LINK_UP = 3,
    ABI_SET_LINK_DOWN = 4, ABI_CLOSE = 5, ABI_LINK_UPDATE = 7,
    ABI_PROMISC_ON = 9, ABI_PROMISC_OFF = 10, ABI_ALLMULTI_ON = 11,
    ABI_ALLMULTI_OFF = 12, ABI_MAC_SET = 15, ABI_MTU_SET = 17,
    ABI_STATS_GET = 18, ABI_STATS_RESET = 19, ABI_INFO_GET = 24,
    ABI_TXQ_INFO_GET = 26, ABI_RXQ_SETUP = 41, ABI_RXQ_RELEASE = 42,
    ABI_TXQ_SETUP = 45, ABI_TXQ_RELEASE = 46, ABI_TX_DONE_CLEANUP = 47,
    ABI_N_FUNCS = 113
};

struct rte_eth_dev_data {
    union {
        AT(0, char, name[RTE_ETH_NAME_MAX_LEN]);
        AT(64, void **, rx_queues);
        AT(72, void **, tx_queues);
        AT(80, uint16_t, nb_rx_queues);
        AT(82, uint16_t, nb_tx_queues);
        AT(96, void *, dev_private);
        AT(104, struct rte_eth_link, dev_link);
        AT(2384, uint16_t, mtu);
        AT(2400, struct rte_ether_addr *, mac_addrs);
        AT(3440, uint16_t, port_id);
        AT(5496, int, numa_node);
        AT(6136, uint64_t, last);
    };
};
_Static_assert(sizeof(struct rte_eth_dev_data) == 6144, "of DPDK 22.11");

struct rte_eth_dev {
    uint16_t (*rx_pkt_burst)(void *rxq, struct rte_mbuf **, uint16_t n);
    uint16_t (*tx_pkt_burst)(void *txq, struct rte_mbuf **, uint16_t n);
    uint16_t (*tx_pkt_prepare)(void *txq, struct rte_mbuf **, uint16_t n);
    uint32_t (*rx_queue_count)(void *rxq);
    int (*rx_descriptor_status)(void *rxq, uint16_t offset);
    int (*tx_descriptor_status)(void *txq, uint16_t offset);
    struct rte_eth_dev_data *data;
    void *process_private;
    abi_func *const *dev_ops;
    struct rte_device *device;
};

/* Exported by DPDK's libraries. */
struct rte_eth_dev *rte_eth_dev_allocate(const char *name);
struct rte_eth_dev *rte_eth_dev_allocated(const char *name);
void rte_eth_dev_probing_finish(struct rte_eth_dev *);
int rte_eth_dev_release_port(struct rte_eth_dev *);
void rte_vdev_register(struct rte_vdev_driver *);

#endif /* compat/dpdk-driver-abi.h */
