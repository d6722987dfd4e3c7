/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CONTROL_OPTIONS_H
#define EF_CONTROL_OPTIONS_H 1

/* The command "set-options", with which a client says how it wants the replies
 * to its later commands on the same connection.
 *
 * Threads: whoever executes the request. */

#include "compat/unixctl-json.h"

unixctl_cb_func ef_set_options;

#endif /* control/options.h */
