/* SPDX-License-Identifier: Apache-2.0 */

/* Receive queues of net_ef_tx: UDP at a fixed rate, in buffers of the pool,
 * and what the other end of a wire sends.
 *
 * The thread that has the queue. */

#include <config.h>

#include "net_ef_tx.h"
#include "wire.h"

#include <errno.h>

#include <rte_arp.h>
#include <rte_cycles.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_prefetch.h>
#include <rte_udp.h>

/* Addresses and ports of so many flows. */
#define N_FLOWS 64
/* Packets that one call gives. */
#define MAX_BURST 64
/* Packets between a prefetch and its use: less than half of any ring. */
#define AHEAD 8

/* A frame's beginning, in one cache line; the rest is not written. */
struct ef_rx_frame {
    struct rte_ether_hdr eth;
    union {
        struct {
            struct rte_ipv4_hdr ip;
            struct rte_udp_hdr udp;
        };
        struct rte_arp_hdr arp;
        uint8_t padding[64 - sizeof(struct rte_ether_hdr)];
    };
};

static const struct rte_ether_addr our_mac = { { 2, 0xef, 0, 0, 0, 1 } };

static void
make_frame(struct ef_rx_frame *f, unsigned size, unsigned flow)
{
    unsigned ip_size = size - sizeof f->eth;

    memset(f, 0, sizeof *f);
    f->eth.dst_addr = (struct rte_ether_addr) { { 2, 0xef, 0, 0, 0, 2 } };
    f->eth.src_addr = our_mac;
    f->eth.ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
    f->ip.version_ihl = 0x45;
    f->ip.total_length = rte_cpu_to_be_16(ip_size);
    f->ip.time_to_live = 64;
    f->ip.next_proto_id = IPPROTO_UDP;
    f->ip.src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 99, 0, 1));
    f->ip.dst_addr = rte_cpu_to_be_32(RTE_IPV4(10, 99, 0, 2));
    f->ip.hdr_checksum = rte_ipv4_cksum(&f->ip);
    f->udp.src_port = rte_cpu_to_be_16(1024 + flow);
    f->udp.dst_port = rte_cpu_to_be_16(9);
    f->udp.dgram_len = rte_cpu_to_be_16(ip_size - sizeof f->ip);
}

/* Of any size: each is at least an ARP's. */
static void
make_arp(struct ef_rx_frame *f)
{
    memset(f, 0, sizeof *f);
    memset(&f->eth.dst_addr, 0xff, sizeof f->eth.dst_addr);
    f->eth.src_addr = our_mac;
    f->eth.ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_ARP);
    f->arp.arp_hardware = rte_cpu_to_be_16(RTE_ARP_HRD_ETHER);
    f->arp.arp_protocol = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
    f->arp.arp_hlen = sizeof f->arp.arp_data.arp_sha;
    f->arp.arp_plen = sizeof f->arp.arp_data.arp_sip;
    f->arp.arp_opcode = rte_cpu_to_be_16(RTE_ARP_OP_REQUEST);
}

static void
make_frames(struct ef_rx_queue *q, unsigned size)
{
    for (unsigned i = 0; i < N_FLOWS; i++) {
        make_frame(&q->made[i], size, i);
    }
    make_arp(&q->made[N_FLOWS]);
    q->size_made = size;
}

/* Which packets are ARPs is decided by when they come, lost ones included. */
static bool
is_arp(const struct ef_rx_queue *q)
{
    return q->arp_interval
           && !((q->n_made + q->counts.n_lost) % q->arp_interval);
}

static void
set_source(struct ef_rx_frame *f, uint32_t i)
{
    f->ip.src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, 0) + i);
    f->ip.hdr_checksum = 0;
    f->ip.hdr_checksum = rte_ipv4_cksum(&f->ip);
}

/* Writes the next packet of the rate. */
static void
write_frame(struct ef_rx_queue *q, struct ef_rx_frame *f)
{
    if (is_arp(q)) {
        *f = q->made[N_FLOWS];
    } else {
        *f = q->made[q->n_made % N_FLOWS];
        if (q->n_sources) {
            set_source(f, q->n_made % q->n_sources);
        }
    }
    q->n_made++;
}

/* How many packets of the rate have come by now, at most a ring full; more
 * are lost. */
static unsigned
n_due(struct ef_rx_queue *q)
{
    uint32_t rate = ef_tx_get(&q->control->rx_rate);
    uint64_t now = rte_rdtsc();
    uint64_t n;

    if (rate != q->rate) {
        q->rate = rate;
        q->spacing = rate ? RTE_MAX(rte_get_tsc_hz() / rate, UINT64_C(1)) : 0;
        q->next_tsc = now;
    }
    if (!rate || now < q->next_tsc) {
        return 0;
    }
    n = (now - q->next_tsc) / q->spacing + 1;
    if (n > q->size) {
        uint64_t n_lost = n - q->size;

        q->counts.n_lost += n_lost;
        q->next_tsc += n_lost * q->spacing;
        n = q->size;
    }
    return n;
}

