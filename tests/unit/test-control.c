/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of control/: who answers which command, what clients may do, and
 * what is left when the server goes. */

#include <config.h>

#include "control/control.h"

#include <dirent.h>
#include <sys/stat.h>

#include "control-fixture.h"
#include "ef-test.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"

/* Within which a command of "ctl" answers, whatever the main thread does. */
#define SOON_MS 100
#define BUSY_MS 2000
#define BIG (4 * 1024 * 1024)

/* --- Commands ------------------------------------------------------------ */

static atomic_bool is_busy = ATOMIC_VAR_INIT(false);
static struct ovs_mutex kept_mutex = OVS_MUTEX_INITIALIZER;
static struct unixctl_conn *kept[8];
static size_t n_kept;

static void
echo(struct unixctl_conn *conn, int argc, const char *argv[], void *aux)
{
    EF_CHECK(!argv[argc]);
    if (argc == 1) {
        unixctl_command_reply(conn, NULL);
    } else if (!strcmp(argv[1], "fail")) {
        unixctl_command_reply_error(conn, aux);
    } else {
        unixctl_command_reply(conn, argv[1]);
    }
}

static void
be_busy(struct unixctl_conn *conn, int argc OVS_UNUSED,
        const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    atomic_store(&is_busy, true);
    xnanosleep(BUSY_MS * 1000000ULL);
    atomic_store(&is_busy, false);
    unixctl_command_reply(conn, "done");
}

/* Replies later. */
static void
keep(struct unixctl_conn *conn, int argc OVS_UNUSED,
     const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    ovs_mutex_lock(&kept_mutex);
    kept[n_kept++] = conn;
    ovs_mutex_unlock(&kept_mutex);
}

static void
big(struct unixctl_conn *conn, int argc OVS_UNUSED,
    const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    char *s = xmalloc(BIG + 1);

    memset(s, 'x', BIG);
    s[BIG] = '\0';
    unixctl_command_reply(conn, s);
    free(s);
}

static void
length(struct unixctl_conn *conn, int argc OVS_UNUSED, const char *argv[],
       void *aux OVS_UNUSED)
{
    char *s = xasprintf("%"PRIuSIZE, strlen(argv[1]));

    unixctl_command_reply(conn, s);
    free(s);
}

static void
start(struct fixture *fixture)
{
    static char why[] = "it failed";

    unixctl_command_register("main/echo", "[text]", 0, 1, echo, why);
    unixctl_command_register("main/two", "a b", 2, 2, echo, why);
    unixctl_command_register("main/busy", "", 0, 0, be_busy, NULL);
    unixctl_command_register("main/keep", "", 0, 0, keep, NULL);
    unixctl_command_register("main/hidden", NULL, 0, 0, echo, NULL);
    unixctl_command_register("main/big", "", 0, 0, big, NULL);
    ef_control_register("ctl/echo", "[text]", 0, 1, echo, why);
    ef_control_register("ctl/two", "a b", 2, 2, echo, why);
    ef_control_register("ctl/keep", "", 0, 0, keep, NULL);
    ef_control_register("ctl/length", "text", 1, 1, length, NULL);
    fixture_start(fixture);
}

static void
expect_answer(const char *command, const char *arg, const char *expected)
{
    char *answer = ask(command, arg);

    EF_CHECK_STR_EQ(answer, expected);
    free(answer);
}

/* Reads a reply and expects 'result' in it, or, if NULL, 'error'. */
static void
expect_reply(int fd, int ms, const char *result, const char *error)
{
    char *answer = raw_read(fd, 1, ms);
    struct json *json = json_from_string(answer);
    struct json *id, *value, *null;

    free(answer);
    if (EF_CHECK(json->type == JSON_OBJECT)) {
        struct shash *object = json_object(json);

        id = shash_find_data(object, "id");
        value = shash_find_data(object, result ? "result" : "error");
        null = shash_find_data(object, result ? "error" : "result");
        EF_CHECK(id && json_integer(id) == 7);
        EF_CHECK(!null || null->type == JSON_NULL);
        if (EF_CHECK(value && value->type == JSON_STRING)) {
            EF_CHECK_STR_EQ(json_string(value), result ? result : error);
        }
    }
    json_destroy(json);
}

