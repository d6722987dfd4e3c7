/* SPDX-License-Identifier: Apache-2.0 */

/* Tests how large the stores of cores are: what is asked for, what "auto"
 * comes to, and what is too much. */

#include <config.h>

#include "dpdk/cache-size.h"

#include "ef-test.h"

EF_TEST(values_are_parsed)
{
    static const struct {
        const char *value, *text;
    } cases[] = {
        { NULL, "auto" }, { "auto", "auto" }, { "0", "0" }, { "4096", "4096" },
        { "0512", "512" }, { "2:2048", "2:2048" },
        { "3:0,2:4096,10:1", "2:4096,3:0,10:1" }, { "4095:7", "4095:7" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct ef_cache_size size, copy;
        char *text;

        EF_CHECK_STR_EQ(ef_cache_size_parse(cases[i].value, &size), NULL);
        text = ef_cache_size_format(&size);
        EF_CHECK_STR_EQ(text, cases[i].text);
        free(text);
        ef_cache_size_clone(&copy, &size);
        EF_CHECK(ef_cache_size_equal(&copy, &size));
        ef_cache_size_destroy(&copy);
        ef_cache_size_destroy(&size);
    }
}

EF_TEST(malformed_values_are_refused)
{
    static const char *values[] = {
        "", "AUTO", "4097", "-1", "+1", " 1", "1 ", "0x10", "1.5", "1,2", ":",
        "1:", ":1", "1:2,", ",1:2", "1:2,,3:4", "1:2,1:2", "1:4097", "4096:1",
        "1:2:3", "auto:1", "1:auto", "1:2,512", "99999999999999999999",
        "99999999999999999999:1", "1:99999999999999999999", "1:-1", "1: 2",
    };

    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        struct ef_cache_size size;

        if (!EF_CHECK(ef_cache_size_parse(values[i], &size))) {
            printf("# %s\n", values[i]);
        }
        EF_CHECK(size.size == -1 && !size.n_cores && !size.cores);
        ef_cache_size_destroy(&size);
    }
}

EF_TEST(different_sizes_differ)
{
    static const char *values[] = { "auto", "1", "2", "1:1", "1:2", "2:1",
                                    "1:1,2:1" };

    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        for (size_t j = 0; j < ARRAY_SIZE(values); j++) {
            struct ef_cache_size a, b;

            EF_CHECK(!ef_cache_size_parse(values[i], &a));
            EF_CHECK(!ef_cache_size_parse(values[j], &b));
            EF_CHECK_EQ(ef_cache_size_equal(&a, &b), i == j);
            ef_cache_size_destroy(&a);
            ef_cache_size_destroy(&b);
        }
    }
}

/* Size of core 'core' in a pool of 'n_bufs'. */
static unsigned
get(const char *value, unsigned core, unsigned n_bufs, unsigned n_pmds,
    unsigned n_rxq, unsigned n_txq, unsigned tx_free_burst)
{
    struct ef_cache_demand demand = {
        .n_bufs = n_bufs, .n_pmds = n_pmds, .n_rxq = n_rxq, .n_txq = n_txq,
        .burst = 32, .tx_free_burst = tx_free_burst,
    };
    struct ef_cache_size size;
    unsigned n;

    EF_CHECK(!ef_cache_size_parse(value, &size));
    n = ef_cache_size_get(&size, core, &demand);
    ef_cache_size_destroy(&size);
    return n;
}

EF_TEST(auto_holds_the_swings_of_a_core)
{
    /* Two bulks, and what the queues swing, in bulks. */
    EF_CHECK_EQ(get("auto", 0, 262144, 1, 1, 1, 0), 768u);
    EF_CHECK_EQ(get("auto", 0, 262144, 0, 1, 1, 0), 768u);
    EF_CHECK_EQ(get("auto", 0, 262144, 1, 8, 8, 0), 1024u);
    EF_CHECK_EQ(get("auto", 0, 262144, 4, 8, 8, 0), 768u);
    EF_CHECK_EQ(get("auto", 0, 262144, 1, 1, 1, 1024), 512u + 1280);
    EF_CHECK_EQ(get("auto", 0, 262144, 1, 0, 0, 0), 512u);
    /* Never above the limit, nor above its share of half the pool. */
    EF_CHECK_EQ(get("auto", 0, 262144, 1, 1000, 1000, 512), 4096u);
    EF_CHECK_EQ(get("auto", 0, 16384, 16, 16, 16, 0), 512u);
    EF_CHECK_EQ(get("auto", 0, 512, 1, 1, 1, 0), 256u);
    EF_CHECK_EQ(get("auto", 0, 512, 16, 1, 1, 0), 16u);
    EF_CHECK_EQ(get("auto", 0, 0, 16, 1, 1, 0), 0u);
}

EF_TEST(values_hold_for_their_cores)
{
    EF_CHECK_EQ(get("100", 7, 262144, 4, 1, 1, 0), 100u);
    EF_CHECK_EQ(get("2:2048,3:0", 2, 262144, 4, 1, 1, 0), 2048u);
    EF_CHECK_EQ(get("2:2048,3:0", 3, 262144, 4, 1, 1, 0), 0u);
    EF_CHECK_EQ(get("2:2048,3:0", 4, 262144, 4, 1, 1, 0), 768u);
    /* What the listed leave of half the pool. */
    EF_CHECK_EQ(get("2:2048,3:1536", 4, 8192, 4, 1, 1, 0), 256u);
}

/* Random demands: "auto" never breaks the rule that values are held to. */
EF_TEST(auto_leaves_half_of_the_pool)
{
    for (int i = 0; i < 10000; i++) {
        unsigned n_bufs = 512 + random_range(300000);
        unsigned n_pmds = 1 + random_range(64);
        unsigned n = get("auto", 0, n_bufs, n_pmds, random_range(200),
                         random_range(200), random_range(2048));

        EF_CHECK(n <= EF_STORE_MAX && (uint64_t) n * n_pmds <= n_bufs / 2);
    }
}

static bool
is_allowed(const char *value, unsigned n_bufs, unsigned n_pmds)
{
    struct ef_cache_demand demand = { .n_bufs = n_bufs, .n_pmds = n_pmds };
    struct ef_cache_size size;
    bool allowed;

    EF_CHECK(!ef_cache_size_parse(value, &size));
    allowed = !ef_cache_size_check(&size, &demand);
    ef_cache_size_destroy(&size);
    return allowed;
}

EF_TEST(half_of_the_pool_is_the_most)
{
    EF_CHECK(is_allowed("256", 512, 1));
    EF_CHECK(!is_allowed("257", 512, 1));
    EF_CHECK(!is_allowed("257", 512, 0));
    EF_CHECK(is_allowed("256", 1024, 2));
    EF_CHECK(!is_allowed("256", 1024, 3));
    EF_CHECK(is_allowed("0", 0, 100));
    EF_CHECK(is_allowed("auto", 0, 100));
    EF_CHECK(is_allowed("1:256,2:256", 1024, 2));
    EF_CHECK(!is_allowed("1:256,2:257", 1024, 2));
    /* Only as many as there are PMDs, but the largest. */
    EF_CHECK(is_allowed("1:256,2:512,3:1", 1024, 1));
    EF_CHECK(!is_allowed("1:256,2:513,3:1", 1024, 1));
}

EF_TEST_MUST_FAIL(planted_too_large)
{
    EF_CHECK(is_allowed("4096", 8191, 1));
}
