/* SPDX-License-Identifier: Apache-2.0 */

/* Names the program in --version and in the log.
 *
 * Called by main() and by the option parser, on the main thread, before there
 * are others. */

#include <config.h>
#include "version.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "dpdk.h"
#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(evenflow);

void
ef_version_init(const char *argv0)
{
    set_program_name(argv0);
    vlog_set_levels(vlog_module_from_name("evenflow"), VLF_CONSOLE, VLL_OFF);
}

void
ef_version_print(void)
{
    ovs_print_version(0, 0);
    print_dpdk_version();
    puts("Evenflow " EVENFLOW_VERSION);
}

void
ef_version_log(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    path[MAX(n, 0)] = '\0';
    VLOG_INFO("Evenflow %s, program %s", EVENFLOW_VERSION,
              n > 0 ? path : program_name);
}
