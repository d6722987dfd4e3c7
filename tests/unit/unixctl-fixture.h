/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_TESTS_UNIXCTL_FIXTURE_H
#define EF_TESTS_UNIXCTL_FIXTURE_H 1

/* A server of appctl commands in a thread of its own, so that a test can be
 * its client.  One at a time. */

#include "openvswitch/poll-loop.h"
#include "ovs-atomic.h"
#include "ovs-thread.h"
#include "compat/unixctl-json.h"

static struct unixctl_server *unixctl_fixture_server;
static pthread_t unixctl_fixture_thread;
static atomic_bool unixctl_fixture_stop = ATOMIC_VAR_INIT(false);

static void *
unixctl_fixture_main(void *aux OVS_UNUSED)
{
    bool stopped;

    do {
        unixctl_server_run(unixctl_fixture_server);
        poll_timer_wait(1);
        poll_block();
        atomic_read(&unixctl_fixture_stop, &stopped);
    } while (!stopped);
    return NULL;
}

/* Listens on the socket 'path'.  Returns 0 or a positive errno. */
static int
unixctl_fixture_start(const char *path)
{
    int error = unixctl_server_create(path, &unixctl_fixture_server);

    if (!error) {
        atomic_store(&unixctl_fixture_stop, false);
        unixctl_fixture_thread = ovs_thread_create(
            "server", unixctl_fixture_main, NULL);
    }
    return error;
}

static void
unixctl_fixture_end(void)
{
    atomic_store(&unixctl_fixture_stop, true);
    xpthread_join(unixctl_fixture_thread, NULL);
    unixctl_server_destroy(unixctl_fixture_server);
}

#endif /* unixctl-fixture.h */
