/* SPDX-License-Identifier: Apache-2.0 */

/* Reads options:dpdk-devargs without asking DPDK.
 *
 * Called by ethdev-attach and ethdev-config, on the main thread.  No state. */

#include <config.h>

#include "dpdk/devargs.h"

#include <string.h>

#include "packets.h"

#define BY_MAC "class=eth,mac="

bool
ef_devargs_is_by_mac(const char *devargs)
{
    return !strncmp(devargs, BY_MAC, strlen(BY_MAC));
}

bool
ef_devargs_get_mac(const char *devargs, struct eth_addr *mac)
{
    return ef_devargs_is_by_mac(devargs)
           && eth_addr_from_string(devargs + strlen(BY_MAC), mac);
}

bool
ef_devargs_is_same_name(const char *a, const char *b)
{
    size_t n = strcspn(a, ",");

    return n == strcspn(b, ",") && !memcmp(a, b, n) && !memchr(a, '=', n);
}
