/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_EF_TX_H
#define NET_EF_TX_H 1

/* "net_ef_tx": a device without hardware that completes what it is sent as a
 * NIC does: late, in order, as often as it is asked to report.  For tests.
 *
 *   dpdk-extra="--no-pci -d .../net_ef_tx.so"
 *   options:dpdk-devargs=net_ef_tx0,delay-us=200,rx-rate=100000
 *
 *   delay-us=N   from sending to completion, of a packet alone
 *   rate=N       packets a second that the wire takes; 0: as they come
 *   hold=N       of each N packets one is never returned, until the port stops
 *   stop=1       the wire stands still: nothing completes
 *   rx-rate=N    packets a second received on each queue; 0: none
 *   rx-size=N    their bytes, 60 to 1514, without checksum
 *   rx-arp=N     of each N packets that come one is an ARP request; 0: none
 *   rx-sources=N from N addresses in turn, 10.0.0.0 and so on; 0: from one
 *   count=used   see tx_free_thresh
 *   cleanup=0    no rte_eth_tx_done_cleanup()
 *   queues=N     at most, each way, default 16
 *   wire=N       what is sent, on any queue, comes in at the other device with
 *                this number (0 to 7), on its first queue; see wire.h
 *   control=PATH a file that changes the first six at any time: struct
 *                ef_tx_control, in the machine's byte order, which tests map
 *
 * tx_rs_thresh: each so many descriptors one asks to be reported; what follows
 * the last report is not known to be sent.  tx_free_thresh: a burst first
 * frees what is reported if fewer descriptors than that are free (with
 * count=used, as some drivers have it: if at least that many are used).  They
 * are refused with EINVAL unless free < ring - 3, rs <= free and rs divides
 * the ring.
 *
 * A receive ring is full of the pool's buffers, as a NIC's is, and tells which
 * descriptors are filled.
 *
 * Threads: as any ethdev's; the file's writer, any. */

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

struct ef_rx_frame;
struct ef_wire;

/* The file.  Written by tests, but for the last member. */
struct ef_tx_control {
    uint32_t delay_us;
    uint32_t rate;
    uint32_t hold;
    uint32_t stop;
    uint32_t rx_rate;
    uint32_t rx_size;
    uint32_t n_held;            /* Buffers held now. */
};

/* Buffers of a queue that can be held. */
#define EF_TX_HELD_MAX 8192

struct ef_tx_counts {
    uint64_t n_packets, n_bytes, n_lost;
};

struct ef_tx_queue {
    struct ef_tx_control *control;
    struct ef_wire *wire;       /* Or NULL. */
    /* Counts of descriptors: those before n_done are done by the wire, those
     * before n_freed are free again; n_freed <= n_done <= n_put. */
    uint32_t n_put, n_done, n_freed;
    uint16_t size, free_thresh, rs_thresh;
    bool counts_used;
    uint64_t wire_free_tsc;     /* When the wire can take the next one. */
    uint32_t n_until_hold;
    uint32_t n_held;
    struct rte_mbuf **held;     /* EF_TX_HELD_MAX of them. */
    struct rte_mbuf **mbufs;    /* 'size' of them. */
    uint64_t *done_tsc;         /* Likewise: when each is done. */
    struct ef_tx_counts counts;
};

struct ef_rx_queue {
    struct ef_tx_control *control;
    struct rte_mempool *pool;
    uint16_t port_id;
    uint16_t size, next;
    struct ef_wire *wire;       /* Or NULL. */
    uint32_t rate;              /* That 'next_tsc' was counted with. */
    uint64_t spacing;           /* Ticks between two packets, with 'rate'. */
    uint64_t next_tsc;          /* When the next packet comes. */
    uint32_t n_made;
    uint32_t size_made;         /* Bytes of 'made'. */
    struct ef_rx_frame *made;   /* One of each flow, then an ARP request. */
    uint32_t arp_interval;      /* rx-arp. */
    uint32_t n_sources;         /* rx-sources. */
    struct rte_mbuf **mbufs;    /* 'size' of them. */
    struct ef_tx_counts counts;
    uint64_t n_no_buffer;
};

/* queue-tx */
uint16_t ef_tx_burst(void *txq, struct rte_mbuf **, uint16_t n);
int ef_tx_status(void *txq, uint16_t offset);
int ef_tx_cleanup(void *txq, uint32_t max);
/* NULL without memory. */
struct ef_tx_queue *ef_tx_queue_create(uint16_t size, int socket_id);
void ef_tx_queue_empty(struct ef_tx_queue *);
void ef_tx_queue_destroy(struct ef_tx_queue *);

/* queue-rx */
uint16_t ef_rx_burst(void *rxq, struct rte_mbuf **, uint16_t n);
int ef_rx_status(void *rxq, uint16_t offset);
struct ef_rx_queue *ef_rx_queue_create(uint16_t size, int socket_id);
/* Returns 0 or ENOMEM. */
int ef_rx_queue_fill(struct ef_rx_queue *);
void ef_rx_queue_empty(struct ef_rx_queue *);
void ef_rx_queue_destroy(struct ef_rx_queue *);

static inline uint32_t
ef_tx_get(const uint32_t *member)
{
    /* A stale value is used for one more burst. */
    return __atomic_load_n(member, __ATOMIC_RELAXED);
}

#endif /* net_ef_tx.h */
