/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal digits: what is taken, what is left, what is too large. */

#include <config.h>

#include "core/digits.h"

#include "ef-test.h"

#define NOTHING 4711u           /* A value that must not be overwritten. */

/* Returns what is left of 's', whose number goes to 'value'. */
static const char *
take(const char *s, uint64_t max, uint64_t *value)
{
    const char *rest = s;

    *value = NOTHING;
    if (!ef_digits_take(&rest, max, value)) {
        EF_CHECK(rest == s);
        EF_CHECK_EQ(*value, NOTHING);
        return NULL;
    }
    return rest;
}

static void
check_taken(const char *s, uint64_t max, uint64_t expected, const char *rest)
{
    uint64_t value;
    const char *left = take(s, max, &value);

    EF_REQUIRE(left);
    EF_CHECK_EQ(value, expected);
    EF_CHECK(!strcmp(left, rest));
}

EF_TEST(digits_are_taken_and_the_rest_is_left)
{
    check_taken("0", 0, 0, "");
    check_taken("42", 42, 42, "");
    check_taken("1500:1", 9702, 1500, ":1");
    check_taken("00012,7", 12, 12, ",7");
    check_taken("7 ", 10, 7, " ");
    check_taken("0x10", 10, 0, "x10");
    check_taken("18446744073709551615", UINT64_MAX, UINT64_MAX, "");
    check_taken("000018446744073709551615", UINT64_MAX, UINT64_MAX, "");
}

EF_TEST(else_nothing_is_taken)
{
    static const char *const not_digits[] = { "", " 1", "-1", "+1", "x", ":" };
    uint64_t value;

    for (size_t i = 0; i < ARRAY_SIZE(not_digits); i++) {
        EF_CHECK(!take(not_digits[i], UINT64_MAX, &value));
    }
    EF_CHECK(!take("43", 42, &value));
    EF_CHECK(!take("9", 8, &value));
    EF_CHECK(!take("1", 0, &value));
    EF_CHECK(!take("18446744073709551616", UINT64_MAX, &value));
    EF_CHECK(!take("99999999999999999999999", UINT64_MAX, &value));
    /* 2**64 + 5, which would look like 5 if it wrapped. */
    EF_CHECK(!take("18446744073709551621", 10, &value));
}

/* Each number from 0 to 'max' is taken, and the next ones are not. */
EF_TEST(bounds_hold_for_each_maximum)
{
    for (unsigned max = 0; max < 130; max++) {
        for (unsigned n = 0; n < 1300; n++) {
            char *s = xasprintf("%u", n);
            uint64_t value;

            EF_CHECK_EQ(take(s, max, &value) != NULL, n <= max);
            EF_CHECK_EQ(value, n <= max ? n : NOTHING);
            free(s);
        }
    }
}

EF_TEST(whole_means_nothing_else)
{
    uint64_t value = NOTHING;

    EF_CHECK(!ef_digits_whole("12a", 100, &value));
    EF_CHECK(!ef_digits_whole("12 ", 100, &value));
    EF_CHECK(!ef_digits_whole("", 100, &value));
    EF_CHECK(!ef_digits_whole("101", 100, &value));
    EF_CHECK_EQ(value, NOTHING);
    EF_CHECK(ef_digits_whole("100", 100, &value));
    EF_CHECK_EQ(value, 100u);
}

EF_TEST_MUST_FAIL(planted_leading_space)
{
    check_taken(" 1", 10, 1, "");
}
