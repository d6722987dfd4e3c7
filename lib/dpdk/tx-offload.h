/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_OFFLOAD_H
#define EF_DPDK_TX_OFFLOAD_H 1

/* Checksums and TCP segmentation that a packet asks its driver for.
 *
 * A packet asks by mbuf.ol_flags; whoever forwarded it may have changed its
 * headers since, so only what the headers say now counts.  What the driver
 * announces, it is asked for, with lengths taken from the packet's own
 * offsets; other checksums are computed here; what cannot be right on the
 * wire (fragments, tunnels, headers cut short) is refused.
 *
 * The same bytes leave either way: whoever asks for a checksum of layer 4
 * over IPv4 gets that of the IP header too, since conntrack leaves it stale
 * in packets that are marked for an offload.
 *
 * Threads: whoever has the tx queue; no state. */

#include <stdbool.h>
#include <stdint.h>

struct dp_packet;

/* Where the headers of a TCP, UDP or SCTP packet are. */
struct ef_tx_headers {
    uint16_t l3_ofs;            /* Length of what is before: L2, VLANs. */
    uint16_t l4_ofs;
    uint16_t l4_len;            /* Header, with options. */
    uint8_t l4_proto;           /* IPPROTO_*. */
    bool is_ipv6;
    bool has_extensions;        /* IPv6 extension headers. */
    uint32_t end;               /* Of the IP packet; padding may follow. */
};

/* Returns false if 'packet' is not a whole packet of protocol 'l4_proto'
 * whose checksum can be told. */
bool ef_tx_headers_get(const struct dp_packet *, uint8_t l4_proto,
                       struct ef_tx_headers *);

/* The checksums of 'packet', all bytes of which are in place: asks the driver
 * for what 'hw_offloads' (RTE_ETH_TX_OFFLOAD_*) has, and does the rest. */
void ef_tx_checksums(struct dp_packet *, const struct ef_tx_headers *,
                     uint64_t hw_offloads);

enum ef_tx_verdict {
    EF_TX_SEND,                 /* Ready for the driver. */
    EF_TX_SEGMENT,              /* To be segmented in software. */
    EF_TX_REFUSE,               /* Asks for what cannot be done. */
};

/* What of the port decides. */
struct ef_tx_limits {
    uint64_t hw_offloads;
    int mtu;
    int max_frame;
};

/* Does, or asks the driver for, all that 'packet' asks for.  One to be
 * segmented in software stays marked so, with the payload of each segment in
 * mbuf.tso_segsz; ef_tx_is_to_be_segmented() tells such. */
enum ef_tx_verdict ef_tx_offload(struct dp_packet *,
                                 const struct ef_tx_limits *);
bool ef_tx_is_to_be_segmented(const struct dp_packet *);

#endif /* dpdk/tx-offload.h */
