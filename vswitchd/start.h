/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_VSWITCHD_START_H
#define EF_VSWITCHD_START_H 1

struct ef_options;

/* Makes a daemon of the program, as far as 'options', which this fills in from
 * the command line, ask for one.  Afterwards the process has its final id,
 * user and working directory, and threads may be created.  Does not return in
 * a parent, nor when something is wrong.
 *
 * Main thread, once, first of all. */
void ef_start(struct ef_options *options, int argc, char *argv[]);

#endif /* vswitchd/start.h */
