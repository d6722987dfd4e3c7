/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_VSWITCHD_USAGE_H
#define EF_VSWITCHD_USAGE_H 1

/* Prints what --help prints.  Main thread. */
void ef_usage_print(void);

#endif /* vswitchd/usage.h */