/* Asks with 'params' in JSON. */
static void
expect_raw(const char *command, const char *params, const char *result,
           const char *error)
{
    int fd = raw_open();

    raw_ask(fd, command, params);
    expect_reply(fd, 5000, result, error);
    close(fd);
}

/* Waits for 'n' to be kept. */
static void
await_kept(size_t n)
{
    for (int i = 0; i < 5000; i++) {
        bool there;

        ovs_mutex_lock(&kept_mutex);
        there = n_kept == n;
        ovs_mutex_unlock(&kept_mutex);
        if (there) {
            return;
        }
        xnanosleep(1000000);
    }
    EF_CHECK(!"kept");
}

static void
reply_kept(void)
{
    ovs_mutex_lock(&kept_mutex);
    for (size_t i = 0; i < n_kept; i++) {
        unixctl_command_reply(kept[i], "late");
    }
    n_kept = 0;
    ovs_mutex_unlock(&kept_mutex);
}

/* --- The server ---------------------------------------------------------- */

static int
n_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    int n = 0;

    while (readdir(dir)) {
        n++;
    }
    closedir(dir);
    return n;
}

EF_TEST(no_server_has_no_thread)
{
    struct unixctl_server *server;
    int n = n_threads();

    EF_CHECK_EQ(unixctl_server_create("none", &server), 0);
    EF_CHECK(!server);
    EF_CHECK_EQ(n_threads(), n);
    EF_CHECK(!unixctl_server_get_path(server));
    unixctl_server_run(server);
    unixctl_server_wait(server);
    unixctl_server_destroy(server);
}

static void
check_path(const char *path, const char *expected_)
{
    char *expected = xasprintf("%s/%s", fixture_dir, expected_);
    struct unixctl_server *server;
    struct stat s;

    EF_REQUIRE_EQ(unixctl_server_create(path, &server), 0);
    EF_CHECK_STR_EQ(unixctl_server_get_path(server), expected);
    EF_CHECK_EQ(stat(expected, &s), 0);
    EF_CHECK(S_ISSOCK(s.st_mode));
    EF_CHECK_EQ(s.st_mode & S_IRWXO, 0);
    unixctl_server_destroy(server);
    EF_CHECK_EQ(stat(expected, &s), -1);
    free(expected);
}

EF_TEST(socket_is_where_it_was_asked_for)
{
    char *absolute = xasprintf("%s/abs", fixture_dir);
    char *standard = xasprintf("%s.%ld.ctl", program_name, (long) getpid());
    struct unixctl_server *server;

    check_path("rel", "rel");
    check_path(absolute, "abs");
    check_path(NULL, standard);
    EF_CHECK_EQ(unixctl_server_create("/nowhere/at/all", &server), ENOENT);
    EF_CHECK(!server);
    free(absolute);
    free(standard);
}

/* --- Answers ------------------------------------------------------------- */

static void
check_texts(const char *kind)
{
    char *echo_name = xasprintf("%s/echo", kind);
    char *two_name = xasprintf("%s/two", kind);
    char *few = xasprintf("error: \"%s\" command requires at least 2 "
                          "arguments\n", two_name);
    char *many = xasprintf("\"%s\" command takes at most 1 arguments\n",
                           echo_name);
    char *type = xasprintf("\"%s\" command has non-string argument\n",
                           echo_name);

    expect_answer(echo_name, "hello", "hello\n");
    expect_answer(echo_name, "hello\n", "hello\n");
    expect_answer(echo_name, "", "");
    expect_answer(echo_name, NULL, "");
    expect_answer(echo_name, "fail", "error: it failed\n");
    expect_answer(two_name, "one", few);
    expect_raw(echo_name, "\"a\",\"b\"", NULL, many);
    expect_raw(echo_name, "1", NULL, type);
    expect_raw(echo_name, "\"a\"", "a\n", NULL);
    free(echo_name);
    free(two_name);
    free(few);
    free(many);
    free(type);
}

EF_TEST(texts_are_upstreams)
{
    struct fixture fixture;

    start(&fixture);
    check_texts("main");
    check_texts("ctl");
    expect_answer("no/such", NULL,
                  "error: \"no/such\" is not a valid command (use "
                  "\"list-commands\" to see a list of valid commands)\n");
    fixture_end(&fixture);
}

