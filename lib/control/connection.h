/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CONTROL_CONNECTION_H
#define EF_CONTROL_CONNECTION_H 1

/* A client's connection.  At most one of its requests is under way.
 *
 * Threads: "ctl", but for the blocks of the struct that say otherwise, and for
 * ef_conn_destroy(). */

#include <stdbool.h>

#include "compat/unixctl-json.h"
#include "openvswitch/list.h"

struct ef_handover;
struct json;
struct jsonrpc_msg;
struct stream;

struct unixctl_conn {
    /* "ctl". */
    struct ovs_list node;       /* In the server's list. */
    struct jsonrpc *rpc;
    bool is_busy;               /* A request is under way. */

    /* Whoever executes the request. */
    struct json *request_id;    /* NULL: not being executed. */
    enum unixctl_output_fmt format;     /* Of replies. */

    /* Whoever owns the connection (control/handover.h). */
    struct jsonrpc_msg *request; /* To be executed. */
    struct jsonrpc_msg *reply;   /* To be sent. */
    struct ovs_list queue_node;  /* In a queue if either is set. */

    /* Under the mutex of control/handover.c. */
    struct ef_handover *handover; /* NULL: the server has gone. */
    bool is_executed;           /* Somebody is to reply. */
};

struct unixctl_conn *ef_conn_create(struct stream *, struct ef_handover *);

/* Closes the connection.  If its request is being executed, the rest is freed
 * when the reply comes. */
void ef_conn_destroy(struct unixctl_conn *);

/* Writes what can be written and reads requests, which it executes or hands
 * over.  Returns 0, or an errno or EOF if the connection is to be
 * destroyed. */
int ef_conn_run(struct unixctl_conn *);
void ef_conn_wait(struct unixctl_conn *);

/* Sends 'reply', which a handover brought, as far as the client reads it. */
void ef_conn_send_reply(struct unixctl_conn *);

/* Writes what can be written.  Returns true if there is more, having told the
 * poll loop. */
bool ef_conn_flush(struct unixctl_conn *);

#endif /* control/connection.h */
