/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_DEV_H
#define EF_DPDK_DEV_H 1

/* What all ports of DPDK have in common: struct ef_ethdev (dpdk/ethdev.h) and
 * struct ef_vhost (dpdk/vhost.h) begin with a struct ef_dpdk_dev.
 *
 * Requests and facts.  Options and the guest only change 'want' and ask for
 * a reconfiguration; the main thread, while no PMD uses the port, makes the
 * wishes facts ('mtu', 'socket_id', up.n_rxq, ...).  So PMDs read facts
 * without a lock: they get the port back after a reload, which orders.
 *
 * Locks: ef_dpdk_dev_list_mutex, then 'mutex' of a port; neither is ever held
 * by a PMD, nor by a callback of DPDK's vhost library, nor while calling into
 * that library (it may call back, or hold its own locks while it does).
 *
 * Counters have one writer at a time: a PMD that owns the rx queue; whoever
 * holds a tx queue, alone or under its lock. */

#include <stdbool.h>
#include <stdint.h>

#include <rte_spinlock.h>

#include "core/counter.h"
#include "dpdk/dev-pool.h"
#include "dpdk/qos.h"
#include "netdev-provider.h"
#include "openvswitch/list.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "smap.h"
#include "util.h"

struct ef_mempool;
struct ef_policer;
struct ef_tx_alarm;
struct ef_tx_watch;

enum ef_dpdk_kind {
    EF_DPDK_ETH,
    EF_DPDK_VHOST_SERVER,       /* type=dpdkvhostuser */
    EF_DPDK_VHOST_CLIENT,       /* type=dpdkvhostuserclient */
};

/* Bytes around an MTU: Ethernet header and checksum. */
#define EF_DPDK_FRAME_OVERHEAD 18
#define EF_DPDK_MAX_FRAME 9728
#define EF_DPDK_DEFAULT_MTU 1500
#define EF_DPDK_DEFAULT_QUEUE_SIZE 2048
#define EF_DPDK_MAX_QUEUE_SIZE 4096

/* What a port takes with userspace TSO: dpdk/tx-prepare.h does in software
 * what its driver or guest does not. */
#define EF_DPDK_TX_OFFLOADS                                     \
    (NETDEV_TX_OFFLOAD_IPV4_CKSUM | NETDEV_TX_OFFLOAD_TCP_CKSUM \
     | NETDEV_TX_OFFLOAD_UDP_CKSUM                              \
     | NETDEV_TX_OFFLOAD_SCTP_CKSUM | NETDEV_TX_OFFLOAD_TCP_TSO)

static inline int
ef_dpdk_mtu_to_frame(int mtu)
{
    return mtu + EF_DPDK_FRAME_OVERHEAD;
}

/* What happened to packets in software, of one queue.  See ef_counter. */
struct ef_dpdk_txq_counters {
    atomic_ullong retries;              /* vhost only. */
    atomic_ullong failure_drops;        /* Ring full, or no buffer. */
    atomic_ullong mtu_exceeded_drops;
    atomic_ullong qos_drops;
    atomic_ullong invalid_hwol_drops;   /* Offload that cannot be done. */
    atomic_ullong down_drops;           /* vhost: no guest; port down. */
};

struct ef_dpdk_txq {
    /* Whoever shares the queue; always for vhost. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) rte_spinlock_t lock;
    struct ef_tx_watch *watch;  /* NULL: not watched (vhost: copies). */
    struct ef_dpdk_txq_counters n;
};

struct ef_dpdk_rxq_counters {
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) atomic_ullong qos_drops;
    atomic_ullong join_drops;           /* Segments that fit no buffer. */
    atomic_ullong overload_drops;       /* Shed: dpdk/rx-drain.h. */
    atomic_ullong priority_packets;     /* Found while shedding. */
};

/* What the next reconfiguration shall bring. */
struct ef_dpdk_request {
    int mtu;
    int socket_id;
    int n_rxq, n_txq;           /* Queues. */
    int rxq_size, txq_size;     /* Descriptors; ethdev only. */
};

struct ef_dpdk_dev {
    struct netdev up;

