/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PORT_PORT_H
#define EF_PORT_PORT_H 1

/* A port of the data path: a network device, its receive queues and the
 * rule by which threads choose transmit queues.
 *
 * Life: ef_port_open(), then ef_port_reconfigure() as often as the device
 * or the data path asks for it, ef_port_destroy().  The main thread calls all
 * of these, holding the data path's port lock for writing; no PMD may use the
 * port during ef_port_reconfigure() and ef_port_destroy().
 *
 * Ownership: the port owns a reference to its netdev, its rx queues and its
 * strings.  PMDs hold plain pointers to ports and rx queues that stay valid
 * until the PMD acknowledged a reload without them. */

#include <stdbool.h>
#include <stdint.h>

#include "openvswitch/hmap.h"
#include "openvswitch/types.h"
#include "ovs-atomic.h"
#include "ovs-thread.h"
#include "port/rxq.h"

struct netdev;
struct netdev_saved_flags;

enum ef_txq_mode {
    EF_TXQ_STATIC,              /* A queue for each thread. */
    EF_TXQ_XPS,                 /* Fewer queues than threads: the least used.
                                 */
    EF_TXQ_HASH,                /* By the packet's RSS hash. */
};

/* How many threads use each tx queue (EF_TXQ_XPS only).  PMDs take 'mutex'
 * when they choose or give back a queue, at most every half second for each
 * port; it is held for one pass over the counters. */
struct ef_txq_users {
    struct ovs_mutex mutex;
    unsigned *n_users OVS_GUARDED;      /* One for each tx queue. */
    unsigned n OVS_GUARDED;             /* Elements in 'n_users'. */
};

/* How long packets may wait in the port's output batches.  The main thread
 * stores, then calls ef_params_output_changed(); PMDs load. */
struct ef_port_output {
    atomic_uint32_t latency_target_us; /* EF_LATENCY_TARGET_UNSET: as the data
                                        * path has it. */
    atomic_uint32_t output_batch;      /* Packets of a full batch. */
};

struct ef_port {
    /* Constant after ef_port_open(). */
    struct netdev *netdev;
    char *type;                 /* As the user asked for it. */

    /* Main thread, under the data path's port lock. */
    struct hmap_node node;      /* In struct ef_port_table's 'ports'. */
    odp_port_t port_no;         /* Changed by a test command only. */
    struct netdev_saved_flags *saved_flags;
    bool need_reconfigure;      /* The device must be set up. */
    bool is_stale;              /* As of the last adjustment. */
    bool emc_enabled;
    bool hash_requested;        /* tx-steering=hash. */
    char *affinity_list;        /* pmd-rxq-affinity; NULL if unset. */

    /* Changed in ef_port_reconfigure() and ef_port_set_txq_mode(); PMDs
     * read. */
    enum ef_txq_mode txq_mode;
    unsigned n_rxq;
    struct ef_rxq *rxqs;        /* 'n_rxq' elements. */
    struct ef_txq_users txq_users;

    struct ef_port_output output;
};

/* Opens device 'name' of 'type'.  Returns 0 and stores the port, or a
 * positive errno; EINVAL for a loopback device. */
int ef_port_open(const char *name, const char *type, odp_port_t,
                 struct ef_port **);
void ef_port_destroy(struct ef_port *);

/* Turns promiscuous mode on, to be undone by ef_port_destroy().  Only after
 * the port is known to work: the change of flags makes the bridge look at
 * all ports again, endlessly if the port failed.  Returns 0 or a positive
 * errno. */
int ef_port_set_promisc(struct ef_port *);

/* Returns whether the device must be set up (again). */
bool ef_port_needs_setup(const struct ef_port *);

/* Returns whether the device or the tx queue rule must be set up again,
 * given the number of threads that transmit. */
bool ef_port_is_stale(const struct ef_port *, unsigned n_threads);

/* Closes the rx queues, lets the device apply what is pending, opens the rx
 * queues again.  Queues that stay keep their load, but not their address.
 * Returns 0 or a positive errno, after which the port is fit only for
 * ef_port_destroy(). */
int ef_port_reconfigure(struct ef_port *);
/* To be called after every ef_port_reconfigure(). */
void ef_port_set_txq_mode(struct ef_port *, unsigned n_threads);

/* Pins rx queues as 'list' says (see ef_rxq_affinity_parse()) and keeps the
 * list for queues to come.  Returns 0, or EINVAL and leaves all as it was. */
int ef_port_set_affinity(struct ef_port *, const char *list);

/* Any thread that may use the port: takes the least used tx queue, giving
 * back queue 'old' (-1 if none) first; or gives back queue 'old' only.  An
 * 'old' that the device does not have is ignored.  Whoever has a queue gives
 * it back before it lets go of the port. */
int ef_port_txq_get(struct ef_port *, int old);
void ef_port_txq_put(struct ef_port *, int old);

#endif /* port/port.h */