EF_TEST(list_is_sorted_and_hides)
{
    struct fixture fixture;
    char *list, *ctl, *main_two, *version, *answer;

    start(&fixture);
    list = ask("list-commands", NULL);
    EF_REQUIRE(list);
    EF_CHECK(!strncmp(list, "The available commands are:\n  ", 30));
    ctl = strstr(list, "  ctl/two                 a b\n");
    main_two = strstr(list, "  main/two                a b\n");
    EF_CHECK(ctl && main_two && ctl < main_two);
    EF_CHECK(strstr(list, "  list-commands           \n"));
    EF_CHECK(!strstr(list, "hidden"));
    expect_answer("main/hidden", NULL, "");
    version = xstrdup(ovs_get_program_version());
    version[strcspn(version, "\n")] = '\0';
    answer = ask("version", NULL);
    EF_CHECK(answer && !strncmp(answer, version, strlen(version)));
    EF_CHECK(answer && answer[strlen(answer) - 1] == '\n');
    free(answer);
    free(version);
    free(list);
    fixture_end(&fixture);
}

/* --- Who answers --------------------------------------------------------- */

static int
compare_ms(const void *a_, const void *b_)
{
    const long long *a = a_, *b = b_;

    return *a < *b ? -1 : *a > *b;
}

/* The median of eleven answers' times, in ms, all of which must come while the
 * serving thread is busy. */
static long long
median_while_busy(const char *command)
{
    struct jsonrpc *client = client_open();
    long long times[11];
    bool busy = false;

    for (int i = 0; !busy && i < 5000; i++) {
        xnanosleep(1000000);
        atomic_read(&is_busy, &busy);
    }
    EF_CHECK(busy);
    for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
        long long began = time_msec();
        char *answer = client_ask(client, command, "x");

        times[i] = time_msec() - began;
        EF_CHECK_STR_EQ(answer, "x\n");
        free(answer);
    }
    atomic_read(&is_busy, &busy);
    EF_CHECK(busy);
    jsonrpc_close(client);
    qsort(times, ARRAY_SIZE(times), sizeof times[0], compare_ms);
    return times[ARRAY_SIZE(times) / 2];
}

static void
check_while_busy(const char *command)
{
    struct fixture fixture;
    int busy_fd, main_fd;

    start(&fixture);
    free(ask("main/echo", NULL));   /* It is served. */
    busy_fd = raw_open();
    main_fd = raw_open();
    raw_ask(busy_fd, "main/busy", "");
    EF_CHECK(median_while_busy(command) < SOON_MS);

    raw_ask(main_fd, "main/echo", "\"after\"");
    expect_reply(main_fd, BUSY_MS + 5000, "after\n", NULL);
    expect_reply(busy_fd, 5000, "done\n", NULL);
    close(busy_fd);
    close(main_fd);
    fixture_end(&fixture);
}

EF_TEST(control_commands_answer_while_main_is_busy)
{
    check_while_busy("ctl/echo");
}

/* As if everything were left to the main thread. */
EF_TEST_MUST_FAIL(main_commands_answer_while_main_is_busy)
{
    check_while_busy("main/echo");
}

/* Some commands may not have been registered yet. */
EF_TEST(nothing_is_answered_before_the_first_run)
{
    struct fixture fixture;
    char *answer;
    int fd;

    fixture_create(&fixture);
    fd = raw_open();
    raw_ask(fd, "version", "");
    answer = raw_read(fd, 1, SOON_MS);
    EF_CHECK_STR_EQ(answer, "");
    free(answer);

    fixture_serve(&fixture);
    answer = raw_read(fd, 1, 5000);
    EF_CHECK(strstr(answer, ovs_get_program_name()));
    free(answer);
    close(fd);
    fixture_end(&fixture);
}

/* --- Late replies -------------------------------------------------------- */

EF_TEST(replies_may_come_later)
{
    struct fixture fixture;
    int fds[2];

    start(&fixture);
    fds[0] = raw_open();
    fds[1] = raw_open();
    raw_ask(fds[0], "main/keep", "");
    raw_ask(fds[0], "main/echo", "\"next\"");   /* Waits for its turn. */
    raw_ask(fds[1], "ctl/keep", "");
    await_kept(2);
    expect_answer("main/echo", "other", "other\n");

    reply_kept();
    for (int i = 0; i < 2; i++) {
        char *answer = raw_read(fds[i], i ? 1 : 2, 5000);

        EF_CHECK(strstr(answer, "late"));
        EF_CHECK(i || strstr(answer, "next"));
        free(answer);
        close(fds[i]);
    }
    fixture_end(&fixture);
}

