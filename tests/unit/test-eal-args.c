/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of dpdk/eal-args.c: keys to arguments, who wins, what is
 * refused. */

#include <config.h>

#include "dpdk/eal.h"

#include "ef-test.h"
#include "smap.h"
#include "svec.h"

#define MAX_KEYS 4

struct kv {
    const char *key, *value;
};

static void
init_config(struct smap *config, const struct kv kvs[MAX_KEYS])
{
    smap_init(config);
    for (int i = 0; i < MAX_KEYS && kvs[i].key; i++) {
        smap_add(config, kvs[i].key, kvs[i].value);
    }
}

/* The arguments joined with "|", or the error. */
static char *
get_args(const struct kv kvs[MAX_KEYS], int core, const char **keyp)
{
    struct svec args = SVEC_EMPTY_INITIALIZER;
    struct smap config;
    char *s;

    *keyp = NULL;
    init_config(&config, kvs);
    svec_add(&args, "prog");
    s = ef_eal_args(&config, core, &args, keyp);
    if (s) {
        EF_CHECK(*keyp);
        EF_CHECK_EQ(args.n, 1);
    } else {
        EF_CHECK(!*keyp);
        s = svec_join(&args, "|", "");
    }
    svec_destroy(&args);
    smap_destroy(&config);
    return s;
}

static void
check_args(const struct kv kvs[MAX_KEYS], int core, const char *expected)
{
    const char *key;
    char *s = get_args(kvs, core, &key);

    EF_CHECK_STR_EQ(s, expected);
    free(s);
}

#define ARGS(CORE, EXPECTED, ...) \
    check_args((struct kv [MAX_KEYS]) { __VA_ARGS__ }, CORE, EXPECTED)

EF_TEST(defaults)
{
    ARGS(3, "prog|--in-memory|-l|3", { NULL, NULL });
    ARGS(127, "prog|--in-memory|-l|127", { "other", "x" });
}

/* EAL numbers RTE_MAX_LCORE lcores; cores may have higher numbers. */
EF_TEST(core_above_the_number_of_lcores)
{
    char *expected = xasprintf("prog|--in-memory|--lcores=0@%d",
                               RTE_MAX_LCORE);

    ARGS(RTE_MAX_LCORE, expected, { NULL, NULL });
    ARGS(500, "prog|--in-memory|--lcores=0@500", { NULL, NULL });
    free(expected);
}

EF_TEST(keys)
{
    ARGS(0, "prog|-c|0x3|--in-memory", { "dpdk-lcore-mask", "0x3" });
    ARGS(0, "prog|--huge-dir|/tmp|--in-memory|-l|0",
         { "dpdk-hugepage-dir", "/tmp" });
    ARGS(0, "prog|--socket-limit|1024,0|--socket-mem|1024, 512|--in-memory"
         "|-l|0", { "dpdk-socket-mem", "1024, 512" },
         { "dpdk-socket-limit", "1024,0" });
    ARGS(0, "prog|-m|64|--in-memory|-l|0", { "dpdk-alloc-mem", "64" });
    ARGS(0, "prog|--in-memory|-l|0", { "dpdk-alloc-mem", "" },
         { "dpdk-socket-mem", "" });
}

EF_TEST(extra)
{
    ARGS(1, "prog|-a|0000:01:00.0,x=a b|--in-memory|-l|1",
         { "dpdk-extra", " -a  '0000:01:00.0,x=a b' " });
    ARGS(1, "prog|-n 4||--in-memory|-l|1", { "dpdk-extra", "-n\\ 4 ''" });
}

EF_TEST(extra_wins)
{
    /* Cores, in any form. */
    ARGS(1, "prog|-l|0|--in-memory", { "dpdk-extra", "-l 0" },
         { "dpdk-lcore-mask", "2" });
    ARGS(1, "prog|-c1|--in-memory", { "dpdk-extra", "-c1" },
         { "dpdk-lcore-mask", "2" });
    ARGS(1, "prog|--lcores=0@1|--in-memory",
         { "dpdk-extra", "--lcores=0@1" });
    ARGS(1, "prog|--lcores|0@1|--in-memory",
         { "dpdk-extra", "--lcores 0@1" });

    /* Memory. */
    ARGS(1, "prog|-m|64|--in-memory|-l|1", { "dpdk-extra", "-m 64" },
         { "dpdk-socket-mem", "1024" });
    ARGS(1, "prog|--socket-mem=64|--in-memory|-l|1",
         { "dpdk-extra", "--socket-mem=64" }, { "dpdk-alloc-mem", "1024" },
         { "dpdk-socket-mem", "1024" });
    ARGS(1, "prog|--huge-dir=/x|--in-memory|-l|1",
         { "dpdk-extra", "--huge-dir=/x" }, { "dpdk-hugepage-dir", "/nx" });

    /* Options that only begin alike. */
    ARGS(1, "prog|--huge-dirs|--main|--huge-dir|/tmp|--in-memory|-l|1",
         { "dpdk-extra", "--huge-dirs --main" },
         { "dpdk-hugepage-dir", "/tmp" });
}

