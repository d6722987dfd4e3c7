/* SPDX-License-Identifier: Apache-2.0 */

/* The way from main() to a daemon.
 *
 * Called by main(), on the only thread there may be until this is done: a
 * thread would not survive the fork, and the package asserts that there is
 * none. */

#include <config.h>
#include "start.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "command-line.h"
#include "compat/daemon-start.h"
#include "dns-resolve.h"
#include "fatal-signal.h"
#include "openvswitch/vlog.h"
#include "options.h"
#include "ovs-thread.h"
#include "util.h"
#include "version.h"

VLOG_DEFINE_THIS_MODULE(start);

static void
lock_memory(void)
{
    /* Pages are locked when they are used first: most of what the process
     * maps, above all the addresses that DPDK reserves, never is. */
    if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) {
        VLOG_ERR("cannot lock memory into RAM: %s", ovs_strerror(errno));
    } else {
        set_all_memory_locked();
    }
}

void
ef_start(struct ef_options *options, int argc, char *argv[])
{
    ef_version_init(argv[0]);
    ovsthread_id_init();
    dns_resolve_init(true);
    ovs_cmdl_proctitle_init(argc, argv);
    service_start(&argc, &argv);
    ef_options_parse(options, argc, argv);
    fatal_ignore_sigpipe();

    ef_daemonize_start(true, options->hw_rawio_access);
    ef_version_log();
    if (options->mlockall) {
        lock_memory();
    }
}
