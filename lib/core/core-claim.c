/* SPDX-License-Identifier: Apache-2.0 */

/* Keeps threads off the cores of PMDs.
 *
 * PMDs claim and release as they start and end, under a mutex that is a leaf;
 * the main thread applies, by a walk over the process's threads. */

#include <config.h>

#include "core/core-claim.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/log.h"
#include "openvswitch/list.h"
#include "ovs-thread.h"
#include "seq.h"
#include "util.h"

struct claim {
    struct ovs_list node;
    pid_t tid;
    int cpu;
};

static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;
static struct ovs_list claims OVS_GUARDED_BY(mutex)
    = OVS_LIST_INITIALIZER(&claims);

/* The calling thread's, or NULL. */
static __thread struct claim *own_claim;

/* Main thread. */
static cpu_set_t allowed;       /* Where the process may run. */
static cpu_set_t shared;        /* Where threads were moved to. */
static struct seq *changes;     /* NULL: nobody applies claims. */
static uint64_t seen;

void
ef_core_claims_init(void)
{
    if (!changes && !sched_getaffinity(0, sizeof allowed, &allowed)) {
        shared = allowed;
        changes = seq_create();
        seen = seq_read(changes);
    }
}

/* --- Who claims ---------------------------------------------------------- */

/* Returns the only processor of 'set', or -1. */
static int
only_cpu(const cpu_set_t *set)
{
    if (CPU_COUNT(set) == 1) {
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
            if (CPU_ISSET(cpu, set)) {
                return cpu;
            }
        }
    }
    return -1;
}

void
ef_core_claim(void)
{
    cpu_set_t set;
    int cpu;

    if (own_claim || sched_getaffinity(0, sizeof set, &set)) {
        return;
    }
    cpu = only_cpu(&set);
    if (cpu < 0) {
        return;
    }
    own_claim = xmalloc(sizeof *own_claim);
    own_claim->tid = syscall(SYS_gettid);
    own_claim->cpu = cpu;
    ovs_mutex_lock(&mutex);
    ovs_list_push_back(&claims, &own_claim->node);
    ovs_mutex_unlock(&mutex);
    if (changes) {
        seq_change(changes);
    }
}

void
ef_core_release(void)
{
    if (own_claim) {
        ovs_mutex_lock(&mutex);
        ovs_list_remove(&own_claim->node);
        ovs_mutex_unlock(&mutex);
        free(own_claim);
        own_claim = NULL;
        if (changes) {
            seq_change(changes);
        }
    }
}

/* --- Main thread --------------------------------------------------------- */

/* What is left of the cores that the process may use, all if none is. */
static void
get_unclaimed(cpu_set_t *set)
{
    const struct claim *claim;

    *set = allowed;
    ovs_mutex_lock(&mutex);
    LIST_FOR_EACH (claim, node, &claims) {
        CPU_CLR(claim->cpu, set);
    }
    ovs_mutex_unlock(&mutex);
    if (!CPU_COUNT(set)) {
        *set = allowed;
    }
}

static bool
has_claim(pid_t tid)
{
    const struct claim *claim;
    bool found = false;

    ovs_mutex_lock(&mutex);
    LIST_FOR_EACH (claim, node, &claims) {
        found |= claim->tid == tid;
    }
    ovs_mutex_unlock(&mutex);
    return found;
}

static void
move_thread(pid_t tid, const cpu_set_t *to)
{
    cpu_set_t now;

    if (has_claim(tid) || sched_getaffinity(tid, sizeof now, &now)
        || CPU_EQUAL(&now, to)
        || (!CPU_EQUAL(&now, &allowed) && !CPU_EQUAL(&now, &shared))) {
        return;
    }
    if (sched_setaffinity(tid, sizeof *to, to) && errno != ESRCH) {
        VLOG_INFO("thread %d stays where it is: %s", (int) tid,
                  ovs_strerror(errno));
    }
}

void
ef_core_claims_apply(void)
{
    struct dirent *entry;
    cpu_set_t unclaimed;
    uint64_t now;
    DIR *tasks;

    now = changes ? seq_read(changes) : seen;
    if (now == seen) {
        return;
    }
    seen = now;
    get_unclaimed(&unclaimed);
    if (CPU_EQUAL(&unclaimed, &shared)) {
        return;
    }
    tasks = opendir("/proc/self/task");
    if (!tasks) {
        return;
    }
    while ((entry = readdir(tasks))) {
        int tid = atoi(entry->d_name);

        if (tid > 0) {
            move_thread(tid, &unclaimed);
        }
    }
    closedir(tasks);
    shared = unclaimed;
    VLOG_DBG("threads other than PMDs have %d cores", CPU_COUNT(&shared));
}

void
ef_core_claims_wait(void)
{
    if (changes) {
        seq_wait(changes, seen);
    }
}
