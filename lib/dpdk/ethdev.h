/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_ETHDEV_H
#define EF_DPDK_ETHDEV_H 1

/* Ports of type=dpdk: a device that has a driver in DPDK, on a bus or
 * virtual.
 *
 *   devargs         what options:dpdk-devargs says by itself; pure
 *   ethdev-attach   options:dpdk-devargs -> DPDK's port number, and back
 *   ethdev-options  Interface:options -> struct ef_ethdev_request; pure
 *   ethdev-config   which of these a port takes, and when it is created anew
 *   ethdev-setup    reconfiguration: stop, queues, start
 *   ethdev-offloads which of the driver's offloads are asked for; pure
 *   ethdev-thresh   tx-free-thresh, tx-rs-thresh: with the ring, and refused
 *                   by the driver
 *   ethdev-reset    a driver's wish to be reset, from DPDK's interrupt thread
 *   ethdev-flow-ctrl pause frames
 *   ethdev-steering options:rx-steering: LACP to an rx queue of its own
 *   ethdev-rx, -tx  packet path
 *   ethdev-watch    what becomes of sent packets (dpdk/tx-watch.h)
 *   ethdev-stats    statistics; ethdev-xstats the driver's own
 *   ethdev-status   Interface:status, features, carrier, flags
 *   link-watch      polls the carriers of ports without interrupts
 *   ethdev-commands netdev-dpdk/detach, netdev-dpdk/set-admin-state
 *   flow-api        what the package's netdev-offload-dpdk calls
 *   ethdev          the class: construction, destruction, callbacks
 *
 * Threads: main, except the packet path, the link watch, the offload threads
 * (flow-api) and DPDK's interrupt thread (ethdev-reset, link-watch), which
 * takes no lock that is held while DPDK is called: DPDK waits for it. */

#include <rte_ethdev.h>

#include "compat/netdev-members.h"
#include "dpdk/dev.h"
#include "dpdk/tx-threshold.h"

struct netdev_custom_stats;

#define EF_ETHDEV_NONE RTE_MAX_ETHPORTS

/* What the user asked for; see ethdev-options. */
struct ef_ethdev_request {
    int n_rxq;                  /* Without the one for LACP. */
    int rxq_size, txq_size;     /* Descriptors. */
    bool lsc_interrupt;
    bool steer_lacp;            /* rx-steering=rss+lacp. */
    struct eth_addr vf_mac;     /* All zeros: as it is. */
    bool rx_flow_ctrl, tx_flow_ctrl, flow_ctrl_autoneg;
    bool flow_ctrl_asked;       /* At least one of the three is set. */
    int tx_free_thresh, tx_rs_thresh;   /* Or EF_TX_THRESH_DRIVER. */
    unsigned rx_burst;          /* Packets; see dpdk/rx-burst.h. */
};

/* Options that only change together; see ethdev-thresh. */
struct ef_tx_set {
    int free_thresh, rs_thresh; /* Or EF_TX_THRESH_DRIVER. */
    int ring_size;              /* n_txq_desc. */
};

/* Names and numbers of those of the driver's statistics that are shown. */
struct ef_xstats {
    struct rte_eth_xstat_name *names;   /* Of all, 'n_names'. */
    int n_names;
    uint64_t *ids;                      /* Of the 'n_ids' that are shown. */
    int n_ids;
};

struct ef_steering {
    bool is_on;                 /* Rules are in the device. */
    int rxq;                    /* The queue that they steer to. */
    struct rte_flow *flows[2];
    int n_flows;
};

struct ef_ethdev {
    struct ef_dpdk_dev dev;

    /* Packet path: facts as in struct ef_dpdk_dev. */
    uint16_t port_id;           /* EF_ETHDEV_NONE until options name one. */
    uint64_t tx_offloads;       /* RTE_ETH_TX_OFFLOAD_* in force. */

    /* Under dev.mutex. */
    char *devargs;              /* NULL: not known yet. */
    bool attached;              /* By us, hence to be detached by us. */
    bool is_started;
    struct ef_ethdev_request want;
    struct ef_ethdev_request is; /* What the running device was set up for. */
    struct ef_dpdk_request dev_is; /* Likewise, of 'dev.want'. */
    struct ef_tx_set tx_refused; /* By the driver, with this positive errno; */
    int tx_refused_error;       /* 0: nothing was. */
    struct ef_tx_thresh_facts thresh; /* Of tx queue 0. */
    bool rx_csum_offload;       /* In force. */
    bool rx_scatter;
    struct rte_eth_fc_conf fc_conf;
    struct rte_eth_link link;
    struct ef_xstats xstats;
    struct ef_steering steering;
};