/* Buffers for at most 'n' packets of the rate.  Returns how many there are: no
 * packet leaves the ring before there is a buffer instead. */
static unsigned
get_fresh(struct ef_rx_queue *q, struct rte_mbuf **fresh, unsigned n)
{
    if (n && rte_pktmbuf_alloc_bulk(q->pool, fresh, n)) {
        q->n_no_buffer++;
        return 0;
    }
    return n;
}

/* The next packet of the rate; 'fresh' takes its place. */
static struct rte_mbuf *
take_made(struct ef_rx_queue *q, struct rte_mbuf *fresh)
{
    struct rte_mbuf *mbuf = q->mbufs[q->next];

    /* A NIC writes while the processor does something else. */
    rte_prefetch0(q->mbufs[(q->next + 2 * AHEAD) % q->size]);
    rte_prefetch0(rte_pktmbuf_mtod(q->mbufs[(q->next + AHEAD) % q->size],
                                   void *));
    q->mbufs[q->next] = fresh;
    q->next = q->next + 1 == q->size ? 0 : q->next + 1;
    write_frame(q, rte_pktmbuf_mtod(mbuf, struct ef_rx_frame *));
    mbuf->data_len = mbuf->pkt_len = q->size_made;
    q->next_tsc += q->spacing;
    return mbuf;
}

static uint16_t
take_packets(struct ef_rx_queue *q, struct rte_mbuf **mbufs, uint16_t n)
{
    struct rte_mbuf *fresh[MAX_BURST];
    unsigned n_fresh = get_fresh(q, fresh, RTE_MIN(n_due(q), n));
    bool wired = q->wire && !ef_wire_is_empty(q->wire);
    unsigned n_used = 0;
    uint16_t i;

    for (i = 0; i < n; i++) {
        struct rte_mbuf *mbuf = NULL;

        if (wired) {
            mbuf = ef_wire_take(q->wire, n_used < n_fresh ? q->next_tsc
                                                          : UINT64_MAX);
        }
        if (!mbuf && n_used < n_fresh) {
            mbuf = take_made(q, fresh[n_used++]);
        }
        if (!mbuf) {
            break;
        }
        mbuf->port = q->port_id;
        mbufs[i] = mbuf;
        q->counts.n_bytes += mbuf->pkt_len;
    }
    if (n_used < n_fresh) {
        rte_pktmbuf_free_bulk(fresh + n_used, n_fresh - n_used);
    }
    return i;
}

uint16_t
ef_rx_burst(void *rxq, struct rte_mbuf **mbufs, uint16_t n)
{
    struct ef_rx_queue *q = rxq;
    unsigned size = RTE_MIN(ef_tx_get(&q->control->rx_size), 1514u);

    size = RTE_MAX(size, 60u);
    if (size != q->size_made) {
        make_frames(q, size);
    }
    n = take_packets(q, mbufs, RTE_MIN(n, MAX_BURST));
    if (q->wire) {
        ef_wire_tell(q->wire, q->next_tsc, q->spacing, q->size);
    }
    q->counts.n_packets += n;
    return n;
}

int
ef_rx_status(void *rxq, uint16_t offset)
{
    struct ef_rx_queue *q = rxq;

    if (offset >= q->size) {
        return -EINVAL;
    }
    return offset < n_due(q) ? RTE_ETH_RX_DESC_DONE : RTE_ETH_RX_DESC_AVAIL;
}

/* Set-up. */

struct ef_rx_queue *
ef_rx_queue_create(uint16_t size, int socket_id)
{
    struct ef_rx_queue *q = rte_zmalloc_socket("ef_rxq", sizeof *q, 64,
                                               socket_id);

    if (q) {
        q->size = size;
        q->mbufs = rte_zmalloc("ef_rxq", size * sizeof *q->mbufs, 64);
        q->made = rte_zmalloc("ef_rxq", (N_FLOWS + 1) * sizeof *q->made,
                              64);
        if (!q->mbufs || !q->made) {
            ef_rx_queue_destroy(q);
            return NULL;
        }
    }
    return q;
}

int
ef_rx_queue_fill(struct ef_rx_queue *q)
{
    for (unsigned i = 0; i < q->size; i++) {
        q->mbufs[i] = rte_pktmbuf_alloc(q->pool);
        if (!q->mbufs[i]) {
            ef_rx_queue_empty(q);
            return ENOMEM;
        }
    }
    q->next = 0;
    q->rate = 0;
    return 0;
}

void
ef_rx_queue_empty(struct ef_rx_queue *q)
{
    for (unsigned i = 0; i < q->size; i++) {
        rte_pktmbuf_free(q->mbufs[i]);
        q->mbufs[i] = NULL;
    }
    while (q->wire && !ef_wire_is_empty(q->wire)) {
        rte_pktmbuf_free(ef_wire_take(q->wire, UINT64_MAX));
    }
}

void
ef_rx_queue_destroy(struct ef_rx_queue *q)
{
    if (q) {
        rte_free(q->made);
        rte_free(q->mbufs);
        rte_free(q);
    }
}
