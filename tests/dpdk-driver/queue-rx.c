/* SPDX-License-Identifier: Apache-2.0 */

/* Receive queues of net_ef_tx: UDP at a fixed rate, in buffers of the pool.
 *
 * The thread that has the queue. */

#include <config.h>

#include "net_ef_tx.h"

#include <errno.h>

#include <rte_arp.h>
#include <rte_cycles.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_udp.h>

/* Addresses and ports of so many flows. */
#define N_FLOWS 64

struct frame {
    struct rte_ether_hdr eth;
    struct rte_ipv4_hdr ip;
    struct rte_udp_hdr udp;
};

static void
write_frame(struct rte_mbuf *mbuf, unsigned size, unsigned flow)
{
    struct frame *f = rte_pktmbuf_mtod(mbuf, struct frame *);
    unsigned ip_size = size - sizeof f->eth;

    memset(f, 0, size);
    f->eth.dst_addr = (struct rte_ether_addr) { { 2, 0xef, 0, 0, 0, 2 } };
    f->eth.src_addr = (struct rte_ether_addr) { { 2, 0xef, 0, 0, 0, 1 } };
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
    mbuf->data_len = mbuf->pkt_len = size;
}

/* Of the same size, which is at least an ARP's. */
static void
write_arp(struct rte_mbuf *mbuf, unsigned size)
{
    struct rte_ether_hdr *eth = rte_pktmbuf_mtod(mbuf, struct rte_ether_hdr *);
    struct rte_arp_hdr *arp = (struct rte_arp_hdr *) (eth + 1);

    memset(eth, 0, size);
    memset(&eth->dst_addr, 0xff, sizeof eth->dst_addr);
    eth->src_addr = (struct rte_ether_addr) { { 2, 0xef, 0, 0, 0, 1 } };
    eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_ARP);
    arp->arp_hardware = rte_cpu_to_be_16(RTE_ARP_HRD_ETHER);
    arp->arp_protocol = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
    arp->arp_hlen = sizeof arp->arp_data.arp_sha;
    arp->arp_plen = sizeof arp->arp_data.arp_sip;
    arp->arp_opcode = rte_cpu_to_be_16(RTE_ARP_OP_REQUEST);
    mbuf->data_len = mbuf->pkt_len = size;
}

/* Which packets are ARPs is decided by when they come, lost ones included. */
static bool
is_arp(const struct ef_rx_queue *q)
{
    return q->arp_interval
           && !((q->n_made + q->counts.n_lost) % q->arp_interval);
}

/* How many packets have come by now, at most a ring full; more are lost. */
static unsigned
n_due(struct ef_rx_queue *q)
{
    uint32_t rate = ef_tx_get(&q->control->rx_rate);
    uint64_t now = rte_rdtsc();
    uint64_t spacing, n;

    if (rate != q->rate) {
        q->rate = rate;
        q->next_tsc = now;
    }
    if (!rate || now < q->next_tsc) {
        return 0;
    }
    spacing = RTE_MAX(rte_get_tsc_hz() / rate, UINT64_C(1));
    n = (now - q->next_tsc) / spacing + 1;
    if (n > q->size) {
        uint64_t n_lost = n - q->size;

        q->counts.n_lost += n_lost;
        q->next_tsc += n_lost * spacing;
        n = q->size;
    }
    return n;
}

uint16_t
ef_rx_burst(void *rxq, struct rte_mbuf **mbufs, uint16_t n)
{
    struct ef_rx_queue *q = rxq;
    unsigned size = RTE_MIN(ef_tx_get(&q->control->rx_size), 1514u);
    unsigned i, due = n_due(q);

    size = RTE_MAX(size, 60u);
    n = RTE_MIN(n, due);
    for (i = 0; i < n; i++) {
        /* No packet leaves the ring before there is a buffer instead. */
        struct rte_mbuf *fresh = rte_pktmbuf_alloc(q->pool);
        struct rte_mbuf *mbuf = q->mbufs[q->next];

        if (!fresh) {
            q->n_no_buffer++;
            break;
        }
        q->mbufs[q->next] = fresh;
        q->next = q->next + 1 == q->size ? 0 : q->next + 1;
        if (is_arp(q)) {
            write_arp(mbuf, size);
        } else {
            write_frame(mbuf, size, q->n_made % N_FLOWS);
        }
        q->n_made++;
        mbuf->port = q->port_id;
        mbufs[i] = mbuf;
        q->counts.n_bytes += size;
    }
    if (q->rate) {
        q->next_tsc += i * (rte_get_tsc_hz() / q->rate);
    }
    q->counts.n_packets += i;
    return i;
}

int
ef_rx_status(void *rxq, uint16_t offset)
{
    struct ef_rx_queue *q = rxq;

    return (offset >= q->size ? -EINVAL
            : n_due(q) > offset ? RTE_ETH_RX_DESC_DONE
            : RTE_ETH_RX_DESC_AVAIL);
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
        if (!q->mbufs) {
            rte_free(q);
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
}

void
ef_rx_queue_destroy(struct ef_rx_queue *q)
{
    if (q) {
        rte_free(q->mbufs);
        rte_free(q);
    }
}
