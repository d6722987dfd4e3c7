/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_UNIXCTL_JSON_H
#define EF_COMPAT_UNIXCTL_JSON_H 1

/* "unixctl.h" with replies in JSON, which newer packages declare and
 * lib/control defines on all of them.
 *
 * A client that wants JSON says so with the command "set-options --format
 * json"; "ovs-appctl --format json" of the newer packages does.  A command
 * asks for the format of its connection and replies in it; one that does not
 * ask replies in text, which then comes as a string in an object.
 *
 * Threads: whoever executes the request. */

#include <stdbool.h>

#include "unixctl.h"

struct json;
struct jsonrpc;

#ifndef EF_HAVE_UNIXCTL_JSON
enum unixctl_output_fmt {
    UNIXCTL_OUTPUT_FMT_TEXT = 1 << 0,
    UNIXCTL_OUTPUT_FMT_JSON = 1 << 1,
};

const char *unixctl_output_fmt_to_string(enum unixctl_output_fmt);
bool unixctl_output_fmt_from_string(const char *, enum unixctl_output_fmt *);
enum unixctl_output_fmt unixctl_command_get_output_format(
    struct unixctl_conn *);
void unixctl_command_reply_json(struct unixctl_conn *, struct json *body);
#endif

/* unixctl_client_transact() of the newer and of the older packages;
 * control/client.c has both, compat/unixctl-client.c gives the name to one of
 * them. */
int ef_client_transact(struct jsonrpc *, const char *command, int argc,
                       char *argv[], struct json **result,
                       struct json **error);
int ef_client_transact_text(struct jsonrpc *, const char *command, int argc,
                            char *argv[], char **result, char **error);

#endif /* compat/unixctl-json.h */
