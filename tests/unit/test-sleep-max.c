/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of core/sleep-max.c: lists of times, and what is none. */

#include <config.h>

#include "core/sleep-max.h"

#include "ef-test.h"

static const struct accepted {
    const char *text;
    uint64_t of_0, of_3, of_7;
    bool clipped;
} accepted[] = {
    { "", 0, 0, 0, false },
    { "0", 0, 0, 0, false },
    { "499", 499, 499, 499, false },
    { "10000", 10000, 10000, 10000, false },
    { "10001", 10000, 10000, 10000, true },
    { "18446744073709551615", 10000, 10000, 10000, true },
    { "3:300,0:100,5:400", 100, 300, 0, false },
    { "50,3:300", 50, 300, 50, false },
    { "3:400,200", 200, 400, 200, false },
    { " 50 , 3:300\t7:1\n", 50, 300, 1, false },
    { "50,,3:300,", 50, 300, 50, false },
    { "3:1,3:2", 0, 2, 0, false },
    { "1,2", 2, 2, 2, false },
    { "3:20000", 0, 10000, 0, true },
    { "4294967294:9", 0, 0, 0, false },
};

static const char *const bad_items[] = {
    "a", "-1", "1:", ":1", "1:2:3", "1;2", "0x10", "1.5", "3:x", "3:",
    "4294967295:1", "18446744073709551616",
};

EF_TEST(lists_say_what_each_core_may)
{
    struct ef_sleep_max max = { .default_us = 0 };

    for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
        const struct accepted *a = &accepted[i];
        bool clipped;

        EF_CHECK(ef_sleep_max_parse(&max, a->text, &clipped));
        EF_CHECK_EQ(clipped, a->clipped);
        EF_CHECK_EQ(ef_sleep_max_of(&max, 0), a->of_0);
        EF_CHECK_EQ(ef_sleep_max_of(&max, 3), a->of_3);
        EF_CHECK_EQ(ef_sleep_max_of(&max, 7), a->of_7);
    }
    ef_sleep_max_destroy(&max);
}

/* Among good items. */
static void
check_bad(const char *item)
{
    char *text = xasprintf("%s,7,%s,3:8,%s", item, item, item);
    struct ef_sleep_max max = { .default_us = 1 };
    bool clipped;

    EF_CHECK(!ef_sleep_max_parse(&max, text, &clipped));
    EF_CHECK(!clipped);
    EF_CHECK_EQ(ef_sleep_max_of(&max, 0), 7);
    EF_CHECK_EQ(ef_sleep_max_of(&max, 3), 8);
    EF_CHECK_EQ(max.n_cores, 1);
    ef_sleep_max_destroy(&max);
    free(text);
}

EF_TEST(bad_items_are_passed_over)
{
    for (size_t i = 0; i < ARRAY_SIZE(bad_items); i++) {
        check_bad(bad_items[i]);
    }
}

EF_TEST_MUST_FAIL(good_item_is_passed_over)
{
    check_bad("3:9");
}

static bool
are_equal(const char *a_text, const char *b_text)
{
    struct ef_sleep_max a = { .default_us = 0 };
    struct ef_sleep_max b = { .default_us = 0 };
    bool clipped, equal;

    EF_CHECK(ef_sleep_max_parse(&a, a_text, &clipped));
    EF_CHECK(ef_sleep_max_parse(&b, b_text, &clipped));
    equal = ef_sleep_max_equal(&a, &b);
    EF_CHECK_EQ(ef_sleep_max_equal(&b, &a), equal);
    ef_sleep_max_destroy(&a);
    ef_sleep_max_destroy(&b);
    return equal;
}

EF_TEST(equal_is_the_same_for_every_core)
{
    EF_CHECK(are_equal("", "0"));
    EF_CHECK(are_equal("5,1:5", "5"));
    EF_CHECK(are_equal("1:2,3:4", "3:4,1:2"));
    EF_CHECK(!are_equal("5", "6"));
    EF_CHECK(!are_equal("5", "5,1:6"));
    EF_CHECK(!are_equal("5,1:6", "5,2:6"));
}

EF_TEST(copy_is_its_own)
{
    struct ef_sleep_max a = { .default_us = 0 };
    struct ef_sleep_max b;
    bool clipped;

    EF_CHECK(ef_sleep_max_parse(&a, "5,1:6", &clipped));
    ef_sleep_max_copy(&b, &a);
    EF_CHECK(ef_sleep_max_parse(&a, "7", &clipped));
    EF_CHECK_EQ(ef_sleep_max_of(&b, 1), 6);
    EF_CHECK_EQ(ef_sleep_max_of(&b, 2), 5);
    ef_sleep_max_destroy(&a);
    ef_sleep_max_destroy(&b);
}
