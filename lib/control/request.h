/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CONTROL_REQUEST_H
#define EF_CONTROL_REQUEST_H 1

/* Execution of a request: the command's callback, or an error if there is no
 * such command or the arguments do not suit it.
 *
 * Threads: "ctl", for commands of its own; the serving thread for all
 * others. */

struct jsonrpc_msg;
struct unixctl_conn;

/* Executes 'msg' and frees it.  The reply may come later; from then on, and so
 * perhaps at return, the connection is not the caller's any more. */
void ef_request_execute(struct unixctl_conn *, struct jsonrpc_msg *msg);

#endif /* control/request.h */
