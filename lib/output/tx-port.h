/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_OUTPUT_TX_PORT_H
#define EF_OUTPUT_TX_PORT_H 1

/* Output side of one instance: a batch for each port, and when it is sent.
 *
 * Packets wait in a port's batch until it is full, until the port's policy has
 * it sent (output/tx-policy.h), or until the instance flushes all.  A batch
 * holds packets of one kind (heap or DPDK memory) only, because drivers look
 * at the first one only.  A port with classes has a batch for each, so that
 * urgent packets do not wait with the others; within a class order is kept.
 *
 * Ports with packets are linked into 'waiting'; a port is there if and only if
 * its batch is not empty, so ef_output_flush() finds every packet without
 * looking at ports that have none.
 *
 * The owner of the instance owns everything here.  The ports themselves
 * belong to the main thread.  Each reload of the instance calls
 * ef_output_set_ports(), after which nothing here refers to a port that is
 * not in the new list, nor to any rx queue.
 *
 *     ef_output_received(out, ticks);                 a receive batch
 *     ef_output_packets(out, batch, port_no, rxq, now_us);
 *     ...
 *     ef_output_polled(out, ticks, n, burst);         it is dealt with
 *     ef_output_flush(out, now_us, false);            each iteration */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/params.h"
#include "dp-packet.h"
#include "dpdk/qos-batching.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"
#include "output/hold.h"
#include "port/port.h"
#include "stats/latency.h"
#include "stats/pmd-perf.h"

/* When a batch is sent. */
enum ef_tx_policy {
    EF_TX_INTERVAL,             /* So long after the one before. */
    EF_TX_AT_ONCE,              /* After each receive batch. */
    EF_TX_HOLD,                 /* When ef_hold_waits() says so. */
};

/* Packets for a port. */
struct ef_tx_batch {
    struct ovs_list waiting;    /* In ef_output's 'waiting', if not empty. */
    struct ef_tx_port *tx;
    unsigned class;             /* For stats/latency.h: 0 of the port, N + 1 of
                                 * its queue N, EF_TX_SMALL + 1. */
    long long flush_time_us;    /* EF_TX_INTERVAL: when it has to go. */
    enum ef_tx_policy policy;
    bool is_urgent;             /* Sent before what else waits. */
    struct ef_hold hold;        /* EF_TX_HOLD; 'limit': always. */
    struct dp_packet_batch packets;
    struct ef_rxq *rxqs[NETDEV_MAX_BURST]; /* Who pays for each packet. */
    struct ef_latency_batch latency;
};

/* Classes of a port: the queues of its QoS, and one for small packets if there
 * is no QoS. */
enum { EF_TX_SMALL = EF_BATCHING_CLASSES, EF_TX_N_CLASSES };

struct ef_tx_classes {
    uint32_t small_packet;      /* Bytes up to which packets are urgent. */
    struct ef_tx_batch *urgent; /* The batch of those. */
    /* By the packet's queue: one of 'batches', or the port's own. */
    struct ef_tx_batch *by_queue[EF_BATCHING_CLASSES];
    struct ef_tx_batch batches[EF_TX_N_CLASSES];
};

/* Ports in ef_output's direct-mapped cache; a power of 2. */
#define EF_OUTPUT_CACHE_SIZE 64

struct ef_tx_port {
    struct hmap_node node;      /* In 'send' or 'tunnel' of ef_output. */
    odp_port_t port_no;
    enum ef_txq_mode txq_mode;  /* The port's when it was handed over. */
    struct ef_port *port;
    bool is_watched;            /* Sent packets are to be looked after. */
    struct ovs_list watched;    /* In ef_output's 'watched', if so. */

    bool is_full;               /* Above 'tx-watermark' after the last batch
                                 * of a policy EF_TX_HOLD. */
    bool has_classes;           /* Some packets do not go to 'batch'. */
    struct ef_tx_batch batch;   /* Of what has no class of its own. */
    struct ef_tx_classes *classes; /* If it ever had some. */

    /* Choice of the tx queue. */
    int txq;                    /* EF_TXQ_XPS: current queue, -1: none. */
    long long last_used_us;     /* EF_TXQ_XPS. */
    struct dp_packet_batch *txq_batches; /* EF_TXQ_HASH: one per queue. */
    int n_txq;                  /* Elements in 'txq_batches'. */
};

