/* SPDX-License-Identifier: Apache-2.0 */

/* Starts EAL in a child of the switch, which it may end as it likes.
 *
 * Called by eal-trial.c in the child, whose only thread is a copy of main.
 * Other threads of the switch may have held any lock at the fork.  The C
 * library sees to its own (heap, streams, loader) and EAL, not started
 * in the parent, has none yet; the package's are taboo: no log, no RCU.  If
 * some other library's lock should be held for ever, the child hangs, and the
 * parent kills it.
 *
 * exit() would run what the switch wants done at its own end: remove its
 * pidfile and sockets.  So the child ends with _exit() alone, and turns EAL's
 * calls of exit() into it.  Locks of the switch on files are not inherited;
 * the files themselves are left open and alone. */

#include <config.h>

#include "dpdk/eal-child.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>

static int to_parent = -1;

static void
say(const char *s, size_t size)
{
    while (size) {
        ssize_t n = write(to_parent, s, size);

        if (n < 0) {
            return;             /* Signals are not caught: a real error. */
        }
        s += n;
        size -= n;
    }
}

static void
say_verdict(enum ef_eal_verdict verdict, int error)
{
    char line[32];
    int n = snprintf(line, sizeof line, "\n%c%c%d\n",
                     EF_EAL_VERDICT, verdict, error);

    say(line, n);
}

/* 'write' of DPDK's log: what explains a failure goes to the parent. */
static ssize_t
write_message(void *cookie, const char *s, size_t size)
{
    (void) cookie;
    if (rte_log_cur_msg_loglevel() <= RTE_LOG_WARNING) {
        say(s, size);
    }
    return size;
}

/* The last handler to be registered before EAL starts, so that it runs before
 * all that were inherited, and none of them runs. */
static void
on_exit_called(void)
{
    say_verdict(EF_EAL_EXITED, 0);
    _exit(EXIT_FAILURE);
}

/* Signals end the child, whatever the switch does on them. */
static void
reset_signals(void)
{
    sigset_t all;

    for (int i = 1; i < NSIG; i++) {
        signal(i, SIG_DFL);
    }
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
}

/* Standard error goes to the parent; standard output, where EAL prints its
 * usage, goes nowhere.  Text that the switch has not flushed yet goes there
 * too. */
static void
redirect_output(void)
{
    int null_fd = open("/dev/null", O_WRONLY);

    if (null_fd >= 0) {
        dup2(null_fd, STDOUT_FILENO);
    }
    dup2(to_parent, STDERR_FILENO);
}

static void
redirect_log(void)
{
    static const cookie_io_functions_t functions = { .write = write_message };
    FILE *stream = fopencookie(NULL, "w", functions);

    if (stream) {
        setbuf(stream, NULL);
        rte_openlog_stream(stream);
    }
}

static void
leave_parent(pid_t parent)
{
    static const struct rlimit no_core = { 0, 0 };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);    /* It ended before we could ask. */
    }
    reset_signals();
    setrlimit(RLIMIT_CORE, &no_core);
    redirect_output();
    redirect_log();
    if (atexit(on_exit_called)) {
        _exit(EXIT_FAILURE);
    }
}

void
ef_eal_child_run(int argc, char *argv[], int fd, pid_t parent)
{
    to_parent = fd;
    leave_parent(parent);

    optind = 1;
    if (rte_eal_init(argc, argv) < 0) {
        say_verdict(EF_EAL_FAILED, rte_errno);
    } else {
        say_verdict(EF_EAL_STARTED, 0);

        /* Devices close, files go away: the parent needs them next. */
        rte_eal_cleanup();
    }
    _exit(EXIT_SUCCESS);
}
