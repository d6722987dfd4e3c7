/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_EAL_CHILD_H
#define EF_DPDK_EAL_CHILD_H 1

/* The child process in which eal-trial.c starts EAL, and how the two talk.
 *
 * The child writes to a pipe what EAL says, a line each, and at the end a line
 * of EF_EAL_VERDICT, a letter of enum ef_eal_verdict and a decimal errno:
 *
 *     prog: unrecognized option '--bogus'
 *     EAL: Invalid 'command line' arguments.
 *     \001F22
 *
 * Threads: the only one of the child, a copy of main. */

#include <sys/types.h>

#include "openvswitch/compiler.h"

#define EF_EAL_VERDICT '\1'

enum ef_eal_verdict {
    EF_EAL_SILENT = 0,          /* No verdict came. */
    EF_EAL_STARTED = 'S',
    EF_EAL_FAILED = 'F',        /* rte_eal_init() returned with this errno. */
    EF_EAL_EXITED = 'X',        /* It called exit(). */
};

/* Starts EAL with 'argv', writes to 'fd' what comes of it and ends the
 * process.  To be called right after fork() by the child of 'parent'. */
OVS_NO_RETURN void ef_eal_child_run(int argc, char *argv[], int fd,
                                    pid_t parent);

#endif /* dpdk/eal-child.h */
