/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_VHOST_H
#define EF_DPDK_VHOST_H 1

/* Ports of type=dpdkvhostuserclient and dpdkvhostuser: a guest's virtio
 * device at the other end of a socket.
 *
 *   vhost          the classes: construction, destruction, options
 *   vhost-config   vhost-sock-dir and other keys of the whole switch
 *   vhost-socket   registers sockets with DPDK's vhost library
 *   vhost-table    socket path -> port, for the callbacks; lets sockets go
 *   vhost-events   callbacks of DPDK's vhost library
 *   vhost-guest    what callbacks tell the main thread and PMDs, and back
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
 * Why no callback uses a port that is gone: it gets at a port only by the
 * table and with its lock held, and a port leaves the table, under that lock,
 * before anything of it is freed.  The library may go on calling about the
 * socket; it then finds no port.
 *
 * Why letting a port go cannot deadlock: rte_vhost_driver_unregister() may
 * wait for a callback that waits for a grace period, that is for every thread,
 * of which some may want a lock that our caller holds (netdev.c destroys ports
 * under its mutex, the data path sets them up under its own).  So the main
 * thread only takes the socket out of the table; a thread of the table, which
 * holds nothing and is quiescent, waits and unregisters.  Callbacks for a
 * socket without a port do not wait: PMDs leave a port before it is destroyed
 * or set up anew.  Whoever wants the path in the meantime is asked for a
 * reconfiguration when it is free.
 *
 * Statistics are counted by the packet path: reading the library's would
 * take its queue locks, which a callback that waits may hold. */

#include <limits.h>

#include "dpdk/dev.h"

struct ef_vhost_entry;
struct netdev_custom_stats;
struct rte_mbuf;
struct smap;

#define EF_VHOST_MAX_QUEUES 1024
#define EF_VHOST_RETRIES_DEFAULT 8
#define EF_VHOST_RETRIES_MAX 32

#define EF_VHOST_N_SIZES 8      /* Below 64, 64, up to 127, 255, 511, 1023,
                                 * 1518, more bytes. */

/* Of one queue in one direction; one writer (see dpdk/dev.h). */
struct ef_vhost_counters {
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) atomic_ullong packets;
    atomic_ullong bytes;
    atomic_ullong multicast;
    atomic_ullong broadcast;
    atomic_ullong sizes[EF_VHOST_N_SIZES];
};

/* A guest, as the library describes it when it comes: to ask later would take
 * locks of the library or look at what it frees. */
struct ef_vhost_guest {
    int n_queues;               /* Queue pairs; 0: nobody is connected. */
    int socket_id;              /* NUMA node, -1 if not known. */
    uint64_t features;          /* Negotiated, VIRTIO_*_F_* as bits. */
    int mtu;                    /* -1: not negotiated. */
    int n_vrings;
    uint16_t vring_sizes[2 * EF_VHOST_MAX_QUEUES];
};

struct ef_vhost {
    struct ef_dpdk_dev dev;

    /* Packet path.  'vid' is the library's number of the guest, -1 without
     * one; 'is_ready' tells that the port was set up for it.  What is stored
     * for a guest is stored before its 'vid' (release; pairs with the read of
     * 'vid'). */
    ovsrcu_index vid;
    atomic_bool is_ready;
    atomic_int retries_max;
    atomic_ullong tx_offloads;  /* RTE_ETH_TX_OFFLOAD_* that it takes. */
    /* By tx queue of ours: the guest's queue, or negative.  By rx queue:
     * whether the guest enabled it.  EF_VHOST_MAX_QUEUES elements. */
    atomic_int *tx_map;
    atomic_bool *rxq_enabled;
    /* 'n_counters' elements; tx by the guest's queue.  Replaced under
     * dev.mutex and queues_mutex while no PMD uses the port, set to zero
     * under queues_mutex before a guest is published. */
    struct ef_vhost_counters *rx_counters;
    struct ef_vhost_counters *tx_counters;

    /* Callbacks and main thread, under 'queues_mutex', a leaf: nothing is
     * called while it is held. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) struct ovs_mutex queues_mutex;
    bool *txq_enabled;          /* As the guest said. */
    int n_txq;                  /* What 'tx_map' was made for. */
    int n_counters;
    int setup_n_queues;         /* What the port was last set up for; 0: has */
    int setup_socket_id;        /* no pool yet. */
    struct ef_vhost_guest guest;

    /* Under the lock of vhost-table. */
    struct ef_vhost_entry *entry;   /* NULL: no socket. */
    struct ovs_list wait_node;      /* Empty: does not wait for a path. */
    char *wait_path;

    /* Main thread, under dev.mutex. */
    char *path;                 /* Of the socket that is wanted, or NULL. */
    char *bound_path;           /* Of the socket in use, or NULL. */
    bool is_configured;         /* Options were accepted once. */
    bool is_set_up;             /* A reconfiguration succeeded once. */
    char *socket_error;         /* Why there is no socket, or NULL. */
    char *memory_error;         /* What memory was short for, or NULL. */
};