static inline struct ef_ethdev *
ef_ethdev_cast(const struct netdev *netdev)
{
    return CONTAINER_OF(netdev, struct ef_ethdev, dev.up);
}

extern const struct netdev_class ef_ethdev_class;

/* ethdev-attach: needs ef_dpdk_dev_list_mutex. */

/* Finds or attaches the device that 'devargs' names.  Returns 0 and stores
 * the port number and whether the device was attached by us, now or earlier;
 * or a positive errno, and stores a message for the user that the caller
 * frees. */
int ef_ethdev_attach(const char *devargs, uint16_t *port_id, bool *attached,
                     char **errp);
/* Closes the port and, if no other port of its device is in use, removes the
 * device.  For ports that we attached, stopped. */
void ef_ethdev_detach(uint16_t port_id, const char *devargs);
/* Closes the port and removes its device with all its ports.  Returns 0 or a
 * positive errno. */
int ef_ethdev_remove(uint16_t port_id);
/* The port of ours with this number, or NULL. */
struct ef_ethdev *ef_ethdev_by_port_id(uint16_t port_id);
/* Like ef_ethdev_attach(), but never attaches; EF_ETHDEV_NONE if none. */
uint16_t ef_ethdev_find(const char *devargs);

/* ethdev-options. */
void ef_ethdev_options_init(struct ef_ethdev_request *);
/* Called for each option; 'rule' is NULL for a value that is accepted, NULL
 * itself if the option is not set.  Returns whether to go on. */
typedef bool ef_ethdev_option_func(const char *key, const char *value,
                                   const char *rule, void *aux);
/* Fills in 'new' from 'options'; what is refused stays as in 'old'. */
void ef_ethdev_options_parse(const struct smap *options,
                             const struct ef_ethdev_request *old,
                             struct ef_ethdev_request *new,
                             ef_ethdev_option_func *, void *aux);
/* Whether a device that was set up for 'a' has to be set up anew for 'b'. */
bool ef_ethdev_options_need_setup(const struct ef_ethdev_request *a,
                                  const struct ef_ethdev_request *b);

/* ethdev-config. */
int ef_ethdev_get_config(const struct netdev *, struct smap *);
/* A value that breaks a rule: EINVAL and '*errp' for a port that has no
 * device yet, else refused (ef_dpdk_dev_refuse()), the old one stays and the
 * port keeps running. */
int ef_ethdev_set_config(struct netdev *, const struct smap *, char **errp);

/* ethdev-offloads.  Sets the offloads and the RSS of 'conf' to those of the
 * wanted that 'info' announces: 'scatter', and with 'tso' what userspace TSO
 * needs.  Returns whether the device verifies checksums. */
bool ef_ethdev_choose_offloads(const struct rte_eth_dev_info *info,
                               bool scatter, bool tso,
                               struct rte_eth_conf *conf);

/* ethdev-setup. */
int ef_ethdev_reconfigure(struct netdev *);
/* Needs dev.mutex; no thread uses the device any more. */
void ef_ethdev_stop(struct ef_ethdev *);
/* RTE_ETH_DEV_* of the device, 0 if it is gone. */
uint32_t ef_ethdev_dev_flags(uint16_t port_id);

/* ethdev-thresh; need dev.mutex. */

/* Checks the thresholds and the ring's size of 'new' as a set.  Those that
 * break a rule, or that the driver refused before, are refused, and 'new' gets
 * those of ef->want; for a port without a device, returns a message, to be
 * freed, instead. */
char *ef_ethdev_thresh_check(struct ef_ethdev *, const struct smap *options,
                             struct ef_ethdev_request *new);
/* What to set tx queues up with: 'conf', or NULL if all of it is the
 * driver's. */
const struct rte_eth_txconf *ef_ethdev_thresh_conf(
    const struct ef_ethdev_request *, const struct rte_eth_dev_info *,
    struct rte_eth_txconf *conf);
/* The driver refused the set in ef->want with this positive errno: goes back
 * to the last good one there and in dev.want.  Called again, to none. */
void ef_ethdev_thresh_roll_back(struct ef_ethdev *, int error);
/* Finds ef->thresh, after tx queues were set up for ef->want. */
void ef_ethdev_thresh_learn(struct ef_ethdev *,
                            const struct rte_eth_dev_info *);

/* ethdev-reset. */
void ef_ethdev_reset_init(void);        /* Once. */
/* Asks 'netdev' for a reconfiguration when the device wants a reset; NULL:
 * nobody any more, what is pending is forgotten. */