    /* Packet path: facts, changed only while no PMD uses the port, and what
     * may change at any time. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) atomic_bool is_up; /* NETDEV_UP. */
    atomic_uint rx_burst;       /* See dpdk/rx-burst.h. */
    enum ef_dpdk_kind kind;
    int max_frame;              /* Bytes of the longest frame to send. */
    int mtu;
    struct ef_mempool *pool;
    struct rte_mempool *rte_pool; /* Of 'pool', or NULL. */
    struct rte_mempool **rxq_pools; /* By rx queue, 'n_rxq_pools' elements; */
    unsigned n_rxq_pools;       /* 0: all have 'rte_pool'. */
    struct ef_dpdk_txq *txqs;   /* 'n_txqs' elements, in DPDK's memory. */
    struct ef_dpdk_rxq_counters *rxq_counters; /* 'n_rxqs' elements. */
    OVSRCU_TYPE(struct ef_policer *) policer;
    struct ef_qos_slot qos;

    /* Main thread, under 'mutex'. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) struct ovs_mutex mutex;
    struct ef_dpdk_request want;
    int socket_id;
    int rxq_size, txq_size;
    unsigned n_txqs, n_rxqs;    /* Allocated. */
    enum netdev_flags flags;
    uint32_t policer_rate, policer_burst;
    char *config_error;         /* Shown as status:config-error; NULL: none.
                                 */
    struct smap refused;        /* Key -> what 'config_error' says of it. */
    struct smap refused_before; /* Before the last ef_dpdk_dev_accept(). */
    struct ef_dpdk_pools pools;
    struct eth_addr hwaddr;
    long long n_carrier_resets;
    struct ef_tx_alarm *alarm;  /* NULL: nothing was looked at yet. */

    /* In the list of all ports, under ef_dpdk_dev_list_mutex. */
    struct ovs_list list_node;
};

static inline struct ef_dpdk_dev *
ef_dpdk_dev_cast(const struct netdev *netdev)
{
    return CONTAINER_OF(netdev, struct ef_dpdk_dev, up);
}

/* The pool of a receive queue.  Packet path. */
static inline struct rte_mempool *
ef_dpdk_dev_rxq_pool(const struct ef_dpdk_dev *dev, unsigned queue)
{
    return (OVS_LIKELY(queue >= dev->n_rxq_pools)
            ? dev->rte_pool : dev->rxq_pools[queue]);
}

/* All ports.  Held for look-ups and around what attaches or removes ethdev
 * devices. */
extern struct ovs_mutex ef_dpdk_dev_list_mutex;
extern struct ovs_list ef_dpdk_dev_list;

/* For commands: takes 'mutex', which the main thread may hold while it sets a
 * port up.  Waits for as many milliseconds as '*n_tries', which counts down;
 * returns whether it has it. */
enum { EF_DPDK_TRIES = 300 };
bool ef_dpdk_try_lock(const struct ovs_mutex *mutex, int *n_tries);

/* Whether 'netdev' is of one of our classes. */
bool ef_dpdk_is_dpdk(const struct netdev *);

/* Set-up, main thread. */

/* Fills in the defaults of a zeroed device, puts it into the list and asks
 * for a reconfiguration.  'socket_id' is negative if the node is not known: 0
 * is taken for an ethdev; a vhost port gets no pool until 'want.socket_id' is
 * set.  Takes ef_dpdk_dev_list_mutex. */
void ef_dpdk_dev_init(struct ef_dpdk_dev *, enum ef_dpdk_kind,
                      int socket_id);
/* Takes it out of the list, gives everything back.  No thread uses it.  Takes
 * ef_dpdk_dev_list_mutex. */
void ef_dpdk_dev_uninit(struct ef_dpdk_dev *);

/* Allocates tx and rx queue state for these numbers of queues; the counters
 * of queues that stay go on.  Returns 0 or ENOMEM and leaves all as it was.
 * Needs 'mutex'. */
int ef_dpdk_dev_set_queues(struct ef_dpdk_dev *, unsigned n_rxqs,
                           unsigned n_txqs);