static inline struct ef_vhost *
ef_vhost_cast(const struct netdev *netdev)
{
    return CONTAINER_OF(netdev, struct ef_vhost, dev.up);
}

extern const struct netdev_class ef_vhost_server_class;
extern const struct netdev_class ef_vhost_client_class;

/* vhost-config. */

/* Takes vhost-sock-dir, vhost-iommu-support and vhost-postcopy-support from
 * the database's other_config; before the first port.  A malformed value is
 * logged, shown by "evenflow/config-show", and the default stays. */
void ef_vhost_configure(const struct smap *other_config);
const char *ef_vhost_sock_dir(void);
/* RTE_VHOST_USER_* of sockets in client mode that were asked for. */
uint64_t ef_vhost_client_flags(void);

/* Any thread, quiescent or not: whether packets can flow. */
bool ef_vhost_is_running(const struct ef_vhost *);
int ef_vhost_get_vid(const struct ef_vhost *);

/* The guest's numbers of the rings of a queue: what it receives from, we
 * send to. */
static inline int
ef_vhost_rx_vring(int queue)
{
    return 2 * queue + 1;
}

static inline int
ef_vhost_tx_vring(int queue)
{
    return 2 * queue;
}

/* vhost-table.
 *
 * Main thread.  The table may be changed with any lock held, since nothing
 * that has its lock waits. */

/* Gives the port the socket 'path'.  Returns 0; EEXIST if another port has it
 * or EBUSY if it is being let go: then the port is asked for a reconfiguration
 * when it is free. */
int ef_vhost_table_add(struct ef_vhost *, const char *path);
/* 'unregister' is called by a thread of the table, which holds no lock and is
 * quiescent, when the port is removed. */
typedef void ef_vhost_unregister_func(const char *path, const char *port_name,
                                      enum ef_dpdk_kind);
void ef_vhost_table_set_registered(struct ef_vhost *,
                                   ef_vhost_unregister_func *unregister);
/* No callback uses the port any more.  May be called at any time. */
void ef_vhost_table_remove(struct ef_vhost *);

/* Callbacks.  Returns the port and leaves the table locked, or NULL. */
struct ef_vhost *ef_vhost_table_lock(const char *path);
void ef_vhost_table_unlock(void);
/* Unlocks the table and waits one grace period; the socket stays registered
 * in the meantime. */
void ef_vhost_table_unlock_and_wait(struct ef_vhost *);

/* vhost-socket, main thread, holding no lock but what callers of netdev.c
 * hold.  Registers the port for 'path'; returns 0 or an errno as
 * ef_vhost_table_add() does, or EADDRINUSE or EIO. */
int ef_vhost_socket_open(struct ef_vhost *, const char *path);

/* vhost-events: callbacks for a registered socket. */
struct rte_vhost_device_ops;
extern const struct rte_vhost_device_ops ef_vhost_device_ops;

/* vhost-guest, callbacks, which have the table locked. */

/* A guest came.  Returns the NUMA node that the port will use. */
int ef_vhost_guest_set(struct ef_vhost *, int vid,
                       const struct ef_vhost_guest *);
/* It stops.  Returns false if 'vid' is not the guest's. */
bool ef_vhost_guest_clear(struct ef_vhost *, int vid);
/* The connection ended.  Returns false if the guest was still there. */
bool ef_vhost_guest_disconnect(struct ef_vhost *);

/* vhost-guest, main thread. */
void ef_vhost_guest_get(struct ef_vhost *, struct ef_vhost_guest *);
/* The port is now set up for this; 0 queues: it has no pool. */
void ef_vhost_guest_publish(struct ef_vhost *, int n_queues, int socket_id);
/* Makes counters for 'n' queues. */
void ef_vhost_guest_set_counters(struct ef_vhost *, int n);

/* vhost-queues. */
void ef_vhost_queues_init(struct ef_vhost *);
void ef_vhost_queues_destroy(struct ef_vhost *);
/* Back to what holds before a guest says anything: only queue 0 is enabled,
 * for implementations that say nothing.  Needs queues_mutex. */
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

/* vhost-stats, vhost-status. */

/* Counts 'n' packets that went through a queue. */
void ef_vhost_count(struct ef_vhost_counters *, struct rte_mbuf **, size_t n);
int ef_vhost_get_stats(const struct netdev *, struct netdev_stats *);
int ef_vhost_get_custom_stats(const struct netdev *,
                              struct netdev_custom_stats *);
int ef_vhost_get_status(const struct netdev *, struct smap *);
int ef_vhost_get_carrier(const struct netdev *, bool *);
int ef_vhost_update_flags(struct netdev *, enum netdev_flags off,
                          enum netdev_flags on, enum netdev_flags *oldp);

#endif /* dpdk/vhost.h */
