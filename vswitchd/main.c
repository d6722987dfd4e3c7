/* SPDX-License-Identifier: Apache-2.0 */

/* The process: its main loop, and the start and stop of every part, in order.
 *
 * This is the main thread.  The other threads are started by the parts they
 * belong to, when the database asks for these. */

#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "daemon.h"
#include "dns-resolve.h"
#include "memory.h"
#include "netdev.h"
#include "openvswitch/poll-loop.h"
#include "openvswitch/usdt-probes.h"
#include "openvswitch/vlog.h"
#include "options.h"
#include "ovs-rcu.h"
#include "simap.h"
#include "start.h"
#include "unixctl.h"

struct process {
    struct unixctl_server *unixctl;
    bool exiting;               /* Leave the main loop. */
    bool cleanup;               /* And take the data path down with it. */
};

/* Answers at once: the client does not wait for the end. */
static void
process_exit_cb(struct unixctl_conn *conn, int argc, const char *argv[],
                void *process_)
{
    struct process *process = process_;

    process->exiting = true;
    process->cleanup = argc > 1 && !strcmp(argv[1], "--cleanup");
    unixctl_command_reply(conn, NULL);
}

static void
process_init(struct process *process, const struct ef_options *options)
{
    *process = (struct process) { .exiting = false };
    if (unixctl_server_create(options->unixctl_path, &process->unixctl)) {
        exit(EXIT_FAILURE);     /* It has been logged. */
    }
    unixctl_command_register("exit", "[--cleanup]", 0, 1, process_exit_cb,
                             process);
    bridge_init(options->remote);
}

static void
report_memory(void)
{
    struct simap usage = SIMAP_INITIALIZER(&usage);

    bridge_get_memory_usage(&usage);
    memory_report(&usage);
    simap_destroy(&usage);
}

static void
process_run(struct process *process)
{
    memory_run();
    if (memory_should_report()) {
        report_memory();
    }
    bridge_run();
    unixctl_server_run(process->unixctl);
    netdev_run();
}

static void
process_wait(struct process *process)
{
    memory_wait();
    bridge_wait();
    unixctl_server_wait(process->unixctl);
    netdev_wait();
    if (process->exiting) {
        poll_immediate_wake();
    }
}

static void
process_stop(struct process *process)
{
    bridge_exit(process->cleanup);
    unixctl_server_destroy(process->unixctl);
    service_stop();
    vlog_disable_async();
    ovsrcu_exit();
    dns_resolve_destroy();
}

int
main(int argc, char *argv[])
{
    struct ef_options options;
    struct process process;

    ef_start(&options, argc, argv);
    process_init(&process, &options);
    ef_options_destroy(&options);
    while (!process.exiting) {
        OVS_USDT_PROBE(main, run_start);
        process_run(&process);
        process_wait(&process);
        OVS_USDT_PROBE(main, poll_block);
        poll_block();
        if (should_service_stop()) {
            process.exiting = true;
        }
    }
    process_stop(&process);
    return EXIT_SUCCESS;
}
