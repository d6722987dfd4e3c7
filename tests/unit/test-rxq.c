/* SPDX-License-Identifier: Apache-2.0 */

/* Receive queues: the ring of loads, and the parser of pmd-rxq-affinity. */

#include <config.h>

#include "port/rxq.h"

#include <errno.h>
#include <string.h>

#include "ef-test.h"
#include "ovs-numa.h"
#include "util.h"

static struct ef_load
new_load(void)
{
    struct ef_load load;

    memset(&load, 0xff, sizeof load);
    ef_load_reset(&load);
    return load;
}

EF_TEST(load_starts_empty)
{
    struct ef_load load = new_load();

    EF_CHECK_EQ(ef_load_sum(&load, 1), 0);
    EF_CHECK_EQ(ef_load_sum(&load, EF_LOAD_INTERVALS), 0);
}

EF_TEST(load_current_is_not_in_sum)
{
    struct ef_load load = new_load();

    ef_load_add(&load, 5);
    ef_load_add(&load, 7);
    EF_CHECK_EQ(ef_load_sum(&load, EF_LOAD_INTERVALS), 0);

    ef_load_store_interval(&load);
    EF_CHECK_EQ(ef_load_sum(&load, 1), 12);

    /* The next interval begins at 0. */
    ef_load_store_interval(&load);
    EF_CHECK_EQ(ef_load_sum(&load, 1), 0);
    EF_CHECK_EQ(ef_load_sum(&load, 2), 12);
}

EF_TEST(load_sums_newest)
{
    struct ef_load load = new_load();

    for (int i = 0; i < 3; i++) {
        ef_load_store(&load, 1 << i);
    }
    EF_CHECK_EQ(ef_load_sum(&load, 1), 4);
    EF_CHECK_EQ(ef_load_sum(&load, 2), 6);
    EF_CHECK_EQ(ef_load_sum(&load, 3), 7);
    EF_CHECK_EQ(ef_load_sum(&load, EF_LOAD_INTERVALS), 7);
}

EF_TEST(load_ring_wraps)
{
    struct ef_load load = new_load();

    for (int i = 1; i <= 3 * EF_LOAD_INTERVALS + 5; i++) {
        uint64_t all = 0;

        ef_load_store(&load, i);
        for (int j = i; j > 0 && j > i - EF_LOAD_INTERVALS; j--) {
            all += j;
        }
        EF_CHECK_EQ(ef_load_sum(&load, 1), i);
        EF_CHECK_EQ(ef_load_sum(&load, EF_LOAD_INTERVALS), all);
    }
}

/* Planted: the writer does not move on. */
EF_TEST_MUST_FAIL(load_writer_stands_still)
{
    struct ef_load load = new_load();

    ef_load_store(&load, 1);
    atomic_count_set(&load.next, 0);
    ef_load_store(&load, 2);
    EF_CHECK_EQ(ef_load_sum(&load, 2), 3);
}

EF_TEST(load_store_keeps_current)
{
    struct ef_load load = new_load();

    ef_load_add(&load, 3);
    ef_load_store(&load, 100);
    ef_load_store_interval(&load);
    EF_CHECK_EQ(ef_load_sum(&load, 1), 3);
    EF_CHECK_EQ(ef_load_sum(&load, 2), 103);
    ef_load_reset(&load);
    EF_CHECK_EQ(ef_load_sum(&load, EF_LOAD_INTERVALS), 0);
}

#define NONE OVS_CORE_UNSPEC

/* What lists give for two queues. */
static const struct {
    const char *list;
    int error;
    unsigned cores[2];
} affinities[] = {
    { NULL, 0, { NONE, NONE } },
    { "", 0, { NONE, NONE } },
    { " ,\t", 0, { NONE, NONE } },
    { "0:3", 0, { 3, NONE } },
    { "1:8", 0, { NONE, 8 } },
    { "0:3,1:8", 0, { 3, 8 } },
    { "1:8, 0:3", 0, { 3, 8 } },
    { "0:0x10", 0, { 16, NONE } },
    { "0:1,0:2", 0, { 2, NONE } },
    { "2:4,0:1", 0, { 1, NONE } },
    { "4000000:1", 0, { NONE, NONE } },
    { "0", EINVAL, { 0, 0 } },
    { "0:", EINVAL, { 0, 0 } },
    { ":1", EINVAL, { 0, 0 } },
    { "-1:1", EINVAL, { 0, 0 } },
    { "0:-1", EINVAL, { 0, 0 } },
    { "0:x", EINVAL, { 0, 0 } },
    { "x:0", EINVAL, { 0, 0 } },
    { "0:1:2", EINVAL, { 0, 0 } },
    { "0:1,garbage", EINVAL, { 0, 0 } },
    { "0:1.5", EINVAL, { 0, 0 } },
    { "0:99999999999", EINVAL, { 0, 0 } },
    { "99999999999:0", EINVAL, { 0, 0 } },
};

EF_TEST(affinity_parse)
{
    for (size_t i = 0; i < ARRAY_SIZE(affinities); i++) {
        unsigned cores[3] = { 1, 1, 77 };
        int error = ef_rxq_affinity_parse(affinities[i].list, cores, 2);

        EF_CHECK_EQ(error, affinities[i].error);
        if (!error) {
            EF_CHECK_EQ(cores[0], affinities[i].cores[0]);
            EF_CHECK_EQ(cores[1], affinities[i].cores[1]);
        }
        EF_CHECK_EQ(cores[2], 77);
    }
}

EF_TEST(affinity_no_queues)
{
    EF_CHECK(ef_rxq_affinity_parse("0:1", NULL, 0) == 0);
    EF_CHECK(ef_rxq_affinity_parse("0:y", NULL, 0) == EINVAL);
}
