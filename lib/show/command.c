/* SPDX-License-Identifier: Apache-2.0 */

/* Answers commands that take no argument but "json".  On the main thread. */

#include <config.h>

#include "show/command.h"

#include <string.h>

#include "openvswitch/dynamic-string.h"
#include "unixctl.h"
#include "util.h"

static void
answer(struct unixctl_conn *conn, int argc, const char *argv[],
       void *command_)
{
    const struct ef_show_command *command = command_;
    struct ds reply = DS_EMPTY_INITIALIZER;

    if (argc > 1 && strcmp(argv[1], "json")) {
        ds_put_format(&reply, "'%s': the only argument is 'json'", argv[1]);
        unixctl_command_reply_error(conn, ds_cstr(&reply));
    } else {
        (argc > 1 ? command->json : command->text)(&reply);
        unixctl_command_reply(conn, ds_cstr(&reply));
    }
    ds_destroy(&reply);
}

void
ef_show_command_register(const struct ef_show_command *command)
{
    unixctl_command_register(command->name, "[json]", 0, 1, answer,
                             CONST_CAST(struct ef_show_command *, command));
}