EF_TEST(kinds_of_memory)
{
    ARGS(1, "prog|--in-memory|-l|1", { "dpdk-extra", "--in-memory" });
    ARGS(1, "prog|--legacy-mem|-l|1", { "dpdk-extra", "--legacy-mem" });
    ARGS(1, "prog|--no-huge|-l|1", { "dpdk-extra", "--no-huge" });
    ARGS(1, "prog|--socket-mem|8|--in-memory|-l|1",
         { "dpdk-alloc-mem", "4" }, { "dpdk-socket-mem", "8" });
}

static void
check_refused(const char *name, const char *value, const char *rule)
{
    const char *key;
    char *s = get_args((struct kv [MAX_KEYS]) { { name, value } }, 0, &key);
    char *expected = xasprintf("'%s=%s': %s", name, value, rule);

    EF_CHECK_STR_EQ(s, expected);
    EF_CHECK_STR_EQ(key, name);
    free(expected);
    free(s);
}

EF_TEST(bad_mask)
{
    static const char *const values[] = {
        "", "0", "0x", "0x0", "xyz", "0xg", "1,2", "-1", "0x0x1", "1 2",
    };

    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        check_refused("dpdk-lcore-mask", values[i],
                      "must be a hexadecimal mask of at least one core");
    }
    ARGS(0, "prog|-c| 0XaF |--in-memory", { "dpdk-lcore-mask", " 0XaF " });
    ARGS(0, "prog|-c|00010|--in-memory", { "dpdk-lcore-mask", "00010" });
}

EF_TEST(bad_numbers)
{
    static const char *const values[] = {
        "a", "1024,", ",1", "1024;0", "-1", "1.5", "4294967296", "1,,1",
        "99999999999999999999999", "1024M",
        "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
    };
    char *rule = xasprintf("must be one to %d numbers of megabytes with "
                           "commas between them, one for each NUMA node",
                           RTE_MAX_NUMA_NODES);

    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        check_refused("dpdk-socket-mem", values[i], rule);
        check_refused("dpdk-socket-limit", values[i], rule);
    }
    check_refused("dpdk-socket-limit", "", rule);
    free(rule);
}

EF_TEST(bad_alloc)
{
    static const char *const values[] = {
        "0", "00", "-1", "1,2", "2147483648", "1k", " ",
    };

    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        check_refused("dpdk-alloc-mem", values[i],
                      "must be a number of megabytes from 1 to 2147483647");
    }
    ARGS(0, "prog|-m|2147483647|--in-memory|-l|0",
         { "dpdk-alloc-mem", "2147483647" });
}

EF_TEST(bad_dir)
{
    const char *rule = "must be an existing directory";

    check_refused("dpdk-hugepage-dir", "/no/such/place", rule);
    check_refused("dpdk-hugepage-dir", "/dev/null", rule);
    check_refused("dpdk-hugepage-dir", "", rule);
}

EF_TEST(bad_extra)
{
    static const char *const values[] = {
        "-a 'x", "-a \"x", "-a x\\", "\"a'b\" 'c", "\"a\\",
    };

    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        check_refused("dpdk-extra", values[i],
                      "has a quote or a backslash that nothing follows");
    }
    check_refused("dpdk-extra", "--no-pci --help",
                  "must not ask for help, which ends the process");
    ARGS(0, "prog|a b|c'd|e\\|--in-memory|-l|0",
         { "dpdk-extra", "'a b' c\\'d 'e\\'" });
}

EF_TEST(rivals)
{
    struct smap config;

    init_config(&config, (struct kv [MAX_KEYS]) {
        { "dpdk-extra", "-l 0" }, { "dpdk-lcore-mask", "1" },
        { "dpdk-alloc-mem", "1" }, { "dpdk-socket-mem", "1" },
    });
    EF_CHECK_STR_EQ(ef_eal_key_rival(&config, "dpdk-lcore-mask"), "-l");
    EF_CHECK_STR_EQ(ef_eal_key_rival(&config, "dpdk-alloc-mem"),
                    "dpdk-socket-mem");
    EF_CHECK(!ef_eal_key_rival(&config, "dpdk-socket-mem"));
    EF_CHECK(!ef_eal_key_rival(&config, "dpdk-socket-limit"));
    EF_CHECK(!ef_eal_key_rival(&config, "dpdk-init"));
    smap_destroy(&config);
}

EF_TEST_MUST_FAIL(planted)
{
    ARGS(3, "prog|--in-memory|-l|0", { NULL, NULL });
}
