/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CONTROL_COMMAND_H
#define EF_CONTROL_COMMAND_H 1

/* The table of commands.
 *
 * Threads: any. */

#include <stdbool.h>

#include "control/control.h"

/* Does not change and is not freed once it is in the table. */
struct ef_command {
    const char *usage;          /* NULL: not listed. */
    int min_args, max_args;
    unixctl_cb_func *cb;
    void *aux;
    bool on_control;            /* Whether "ctl" may call it. */
};

/* NULL if there is none. */
const struct ef_command *ef_command_find(const char *name);

/* Registers those that every server has. */
void ef_command_register_builtin(void);

#endif /* control/command.h */
