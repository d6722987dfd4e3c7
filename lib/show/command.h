/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_COMMAND_H
#define EF_SHOW_COMMAND_H 1

/* Commands that print facts, as text or, with the last argument "json", as one
 * JSON object on a line; a client that asked for replies in JSON gets the
 * object itself.  They are answered whatever the main thread is doing.
 *
 * Most take no other argument and have 'text' and 'json'.  One that does has
 * 'answer' instead, and in 'usage' what it takes, "json" included; a port of
 * the name "json" is asked for with a second "json".
 *
 * Threads: any to register, "ctl" (control/control.h) to print: the functions
 * read nothing that is the main thread's or under RCU. */

#include <stdbool.h>

struct ds;

struct ef_show_command {
    const char *name;
    bool needs_dpdk;            /* Without, the answer is that it is off: a
                                 * line, or {"message": ...}. */
    void (*text)(struct ds *);
    void (*json)(struct ds *);

    /* Instead of the two, with the 'n' arguments before "json".  Returns false
     * if what it prints says what is wrong. */
    bool (*answer)(const char *args[], int n, bool json, struct ds *);
    const char *usage;
    int max_args;               /* Without "json". */
};

/* Registers the command, which stays for good; repetitions do nothing. */
void ef_show_command_register(const struct ef_show_command *);

#endif /* show/command.h */
