/* SPDX-License-Identifier: Apache-2.0 */

/* Which port has which vhost-user socket.  The main thread enters and removes
 * ports, callbacks of DPDK's vhost library look them up, and a thread of our
 * own, "ovs_vhost", waits for the library to let go of sockets that no port
 * has any more.  Nothing waits, nor calls the library, with the lock held. */

#include <config.h>

#include "dpdk/vhost.h"

#include <stdlib.h>
#include <time.h>

#include "dpdk/log.h"
#include "fatal-signal.h"
#include "hash.h"
#include "openvswitch/hmap.h"
#include "util.h"

struct ef_vhost_entry {
    struct hmap_node node;      /* In 'entries'. */
    char *path;
    struct ef_vhost *port;      /* NULL: is being let go. */
    int n_waiting;              /* Callbacks that wait for a grace period. */

    /* For when there is no port. */
    char *port_name;
    enum ef_dpdk_kind kind;
    ef_vhost_unregister_func *unregister;   /* NULL: not registered. */
    struct ovs_list leaving_node;           /* In 'leaving'. */
};

/* Longest wait for the library when the process ends. */
enum { STOP_MAX_S = 5 };

static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct hmap entries OVS_GUARDED_BY(mutex)
    = HMAP_INITIALIZER(&entries);
static struct ovs_list leaving OVS_GUARDED_BY(mutex)
    = OVS_LIST_INITIALIZER(&leaving);
/* Ports that want a path which is taken. */
static struct ovs_list waiting OVS_GUARDED_BY(mutex)
    = OVS_LIST_INITIALIZER(&waiting);

/* The thread, and its end. */
static pthread_t leaving_thread;
static pthread_cond_t stopped_cond = PTHREAD_COND_INITIALIZER;
static bool stopping OVS_GUARDED_BY(mutex);
static bool stopped OVS_GUARDED_BY(mutex);

static struct ef_vhost_entry *
find(const char *path)
    OVS_REQUIRES(mutex)
{
    struct ef_vhost_entry *entry;

    HMAP_FOR_EACH_WITH_HASH (entry, node, hash_string(path, 0), &entries) {
        if (!strcmp(entry->path, path)) {
            return entry;
        }
    }
    return NULL;
}

static void
stop_waiting(struct ef_vhost *port)
    OVS_REQUIRES(mutex)
{
    if (port->wait_path) {
        ovs_list_remove(&port->wait_node);
        free(port->wait_path);
        port->wait_path = NULL;
    }
}

static void
start_waiting(struct ef_vhost *port, const char *path)
    OVS_REQUIRES(mutex)
{
    stop_waiting(port);
    port->wait_path = xstrdup(path);
    ovs_list_push_back(&waiting, &port->wait_node);
}

/* Each may try; those that come late wait again. */
static void
wake_waiting(const char *path)
    OVS_REQUIRES(mutex)
{
    struct ef_vhost *port;

    LIST_FOR_EACH (port, wait_node, &waiting) {
        if (!strcmp(port->wait_path, path)) {
            netdev_request_reconfigure(&port->dev.up);
        }
    }
}

static void
erase(struct ef_vhost_entry *entry)
    OVS_REQUIRES(mutex)
{
    hmap_remove(&entries, &entry->node);
    wake_waiting(entry->path);
    free(entry->path);
    free(entry->port_name);
    free(entry);
}

/* One for which no callback waits: the library would not come back before
 * that callback does. */
static struct ef_vhost_entry *
next_leaving(void)
    OVS_REQUIRES(mutex)
{
    struct ef_vhost_entry *entry;

    LIST_FOR_EACH (entry, leaving_node, &leaving) {
        if (!entry->n_waiting) {
            return entry;
        }
    }
    return NULL;
}

static void *
leaving_main(void *aux OVS_UNUSED)
{
    /* For good: this thread reads nothing that RCU protects, and nobody's
     * grace period may wait for it. */
    ovsrcu_quiesce_start();

    ovs_mutex_lock(&mutex);
    while (!stopping || !ovs_list_is_empty(&leaving)) {
        struct ef_vhost_entry *entry = next_leaving();

        if (!entry) {
            ovs_mutex_cond_wait(&cond, &mutex);
            continue;
        }
        ovs_list_remove(&entry->leaving_node);
        ovs_mutex_unlock(&mutex);
        /* Meanwhile nobody else changes an entry without a port. */
        entry->unregister(entry->path, entry->port_name, entry->kind);
        ovsrcu_quiesce_start();
        ovs_mutex_lock(&mutex);
        erase(entry);
    }
    stopped = true;
    xpthread_cond_signal(&stopped_cond);
    ovs_mutex_unlock(&mutex);
    return NULL;
}

