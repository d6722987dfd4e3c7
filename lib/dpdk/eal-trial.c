/* SPDX-License-Identifier: Apache-2.0 */

/* Tries EAL's arguments in a child process (dpdk/eal-child.h), to learn
 * without harm whether EAL would start in this one, and if not, why.
 *
 * Called by eal.c on the main thread before EAL has started; other threads may
 * run.  Waits for the child; its deadline is real time, because tests stop
 * the package's clock. */

#include <config.h>

#include "dpdk/eal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "dpdk/eal-child.h"
#include "fatal-signal.h"
#include "openvswitch/dynamic-string.h"
#include "process.h"
#include "svec.h"
#include "util.h"

#define MAX_SAID 16384          /* Bytes to keep of what EAL says. */
#define MAX_REASONS 4           /* Lines to report. */
#define POLL_MS 100

struct trial {
    pid_t pid;
    int fd;                     /* From the child. */
    long long deadline_ms;
    struct ds said;             /* All, or the end of it. */

    /* How it ended. */
    bool timed_out;
    int status;                 /* As from waitpid(). */
    enum ef_eal_verdict verdict;
    int verdict_errno;
    struct svec lines;          /* Messages, no two alike. */
};

/* Starts the child.  Returns 0 or a positive errno. */
static int
trial_fork(struct trial *trial, int argc, char *argv[])
{
    pid_t parent = getpid();
    int fds[2];

    if (pipe2(fds, O_CLOEXEC)) {
        return errno;
    }
    trial->pid = fork();
    if (!trial->pid) {
        close(fds[0]);
        ef_eal_child_run(argc, argv, fds[1], parent);
    }
    close(fds[1]);
    trial->fd = fds[0];
    if (trial->pid < 0) {
        int error = errno;

        close(fds[0]);
        return error;
    }
    return 0;
}

static void
keep(struct ds *said, const char *s, size_t size)
{
    ds_put_buffer(said, s, size);
    if (said->length > MAX_SAID) {
        size_t excess = said->length - MAX_SAID / 2;

        memmove(said->string, said->string + excess, MAX_SAID / 2);
        ds_truncate(said, MAX_SAID / 2);
    }
}

/* Reads what the child says until it has no more to say or time is up. */
static void
trial_listen(struct trial *trial)
{
    for (;;) {
        long long left_ms = trial->deadline_ms - ef_clock_ms();
        struct pollfd pfd = { .fd = trial->fd, .events = POLLIN };
        char buf[1024];

        /* Who wants the switch to end does not wait for the child. */
        fatal_signal_run();
        if (left_ms <= 0) {
            trial->timed_out = true;
            return;
        }
        if (poll(&pfd, 1, MIN(left_ms, POLL_MS)) > 0) {
            ssize_t n = read(trial->fd, buf, sizeof buf);

            if (n > 0) {
                keep(&trial->said, buf, n);
            } else if (!n || errno != EINTR) {
                return;
            }
        }
    }
}

/* Waits until the child has ended, which takes a while if it has to give back
 * much memory, or makes it. */
static void
trial_reap(struct trial *trial)
{
    pid_t pid = 0;

    while (!trial->timed_out) {
        pid = waitpid(trial->pid, &trial->status, WNOHANG);
        if (pid && (pid > 0 || errno != EINTR)) {
            return;
        }
        trial->timed_out = ef_clock_ms() >= trial->deadline_ms;
        poll(NULL, 0, 1);
    }
    kill(trial->pid, SIGKILL);
    do {
        pid = waitpid(trial->pid, &trial->status, 0);
    } while (pid < 0 && errno == EINTR);
}

static bool
has_line(const struct svec *lines, const char *line)
{
    for (size_t i = 0; i < lines->n; i++) {
        if (!strcmp(lines->names[i], line)) {
            return true;
        }
    }
    return false;
}

/* EAL says its last words twice, and prints the stack when it panics, in lines
 * that begin with a number. */
static void
add_line(struct svec *lines, const char *line)
{
    static const char *const prefixes[] = { "EAL: ", "FATAL: " };
    size_t n_digits = strspn(line, "0123456789");

    if (n_digits && line[n_digits] == ':') {
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
        if (!strncmp(line, prefixes[i], strlen(prefixes[i]))) {
            line += strlen(prefixes[i]);
        }
    }
    if (!has_line(lines, line)) {
        svec_add(lines, line);
    }
}

static void
trial_parse(struct trial *trial)
{
    char *save_ptr = NULL;
    char *line;

    for (line = strtok_r(ds_cstr(&trial->said), "\r\n", &save_ptr); line;
         line = strtok_r(NULL, "\r\n", &save_ptr)) {
        if (line[0] == EF_EAL_VERDICT && line[1]) {
            trial->verdict = line[1];
            trial->verdict_errno = atoi(line + 2);
        } else {
            add_line(&trial->lines, line);
        }
    }
}

static void
put_lines(struct ds *ds, const struct svec *lines)
{
    size_t first = lines->n > MAX_REASONS ? lines->n - MAX_REASONS : 0;

    for (size_t i = first; i < lines->n; i++) {
        ds_put_format(ds, "%s%s", ds->length ? "; " : "", lines->names[i]);
    }
}

/* Returns why EAL did not start, or NULL. */
static char *
trial_reason(const struct trial *trial, int timeout_s)
{
    struct ds ds = DS_EMPTY_INITIALIZER;
    char *how;

    if (trial->verdict == EF_EAL_STARTED) {
        return NULL;
    } else if (trial->verdict == EF_EAL_EXITED) {
        ds_put_cstr(&ds, "EAL would end the process");
    } else if (trial->verdict != EF_EAL_FAILED && trial->timed_out) {
        ds_put_format(&ds, "EAL did not start within %d s", timeout_s);
    } else if (trial->verdict != EF_EAL_FAILED) {
        how = process_status_msg(trial->status);
        ds_put_format(&ds, "EAL would end the process: %s", how);
        free(how);
    } else if (!trial->lines.n) {
        ds_put_cstr(&ds, ovs_strerror(trial->verdict_errno));
    }
    put_lines(&ds, &trial->lines);
    return ds_steal_cstr(&ds);
}

char *
ef_eal_trial(int argc, char *argv[], int timeout_s)
{
    struct trial trial = {
        .deadline_ms = ef_clock_ms() + timeout_s * 1000LL,
        .said = DS_EMPTY_INITIALIZER,
        .lines = SVEC_EMPTY_INITIALIZER,
    };
    char *reason;
    int error;

    error = trial_fork(&trial, argc, argv);
    if (error) {
        return xasprintf("EAL cannot be tried in a child: %s",
                         ovs_strerror(error));
    }
    trial_listen(&trial);
    trial_reap(&trial);
    close(trial.fd);

    trial_parse(&trial);
    reason = trial_reason(&trial, timeout_s);
    svec_destroy(&trial.lines);
    ds_destroy(&trial.said);
    return reason;
}