EF_TEST(client_may_leave_before_its_reply)
{
    struct fixture fixture;

    start(&fixture);
    for (int i = 0; i < 4; i++) {
        int fd = raw_open();

        raw_ask(fd, i % 2 ? "main/keep" : "ctl/keep", "");
        await_kept(i + 1);
        close(fd);
    }
    expect_answer("main/echo", "fine", "fine\n");
    reply_kept();
    expect_answer("ctl/echo", "fine", "fine\n");
    fixture_end(&fixture);
}

EF_TEST(server_may_leave_before_the_reply)
{
    struct fixture fixture;
    int fd;

    start(&fixture);
    fd = raw_open();
    raw_ask(fd, "main/keep", "");
    await_kept(1);
    fixture_end(&fixture);
    EF_CHECK(raw_is_closed(fd));
    reply_kept();
    close(fd);
}

/* --- Bad clients --------------------------------------------------------- */

EF_TEST(malformed_requests_end_their_connection)
{
    static const char *const bad[] = {
        "garbage,",
        "[1,2]",
        "{\"id\":1,\"method\":\"ctl/echo\",\"params\":7}",
        "{\"id\":1,\"method\":7,\"params\":[]}",
        "{\"id\":1}",
        "{\"id\":null,\"method\":\"ctl/echo\",\"params\":[]}",
        "{\"id\":1,\"result\":\"x\",\"error\":null}",
        "{\"id\":1,\"method\":\"ctl/echo\",\"params\":[\"\\ud800\"]}",
    };
    struct fixture fixture;

    start(&fixture);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        int fd = raw_open();

        raw_send(fd, bad[i]);
        EF_CHECK(raw_is_closed(fd));
        close(fd);
    }
    expect_answer("main/echo", "fine", "fine\n");
    fixture_end(&fixture);
}

EF_TEST(long_requests_are_read)
{
    struct fixture fixture;
    char *arg = xmalloc(BIG + 1);

    memset(arg, 'a', BIG);
    arg[BIG] = '\0';
    start(&fixture);
    expect_answer("ctl/length", arg, "4194304\n");
    fixture_end(&fixture);
    free(arg);
}

EF_TEST(who_does_not_read_holds_nobody_up)
{
    struct fixture fixture;
    size_t size = 0;
    char *answers;
    int fd;

    start(&fixture);
    fd = raw_open();
    for (int i = 0; i < 3; i++) {
        raw_ask(fd, "main/big", "");
    }
    for (int i = 0; i < 20; i++) {
        long long began = time_msec();

        expect_answer("ctl/echo", "me", "me\n");
        expect_answer("main/echo", "too", "too\n");
        EF_CHECK(time_msec() - began < BUSY_MS);
    }
    answers = raw_read(fd, 3, 10000);
    for (const char *p = answers; *p; p++) {
        size += *p == 'x';
    }
    EF_CHECK_EQ(size, 3 * BIG);
    free(answers);
    close(fd);
    fixture_end(&fixture);
}

/* --- The end ------------------------------------------------------------- */

static void *
read_big(void *fd_)
{
    int *fd = fd_;

    xnanosleep(200 * 1000000);
    return raw_read(*fd, 1, 5000);
}

EF_TEST(end_waits_for_complete_replies_but_not_long)
{
    struct fixture fixture;
    long long began, took;
    pthread_t reader;
    void *answer;
    int fd;

    start(&fixture);
    fd = raw_open();
    raw_ask(fd, "main/big", "");
    expect_answer("main/echo", "x", "x\n");     /* So it has been composed. */
    reader = ovs_thread_create("reader", read_big, &fd);
    fixture_end(&fixture);
    xpthread_join(reader, &answer);
    EF_CHECK(strlen(answer) > BIG);
    free(answer);
    close(fd);

    start(&fixture);
    fd = raw_open();
    raw_ask(fd, "main/big", "");
    expect_answer("main/echo", "x", "x\n");
    began = time_msec();
    fixture_end(&fixture);
    took = time_msec() - began;
    EF_CHECK(took > 500 && took < 3000);
    close(fd);
}
