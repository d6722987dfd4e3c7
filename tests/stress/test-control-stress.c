/* SPDX-License-Identifier: Apache-2.0 */

/* Stress test of control/: many clients at once, commands that are registered
 * meanwhile, and servers that end under load. */

#include <config.h>

#include "control/control.h"

#include "control-fixture.h"
#include "ef-test.h"

#define N_CLIENTS 50
#define N_PIPELINED 20
#define N_THREADS 4

static atomic_bool is_over;

static void
echo(struct unixctl_conn *conn, int argc OVS_UNUSED, const char *argv[],
     void *aux OVS_UNUSED)
{
    unixctl_command_reply(conn, argv[1]);
}

static void
start(struct fixture *fixture)
{
    unixctl_command_register("main/echo", "text", 1, 1, echo, NULL);
    ef_control_register("ctl/echo", "text", 1, 1, echo, NULL);
    fixture_start(fixture);
}

static bool
over(void)
{
    bool yes;

    atomic_read(&is_over, &yes);
    return yes;
}

/* Each answer belongs to its request, in the order of these. */
static void
check_answers(int fd, int client)
{
    char *answers = raw_read(fd, N_PIPELINED, 30000);
    const char *p = answers;

    for (int i = 0; i < N_PIPELINED; i++) {
        char *expected = xasprintf("\"%d.%d\\n\"", client, i);

        p = strstr(p, expected);
        free(expected);
        if (!EF_CHECK(p != NULL)) {
            break;
        }
    }
    free(answers);
}

EF_TEST(fifty_clients_at_once)
{
    struct fixture fixture;
    int fds[N_CLIENTS];

    start(&fixture);
    for (int c = 0; c < N_CLIENTS; c++) {
        fds[c] = raw_open();
        EF_REQUIRE(fds[c] >= 0);
    }
    for (int i = 0; i < N_PIPELINED; i++) {
        for (int c = 0; c < N_CLIENTS; c++) {
            char *arg = xasprintf("\"%d.%d\"", c, i);

            raw_ask(fds[c], (c + i) % 2 ? "main/echo" : "ctl/echo", arg);
            free(arg);
        }
    }
    for (int c = 0; c < N_CLIENTS; c++) {
        check_answers(fds[c], c);
        close(fds[c]);
    }
    fixture_end(&fixture);
}

/* Asks until it is over; a server that ends may owe the last answer. */
static void *
client_main(void *must_answer)
{
    while (!over()) {
        struct jsonrpc *client = client_open();

        for (int i = 0; client && i < 10; i++) {
            char *answer = client_ask(client, i % 2 ? "main/echo" : "ctl/echo",
                                      "x");

            if (must_answer) {
                EF_CHECK_STR_EQ(answer, "x\n");
            } else if (answer) {
                EF_CHECK_STR_EQ(answer, "x\n");
            } else {
                break;
            }
            free(answer);
        }
        jsonrpc_close(client);
    }
    return NULL;
}

static void
begin_clients(pthread_t threads[N_THREADS], void *must_answer)
{
    fixture_init();
    atomic_store(&is_over, false);
    for (int i = 0; i < N_THREADS; i++) {
        threads[i] = ovs_thread_create("client", client_main, must_answer);
    }
}

static void
end_clients(pthread_t threads[N_THREADS])
{
    atomic_store(&is_over, true);
    for (int i = 0; i < N_THREADS; i++) {
        xpthread_join(threads[i], NULL);
    }
}

EF_TEST(commands_are_registered_while_others_look)
{
    long long until = time_msec() + ef_test_seconds(1) * 1000;
    pthread_t threads[N_THREADS];
    struct fixture fixture;

    start(&fixture);
    begin_clients(threads, &fixture);
    for (int i = 0; time_msec() < until; i++) {
        char *name = xasprintf("new/%d", i % 3000);

        if (i % 2) {
            ef_control_register(name, "text", 1, 1, echo, NULL);
        } else {
            unixctl_command_register(name, "text", 1, 1, echo, NULL);
        }
        if (i % 50 == 0) {
            char *answer = ask(name, "y");
            char *list = ask("list-commands", NULL);

            EF_CHECK_STR_EQ(answer, "y\n");
            EF_CHECK(list && strstr(list, name));
            free(answer);
            free(list);
        }
        free(name);
    }
    end_clients(threads);
    fixture_end(&fixture);
}

EF_TEST(servers_end_under_load)
{
    long long until = time_msec() + ef_test_seconds(1) * 1000;
    pthread_t threads[N_THREADS];
    int n = 0;

    begin_clients(threads, NULL);
    do {
        struct fixture fixture;

        start(&fixture);
        xnanosleep(10 * 1000000);
        fixture_end(&fixture);
        n++;
    } while (time_msec() < until);
    end_clients(threads);
    EF_CHECK(n > 2);
}
