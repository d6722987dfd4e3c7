/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_POLICER_H
#define EF_DPDK_POLICER_H 1

/* Ingress policing of a port: a single-rate three-colour meter (RFC 2697) of
 * which only green packets pass.
 *
 * Threads: created and destroyed by the main thread; run by every PMD that
 * polls the port, which share the bucket under a spin lock held for at most
 * one receive batch. */

#include <stddef.h>
#include <stdint.h>

struct ef_policer;
struct rte_mbuf;

/* 'rate_kbps' in 1,000 bits a second, more than 0; 'burst_kb' in 1,000 bits,
 * 0: 8,000.  Returns NULL if the rate cannot be policed. */
struct ef_policer *ef_policer_create(uint32_t rate_kbps, uint32_t burst_kb);
void ef_policer_destroy(struct ef_policer *);
/* After a grace period: PMDs may be running it. */
void ef_policer_destroy_later(struct ef_policer *);

/* Packet path: frees what is above the rate, moves the rest together.
 * Returns how many of the 'n' packets are left.  Lengths count without the
 * Ethernet header, as those of upstream. */
size_t ef_policer_run(struct ef_policer *, struct rte_mbuf **, size_t n);

#endif /* dpdk/policer.h */
