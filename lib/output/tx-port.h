/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_OUTPUT_TX_PORT_H
#define EF_OUTPUT_TX_PORT_H 1

/* Output side of one instance: a batch for each port, and when it is sent.
 *
 * Packets wait in a port's batch until it is full, until 'tx-flush-interval'
 * is over, or until the instance flushes.  A batch holds packets of one kind
 * (heap or DPDK memory) only, because drivers look at the first one only.
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
 *     ef_output_packets(out, batch, port_no, rxq, now_us);
 *     ...
 *     ef_output_flush(out, now_us, false);            each iteration */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/params.h"
#include "dp-packet.h"
#include "openvswitch/hmap.h"
#include "openvswitch/list.h"
#include "port/port.h"
#include "stats/pmd-perf.h"

/* Ports in ef_output's direct-mapped cache; a power of 2. */
#define EF_OUTPUT_CACHE_SIZE 64

struct ef_tx_port {
    struct hmap_node node;      /* In 'send' or 'tunnel' of ef_output. */
    odp_port_t port_no;
    enum ef_txq_mode txq_mode;  /* The port's when it was handed over. */
    struct ef_port *port;
    bool is_watched;            /* Sent packets are to be looked after. */
    struct ovs_list watched;    /* In ef_output's 'watched', if so. */

    /* Batch. */
    struct ovs_list waiting;    /* In ef_output's 'waiting', if not empty. */
    long long flush_time_us;    /* When the batch has to go. */
    struct dp_packet_batch batch;
    struct ef_rxq *rxqs[NETDEV_MAX_BURST]; /* Who pays for each packet. */

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
    uint32_t static_txq;        /* Our queue on EF_TXQ_STATIC ports. */
    unsigned n_batches;         /* Ports in 'waiting'. */
    long long next_idle_us;     /* When ef_output_idle() has to do something.
                                 */
    uint32_t idle_txq;          /* The shared queue that is looked at next. */
    struct ovs_list waiting;    /* "struct ef_tx_port"s with packets, the one
                                 * that waits longest first. */
    struct ovs_list watched;    /* Those of 'send' that are watched. */
    /* By the low bits of 'port_no'; null or any such port of 'send'. */
    struct ef_tx_port *cache[EF_OUTPUT_CACHE_SIZE];
    struct hmap send;           /* "struct ef_tx_port"s that can send. */
    struct hmap tunnel;         /* Those that push and pop headers. */
};

void ef_output_init(struct ef_output *, const struct ef_params *,
                    struct pmd_perf_stats *, unsigned core_id);
/* Sends what waits, and frees. */
void ef_output_destroy(struct ef_output *, long long now_us);

/* Sends what waits, gives back tx queues, and replaces the ports.  A port
 * without tx queues cannot be sent to; one that has tunnel push and pop is in
 * 'tunnel'. */
void ef_output_set_ports(struct ef_output *, struct ef_port *const ports[],
                         size_t n, long long now_us);

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
