/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_VSWITCHD_VERSION_H
#define EF_VSWITCHD_VERSION_H 1

/* Who this program is
 * ===================
 *
 * Scripts around Open vSwitch read the first line of --version, so that line
 * stays the package's; Evenflow is named on a line of its own.  The log gets
 * one line at start with the program's path, which tells a reader of the log
 * (and the runner of upstream's test suite) which binary wrote it.
 *
 * All of it: main thread. */

/* Sets the program's name from 'argv0'.  Before anything else in main(). */
void ef_version_init(const char *argv0);

/* Prints what --version prints. */
void ef_version_print(void);

/* Logs name, version and path, to the log file and syslog but not to the
 * terminal: starting a daemon by hand should stay as quiet as it was. */
void ef_version_log(void);

#endif /* vswitchd/version.h */
