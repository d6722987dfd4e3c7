/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CONTROL_CONTROL_H
#define EF_CONTROL_CONTROL_H 1

/* Commands of ovs-appctl, and which thread answers them.
 *
 * The functions of the package's "unixctl.h" are ours.  A server has a thread
 * of its own, "ctl", that accepts connections, reads requests and writes
 * replies.  A command that unixctl_command_register() registered is called by
 * the thread that runs unixctl_server_run(), the main thread, as the package's
 * code expects: nobody else may touch most of what it reads.
 *
 * While the main thread is busy, commands like that wait; it may be busy for
 * half a second, and just then an operator asks.  So what can be answered
 * without it is registered with ef_control_register() and called by "ctl":
 *
 *     static void
 *     show(struct unixctl_conn *conn, int argc, const char *argv[], void *aux)
 *     {
 *         ...
 *         unixctl_command_reply(conn, ds_cstr(&reply));
 *     }
 *
 *     ef_control_register("thing/show", "[json]", 0, 1, show, NULL);
 *
 * Such a callback may take mutexes that are never held for long, reads nothing
 * that belongs to the main thread, and is done within milliseconds: meanwhile
 * no other connection is served.  It may use RCU.
 *
 * Either kind may reply later and from another thread, once; the connection
 * stays good until then, even if its client or the server has gone.
 *
 * Until unixctl_server_run() is called for the first time, all commands wait
 * for it: some of them may not have been registered yet.
 *
 * Threads: any. */

#include "compat/unixctl-json.h"

/* As unixctl_command_register(), for a command that "ctl" may call.  A command
 * stays for good; repetitions do nothing. */
void ef_control_register(const char *name, const char *usage,
                         int min_args, int max_args,
                         unixctl_cb_func *, void *aux);

#endif /* control/control.h */