static bool
await_stopped(void)
    OVS_REQUIRES(mutex)
{
    struct timespec until;
    int error = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += STOP_MAX_S;
    while (!stopped && !error) {
        error = pthread_cond_timedwait(&stopped_cond, &mutex.lock, &until);
    }
    return stopped;
}

/* The package's list of files to unlink, from which the thread takes the
 * sockets that went, is read without its lock when the process ends.  So at
 * that time the thread must be gone.  A callback of the library may need a
 * grace period to get there. */
static void
stop_thread(void)
{
    bool gone;

    if (pthread_equal(pthread_self(), leaving_thread)) {
        return;                 /* It is this thread that ends the process. */
    }
    ovsrcu_quiesce_start();
    ovs_mutex_lock(&mutex);
    stopping = true;
    xpthread_cond_signal(&cond);
    gone = await_stopped();
    ovs_mutex_unlock(&mutex);
    ovsrcu_quiesce_end();
    if (gone) {
        xpthread_join(leaving_thread, NULL);
    } else {
        VLOG_WARN("DPDK's vhost library keeps a socket for more than %d s; "
                  "ending without it", STOP_MAX_S);
    }
}

static void
start_thread_once(void)
{
    static struct ovsthread_once once = OVSTHREAD_ONCE_INITIALIZER;

    if (ovsthread_once_start(&once)) {
        leaving_thread = ovs_thread_create("ovs_vhost", leaving_main, NULL);
        /* Handlers run last come first served: this one before that of
         * fatal-signal, which has long been there. */
        fatal_signal_init();
        atexit(stop_thread);
        ovsthread_once_done(&once);
    }
}

int
ef_vhost_table_add(struct ef_vhost *port, const char *path)
{
    struct ef_vhost_entry *entry;
    int error = 0;

    start_thread_once();
    ovs_mutex_lock(&mutex);
    entry = find(path);
    if (entry) {
        error = entry->port ? EEXIST : EBUSY;
        start_waiting(port, path);
    } else {
        stop_waiting(port);
        entry = xzalloc(sizeof *entry);
        entry->path = xstrdup(path);
        entry->port = port;
        entry->port_name = xstrdup(netdev_get_name(&port->dev.up));
        entry->kind = port->dev.kind;
        port->entry = entry;
        hmap_insert(&entries, &entry->node, hash_string(path, 0));
    }
    ovs_mutex_unlock(&mutex);
    return error;
}

void
ef_vhost_table_set_registered(struct ef_vhost *port,
                              ef_vhost_unregister_func *unregister)
{
    ovs_mutex_lock(&mutex);
    port->entry->unregister = unregister;
    ovs_mutex_unlock(&mutex);
}

void
ef_vhost_table_remove(struct ef_vhost *port)
{
    struct ef_vhost_entry *entry;

    ovs_mutex_lock(&mutex);
    stop_waiting(port);
    entry = port->entry;
    port->entry = NULL;
    if (entry) {
        entry->port = NULL;
        if (entry->unregister) {
            ovs_list_push_back(&leaving, &entry->leaving_node);
            xpthread_cond_signal(&cond);
        } else {
            erase(entry);
        }
    }
    ovs_mutex_unlock(&mutex);
}

struct ef_vhost *
ef_vhost_table_lock(const char *path)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    struct ef_vhost_entry *entry;

    ovs_mutex_lock(&mutex);
    entry = find(path);
    if (entry && entry->port) {
        return entry->port;
    }
    ovs_mutex_unlock(&mutex);
    return NULL;
}

void
ef_vhost_table_unlock(void)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    ovs_mutex_unlock(&mutex);
}

void
ef_vhost_table_unlock_and_wait(struct ef_vhost *port)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    struct ef_vhost_entry *entry = port->entry;

    entry->n_waiting++;
    ovs_mutex_unlock(&mutex);

    /* The port may go now; the entry stays because of the count.  A thread of
     * the library never quiesces by itself, so it must not be left as one
     * that grace periods wait for. */
    ovsrcu_synchronize();
    ovsrcu_quiesce_start();

    ovs_mutex_lock(&mutex);
    entry->n_waiting--;
    xpthread_cond_signal(&cond);
    ovs_mutex_unlock(&mutex);
}
