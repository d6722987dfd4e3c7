/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_TESTS_POOL_FIXTURE_H
#define EF_TESTS_POOL_FIXTURE_H 1

/* Packets for policers.
 *
 *     EF_REQUIRE(fx_start());
 *     EF_REQUIRE(make_packets(pkts, n, 64));
 *     ...
 *     EF_CHECK_EQ(n_packets_out(), 0u);
 *
 * Threads: one. */

#include "dpdk-fixture.h"

static struct rte_mempool *fixture_pool;

/* 'n' packets of 'size' bytes each. */
static inline bool
make_packets(struct rte_mbuf **pkts, size_t n, uint16_t size)
{
    if (!fixture_pool) {
        fixture_pool = fx_pool(511, 2048);
    }
    if (rte_pktmbuf_alloc_bulk(fixture_pool, pkts, n)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        struct dp_packet *packet = CONTAINER_OF(pkts[i], struct dp_packet,
                                                mbuf);

        rte_pktmbuf_append(pkts[i], size);
        packet->md.skb_priority = 0;
    }
    return true;
}

static inline unsigned
n_packets_out(void)
{
    return rte_mempool_in_use_count(fixture_pool);
}

#endif /* pool-fixture.h */
