/* SPDX-License-Identifier: Apache-2.0 */

/* The client's side: asks a server and waits for its answer.
 *
 * Of the switch nobody calls it; tests do.  Any thread, one at a time for each
 * connection. */

#include <config.h>

#include "compat/unixctl-json.h"

#include <errno.h>
#include <stdlib.h>

#include "control/log.h"
#include "dirs.h"
#include "jsonrpc.h"
#include "openvswitch/json.h"
#include "socket-util.h"
#include "stream.h"
#include "util.h"

int
unixctl_client_create(const char *path, struct jsonrpc **client)
{
    char *file = abs_file_name(ovs_rundir(), path);
    char *name = xasprintf("unix:%s", file);
    struct stream *stream;
    int error;

    error = stream_open_block(stream_open(name, &stream, DSCP_DEFAULT), -1,
                              &stream);
    if (error) {
        VLOG_WARN("failed to connect to %s", path);
    }
    *client = error ? NULL : jsonrpc_open(stream);
    free(name);
    free(file);
    return error;
}

int
ef_client_transact(struct jsonrpc *client, const char *command, int argc,
                   char *argv[], struct json **result,
                   struct json **error_reply)
{
    struct json *params = json_array_create_empty();
    struct jsonrpc_msg *reply;
    int error;

    *result = *error_reply = NULL;
    for (int i = 0; i < argc; i++) {
        json_array_add(params, json_string_create(argv[i]));
    }
    error = jsonrpc_transact_block(
        client, jsonrpc_create_request(command, params, NULL), &reply);
    if (error) {
        VLOG_WARN("error communicating with %s: %s", jsonrpc_get_name(client),
                  ovs_retval_to_string(error));
        return error;
    }

    if (reply->error) {
        *error_reply = json_nullable_clone(reply->error);
    } else {
        *result = json_nullable_clone(reply->result);
    }
    jsonrpc_msg_destroy(reply);
    return 0;
}

/* Copies a string, if there is one.  'kind' says what it is, for the log. */
static int
take_string(struct jsonrpc *client, const struct json *json, const char *kind,
            char **s)
{
    if (!json) {
        return 0;
    }
    if (json->type != JSON_STRING) {
        VLOG_WARN("%s: unexpected %s reply: %s", jsonrpc_get_name(client),
                  kind, json_type_to_string(json->type));
        return EINVAL;
    }
    *s = xstrdup(json_string(json));
    return 0;
}

int
ef_client_transact_text(struct jsonrpc *client, const char *command, int argc,
                        char *argv[], char **result, char **error_text)
{
    struct json *result_json, *error_json;
    int error;

    *result = *error_text = NULL;
    error = ef_client_transact(client, command, argc, argv, &result_json,
                               &error_json);
    if (!error) {
        error = take_string(client, error_json, "error type in JSON RPC",
                            error_text);
    }
    if (!error) {
        error = take_string(client, result_json, "result type in JSON rpc",
                            result);
    }
    json_destroy(result_json);
    json_destroy(error_json);
    return error;
}
