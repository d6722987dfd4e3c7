/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_DAEMON_START_H
#define EF_COMPAT_DAEMON_START_H 1

/* daemonize_start() with the choice of keeping CAP_SYS_RAWIO for devices that
 * are mapped from user space, and set_all_memory_locked().
 *
 * Threads: main, before there are others. */

#include <stdbool.h>

#include "compat/memory-locked.h"
#include "daemon.h"

#ifdef EF_HAVE_RAWIO_ACCESS
#define EF_CAN_KEEP_RAWIO true
#else
#define EF_CAN_KEEP_RAWIO false
#endif

/* 'access_hardware' only if EF_CAN_KEEP_RAWIO. */
static inline void
ef_daemonize_start(bool access_datapath, bool access_hardware OVS_UNUSED)
{
#ifdef EF_HAVE_RAWIO_ACCESS
    daemonize_start(access_datapath, access_hardware);
#else
    daemonize_start(access_datapath);
#endif
}

#endif /* compat/daemon-start.h */
