/* SPDX-License-Identifier: Apache-2.0 */

/* The client's side of unixctl under the package's name, with the results that
 * the package declares.
 *
 * Of the switch nobody calls it.  Any thread, one at a time for each
 * connection. */

#include <config.h>

#include "compat/unixctl-json.h"

#ifdef EF_HAVE_UNIXCTL_JSON
int
unixctl_client_transact(struct jsonrpc *client, const char *command, int argc,
                        char *argv[], struct json **result,
                        struct json **error)
{
    return ef_client_transact(client, command, argc, argv, result, error);
}
#else
int
unixctl_client_transact(struct jsonrpc *client, const char *command, int argc,
                        char *argv[], char **result, char **error)
{
    return ef_client_transact_text(client, command, argc, argv, result,
                                   error);
}
#endif
