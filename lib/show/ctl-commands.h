/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_CTL_COMMANDS_H
#define EF_SHOW_CTL_COMMANDS_H 1

/* All commands of this folder that the thread "ctl" answers: those of
 * show/command.h. */

/* Registers them; repetitions do nothing. */
void ef_ctl_commands_init(void);

#endif /* show/ctl-commands.h */
