/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of dpdk/eal-trial.c and eal-child.c: arguments that EAL takes, and
 * the ways in which it may not.  Huge pages are not needed. */

#include <config.h>

#include "dpdk/eal.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <rte_debug.h>
#include <rte_eal.h>
#include <rte_log.h>

#include "ef-test.h"
#include "fatal-signal.h"

#define TIMEOUT_S 30
#define MAX_ARGS 12
/* Nothing that other processes on this machine could be in the way of. */
#define QUIET "--no-pci", "--no-telemetry", "--no-shconf", "-l", "0"

/* Takes the place of DPDK's: first does what tests ask for in words that EAL
 * does not know. */
int
rte_eal_init(int argc, char *argv[])
{
    int (*next)(int, char *[]) = dlsym(RTLD_NEXT, "rte_eal_init");
    const char *word = argv[argc - 1];

    if (!strcmp(word, "hang")) {
        fprintf(stderr, "EAL: about to hang\n");
        for (;;) {
            pause();
        }
    } else if (!strcmp(word, "abort")) {
        abort();
    } else if (!strcmp(word, "panic")) {
        rte_panic("no more lemons\n");
    } else if (!strcmp(word, "terminate")) {
        raise(SIGTERM);
    } else if (!strcmp(word, "flood")) {
        for (int i = 0; i < 20000; i++) {
            rte_log(RTE_LOG_ERR, 0, "flood of %d\n", i);
        }
        return -1;
    } else if (!strcmp(word, "fail")) {
        rte_log(RTE_LOG_INFO, 0, "details\n");
        errno = 0;
        return -1;
    }
    return next(argc, argv);
}

static char *
try(const char *const args[MAX_ARGS], int timeout_s)
{
    char *argv[MAX_ARGS + 2] = { CONST_CAST(char *, "prog") };
    int argc = 1;

    for (int i = 0; i < MAX_ARGS && args[i]; i++) {
        argv[argc++] = CONST_CAST(char *, args[i]);
    }
    return ef_eal_trial(argc, argv, timeout_s);
}

/* 'expected' is a part of the reason, or NULL for a start. */
static void
check(const char *const args[MAX_ARGS], const char *expected)
{
    char *reason = try(args, TIMEOUT_S);

    if (!expected || !reason) {
        EF_CHECK_STR_EQ(reason, expected);
    } else if (!EF_CHECK(strstr(reason, expected) != NULL)) {
        printf("# '%s' is not in '%s'\n", expected, reason);
    }
    free(reason);

    /* No child is left. */
    EF_CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    EF_CHECK_EQ(errno, ECHILD);
}

#define TRY(EXPECTED, ...) \
    check((const char *const [MAX_ARGS]) { __VA_ARGS__ }, EXPECTED)

EF_TEST(good_arguments)
{
    TRY(NULL, "--no-huge", "-m", "64", QUIET);
}

/* The child's files do not stand in the way of the next. */
EF_TEST(again_with_the_same_files)
{
    char dir[] = "/tmp/ef-test-XXXXXX";
    char *command;

    EF_REQUIRE(mkdtemp(dir) != NULL);
    setenv("RUNTIME_DIRECTORY", dir, true);
    for (int i = 0; i < 2; i++) {
        TRY(NULL, "--no-huge", "-m", "64", "--no-pci", "-l", "0");
    }
    unsetenv("RUNTIME_DIRECTORY");

    command = xasprintf("rm -r %s", dir);
    EF_CHECK_EQ(system(command), 0);
    free(command);
}

EF_TEST(unknown_option)
{
    TRY("prog: unrecognized option '--bogus'; "
        "Invalid 'command line' arguments.", "--bogus", QUIET);
}

EF_TEST(core_that_is_not_there)
{
    TRY("lcore 127 unavailable", "--no-huge", "-l", "127");
}

EF_TEST(memory_that_is_not_there)
{
    TRY("Cannot init memory", "--no-huge", "-m", "200000000", QUIET);
    TRY("Cannot ", "--in-memory", "-m", "200000000", QUIET);
}

/* EAL prints its usage and calls exit() with success. */
EF_TEST(help)
{
    TRY("EAL would end the process", "--help");
    TRY("EAL would end the process", QUIET, "-h");
}

EF_TEST(hang)
{
    time_t start = time(NULL);
    char *reason;

    reason = try((const char *const [MAX_ARGS]) { QUIET, "hang" }, 1);
    EF_CHECK_STR_EQ(reason,
                    "EAL did not start within 1 s; about to hang");
    EF_CHECK(time(NULL) - start <= 5);
    EF_CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    free(reason);
}

EF_TEST(death)
{
    TRY("EAL would end the process: killed (Aborted)", QUIET, "abort");
    TRY("EAL would end the process: killed (Terminated)", QUIET,
        "terminate");
    TRY("; no more lemons", QUIET, "panic");
}

EF_TEST(failure_without_a_word)
{
    char *reason = try((const char *const [MAX_ARGS]) { "fail" }, TIMEOUT_S);

    EF_CHECK(reason && reason[0]);
    EF_CHECK(reason && !strstr(reason, "details"));
    free(reason);
}

/* Much is read, little is kept, the last of it reported. */
EF_TEST(flood)
{
    TRY("flood of 19996; flood of 19997; flood of 19998; flood of 19999",
        "flood");
}

/* What is to happen at this process's end does not happen at the child's. */
EF_TEST(end_of_child_removes_no_files)
{
    char path[] = "/tmp/ef-test-XXXXXX";
    int fd = mkstemp(path);
    struct stat s;

    EF_REQUIRE(fd >= 0);
    close(fd);
    fatal_signal_add_file_to_unlink(path);
    TRY("EAL would end the process", "--help");
    EF_CHECK(!stat(path, &s));
    TRY(NULL, "--no-huge", "-m", "64", QUIET);
    EF_CHECK(!stat(path, &s));
    fatal_signal_remove_file_to_unlink(path);
    unlink(path);
}

/* The caller's own arguments and output stay as they are. */
EF_TEST(caller_untouched)
{
    char *argv[] = {
        CONST_CAST(char *, "prog"), CONST_CAST(char *, "--no-huge"),
        CONST_CAST(char *, "-m"), CONST_CAST(char *, "64"),
        CONST_CAST(char *, "--no-pci"), CONST_CAST(char *, "--no-shconf"),
        CONST_CAST(char *, "--no-telemetry"), NULL,
    };
    char *copy[ARRAY_SIZE(argv)];
    char *reason;

    memcpy(copy, argv, sizeof argv);
    reason = ef_eal_trial(ARRAY_SIZE(argv) - 1, argv, TIMEOUT_S);
    EF_CHECK_STR_EQ(reason, NULL);
    EF_CHECK_MEM_EQ(argv, copy, sizeof argv);
    free(reason);
}

EF_TEST_MUST_FAIL(planted)
{
    TRY(NULL, "--bogus");
}
