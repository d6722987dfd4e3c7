/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of dpdk/eal-show.c: the grammar of dpdk/log-set, seen through
 * dpdk/log-list; asked for through a socket, as an operator does. */

#include <config.h>

#include "dpdk/eal.h"

#include <rte_log.h>
#include <unistd.h>

#include "ef-test.h"
#include "jsonrpc.h"
#include "unixctl-fixture.h"

#define MAX_ARGS 2

/* Runs a command.  Returns the reply, or the error behind "E". */
static char *
ask(const char *path, const char *command, char *args[MAX_ARGS])
{
    struct jsonrpc *client;
    int argc = 0;
    char *result = NULL;
    char *error = NULL;
    char *reply;

    while (argc < MAX_ARGS && args[argc]) {
        argc++;
    }
    if (!EF_CHECK(!unixctl_client_create(path, &client))) {
        return xstrdup("");
    }
    EF_CHECK(!ef_client_transact_text(client, command, argc, args,
                                      &result, &error));
    reply = error ? xasprintf("E%s", error) : nullable_xstrdup(result);
    jsonrpc_close(client);
    free(result);
    free(error);
    return reply ? reply : xstrdup("");
}

static void
check_reply(const char *path, const char *expected, char *args[MAX_ARGS])
{
    char *reply = ask(path, "dpdk/log-set", args);

    EF_CHECK_STR_EQ(reply, expected);
    free(reply);
}

#define SET(EXPECTED, ...) \
    check_reply(path, EXPECTED, (char *[MAX_ARGS]) { __VA_ARGS__ })

static void
check_log_set(const char *path)
{
    int a = rte_log_register("ef.test.a");
    int b = rte_log_register("ef.test.b");
    char *list;

    SET("", "ef.test.*:error", "ef.test.a:info");
    EF_CHECK_EQ(rte_log_get_level(a), RTE_LOG_INFO);
    EF_CHECK_EQ(rte_log_get_level(b), RTE_LOG_ERR);

    /* Nothing happens unless all is well. */
    SET("Einvalid log level: 'loud'\n", "ef.test.a:error", "ef.test.b:loud");
    EF_CHECK_EQ(rte_log_get_level(a), RTE_LOG_INFO);
    SET("Einvalid log level: ''\n", "ef.test.a:");
    SET("Einvalid log level: '7'\n", "7");
    SET("Einvalid log level: 'b:info'\n", "a:b:info");

    SET("", "warning");
    EF_CHECK_EQ(rte_log_get_level(a), RTE_LOG_WARNING);
    EF_CHECK_EQ(rte_log_get_level(b), RTE_LOG_WARNING);
    SET("", NULL);
    EF_CHECK_EQ(rte_log_get_level(a), RTE_LOG_DEBUG);

    list = ask(path, "dpdk/log-list", (char *[MAX_ARGS]) { NULL });
    EF_CHECK(strstr(list, "ef.test.b, level is debug") != NULL);
    free(list);
}

static void
with_server(void (*check)(const char *path))
{
    char *path = xasprintf("/tmp/ef-test-%ld.ctl", (long) getpid());

    ef_eal_show_init();
    EF_REQUIRE(!unixctl_fixture_start(path));
    check(path);
    unixctl_fixture_end();
    free(path);
}

EF_TEST(log_set)
{
    with_server(check_log_set);
}

static void
check_planted(const char *path)
{
    SET("", "loud");
}

EF_TEST_MUST_FAIL(planted)
{
    with_server(check_planted);
}
