/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_COMMAND_H
#define EF_SHOW_COMMAND_H 1

/* Commands that print facts, as text or, with the argument "json", as one JSON
 * object on a line.  They are answered whatever the main thread is doing.
 *
 * Threads: any to register, "ctl" (control/control.h) to print: 'text' and
 * 'json' read nothing that is the main thread's or under RCU. */

struct ds;

struct ef_show_command {
    const char *name;
    void (*text)(struct ds *);
    void (*json)(struct ds *);
};

/* Registers the command, which stays for good; repetitions do nothing. */
void ef_show_command_register(const struct ef_show_command *);

#endif /* show/command.h */
