/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_VHOST_H
#define EF_DPDK_VHOST_H 1

/* Ports of type=dpdkvhostuserclient and dpdkvhostuser: a guest's virtio
 * device at the other end of a socket.
 *
 *   vhost          the classes: construction, destruction, options, driver
 *   vhost-table    socket path -> port, for the callbacks
 *   vhost-events   callbacks of DPDK's vhost library
 *   vhost-queues   which queues the guest has enabled; the tx queue map
 *   vhost-setup    reconfiguration
 *   vhost-rx, -tx  packet path, from and to the guest
 *   vhost-stats    statistics, counted by us
 *   vhost-status   Interface:status, carrier
 *
 * Callbacks run in a thread of the library, which holds locks of its own
 * (those of the queues among them) while it calls: they take no lock that is
 * held across a call into the library, and publish by atomics.
 * destroy_device() waits one grace period, holding nothing of ours, so that
 * PMDs have left the device.
 *
 * Statistics are counted by the packet path: reading the library's would
 * take its queue locks, which a callback that waits may hold. */

#include <limits.h>

#include "dpdk/dev.h"

struct netdev_custom_stats;
struct smap;

#define EF_VHOST_MAX_QUEUES 1024
#define EF_VHOST_RETRIES_DEFAULT 8
#define EF_VHOST_RETRIES_MAX 32

#define EF_VHOST_N_SIZES 8      /* Up to 64, 127, 255, 511, 1023, 1518, more;
                                 * below 64. */

/* Of one queue in one direction; one writer (see dpdk/dev.h). */
struct ef_vhost_counters {
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) atomic_ullong packets;
    atomic_ullong bytes;
    atomic_ullong multicast;
    atomic_ullong broadcast;
    atomic_ullong sizes[EF_VHOST_N_SIZES];
};

struct ef_vhost {
    struct ef_dpdk_dev dev;

    /* Packet path.  'vid' is the library's number of the guest, -1 without
     * one; 'is_ready' tells that the port was reconfigured for it. */
    ovsrcu_index vid;
    atomic_bool is_ready;
    atomic_int retries_max;
    /* By tx queue of ours: the guest's queue, or negative.  By rx queue:
     * whether the guest enabled it.  EF_VHOST_MAX_QUEUES elements. */
    atomic_int *tx_map;
    atomic_bool *rxq_enabled;
    struct ef_vhost_counters *rx_counters;  /* dev.n_rxqs elements. */
    struct ef_vhost_counters *tx_counters;  /* By the guest's queue. */

    /* Callbacks and main thread, under 'queues_mutex', a leaf: nothing is
     * called while it is held. */
    struct ovs_mutex queues_mutex;
    bool *txq_enabled;          /* As the guest said. */
    int guest_n_queues;         /* Queue pairs; 0: no guest. */
    int guest_socket_id;        /* NUMA node, -1 if not known. */

    /* Main thread, under dev.mutex. */
    char *path;                 /* Of the socket; NULL: not known yet. */
    uint64_t driver_flags;      /* Registered with; 0: not registered. */
};

static inline struct ef_vhost *
ef_vhost_cast(const struct netdev *netdev)
{
    return CONTAINER_OF(netdev, struct ef_vhost, dev.up);
}

extern const struct netdev_class ef_vhost_server_class;
extern const struct netdev_class ef_vhost_client_class;

/* Takes vhost-sock-dir, vhost-iommu-support and vhost-postcopy-support from
 * the database's other_config; before the first port. */
void ef_vhost_configure(const struct smap *other_config);

/* Any thread, quiescent or not: whether packets can flow. */
bool ef_vhost_is_running(const struct ef_vhost *);
int ef_vhost_get_vid(const struct ef_vhost *);

/* vhost-table: paths are unique; EEXIST otherwise. */
int ef_vhost_table_add(struct ef_vhost *, const char *path);
void ef_vhost_table_remove(struct ef_vhost *);

/* vhost-events: callbacks for a registered socket. */
struct rte_vhost_device_ops;
extern const struct rte_vhost_device_ops ef_vhost_device_ops;

/* vhost-queues. */
void ef_vhost_queues_reset(struct ef_vhost *);
void ef_vhost_queue_changed(struct ef_vhost *, unsigned vring, bool enabled);
/* After up.n_txq changed. */
void ef_vhost_queues_remap(struct ef_vhost *);

/* vhost-setup. */
int ef_vhost_reconfigure(struct netdev *);

/* vhost-rx, vhost-tx. */
int ef_vhost_rxq_recv(struct netdev_rxq *, struct dp_packet_batch *,
                      int *qfill);
bool ef_vhost_rxq_enabled(struct netdev_rxq *);
int ef_vhost_send(struct netdev *, int qid, struct dp_packet_batch *,
                  bool concurrent_txq);
/* Counts 'n' packets that went through a queue. */
void ef_vhost_count(struct ef_vhost_counters *, struct rte_mbuf **, size_t n);

/* vhost-stats, vhost-status. */
int ef_vhost_get_stats(const struct netdev *, struct netdev_stats *);
int ef_vhost_get_custom_stats(const struct netdev *,
                              struct netdev_custom_stats *);
int ef_vhost_get_status(const struct netdev *, struct smap *);
int ef_vhost_get_carrier(const struct netdev *, bool *);
int ef_vhost_update_flags(struct netdev *, enum netdev_flags off,
                          enum netdev_flags on, enum netdev_flags *oldp);

#endif /* dpdk/vhost.h */
