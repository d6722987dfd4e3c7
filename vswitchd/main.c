/* SPDX-License-Identifier: Apache-2.0 */

/* The process: start, main loop and stop of every part, in order.
 *
 * This is the main thread.  No other thread may exist before it has become a
 * daemon; each part starts its own lazily, when the database asks for it. */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bridge.h"
#include "command-line.h"
#include "daemon.h"
#include "dns-resolve.h"
#include "fatal-signal.h"
#include "memory.h"
#include "netdev.h"
#include "openvswitch/poll-loop.h"
#include "openvswitch/usdt-probes.h"
#include "openvswitch/vlog.h"
#include "options.h"
#include "ovs-rcu.h"
#include "ovs-thread.h"
#include "simap.h"
#include "unixctl.h"
#include "util.h"
#include "version.h"

VLOG_DEFINE_THIS_MODULE(vswitchd);

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
lock_memory(void)
{
    if (mlockall(MCL_CURRENT | MCL_FUTURE)) {
        VLOG_ERR("cannot lock memory into RAM: %s", ovs_strerror(errno));
    } else {
        set_memory_locked();
    }
}

/* Everything up to the first run of the main loop.  The caller's standard
 * descriptors, user and process id change in daemonize_start(). */
static void
process_start(struct process *process, int argc, char *argv[])
{
    struct ef_options options;

    ef_version_init(argv[0]);
    ovsthread_id_init();
    dns_resolve_init(true);
    ovs_cmdl_proctitle_init(argc, argv);
    service_start(&argc, &argv);
    ef_options_parse(&options, argc, argv);
    fatal_ignore_sigpipe();

    daemonize_start(true);
    ef_version_log();
    if (options.mlockall) {
        lock_memory();
    }

    if (unixctl_server_create(options.unixctl_path, &process->unixctl)) {
        exit(EXIT_FAILURE);
    }
    unixctl_command_register("exit", "[--cleanup]", 0, 1, process_exit_cb,
                             process);

    bridge_init(options.remote);
    ef_options_destroy(&options);
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
    struct process process = { .exiting = false };

    process_start(&process, argc, argv);
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
