/* SPDX-License-Identifier: Apache-2.0 */

/* Tests the table of PMDs' lcore ids. */

#include <config.h>

#include "dpdk/lcores.h"

#include <limits.h>

#include <rte_config.h>

#include "ef-test.h"

EF_TEST(entered_lcores_are_found)
{
    unsigned core = 99;

    EF_CHECK_EQ(ef_lcores_n(), 0u);
    EF_CHECK(!ef_lcores_get(0, &core));
    EF_CHECK_EQ(core, 99u);
    ef_lcores_enter(0, 0);
    ef_lcores_enter(RTE_MAX_LCORE - 1, 4000);
    EF_CHECK_EQ(ef_lcores_n(), 2u);
    EF_CHECK(ef_lcores_get(0, &core));
    EF_CHECK_EQ(core, 0u);
    EF_CHECK(ef_lcores_get(RTE_MAX_LCORE - 1, &core));
    EF_CHECK_EQ(core, 4000u);
    EF_CHECK(!ef_lcores_get(1, &core));
    ef_lcores_leave(0);
    ef_lcores_leave(0);
    EF_CHECK(!ef_lcores_get(0, &core));
    ef_lcores_leave(RTE_MAX_LCORE - 1);
    EF_CHECK_EQ(ef_lcores_n(), 0u);
}

EF_TEST(other_numbers_are_nobodys)
{
    unsigned core;

    EF_CHECK(!ef_lcores_get(RTE_MAX_LCORE, &core));
    EF_CHECK(!ef_lcores_get(UINT_MAX, &core));
}

EF_TEST_MUST_FAIL(planted_lcore_of_nobody)
{
    unsigned core;

    EF_CHECK(ef_lcores_get(3, &core));
}
