/* SPDX-License-Identifier: Apache-2.0 */

/* Answers commands whose last argument may be "json", or whose client wants
 * replies in JSON anyway.
 *
 * On the thread "ctl" (control/control.h), which passes for quiescent
 * meanwhile: what is shown is read under mutexes or from counters, nothing
 * under RCU, and rcu/show waits for others without delaying them. */

#include <config.h>

#include "show/command.h"

#include <string.h>

#include "control/control.h"
#include "dpdk.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "ovs-rcu.h"
#include "show/show-json.h"
#include "util.h"

static void
print_no_dpdk(bool json, struct ds *reply)
{
    static const char message[] = "DPDK is not running";

    if (json) {
        struct json *object = json_object_create();

        ef_show_json_string(object, "message", message);
        ef_show_json_print(reply, object);
    } else {
        ds_put_format(reply, "%s\n", message);
    }
}

/* Returns false if 'reply' is what is wrong. */
static bool
print(const struct ef_show_command *command, const char *args[], int n,
      bool json, struct ds *reply)
{
    if (command->needs_dpdk && !dpdk_available()) {
        print_no_dpdk(json, reply);
        return true;
    } else if (command->answer && n <= command->max_args) {
        return command->answer(args, n, json, reply);
    } else if (n > 0 && !command->max_args) {
        ds_put_format(reply, "'%s': the only argument is 'json'", args[n - 1]);
        return false;
    } else if (n > 0) {
        ds_put_format(reply, "'%s': the last argument must be 'json'",
                      args[n - 1]);
        return false;
    }
    (json ? command->json : command->text)(reply);
    return true;
}

static void
answer(struct unixctl_conn *conn, int argc, const char *argv[],
       void *command_)
{
    const struct ef_show_command *command = command_;
    bool wanted = (unixctl_command_get_output_format(conn)
                   == UNIXCTL_OUTPUT_FMT_JSON);
    bool said = argc > 1 && !strcmp(argv[argc - 1], "json");
    struct ds reply = DS_EMPTY_INITIALIZER;
    bool ok;

    ovsrcu_quiesce_start();
    ok = print(command, argv + 1, argc - 1 - said, said || wanted, &reply);
    ovsrcu_quiesce_end();
    if (ok && wanted) {
        unixctl_command_reply_json(conn, json_from_string(ds_cstr(&reply)));
    } else if (ok) {
        unixctl_command_reply(conn, ds_cstr(&reply));
    } else {
        unixctl_command_reply_error(conn, ds_cstr(&reply));
    }
    ds_destroy(&reply);
}

void
ef_show_command_register(const struct ef_show_command *command)
{
    ef_control_register(command->name,
                        command->usage ? command->usage : "[json]",
                        0, command->max_args + 1, answer,
                        CONST_CAST(struct ef_show_command *, command));
}
