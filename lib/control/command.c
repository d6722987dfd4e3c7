/* SPDX-License-Identifier: Apache-2.0 */

/* The table of commands, by name.
 *
 * Any thread registers, at any time, while "ctl" and the main thread look up.
 * The mutex is a leaf: under it memory is allocated and nothing else. */

#include <config.h>

#include "control/command.h"

#include <string.h>

#include "control/options.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "ovs-thread.h"
#include "util.h"

static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;
static struct shash commands OVS_GUARDED_BY(mutex)
    = SHASH_INITIALIZER(&commands);

/* Commands that the package registers and that any thread may call. */
static const char *const safe_commands[] = {
    /* vlog_get_levels() walks the list of modules under 'log_file_mutex'.
     * Constructors made the list; levels change under the same mutex. */
    "vlog/list",
};

static bool
is_safe(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(safe_commands); i++) {
        if (!strcmp(name, safe_commands[i])) {
            return true;
        }
    }
    return false;
}

static void
add(const char *name, const struct ef_command *new)
{
    const struct ef_command *old;

    ovs_mutex_lock(&mutex);
    old = shash_find_data(&commands, name);
    if (!old) {
        shash_add(&commands, name, xmemdup(new, sizeof *new));
    }
    ovs_mutex_unlock(&mutex);
    ovs_assert(!old || old->cb == new->cb);
}

void
unixctl_command_register(const char *name, const char *usage,
                         int min_args, int max_args,
                         unixctl_cb_func *cb, void *aux)
{
    add(name, &(struct ef_command) {
            usage, min_args, max_args, cb, aux, is_safe(name) });
}

void
ef_control_register(const char *name, const char *usage,
                    int min_args, int max_args,
                    unixctl_cb_func *cb, void *aux)
{
    add(name, &(struct ef_command) {
            usage, min_args, max_args, cb, aux, true });
}

const struct ef_command *
ef_command_find(const char *name)
{
    const struct ef_command *command;

    ovs_mutex_lock(&mutex);
    command = shash_find_data(&commands, name);
    ovs_mutex_unlock(&mutex);
    return command;
}

/* --- Those that every server has ----------------------------------------- */

static void
put_text(struct ds *ds)
{
    const struct shash_node **nodes;

    ovs_mutex_lock(&mutex);
    nodes = shash_sort(&commands);
    for (size_t i = 0; i < shash_count(&commands); i++) {
        const struct ef_command *command = nodes[i]->data;

        if (command->usage) {
            ds_put_format(ds, "  %-23s %s\n", nodes[i]->name, command->usage);
        }
    }
    ovs_mutex_unlock(&mutex);
    free(nodes);
}

/* An object of all usages by name. */
static struct json *
commands_json(void)
{
    struct json *object = json_object_create();
    const struct shash_node *node;

    ovs_mutex_lock(&mutex);
    SHASH_FOR_EACH (node, &commands) {
        const struct ef_command *command = node->data;

        if (command->usage) {
            json_object_put_string(object, node->name, command->usage);
        }
    }
    ovs_mutex_unlock(&mutex);
    return object;
}

static void
list_commands(struct unixctl_conn *conn, int argc OVS_UNUSED,
              const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    struct ds reply = DS_EMPTY_INITIALIZER;

    if (unixctl_command_get_output_format(conn) == UNIXCTL_OUTPUT_FMT_JSON) {
        unixctl_command_reply_json(conn, commands_json());
        return;
    }
    ds_put_cstr(&reply, "The available commands are:\n");
    put_text(&reply);
    unixctl_command_reply(conn, ds_cstr(&reply));
    ds_destroy(&reply);
}

static void
tell_version(struct unixctl_conn *conn, int argc OVS_UNUSED,
             const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    unixctl_command_reply(conn, ovs_get_program_version());
}

void
ef_command_register_builtin(void)
{
    ef_control_register("list-commands", "", 0, 0, list_commands, NULL);
    ef_control_register("version", "", 0, 0, tell_version, NULL);
    ef_control_register("set-options", "[--format text|json]", 1, 2,
                        ef_set_options, NULL);
}
