/* SPDX-License-Identifier: Apache-2.0 */

/* Transmit thresholds: what values mean, which break a rule, which are
 * proposed. */

#include <config.h>

#include "dpdk/tx-threshold.h"

#include <limits.h>

#include "ef-test.h"
#include "util.h"

#define NOT_A_NUMBER "must be driver or a number from 1"
#define NOT_BELOW "must be below the size of the ring, n_txq_desc"

EF_TEST(values)
{
    static const struct {
        const char *value;
        const char *rule;
        int thresh;             /* 77: as it was. */
    } table[] = {
        { "driver", NULL, EF_TX_THRESH_DRIVER },
        { "1", NULL, 1 },
        { "0032", NULL, 32 },
        { "4096", NULL, 4096 },
        { "2147483647", NULL, INT_MAX },
        { "2147483648", NULL, INT_MAX },
        { "99999999999999999999", NULL, INT_MAX },
        { "", NOT_A_NUMBER, 77 },
        { "0", NOT_A_NUMBER, 77 },
        { "-1", NOT_A_NUMBER, 77 },
        { "+1", NOT_A_NUMBER, 77 },
        { " 1", NOT_A_NUMBER, 77 },
        { "1 ", NOT_A_NUMBER, 77 },
        { "0x20", NOT_A_NUMBER, 77 },
        { "1e3", NOT_A_NUMBER, 77 },
        { "Driver", NOT_A_NUMBER, 77 },
        { "drivers", NOT_A_NUMBER, 77 },
        { "auto", NOT_A_NUMBER, 77 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        int thresh = 77;

        EF_CHECK_STR_EQ(ef_tx_thresh_parse(table[i].value, &thresh),
                        table[i].rule);
        EF_CHECK_EQ(thresh, table[i].thresh);
    }
}

EF_TEST(below_the_ring)
{
    static const struct {
        int free_thresh, rs_thresh, ring_size;
        const char *key;        /* NULL: fine. */
    } table[] = {
        { 0, 0, 1, NULL },
        { 511, 511, 512, NULL },
        { 512, 0, 512, "tx-free-thresh" },
        { 0, 512, 512, "tx-rs-thresh" },
        { INT_MAX, INT_MAX, 4096, "tx-free-thresh" },
        { 1, 1, 1, "tx-free-thresh" },
        { 32, 513, 512, "tx-rs-thresh" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        const char *key = "none";
        const char *rule;

        rule = ef_tx_thresh_check(table[i].free_thresh, table[i].rs_thresh,
                                  table[i].ring_size, &key);
        EF_CHECK_STR_EQ(key, table[i].key);
        EF_CHECK_STR_EQ(rule, table[i].key ? NOT_BELOW : NULL);
    }
}

/* What waits at most, by DPDK's definition: all but the free ones when the
 * driver looks, the burst that it is given then, and what comes after the last
 * descriptor that is reported. */
static int
n_waiting(int ring_size, int burst, int free_thresh, int rs_thresh)
{
    return ring_size - free_thresh + burst + rs_thresh - 1;
}

EF_TEST(proposals)
{
    for (int ring_size = 64; ring_size <= 4096; ring_size *= 2) {
        for (unsigned burst = 0; burst <= 64; burst++) {
            int n = burst ? burst : 32;
            int free_thresh, rs_thresh;

            ef_tx_thresh_propose(ring_size, burst, &free_thresh, &rs_thresh);
            EF_CHECK(rs_thresh >= 1 && rs_thresh <= MAX(n, 8));
            EF_CHECK_EQ(ring_size % rs_thresh, 0);
            EF_CHECK_EQ(free_thresh % rs_thresh, 0);
            EF_CHECK(rs_thresh <= free_thresh && free_thresh < ring_size - 3);
            if (16 * n <= ring_size) {
                EF_CHECK(n_waiting(ring_size, n, free_thresh, rs_thresh)
                         < ring_size / 4);
                EF_CHECK(rs_thresh * 2 > n);
            }
        }
    }
}

EF_TEST(nothing_to_propose)
{
    static const int rings[] = { 0, 1, 32, 63, 1000, 4095 };

    for (size_t i = 0; i < ARRAY_SIZE(rings); i++) {
        int free_thresh = 77, rs_thresh = 77;

        ef_tx_thresh_propose(rings[i], 32, &free_thresh, &rs_thresh);
        EF_CHECK_EQ(free_thresh, 0);
        EF_CHECK_EQ(rs_thresh, 0);
    }
}

EF_TEST_MUST_FAIL(planted_fault)
{
    int thresh = 77;

    EF_CHECK_STR_EQ(ef_tx_thresh_parse("0", &thresh), NULL);
}
