/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_TEST_H
#define EF_TEST_H 1

/* Unit tests
 * ==========
 *
 * A test program is one file, tests/unit/test-<name>.c, with any number of
 * tests; including this header gives it a main() that runs them in the order
 * of the file and reports in TAP, one line per test:
 *
 *     #include <config.h>
 *     #include "flow/emc.h"
 *     #include "ef-test.h"
 *
 *     EF_TEST(empty_cache_finds_nothing)
 *     {
 *         ...
 *         EF_CHECK(!ef_emc_lookup(&emc, &key));
 *         EF_CHECK_EQ(emc.n_entries, 0);
 *     }
 *
 * A failed check is reported with its place and values, and the test goes on;
 * EF_REQUIRE*() end the test function instead.  Checks may be used in helper
 * functions and in other threads (all counts are atomic).
 *
 * EF_TEST_MUST_FAIL(name) is a test with a planted fault: it passes only if
 * one of its checks fails.  Each module has one, to show that its tests can.
 *
 * EF_TEST_SKIP(reason) ends a test that cannot run here.
 *
 * Arguments of the program are names of tests to run, all without any.
 * Variables of the environment:
 *
 *     EF_TEST_SEED      seed of the package's random_*(); printed, 1 if unset
 *     EF_TEST_SECONDS   how long a stress test should run
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "util.h"

struct ef_test {
    const char *name;
    void (*run)(void);
    bool must_fail;             /* Has a planted fault. */
    struct ef_test *next;
};

static struct ef_test *ef_tests;
static struct ef_test **ef_tests_tail = &ef_tests;
static unsigned int ef_test_n_failed;   /* Checks of the running test. */
static const char *ef_test_skip_reason;

#define EF_TEST__(NAME, MUST_FAIL)                              \
    static void NAME(void);                                     \
    static struct ef_test ef_test_##NAME = {                    \
        .name = #NAME, .run = NAME, .must_fail = MUST_FAIL,     \
    };                                                          \
    static void __attribute__((constructor))                    \
    ef_test_add_##NAME(void)                                    \
    {                                                           \
        *ef_tests_tail = &ef_test_##NAME;                       \
        ef_tests_tail = &ef_test_##NAME.next;                   \
    }                                                           \
    static void NAME(void)

#define EF_TEST(NAME) EF_TEST__(NAME, false)
#define EF_TEST_MUST_FAIL(NAME) EF_TEST__(NAME, true)

/* Each evaluates its arguments once and returns whether the check held.  (The
 * commas below make values of bit-fields.) */
#define EF_CHECK(CONDITION)                                             \
    ef_test_check__(CONDITION, __FILE__, __LINE__, #CONDITION)
#define EF_CHECK_EQ(A, B)                                               \
    ({                                                                  \
        __auto_type ef_a__ = ((void) 0, (A));                           \
        __auto_type ef_b__ = ((void) 0, (B));                           \
        ef_test_check_eq__(ef_a__ == ef_b__, (intmax_t) ef_a__,         \
                           (intmax_t) ef_b__, __FILE__, __LINE__,       \
                           #A " == " #B);                               \
    })
#define EF_CHECK_STR_EQ(A, B)                                           \
    ef_test_check_str__(A, B, __FILE__, __LINE__, #A " equals " #B)
#define EF_CHECK_MEM_EQ(A, B, SIZE)                                     \
    ef_test_check_mem__(A, B, SIZE, __FILE__, __LINE__, #A " equals " #B)

#define EF_REQUIRE(CONDITION)                                           \
    do { if (!EF_CHECK(CONDITION)) { return; } } while (0)
#define EF_REQUIRE_EQ(A, B)                                             \
    do { if (!EF_CHECK_EQ(A, B)) { return; } } while (0)

#define EF_TEST_SKIP(REASON)                                            \
    do { ef_test_skip_reason = (REASON); return; } while (0)

static inline bool
ef_test_check__(bool ok, const char *file, int line, const char *what)
{
    if (!ok) {
        printf("# %s:%d: not so: %s\n", file, line, what);
        __atomic_add_fetch(&ef_test_n_failed, 1, __ATOMIC_RELAXED);
    }
    return ok;
}

static inline bool
ef_test_check_eq__(bool ok, intmax_t a, intmax_t b,
                   const char *file, int line, const char *what)
{
    if (!ok) {
        printf("# %"PRIdMAX" (%#"PRIxMAX") and %"PRIdMAX" (%#"PRIxMAX")\n",
               a, (uintmax_t) a, b, (uintmax_t) b);
    }
    return ef_test_check__(ok, file, line, what);
}

static inline bool
ef_test_check_str__(const char *a, const char *b,
                    const char *file, int line, const char *what)
{
    bool ok = a && b ? !strcmp(a, b) : a == b;

    if (!ok) {
        printf("# \"%s\" and \"%s\"\n", a ? a : "(null)", b ? b : "(null)");
    }
    return ef_test_check__(ok, file, line, what);
}

static inline bool
ef_test_check_mem__(const void *a_, const void *b_, size_t size,
                    const char *file, int line, const char *what)
{
    const uint8_t *a = a_, *b = b_;
    size_t i = 0;

    while (i < size && a[i] == b[i]) {
        i++;
    }
    if (i < size) {
        printf("# byte %"PRIuSIZE": %02x and %02x\n", i, a[i], b[i]);
    }
    return ef_test_check__(i == size, file, line, what);
}

/* Returns how many seconds a stress test should run: EF_TEST_SECONDS of the
 * environment, otherwise 'unset'. */
static inline unsigned int
ef_test_seconds(unsigned int unset)
{
    const char *s = getenv("EF_TEST_SECONDS");

    return s && *s ? strtoul(s, NULL, 10) : unset;
}

static inline bool
ef_test_wanted__(const struct ef_test *test, int argc, char *argv[])
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], test->name)) {
            return true;
        }
    }
    return argc < 2;
}

static inline bool
ef_test_run__(const struct ef_test *test, int number)
{
    bool ok;

    ef_test_n_failed = 0;
    ef_test_skip_reason = NULL;
    test->run();
    ok = test->must_fail == (ef_test_n_failed > 0);
    if (ef_test_skip_reason) {
        printf("ok %d - %s # SKIP %s\n", number, test->name,
               ef_test_skip_reason);
        return true;
    }
    printf("%s %d - %s%s\n", ok ? "ok" : "not ok", number, test->name,
           test->must_fail ? " (planted fault)" : "");
    fflush(stdout);
    return ok;
}

int
main(int argc, char *argv[])
{
    const char *seed = getenv("EF_TEST_SEED");
    const struct ef_test *test;
    bool ok = true;
    int n = 0;

    set_program_name(argv[0]);
    random_set_seed(seed && *seed ? strtoul(seed, NULL, 0) : 1);
    printf("# EF_TEST_SEED=%s\n", seed && *seed ? seed : "1");
    for (test = ef_tests; test; test = test->next) {
        if (ef_test_wanted__(test, argc, argv)) {
            ok = ef_test_run__(test, ++n) && ok;
        }
    }
    printf("1..%d\n", n);
    return ok && n ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif /* ef-test.h */