/* Sees to pools that fit 'want' and the options (see dpdk/dev-pool.h), then
 * makes want.mtu and want.socket_id facts.  Returns 0 or a positive errno and
 * leaves all as it was.  If the port has pools and only a named one cannot be
 * had, returns 0, refuses the option and leaves all as it was.  Needs
 * 'mutex'. */
int ef_dpdk_dev_set_pool(struct ef_dpdk_dev *);

/* Notes, logs and shows a refused value: "'KEY=VALUE': RULE".  'mutex' is
 * held.  ef_dpdk_dev_accept() forgets all refusals of the port: call it before
 * options are looked at anew.  What is refused again is not logged again.
 * ef_dpdk_dev_unrefuse() takes back one refusal, of a value that works now;
 * the caller accepts the value. */
void ef_dpdk_dev_refuse(struct ef_dpdk_dev *, const char *key,
                        const char *value, const char *rule, ...)
    OVS_PRINTF_FORMAT(4, 5);
void ef_dpdk_dev_accept(struct ef_dpdk_dev *);
void ef_dpdk_dev_unrefuse(struct ef_dpdk_dev *, const char *key);

/* Callbacks of struct netdev_class that all ports share (see
 * netdev-provider.h for what each does). */
int ef_dpdk_get_numa_id(const struct netdev *);
int ef_dpdk_set_tx_multiq(struct netdev *, unsigned n_txq);
int ef_dpdk_get_mtu(const struct netdev *, int *mtup);
int ef_dpdk_set_mtu(struct netdev *, int mtu);
int ef_dpdk_get_etheraddr(const struct netdev *, struct eth_addr *);
int ef_dpdk_get_ifindex(const struct netdev *);
long long ef_dpdk_get_carrier_resets(const struct netdev *);
int ef_dpdk_set_miimon(struct netdev *, long long interval_ms);
int ef_dpdk_set_policing(struct netdev *, uint32_t rate_kbps,
                         uint32_t burst_kb, uint32_t rate_kpkts,
                         uint32_t burst_kpkts);
int ef_dpdk_get_qos_types(const struct netdev *, struct sset *);
int ef_dpdk_get_qos(const struct netdev *, const char **, struct smap *);
int ef_dpdk_set_qos(struct netdev *, const char *, const struct smap *);
int ef_dpdk_get_queue(const struct netdev *, unsigned, struct smap *);
int ef_dpdk_set_queue(struct netdev *, unsigned, const struct smap *);
int ef_dpdk_delete_queue(struct netdev *, unsigned);
int ef_dpdk_get_queue_stats(const struct netdev *, unsigned,
                            struct netdev_queue_stats *);
int ef_dpdk_queue_dump_start(const struct netdev *, void **);
int ef_dpdk_queue_dump_next(const struct netdev *, void *, unsigned *,
                            struct smap *);
int ef_dpdk_queue_dump_done(const struct netdev *, void *);

/* Those that all classes have, as initializers of one. */
#define EF_DPDK_DEV_CALLBACKS                                   \
    .get_numa_id = ef_dpdk_get_numa_id,                         \
    .get_mtu = ef_dpdk_get_mtu,                                 \
    .set_mtu = ef_dpdk_set_mtu,                                 \
    .get_etheraddr = ef_dpdk_get_etheraddr,                     \
    .get_ifindex = ef_dpdk_get_ifindex,                         \
    .get_carrier_resets = ef_dpdk_get_carrier_resets,           \
    .set_miimon_interval = ef_dpdk_set_miimon,                  \
    .set_policing = ef_dpdk_set_policing,                       \
    .get_qos_types = ef_dpdk_get_qos_types,                     \
    .get_qos = ef_dpdk_get_qos,                                 \
    .set_qos = ef_dpdk_set_qos,                                 \
    .get_queue = ef_dpdk_get_queue,                             \
    .set_queue = ef_dpdk_set_queue,                             \
    .delete_queue = ef_dpdk_delete_queue,                       \
    .get_queue_stats = ef_dpdk_get_queue_stats,                 \
    .queue_dump_start = ef_dpdk_queue_dump_start,               \
    .queue_dump_next = ef_dpdk_queue_dump_next,                 \
    .queue_dump_done = ef_dpdk_queue_dump_done

#endif /* dpdk/dev.h */
