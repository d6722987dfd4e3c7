/* SPDX-License-Identifier: Apache-2.0 */

/* Tests Interface:options about buffers, table-driven: what is accepted, what
 * is refused, and that what was in force stays. */

#include <config.h>

#include "dpdk/pool-options.h"

#include "ef-test.h"
#include "smap.h"

struct result {
    int n_refused;
    char keys[64];              /* Of the refused. */
};

static void
on_option(const char *key, const char *value OVS_UNUSED, const char *rule,
          void *result_)
{
    struct result *result = result_;

    if (rule) {
        result->n_refused++;
        ovs_strlcpy(result->keys, key, sizeof result->keys);
        EF_CHECK(*rule);
    }
}

/* NULL: not set. */
static struct result
parse(const struct ef_pool_options *old, struct ef_pool_options *new,
      const char *name, const char *rxqs, const char *cache_size)
{
    struct smap options = SMAP_INITIALIZER(&options);
    struct result result = { .n_refused = 0 };

    if (name) {
        smap_add(&options, "mempool", name);
    }
    if (rxqs) {
        smap_add(&options, "mempool-rxq", rxqs);
    }
    if (cache_size) {
        smap_add(&options, "mempool-cache-size", cache_size);
    }
    ef_pool_options_parse(&options, old, new, on_option, &result);
    smap_destroy(&options);
    return result;
}

static void
check_text(const struct ef_pool_options *o, const char *rxqs,
           const char *cache_size)
{
    char *text = ef_pool_options_format_rxqs(o);
    char *size = ef_cache_size_format(&o->cache_size);

    EF_CHECK_STR_EQ(text, rxqs);
    EF_CHECK_STR_EQ(size, cache_size);
    free(text);
    free(size);
}

EF_TEST(good_values_are_taken)
{
    static const struct ef_pool_options none = EF_POOL_OPTIONS_NONE;
    struct ef_pool_options o, copy;

    EF_CHECK_EQ(parse(&none, &o, NULL, NULL, NULL).n_refused, 0);
    EF_CHECK(ef_pool_options_same_pools(&o, &none));
    check_text(&o, NULL, "auto");
    ef_pool_options_destroy(&o);

    EF_CHECK_EQ(parse(&none, &o, "v4", "3:v6,0:control,1023:v6",
                      "2:512").n_refused, 0);
    EF_CHECK_STR_EQ(o.name, "v4");
    EF_CHECK(o.has_cache_size);
    check_text(&o, "0:control,3:v6,1023:v6", "2:512");
    EF_CHECK_STR_EQ(ef_pool_options_rxq(&o, 3), "v6");
    EF_CHECK_STR_EQ(ef_pool_options_rxq(&o, 1), NULL);

    ef_pool_options_clone(&copy, &o);
    EF_CHECK(ef_pool_options_same_pools(&o, &copy));
    EF_CHECK(!ef_pool_options_same_pools(&o, &none));
    copy.rxqs[1].name[0] = 'x';
    EF_CHECK(!ef_pool_options_same_pools(&o, &copy));
    ef_pool_options_destroy(&copy);
    ef_pool_options_destroy(&o);
}

EF_TEST(bad_values_leave_the_old_ones)
{
    static const struct {
        const char *name, *rxqs, *cache_size;
        const char *refused;
    } cases[] = {
        { "", "1:b", "64", "mempool" },
        { "a b", "1:b", "64", "mempool" },
        { "abcdefghij01234567890", "1:b", "64", "mempool" },
        { "a/b", "1:b", "64", "mempool" },
        { "a", "", "64", "mempool-rxq" },
        { "a", "1", "64", "mempool-rxq" },
        { "a", "1:", "64", "mempool-rxq" },
        { "a", ":b", "64", "mempool-rxq" },
        { "a", "x:b", "64", "mempool-rxq" },
        { "a", "-1:b", "64", "mempool-rxq" },
        { "a", "1024:b", "64", "mempool-rxq" },
        { "a", "99999999999999999999:b", "64", "mempool-rxq" },
        { "a", "1:b,", "64", "mempool-rxq" },
        { "a", "1:b,,2:b", "64", "mempool-rxq" },
        { "a", "1:b,1:c", "64", "mempool-rxq" },
        { "a", "1:b c", "64", "mempool-rxq" },
        { "a", "1:b", "4097", "mempool-cache-size" },
        { "a", "1:b", "", "mempool-cache-size" },
        { "a", "1:b", "x", "mempool-cache-size" },
    };
    static const struct ef_pool_options none = EF_POOL_OPTIONS_NONE;
    struct ef_pool_options old, new;

    EF_REQUIRE_EQ(parse(&none, &old, "a", "1:b", "64").n_refused, 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct result result = parse(&old, &new, cases[i].name, cases[i].rxqs,
                                     cases[i].cache_size);

        EF_CHECK_EQ(result.n_refused, 1);
        EF_CHECK_STR_EQ(result.keys, cases[i].refused);
        EF_CHECK(ef_pool_options_same_pools(&old, &new));
        EF_CHECK(new.has_cache_size);
        check_text(&new, "1:b", "64");
        ef_pool_options_destroy(&new);
    }
    ef_pool_options_destroy(&old);
}

EF_TEST(cache_size_needs_a_named_pool)
{
    static const struct ef_pool_options none = EF_POOL_OPTIONS_NONE;
    struct ef_pool_options named, o;

    EF_CHECK_EQ(parse(&none, &o, NULL, "0:a", "64").n_refused, 1);
    EF_CHECK(!o.has_cache_size);
    ef_pool_options_destroy(&o);

    EF_CHECK_EQ(parse(&none, &named, "a", NULL, "64").n_refused, 0);
    EF_CHECK_EQ(parse(&named, &o, NULL, NULL, "64").n_refused, 1);
    EF_CHECK(!o.has_cache_size && !o.name);
    check_text(&o, NULL, "auto");
    ef_pool_options_destroy(&o);
    ef_pool_options_destroy(&named);
}

EF_TEST_MUST_FAIL(planted_bad_name)
{
    static const struct ef_pool_options none = EF_POOL_OPTIONS_NONE;
    struct ef_pool_options o;

    EF_CHECK_EQ(parse(&none, &o, "v4 v6", NULL, NULL).n_refused, 0);
    ef_pool_options_destroy(&o);
}