void ef_ethdev_reset_watch(uint16_t port_id, struct netdev *);
/* Whether a reset is due, which is then the caller's task. */
bool ef_ethdev_reset_take(uint16_t port_id);
bool ef_ethdev_reset_is_pending(uint16_t port_id);
/* DPDK's interrupt thread. */
int ef_ethdev_on_reset(uint16_t port_id, enum rte_eth_event_type,
                       void *aux, void *ret);

/* ethdev-flow-ctrl: tells the device, if it differs; needs dev.mutex. */
void ef_ethdev_flow_ctrl_set(struct ef_ethdev *);

/* ethdev-steering: need dev.mutex, port started.  Set returns 0 or a positive
 * errno, after which no rule is in the device. */
int ef_steering_set(struct ef_ethdev *);
void ef_steering_clear(struct ef_ethdev *);
/* Rx queues in all, given those that the user asked for. */
int ef_steering_n_rxq(const struct ef_ethdev *, int n_rxq);

/* ethdev-rx, ethdev-tx. */
struct netdev_rxq *ef_ethdev_rxq_alloc(void);
int ef_ethdev_rxq_construct(struct netdev_rxq *);
void ef_ethdev_rxq_destruct(struct netdev_rxq *);
void ef_ethdev_rxq_dealloc(struct netdev_rxq *);
int ef_ethdev_rxq_recv(struct netdev_rxq *, struct dp_packet_batch *,
                       int *qfill);
int ef_ethdev_send(struct netdev *, int qid, struct dp_packet_batch *,
                   bool concurrent_txq);

/* ethdev-watch. */
/* Main thread, needs dev.mutex: the device is set up, but not started; it has
 * stopped, or is gone. */
void ef_ethdev_watch_start(struct ef_ethdev *);
void ef_ethdev_watch_stop(struct ef_ethdev *);
/* Whether there is anything for ef_ethdev_watch_idle() to do. */
bool ef_ethdev_is_watched(const struct netdev *);
/* Like ef_ethdev_send(), by whoever may send, about once a millisecond: looks
 * after sent packets.  Does nothing if another thread has the queue. */
void ef_ethdev_watch_idle(struct netdev *, int qid, bool concurrent_txq);
/* Like ef_ethdev_watch_idle(), by the only thread that has the queue, before
 * it gives the port back. */
void ef_ethdev_watch_rest(struct netdev *, int qid);

/* ethdev-stats, ethdev-xstats. */
int ef_ethdev_get_stats(const struct netdev *, struct netdev_stats *);
int ef_ethdev_get_custom_stats(const struct netdev *,
                               struct netdev_custom_stats *);
/* Learns anew which the driver has; needs dev.mutex. */
void ef_xstats_learn(struct ef_ethdev *);
void ef_xstats_clear(struct ef_xstats *);
/* Those of the driver's that are in 'stats'; the others stay as they are.
 * Needs dev.mutex. */
void ef_xstats_get_standard(struct ef_ethdev *, struct netdev_stats *stats);
/* Appends those that are shown to 'stats'; needs dev.mutex. */
void ef_xstats_append(struct ef_ethdev *, struct netdev_custom_stats *stats);
/* Appends counters counted by us, of any port kind, to 'stats'; needs
 * dev.mutex. */
void ef_dpdk_append_sw_stats(const struct ef_dpdk_dev *,
                             struct netdev_custom_stats *);
/* How many packets we dropped ourselves, of any port kind, for whatever
 * reason; needs dev.mutex. */
void ef_dpdk_sum_drops(const struct ef_dpdk_dev *, uint64_t *rx, uint64_t *tx);

/* ethdev-status. */
int ef_ethdev_get_status(const struct netdev *, struct smap *);
ef_get_speed_func ef_ethdev_get_speed;
int ef_ethdev_get_features(const struct netdev *, enum netdev_features *,
                           enum netdev_features *, enum netdev_features *,
                           enum netdev_features *);
int ef_ethdev_get_carrier(const struct netdev *, bool *);
int ef_ethdev_set_etheraddr(struct netdev *, const struct eth_addr);
int ef_ethdev_update_flags(struct netdev *, enum netdev_flags off,
                           enum netdev_flags on, enum netdev_flags *oldp);
/* Needs dev.mutex: reads the link, tells whoever watches if it changed. */
void ef_ethdev_check_link(struct ef_ethdev *);

/* link-watch: starts the thread, once. */
void ef_link_watch_start(void);

/* ethdev-commands: registers them, once. */
void ef_ethdev_commands_init(void);

#endif /* dpdk/ethdev.h */
