/* SPDX-License-Identifier: Apache-2.0 */

/* Reads a client's requests and writes the replies to it.
 *
 * "ctl" calls this.  While a request is under way nothing is read, so neither
 * the next request nor the client's end is noticed: the connection stays until
 * the reply has come. */

#include <config.h>

#include "control/connection.h"

#include <errno.h>
#include <stdlib.h>

#include "control/command.h"
#include "control/handover.h"
#include "control/log.h"
#include "control/request.h"
#include "jsonrpc.h"
#include "openvswitch/json.h"
#include "util.h"

/* Requests of one connection until it is the next one's turn. */
#define BURST 10

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 5);

struct unixctl_conn *
ef_conn_create(struct stream *stream, struct ef_handover *handover)
{
    struct unixctl_conn *conn = xzalloc(sizeof *conn);

    conn->rpc = jsonrpc_open(stream);
    conn->handover = handover;
    conn->format = UNIXCTL_OUTPUT_FMT_TEXT;
    return conn;
}

void
ef_conn_destroy(struct unixctl_conn *conn)
{
    jsonrpc_close(conn->rpc);
    if (ef_handover_leave(conn)) {
        jsonrpc_msg_destroy(conn->request);
        jsonrpc_msg_destroy(conn->reply);
        free(conn);
    }
}

static void
take_request(struct unixctl_conn *conn, struct jsonrpc_msg *msg)
{
    const struct ef_command *command = ef_command_find(msg->method);

    conn->is_busy = true;
    if (command && command->on_control
        && ef_handover_is_served(conn->handover)) {
        ef_handover_ask_self(conn);
        ef_request_execute(conn, msg);
    } else {
        ef_handover_ask(conn, msg);
    }
}

/* Reads one message, if there is one. */
static int
receive(struct unixctl_conn *conn)
{
    struct jsonrpc_msg *msg;
    int error = jsonrpc_recv(conn->rpc, &msg);

    if (!msg) {
        return error;
    } else if (msg->type == JSONRPC_REQUEST) {
        take_request(conn, msg);
        return 0;
    }
    VLOG_WARN_RL(&rl, "%s: received unexpected %s message",
                 jsonrpc_get_name(conn->rpc),
                 jsonrpc_msg_type_to_string(msg->type));
    jsonrpc_msg_destroy(msg);
    return EINVAL;
}

int
ef_conn_run(struct unixctl_conn *conn)
{
    int error;

    if (conn->is_busy) {
        return 0;
    }
    jsonrpc_run(conn->rpc);
    error = jsonrpc_get_status(conn->rpc);
    for (int i = 0; i < BURST; i++) {
        if (error || conn->is_busy || jsonrpc_get_backlog(conn->rpc)) {
            break;
        }
        error = receive(conn);
    }
    return error == EAGAIN ? 0 : error;
}

void
ef_conn_wait(struct unixctl_conn *conn)
{
    if (conn->is_busy) {
        return;
    }
    jsonrpc_wait(conn->rpc);
    if (!jsonrpc_get_backlog(conn->rpc)) {
        jsonrpc_recv_wait(conn->rpc);
    }
}

void
ef_conn_send_reply(struct unixctl_conn *conn)
{
    struct jsonrpc_msg *reply = conn->reply;

    conn->reply = NULL;
    conn->is_busy = false;
    /* An error is the connection's status from now on. */
    jsonrpc_send(conn->rpc, reply);
}

bool
ef_conn_flush(struct unixctl_conn *conn)
{
    jsonrpc_run(conn->rpc);
    if (!jsonrpc_get_backlog(conn->rpc)) {
        return false;
    }
    jsonrpc_wait(conn->rpc);
    return true;
}
