/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_DEVARGS_H
#define EF_DPDK_DEVARGS_H 1

/* What options:dpdk-devargs says, as far as that can be told without asking
 * DPDK:
 *
 *     0000:03:00.0,rxq=1                    a device by name, with arguments
 *     class=eth,mac=00:11:22:33:44:55       a device by its address
 *
 * Pure.  Threads: any. */

#include <stdbool.h>

struct eth_addr;

/* Whether the device is named by its address, well or malformed. */
bool ef_devargs_is_by_mac(const char *devargs);

/* Stores the address.  Returns false if there is none, or a malformed one. */
bool ef_devargs_get_mac(const char *devargs, struct eth_addr *);

/* Whether both name one device, perhaps with other arguments.  Not so of
 * "class=eth,mac=..." and the like, whose first word is no name. */
bool ef_devargs_is_same_name(const char *a, const char *b);

/* Whether DPDK may be given 'devargs'.  Of its newer syntax, layers with
 * slashes between them, it takes for granted a bus, a driver and values, and
 * that there are three layers at most; it follows null pointers or writes
 * beyond an array where that is not so. */
bool ef_devargs_is_digestible(const char *devargs);

#endif /* dpdk/devargs.h */
