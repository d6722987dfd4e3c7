/* SPDX-License-Identifier: Apache-2.0 */

/* Ingress policing, and the token bucket that policers share. */

#include <config.h>

#include "dpdk/policer.h"

#include "dpdk/rate-limit.h"
#include "ef-test.h"
#include "pool-fixture.h"

#define N 200

/* Runs 'n' packets of 'size' bytes and returns how many pass. */
static size_t
run(struct ef_policer *policer, size_t n, uint16_t size)
{
    struct rte_mbuf *pkts[N];
    size_t n_kept;

    if (!EF_CHECK(make_packets(pkts, n, size))) {
        return 0;
    }
    n_kept = ef_policer_run(policer, pkts, n);
    EF_CHECK_EQ(n_packets_out(), n_kept);
    rte_pktmbuf_free_bulk(pkts, n_kept);
    return n_kept;
}

EF_TEST(burst_passes_and_the_rest_is_freed)
{
    struct ef_policer *policer;

    EF_REQUIRE(fx_start());
    /* 80 kbit: 10,000 bytes; too slow to fill up meanwhile. */
    policer = ef_policer_create(1, 80);
    EF_REQUIRE(policer != NULL);
    EF_CHECK_EQ(run(policer, N, 114), 100u);
    EF_CHECK_EQ(run(policer, 1, 114), 0u);
    ef_policer_destroy(policer);
}

EF_TEST(ethernet_header_is_not_counted)
{
    struct ef_policer *policer;

    EF_REQUIRE(fx_start());
    policer = ef_policer_create(1, 8);
    EF_REQUIRE(policer != NULL);
    EF_CHECK_EQ(run(policer, 1, 1014), 1u);
    EF_CHECK_EQ(run(policer, 1, 15), 0u);
    /* Nothing but (a part of) the header is free of charge. */
    EF_CHECK_EQ(run(policer, 1, 14), 1u);
    EF_CHECK_EQ(run(policer, 1, 5), 1u);
    ef_policer_destroy(policer);
}

EF_TEST(order_of_packets_stays)
{
    struct ef_policer *policer;
    struct rte_mbuf *pkts[3], *first, *last;

    EF_REQUIRE(fx_start());
    policer = ef_policer_create(1, 8);
    EF_REQUIRE(policer != NULL && make_packets(pkts, 3, 114));
    rte_pktmbuf_append(pkts[1], 1300);
    first = pkts[0];
    last = pkts[2];
    EF_REQUIRE_EQ(ef_policer_run(policer, pkts, 3), 2u);
    EF_CHECK(pkts[0] == first && pkts[1] == last);
    EF_CHECK_EQ(n_packets_out(), 2u);
    rte_pktmbuf_free_bulk(pkts, 2);
    ef_policer_destroy(policer);
}

EF_TEST(bucket_fills_at_the_rate)
{
    struct ef_policer *policer;

    EF_REQUIRE(fx_start());
    /* 1,000,000 bytes a second: 100 a 0.1 ms. */
    policer = ef_policer_create(8000, 8);
    EF_REQUIRE(policer != NULL);
    EF_CHECK_EQ(run(policer, 1, 1014), 1u);
    xnanosleep(20 * 1000 * 1000);
    EF_CHECK_EQ(run(policer, 2, 914), 1u);
    ef_policer_destroy(policer);
}

EF_TEST(rates_are_taken_or_refused)
{
    struct ef_policer *policer;

    EF_REQUIRE(fx_start());
    EF_CHECK(!ef_policer_create(0, 8));

    policer = ef_policer_create(UINT32_MAX, UINT32_MAX);
    EF_REQUIRE(policer != NULL);
    EF_CHECK_EQ(run(policer, N, 1514), (size_t) N);
    ef_policer_destroy(policer);

    policer = ef_policer_create(1, 0);  /* Burst by default: 1 MB. */
    EF_REQUIRE(policer != NULL);
    EF_CHECK_EQ(run(policer, N, 2000), (size_t) N);
    ef_policer_destroy(policer);
    ef_policer_destroy(NULL);
}

EF_TEST(idle_for_years_at_any_rate)
{
    struct ef_rate_limit limit;
    struct rte_mbuf *pkt;

    EF_REQUIRE(fx_start());
    EF_CHECK_EQ(ef_rate_limit_init(&limit, UINT64_MAX, 0), EINVAL);
    EF_CHECK_EQ(ef_rate_limit_init(&limit, 0, UINT64_MAX), EINVAL);
    EF_REQUIRE_EQ(ef_rate_limit_init(&limit, UINT64_MAX, UINT64_MAX), 0);
    EF_REQUIRE(make_packets(&pkt, 1, 1514));
    for (int i = 0; i < 1000; i++) {
        limit.meter.time -= UINT64_C(1) << 54;      /* 83 days at 2.5 GHz. */
        EF_CHECK_EQ(ef_rate_limit_judge(&limit, &pkt, 1, limit.meter.time
                                        + (UINT64_C(1) << 54)), 1u);
        EF_CHECK(limit.meter.tc > EF_METER_MAX_BURST / 2);
    }
    rte_pktmbuf_free(pkt);
}

/* Planted: a bucket one byte too small. */
EF_TEST_MUST_FAIL(one_byte_short)
{
    struct ef_policer *policer;

    EF_REQUIRE(fx_start());
    policer = ef_policer_create(1, 8);
    EF_CHECK_EQ(run(policer, 1, 1015), 1u);
    ef_policer_destroy(policer);
}
