/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_RATE_LIMIT_H
#define EF_DPDK_RATE_LIMIT_H 1

/* One token bucket for packets, DPDK's single-rate three-colour meter
 * (RFC 2697) of which only green packets pass, and what every policer does
 * with the packets that do not.
 *
 * Packets are counted without their Ethernet header, as those of upstream.
 *
 * Threads: the caller excludes others from one bucket. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_meter.h>

#include "util.h"

/* Packets that are judged at a time: bits of the verdict. */
#define EF_RATE_LIMIT_BURST 64

struct ef_rate_limit {
    struct rte_meter_srtcm_profile profile;
    struct rte_meter_srtcm meter;
};

/* Bounds that no link reaches: above them, a meter that was idle for long
 * would overflow its count of bytes. */
#define EF_METER_MAX_RATE UINT64_C(1000000000000)   /* Bytes a second. */
#define EF_METER_MAX_BURST (UINT64_C(1) << 62)      /* Bytes. */

static inline uint32_t
ef_metered_len(const struct rte_mbuf *mbuf)
{
    uint32_t len = rte_pktmbuf_pkt_len(mbuf);

    return len > RTE_ETHER_HDR_LEN ? len - RTE_ETHER_HDR_LEN : 0;
}

/* A full bucket of 'burst' bytes that fills at 'rate' bytes a second.
 * Returns 0, or EINVAL if one is 0. */
static inline int
ef_rate_limit_init(struct ef_rate_limit *limit, uint64_t rate,
                   uint64_t burst)
{
    struct rte_meter_srtcm_params params = {
        .cir = MIN(rate, EF_METER_MAX_RATE),
        .cbs = MIN(burst, EF_METER_MAX_BURST),
    };
    int retval = rte_meter_srtcm_profile_config(&limit->profile, &params);

    return -(retval ? retval : rte_meter_srtcm_config(&limit->meter,
                                                      &limit->profile));
}

/* Returns a bit for each of 'n' packets, at most EF_RATE_LIMIT_BURST, that may
 * pass.  'now' is of the TSC. */
static inline uint64_t
ef_rate_limit_judge(struct ef_rate_limit *limit, struct rte_mbuf **pkts,
                    size_t n, uint64_t now)
{
    uint64_t pass = 0;

    for (size_t i = 0; i < n; i++) {
        if (rte_meter_srtcm_color_blind_check(&limit->meter, &limit->profile,
                                              now, ef_metered_len(pkts[i]))
            == RTE_COLOR_GREEN) {
            pass |= UINT64_C(1) << i;
        }
    }
    return pass;
}

/* Appends those of the 'n' packets 'from' that may pass to the 'n_kept' of
 * 'to', which may be the same array further up, and frees the others.
 * Returns the new number of packets in 'to'. */
static inline size_t
ef_rate_limit_sift(struct rte_mbuf **to, size_t n_kept,
                   struct rte_mbuf **from, size_t n, uint64_t pass)
{
    struct rte_mbuf *drops[EF_RATE_LIMIT_BURST];
    unsigned n_drops = 0;

    for (size_t i = 0; i < n; i++) {
        if (pass & (UINT64_C(1) << i)) {
            to[n_kept++] = from[i];
        } else {
            drops[n_drops++] = from[i];
        }
    }
    if (n_drops) {
        rte_pktmbuf_free_bulk(drops, n_drops);
    }
    return n_kept;
}

#endif /* dpdk/rate-limit.h */