struct ef_output {
    const struct ef_params *params;
    struct pmd_perf_stats *perf;
    unsigned core_id;           /* For the log. */
    bool may_hold;              /* The loop comes back by itself. */
    uint32_t static_txq;        /* Our queue on EF_TXQ_STATIC ports. */
    unsigned n_batches;         /* In 'waiting'. */
    unsigned n_holding;         /* Batches of policy EF_TX_HOLD. */
    bool had_waiting;           /* When the last receive batch came. */
    uint32_t policy_seq;        /* Of the params that are in force here. */
    uint64_t now;               /* Ticks. */
    struct ef_hold_load load;
    struct ef_latency latency;
    long long next_idle_us;     /* When ef_output_idle() has to do something.
                                 */
    uint32_t idle_txq;          /* The shared queue that is looked at next. */
    struct ovs_list waiting;    /* "struct ef_tx_batch"es with packets, the
                                 * one that waits longest first. */
    struct ovs_list watched;    /* Those of 'send' that are watched. */
    /* By the low bits of 'port_no'; null or any such port of 'send'. */
    struct ef_tx_port *cache[EF_OUTPUT_CACHE_SIZE];
    struct hmap send;           /* "struct ef_tx_port"s that can send. */
    struct hmap tunnel;         /* Those that push and pop headers. */
};

/* 'may_hold': the owner calls ef_output_flush() all the time, without a sleep
 * while packets wait; else nothing is held but for 'tx-flush-interval'. */
void ef_output_init(struct ef_output *, const struct ef_params *,
                    struct pmd_perf_stats *, unsigned core_id, bool may_hold);
/* Sends what waits, and frees. */
void ef_output_destroy(struct ef_output *, long long now_us);

/* Sends what waits, gives back tx queues, and replaces the ports.  A port
 * without tx queues cannot be sent to; one that has tunnel push and pop is in
 * 'tunnel'. */
void ef_output_set_ports(struct ef_output *, struct ef_port *const ports[],
                         size_t n, long long now_us);

/* A receive batch was there at 'ticks' and is about to be dealt with. */
static inline void
ef_output_received(struct ef_output *out, uint64_t ticks)
{
    out->now = ticks;
    out->had_waiting = out->n_batches;
}

/* A receive queue gave 'n' packets of at most 'burst', which were dealt with
 * by 'ticks'; or no queue gave any, and 'n' is 0. */
static inline void
ef_output_polled(struct ef_output *out, uint64_t ticks, unsigned n,
                 unsigned burst)
{
    out->now = ticks;
    if (OVS_UNLIKELY(out->n_holding)) {
        ef_hold_polled(&out->load, ticks, n, burst, out->had_waiting);
    }
}

/* The owner did something else until 'ticks', as to sleep. */
static inline void
ef_output_paused(struct ef_output *out, uint64_t ticks)
{
    out->now = ticks;
    ef_hold_load_skip(&out->load, ticks);
}

/* Takes the packets of 'batch', which becomes empty, and queues them to
 * 'port_no'.  The caller has cut them to length already
 * (dp_packet_batch_apply_cutlen()).  'rxq' (may be null) is charged for the
 * cycles of sending.  Returns false, having taken nothing, if there is no such
 * port. */
bool ef_output_packets(struct ef_output *, struct dp_packet_batch *batch,
                       odp_port_t port_no, struct ef_rxq *rxq,
                       long long now_us);

/* Sends the batches that are due, or all with 'force'.  Returns the number
 * of packets. */
int ef_output_flush(struct ef_output *, long long now_us, bool force);

/* EF_TXQ_XPS: gives back queues that were not used for half a second. */
void ef_output_xps_expire(struct ef_output *, long long now_us);

/* About once a millisecond: looks after packets that were sent before, on
 * ports that want it, whether any are being sent or not.  Shared queues are
 * taken in turns, unless another thread has them. */
#define EF_OUTPUT_IDLE_US 1000
void ef_output_idle(struct ef_output *, long long now_us);

static inline bool
ef_output_is_idle_due(const struct ef_output *out, long long now_us)
{
    return now_us >= out->next_idle_us;
}

/* Returns the tunnel port 'port_no' or NULL. */
struct ef_port *ef_output_find_tunnel(const struct ef_output *,
                                      odp_port_t port_no);

#endif /* output/tx-port.h */
