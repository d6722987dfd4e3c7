/* SPDX-License-Identifier: Apache-2.0 */

/* The text of --help.
 *
 * Called by the option parser, on the main thread.  The package's modules
 * print the sections about their own options. */

#include <config.h>
#include "usage.h"

#include <stdio.h>

#include "daemon.h"
#include "dirs.h"
#include "openvswitch/vlog.h"
#include "stream.h"
#include "util.h"

void
ef_usage_print(void)
{
    printf("%s: userspace switch, Open vSwitch's with Evenflow's data path\n"
           "usage: %s [OPTIONS] [DATABASE]\n"
           "DATABASE is where ovsdb-server listens, unix:%s/db.sock if not"
           " given.\n",
           program_name, program_name, ovs_rundir());
    stream_usage("DATABASE", true, false, true);
    daemon_usage();
    vlog_usage();
    printf("\nData path options:\n"
           "  --enable-dummy[=LEVEL]    dummy devices and data paths for"
           " tests\n"
           "  --disable-system          no kernel data path\n"
           "  --disable-system-route    no routes from the kernel\n"
           "  --dummy-numa=CORES        pretend that the machine has these"
           " cores\n"
           "  DPDK is configured in the database, in column other_config.\n"
           "\nOther options:\n"
           "  --mlockall                lock all memory into RAM\n"
           "  --hw-rawio-access         keep CAP_SYS_RAWIO, with --user\n"
           "  --unixctl=SOCKET          control socket for ovs-appctl\n"
           "  -h, --help                print this and exit\n"
           "  -V, --version             print versions and exit\n");
}
