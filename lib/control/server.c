/* SPDX-License-Identifier: Apache-2.0 */

/* A server of commands: its socket, its connections and its thread "ctl".
 *
 * Whoever creates a server, after the process has become a daemon, runs it and
 * destroys it: the main thread.  From creation to destruction the listener and
 * the connections are the thread's. */

#include <config.h>

#include "unixctl.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "control/command.h"
#include "control/connection.h"
#include "control/handover.h"
#include "control/log.h"
#include "control/request.h"
#include "core/clock.h"
#include "dirs.h"
#include "openvswitch/poll-loop.h"
#include "ovs-thread.h"
#include "stream.h"
#include "util.h"

/* Connections that are accepted until those there are have their turn. */
#define ACCEPT_BURST 10
/* After an error, until the next attempt: it may last, and the socket stays
 * readable. */
#define ACCEPT_PAUSE_MS 100
/* At the end, for clients to read their replies. */
#define FLUSH_MS 1000

struct unixctl_server {
    /* Constant. */
    char *path;
    pthread_t thread;

    /* "ctl". */
    struct pstream *listener;
    struct ovs_list conns;      /* "struct unixctl_conn"s. */
    bool accept_failed;

    /* Between threads. */
    struct ef_handover handover;
};

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 5);

/* --- "ctl" --------------------------------------------------------------- */

static void
accept_connections(struct unixctl_server *server)
{
    server->accept_failed = false;
    for (int i = 0; i < ACCEPT_BURST; i++) {
        struct unixctl_conn *conn;
        struct stream *stream;
        int error = pstream_accept(server->listener, &stream);

        if (error == EAGAIN) {
            return;
        } else if (error) {
            VLOG_WARN_RL(&rl, "%s: accept failed: %s",
                         pstream_get_name(server->listener),
                         ovs_strerror(error));
            server->accept_failed = true;
            return;
        }
        conn = ef_conn_create(stream, &server->handover);
        ovs_list_push_back(&server->conns, &conn->node);
    }
}

/* Returns false if the server is about to end. */
static bool
send_replies(struct unixctl_server *server)
{
    struct ovs_list replies;
    struct unixctl_conn *conn;
    bool go_on = ef_handover_take_replies(&server->handover, &replies);

    LIST_FOR_EACH_POP (conn, queue_node, &replies) {
        ef_conn_send_reply(conn);
    }
    return go_on;
}

static void
run_connections(struct unixctl_server *server)
{
    struct unixctl_conn *conn;

    LIST_FOR_EACH_SAFE (conn, node, &server->conns) {
        if (ef_conn_run(conn)) {
            ovs_list_remove(&conn->node);
            ef_conn_destroy(conn);
        }
    }
}

static void
wait_for_work(struct unixctl_server *server)
{
    struct unixctl_conn *conn;

    ef_handover_wait(&server->handover);
    if (server->accept_failed) {
        poll_timer_wait(ACCEPT_PAUSE_MS);
    } else {
        pstream_wait(server->listener);
    }
    LIST_FOR_EACH (conn, node, &server->conns) {
        ef_conn_wait(conn);
    }
}

/* Waits until clients have read the replies that there are, not for long. */
static void
flush(struct unixctl_server *server)
{
    long long until_ms = ef_clock_ms() + FLUSH_MS;
    long long left_ms = FLUSH_MS;

    while (left_ms > 0) {
        struct unixctl_conn *conn;
        bool is_done = true;

        send_replies(server);
        LIST_FOR_EACH (conn, node, &server->conns) {
            is_done &= !ef_conn_flush(conn);
        }
        if (is_done) {
            return;
        }
        poll_timer_wait(left_ms);
        poll_block();
        left_ms = until_ms - ef_clock_ms();
    }
}

static void *
control_main(void *server_)
{
    struct unixctl_server *server = server_;

    while (send_replies(server)) {
        accept_connections(server);
        run_connections(server);
        wait_for_work(server);
        poll_block();
    }
    flush(server);
    return NULL;
}

/* --- Main thread --------------------------------------------------------- */

static char *
socket_path(const char *path)
{
    return (path ? abs_file_name(ovs_rundir(), path)
            : xasprintf("%s/%s.%ld.ctl", ovs_rundir(), program_name,
                        (long) getpid()));
}

static int
listen_at(const char *path, struct pstream **listener)
{
    char *name = xasprintf("punix:%s", path);
    int error = pstream_open(name, listener, 0);

    if (error) {
        ovs_error(error, "%s: could not initialize control socket", path);
    }
    free(name);
    return error;
}

int
unixctl_server_create(const char *name, struct unixctl_server **serverp)
{
    struct unixctl_server *server;
    struct pstream *listener;
    char *path;
    int error;

    *serverp = NULL;
    if (name && !strcmp(name, "none")) {
        return 0;
    }
    path = socket_path(name);
    error = listen_at(path, &listener);
    if (error) {
        free(path);
        return error;
    }

    ef_command_register_builtin();
    server = xzalloc(sizeof *server);
    server->path = path;
    server->listener = listener;
    ovs_list_init(&server->conns);
    ef_handover_init(&server->handover);
    server->thread = ovs_thread_create("ctl", control_main, server);
    *serverp = server;
    return 0;
}

void
unixctl_server_run(struct unixctl_server *server)
{
    struct unixctl_conn *conn;
    struct ovs_list requests;

    if (!server) {
        return;
    }
    ef_handover_take_requests(&server->handover, &requests);
    LIST_FOR_EACH_POP (conn, queue_node, &requests) {
        struct jsonrpc_msg *request = conn->request;

        conn->request = NULL;
        ef_request_execute(conn, request);
    }
}

void
unixctl_server_wait(struct unixctl_server *server)
{
    if (server) {
        ef_handover_wait_requests(&server->handover);
    }
}

void
unixctl_server_destroy(struct unixctl_server *server)
{
    struct unixctl_conn *conn;

    if (!server) {
        return;
    }
    ef_handover_end(&server->handover);
    xpthread_join(server->thread, NULL);

    LIST_FOR_EACH_POP (conn, node, &server->conns) {
        ef_conn_destroy(conn);
    }
    pstream_close(server->listener);
    ef_handover_destroy(&server->handover);
    free(server->path);
    free(server);
}

const char *
unixctl_server_get_path(const struct unixctl_server *server)
{
    return server ? server->path : NULL;
}
