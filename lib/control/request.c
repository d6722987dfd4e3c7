/* SPDX-License-Identifier: Apache-2.0 */

/* Executes requests and composes replies.
 *
 * The thread that executes a request logs it, calls the command and, there or
 * elsewhere and later, somebody replies.  No lock is held meanwhile. */

#include <config.h>

#include "control/request.h"

#include <stdlib.h>
#include <string.h>

#include "control/command.h"
#include "control/connection.h"
#include "control/handover.h"
#include "coverage.h"
#include "jsonrpc.h"
#include "openvswitch/json.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(unixctl);

COVERAGE_DEFINE(unixctl_received);
COVERAGE_DEFINE(unixctl_replied);

static void
log_request(const struct jsonrpc_msg *msg)
{
    if (VLOG_IS_DBG_ENABLED()) {
        char *params = json_to_string(msg->params, 0);
        char *id = json_to_string(msg->id, 0);

        VLOG_DBG("received request %s%s, id=%s", msg->method, params, id);
        free(params);
        free(id);
    }
}

static void
log_reply(const struct json *id_json, bool success, const struct json *body)
{
    if (VLOG_IS_DBG_ENABLED()) {
        char *id = json_to_string(id_json, 0);
        char *text = (body->type == JSON_STRING ? xstrdup(json_string(body))
                      : json_to_string(body, JSSF_SORT));

        VLOG_DBG("replying with %s, id=%s: \"%s\"",
                 success ? "success" : "error", id, text);
        free(text);
        free(id);
    }
}

/* Returns what is wrong with the request, NULL if nothing is. */
static char *
find_fault(const struct ef_command *command, const char *name,
           const struct json_array *params)
{
    if (!command) {
        return xasprintf("\"%s\" is not a valid command (use "
                         "\"list-commands\" to see a list of valid commands)",
                         name);
    }
    if (params->n < command->min_args) {
        return xasprintf("\"%s\" command requires at least %d arguments",
                         name, command->min_args);
    }
    if (params->n > command->max_args) {
        return xasprintf("\"%s\" command takes at most %d arguments",
                         name, command->max_args);
    }
    for (size_t i = 0; i < params->n; i++) {
        if (params->elems[i]->type != JSON_STRING) {
            return xasprintf("\"%s\" command has non-string argument", name);
        }
    }
    return NULL;
}

static void
call(struct unixctl_conn *conn, const struct ef_command *command,
     const char *name, const struct json_array *params)
{
    const char **argv = xmalloc((params->n + 2) * sizeof *argv);

    argv[0] = name;
    for (size_t i = 0; i < params->n; i++) {
        argv[i + 1] = json_string(params->elems[i]);
    }
    argv[params->n + 1] = NULL;
    command->cb(conn, params->n + 1, argv, command->aux);
    free(argv);
}

void
ef_request_execute(struct unixctl_conn *conn, struct jsonrpc_msg *msg)
{
    const struct ef_command *command = ef_command_find(msg->method);
    const struct json_array *params = json_array(msg->params);
    char *fault;

    COVERAGE_INC(unixctl_received);
    log_request(msg);

    /* Not a clone: who replies, perhaps in another thread, would count
     * references to it at the same time. */
    conn->request_id = msg->id;
    msg->id = NULL;

    fault = find_fault(command, msg->method, params);
    if (fault) {
        unixctl_command_reply_error(conn, fault);
        free(fault);
    } else {
        call(conn, command, msg->method, params);
    }
    jsonrpc_msg_destroy(msg);
}

/* --- Replies ------------------------------------------------------------- */

/* For a client that prints it as it is, a text that is not empty ends its
 * line. */
static struct json *
text_json(const struct unixctl_conn *conn, const char *body)
{
    size_t length = strlen(body);

    return (conn->format == UNIXCTL_OUTPUT_FMT_TEXT
            && length && body[length - 1] != '\n'
            ? json_string_create_nocopy(xasprintf("%s\n", body))
            : json_string_create(body));
}

/* Takes 'body'. */
static void
send_reply(struct unixctl_conn *conn, bool success, struct json *body)
{
    struct json *id = conn->request_id;
    struct jsonrpc_msg *msg;

    COVERAGE_INC(unixctl_replied);
    ovs_assert(id);
    log_reply(id, success, body);

    msg = (success ? jsonrpc_create_reply(body, id)
           : jsonrpc_create_error(body, id));
    json_destroy(id);
    conn->request_id = NULL;
    ef_handover_reply(conn, msg);
}

void
unixctl_command_reply(struct unixctl_conn *conn, const char *result)
{
    struct json *body = text_json(conn, result ? result : "");

    if (conn->format == UNIXCTL_OUTPUT_FMT_JSON) {
        struct json *text = body;

        body = json_object_create();
        json_object_put_string(body, "reply-format", "plain");
        json_object_put(body, "reply", text);
    }
    send_reply(conn, true, body);
}

void
unixctl_command_reply_json(struct unixctl_conn *conn, struct json *body)
{
    ovs_assert(conn->format == UNIXCTL_OUTPUT_FMT_JSON);
    send_reply(conn, true, body);
}

void
unixctl_command_reply_error(struct unixctl_conn *conn, const char *error)
{
    send_reply(conn, false, text_json(conn, error ? error : ""));
}

enum unixctl_output_fmt
unixctl_command_get_output_format(struct unixctl_conn *conn)
{
    return conn->format;
}
