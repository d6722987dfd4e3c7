/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of the test harness itself: a check that does not hold must be seen.
 *
 * Started by make check; one thread. */

#include <config.h>
#include "ef-test.h"

EF_TEST(checks_that_hold)
{
    EF_CHECK(true);
    EF_CHECK_EQ(2 + 2, 4);
    EF_CHECK_EQ(UINT64_MAX, UINT64_MAX);
    EF_CHECK_STR_EQ("a", "a");
    EF_CHECK_STR_EQ(NULL, NULL);
    EF_CHECK_MEM_EQ("abc", "abd", 2);
}

EF_TEST_MUST_FAIL(wrong_condition)
{
    EF_CHECK(false);
}

EF_TEST_MUST_FAIL(wrong_number)
{
    EF_CHECK_EQ(UINT64_MAX, UINT32_MAX);
}

EF_TEST_MUST_FAIL(wrong_string)
{
    EF_CHECK_STR_EQ("a", NULL);
}

EF_TEST_MUST_FAIL(wrong_byte)
{
    EF_CHECK_MEM_EQ("abc", "abd", 3);
}

static bool reached;

static void
require_false(void)
{
    EF_REQUIRE(false);
    reached = true;
}

EF_TEST_MUST_FAIL(require_ends_the_function)
{
    require_false();
    if (reached) {
        ef_test_n_failed = 0;
    }
}

EF_TEST(seed_makes_runs_equal)
{
    uint32_t first;

    random_set_seed(7);
    first = random_uint32();
    random_set_seed(7);
    EF_CHECK_EQ(first, random_uint32());
}
