/* SPDX-License-Identifier: Apache-2.0 */

/* Answers commands that take no argument but "json".
 *
 * On the thread "ctl" (control/control.h), which passes for quiescent
 * meanwhile: what is shown is read under mutexes or from counters, nothing
 * under RCU, and rcu/show waits for others without delaying them. */

#include <config.h>

#include "show/command.h"

#include <string.h>

#include "control/control.h"
#include "openvswitch/dynamic-string.h"
#include "ovs-rcu.h"
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
        ovsrcu_quiesce_start();
        (argc > 1 ? command->json : command->text)(&reply);
        ovsrcu_quiesce_end();
        unixctl_command_reply(conn, ds_cstr(&reply));
    }
    ds_destroy(&reply);
}

void
ef_show_command_register(const struct ef_show_command *command)
{
    ef_control_register(command->name, "[json]", 0, 1, answer,
                        CONST_CAST(struct ef_show_command *, command));
}
