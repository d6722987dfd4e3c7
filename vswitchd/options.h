/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_VSWITCHD_OPTIONS_H
#define EF_VSWITCHD_OPTIONS_H 1

#include <stdbool.h>

/* Command line
 * ============
 *
 * The options of upstream's ovs-vswitchd.  Those that belong to a part of the
 * package (daemon, log, SSL) are handed to it while parsing; what main() has
 * to act upon itself ends up in struct ef_options.
 *
 * Main thread, before daemonizing. */

struct ef_options {
    char *remote;               /* OVSDB server to connect to; owned. */
    const char *unixctl_path;   /* NULL: the default; points into argv. */
    bool mlockall;              /* Keep all memory in RAM. */
    bool hw_rawio_access;       /* Keep CAP_SYS_RAWIO with another user. */
};

/* Fills in 'options'.  Does not return if the command line is wrong or only
 * asks for information. */
void ef_options_parse(struct ef_options *options, int argc, char *argv[]);

/* Frees what 'options' owns, not 'options' itself. */
void ef_options_destroy(struct ef_options *options);

#endif /* vswitchd/options.h */
