/* SPDX-License-Identifier: Apache-2.0 */

/* Tests what "per-port-memory", "shared-mempool-config" and "mempool-config"
 * mean. */

#include <config.h>

#include "dpdk/mempool-config.h"

#include "ef-test.h"

EF_TEST(buffers_come_in_units)
{
    /* 1,500 + 26 bytes fit two units of 1,024, and there are 128 before. */
    EF_CHECK_EQ(ef_mempool_buf_size(1500), 2176u);
    EF_CHECK_EQ(ef_mempool_buf_size(68), 1152u);
    EF_CHECK_EQ(ef_mempool_buf_size(2022), 2176u);
    EF_CHECK_EQ(ef_mempool_buf_size(2023), 3200u);
    EF_CHECK_EQ(ef_mempool_buf_size(9000), 9344u);
}

EF_TEST(list_is_parsed)
{
    struct ef_mempool_steps steps;

    EF_CHECK(!ef_mempool_steps_parse("8000, 6000:1,1500=0", &steps));
    EF_REQUIRE_EQ(steps.n, 3u);
    EF_CHECK_EQ(steps.steps[0].mtu, 8000);
    EF_CHECK_EQ(steps.steps[0].socket_id, EF_MEMPOOL_ALL_SOCKETS);
    EF_CHECK_EQ(steps.steps[1].mtu, 6000);
    EF_CHECK_EQ(steps.steps[1].socket_id, 1);
    EF_CHECK_EQ(steps.steps[2].socket_id, 0);
    ef_mempool_steps_clear(&steps);
    EF_CHECK_EQ(steps.n, 0u);

    EF_CHECK(!ef_mempool_steps_parse("", &steps));
    EF_CHECK_EQ(steps.n, 0u);
}

EF_TEST(malformed_lists_are_refused)
{
    static const char *values[] = {
        "x", "-1", "1500,", "1500,,x", "9000,1500:", "1500:x", "1500:-1",
        "1500:0:0", "1500:0x", "64487", "99999999999999999999", "1500;9000",
        ":0", "1500:99999999999999999999", "+5", "0x100",
    };
    struct ef_mempool_steps steps;

    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        bool is_fine = !strcmp(values[i], "1500,");

        if (!EF_CHECK_EQ(!ef_mempool_steps_parse(values[i], &steps),
                         is_fine)) {
            printf("# %s\n", values[i]);
        }
        EF_CHECK_EQ(steps.n, is_fine ? 1u : 0u);
        ef_mempool_steps_clear(&steps);
    }
}

/* The MTU of the step that is taken, or 0. */
static int
fit(const struct ef_mempool_steps *steps, int mtu, int socket_id)
{
    const struct ef_mempool_step *step
        = ef_mempool_steps_fit(steps, mtu, socket_id);

    return step ? step->mtu : 0;
}

EF_TEST(smallest_step_that_holds_is_taken)
{
    struct ef_mempool_steps steps;

    EF_REQUIRE(!ef_mempool_steps_parse("8000,6000:1,1500", &steps));
    EF_CHECK_EQ(fit(&steps, 1500, 0), 1500);
    EF_CHECK_EQ(fit(&steps, 500, 0), 1500);
    EF_CHECK_EQ(fit(&steps, 5000, 0), 8000);
    EF_CHECK_EQ(fit(&steps, 5000, 1), 6000);
    EF_CHECK_EQ(fit(&steps, 7000, 1), 8000);
    /* Longer than the step, but its buffer holds it all the same. */
    EF_CHECK_EQ(fit(&steps, 1800, 0), 1500);
    EF_CHECK_EQ(fit(&steps, 9000, 0), 0);
    ef_mempool_steps_clear(&steps);
    EF_CHECK_EQ(fit(&steps, 700, 0), 0);
}

EF_TEST(per_port_memory_is_true_or_false)
{
    bool per_port = true;

    EF_CHECK(!ef_mempool_per_port_parse(NULL, &per_port));
    EF_CHECK(!per_port);
    EF_CHECK(!ef_mempool_per_port_parse("True", &per_port));
    EF_CHECK(per_port);
    EF_CHECK(!ef_mempool_per_port_parse("false", &per_port));
    EF_CHECK(!per_port);
    per_port = true;
    EF_CHECK(ef_mempool_per_port_parse("yes", &per_port) != NULL);
    EF_CHECK(!per_port);
}

EF_TEST(numbers_of_buffers_are_parsed)
{
    struct ef_mempool_numbers numbers;

    EF_CHECK(!ef_mempool_numbers_parse(NULL, &numbers));
    EF_CHECK_EQ(numbers.n, 0u);
    EF_REQUIRE(!ef_mempool_numbers_parse("a:512,v6-x_y.z:2000000,"
                                         "abcdefghij0123456789:1024",
                                         &numbers));
    EF_CHECK_EQ(numbers.n, 3u);
    EF_CHECK_EQ(ef_mempool_numbers_get(&numbers, "a"), 512u);
    EF_CHECK_EQ(ef_mempool_numbers_get(&numbers, "v6-x_y.z"), 2000000u);
    EF_CHECK_EQ(ef_mempool_numbers_get(&numbers, "v6"), 0u);
    ef_mempool_numbers_clear(&numbers);
}

EF_TEST(malformed_numbers_are_refused)
{
    static const char *values[] = {
        "", "a", "a:", ":512", "a:511", "a:2000001", "a:512,", ",a:512",
        "a:512,,b:512", "a:512,a:512", "a b:512", "a/b:512", "a:0x400",
        "a:-512", "a:+512", "a: 512", "a:512 ", "a:512:512", "a:1e6",
        "abcdefghij01234567890:512", "a:99999999999999999999", "\xc3\xa4:512",
    };
    struct ef_mempool_numbers numbers;

    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        if (!EF_CHECK(ef_mempool_numbers_parse(values[i], &numbers))) {
            printf("# %s\n", values[i]);
        }
        EF_CHECK(!numbers.n && !numbers.pools);
        ef_mempool_numbers_clear(&numbers);
    }
}

EF_TEST_MUST_FAIL(planted_wrong_step)
{
    struct ef_mempool_steps steps;

    EF_REQUIRE(!ef_mempool_steps_parse("9000,1500:1", &steps));
    EF_CHECK_EQ(fit(&steps, 1500, 0), 1500);
    ef_mempool_steps_clear(&steps);
}
