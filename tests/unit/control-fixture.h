/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_TESTS_CONTROL_FIXTURE_H
#define EF_TESTS_CONTROL_FIXTURE_H 1

/* A server in a directory of its own, a thread that serves it as the main
 * thread does, and clients: ask_*() in a connection of its own, raw_*() byte
 * by byte. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "compat/unixctl-json.h"
#include "fatal-signal.h"
#include "jsonrpc.h"
#include "latch.h"
#include "openvswitch/poll-loop.h"
#include "openvswitch/vlog.h"
#include "ovs-thread.h"
#include "timeval.h"
#include "util.h"

static char fixture_dir[] = "/tmp/ef-control-XXXXXX";

static void __attribute__((destructor))
fixture_remove_dir(void)
{
    rmdir(fixture_dir);
}

/* Before anything asks for the package's run directory. */
static void __attribute__((constructor))
fixture_make_dir(void)
{
    if (!mkdtemp(fixture_dir) || setenv("OVS_RUNDIR", fixture_dir, 1)) {
        abort();
    }
}

/* --- Server -------------------------------------------------------------- */

struct fixture {
    struct unixctl_server *server;
    pthread_t thread;
    struct latch stop;
};

static void *
fixture_main(void *fixture_)
{
    struct fixture *fixture = fixture_;

    while (!latch_is_set(&fixture->stop)) {
        unixctl_server_run(fixture->server);
        unixctl_server_wait(fixture->server);
        latch_wait(&fixture->stop);
        poll_block();
    }
    return NULL;
}

/* Before the first thread. */
static inline void
fixture_init(void)
{
    static bool is_done;

    if (!is_done) {
        fatal_ignore_sigpipe();
        /* The package complains of whatever clients here do on purpose. */
        vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
        is_done = true;
    }
}

static void
fixture_create(struct fixture *fixture)
{
    fixture_init();
    if (unixctl_server_create("sock", &fixture->server)) {
        ovs_abort(0, "no server");
    }
}

static void
fixture_serve(struct fixture *fixture)
{
    latch_init(&fixture->stop);
    fixture->thread = ovs_thread_create("serving", fixture_main, fixture);
}

static void
fixture_start(struct fixture *fixture)
{
    fixture_create(fixture);
    fixture_serve(fixture);
}

static inline void
fixture_stop_serving(struct fixture *fixture)
{
    latch_set(&fixture->stop);
    xpthread_join(fixture->thread, NULL);
    latch_destroy(&fixture->stop);
}

static void
fixture_end(struct fixture *fixture)
{
    fixture_stop_serving(fixture);
    unixctl_server_destroy(fixture->server);
}

/* --- Clients ------------------------------------------------------------- */

static struct jsonrpc *
client_open(void)
{
    struct jsonrpc *client;

    return unixctl_client_create("sock", &client) ? NULL : client;
}

/* Returns the result, or the error with "error: " before it, or NULL if there
 * was no answer. */
static char *
client_ask(struct jsonrpc *client, const char *command, const char *arg)
{
    char *argv[] = { CONST_CAST(char *, arg) };
    char *result, *error;

    if (ef_client_transact_text(client, command, !!arg, argv, &result,
                                &error)) {
        return NULL;
    }
    if (error) {
        result = xasprintf("error: %s", error);
        free(error);
    }
    return result;
}

static inline char *
ask(const char *command, const char *arg)
{
    struct jsonrpc *client = client_open();
    char *answer = client ? client_ask(client, command, arg) : NULL;

    jsonrpc_close(client);
    return answer;
}

static inline int
raw_open(void)
{
    struct sockaddr_un sun = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(sun.sun_path, sizeof sun.sun_path, "%s/sock", fixture_dir);
    if (connect(fd, (struct sockaddr *) &sun, sizeof sun)) {
        close(fd);
        return -1;
    }
    return fd;
}

static inline void
raw_send(int fd, const char *s)
{
    size_t n = strlen(s);

    while (n) {
        ssize_t sent = send(fd, s, n, MSG_NOSIGNAL);

        if (sent < 0) {
            return;             /* The answer will be missed. */
        }
        s += sent;
        n -= sent;
    }
}

static inline void
raw_ask(int fd, const char *command, const char *params)
{
    char *s = xasprintf("{\"id\":7,\"method\":\"%s\",\"params\":[%s]}",
                        command, params);

    raw_send(fd, s);
    free(s);
}

/* Reads 'n' objects, whose strings have no braces.  Returns what there was
 * after 'ms' at most. */
static inline char *
raw_read(int fd, int n, int ms)
{
    size_t size = 0, allocated = 65536;
    char *s = xmalloc(allocated);
    long long until = time_msec() + ms;

    while (n > 0) {
        struct pollfd pfd = { .fd = fd, .events = POLLIN };
        long long left = until - time_msec();
        ssize_t got;

        if (left < 0 || poll(&pfd, 1, left) <= 0) {
            break;
        }
        if (allocated - size < 65536) {
            s = x2nrealloc(s, &allocated, 1);
        }
        got = recv(fd, s + size, 65535, 0);
        if (got <= 0) {
            break;
        }
        for (ssize_t i = 0; i < got; i++) {
            n -= s[size + i] == '}';
        }
        size += got;
    }
    s[size] = '\0';
    return s;
}

/* Whether the server closes the connection. */
static inline bool
raw_is_closed(int fd)
{
    struct pollfd pfd = { .fd = fd, .events = POLLIN };
    char c;

    return poll(&pfd, 1, 5000) == 1 && recv(fd, &c, 1, 0) <= 0;
}

#endif /* control-fixture.h */
