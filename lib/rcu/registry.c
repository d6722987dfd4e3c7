/* SPDX-License-Identifier: Apache-2.0 */

/* The list of threads, and the walks over it that tell whether a grace period
 * is over.
 *
 * Threads enter and leave it by themselves; the reclaimer and
 * ovsrcu_synchronize() walk, and so does rcu/show.  Under the mutex nothing
 * blocks and no other lock is taken. */

#include <config.h>

#include "rcu/registry.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "fatal-signal.h"
#include "openvswitch/util.h"
#include "ovs-thread.h"
#include "rcu/deferral.h"
#include "stats/histogram.h"
#include "util.h"

/* Between two looks of ef_rcu_probe(). */
#define PROBE_LOOK_US 100

struct ef_rcu_epoch ef_rcu_epoch = {
    .value = ATOMIC_VAR_INIT(EF_RCU_FIRST_EPOCH)
};

static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;
static struct ovs_list threads OVS_GUARDED_BY(mutex)
    = OVS_LIST_INITIALIZER(&threads);

/* Durations in us; added to under the mutex. */
static struct ef_histogram durations = EF_HISTOGRAM_INIT;
static struct ef_histogram pmd_durations = EF_HISTOGRAM_INIT;
static uint64_t n_stalls OVS_GUARDED_BY(mutex);
/* Changes under the mutex. */
static atomic_uint n_pmds = ATOMIC_VAR_INIT(0);

/* The calling thread's record. */
static __thread struct ef_rcu_thread *self;
/* Its destructor is how a thread's end is noticed. */
static pthread_key_t exit_key;

const char *
ef_rcu_role_name(enum ef_rcu_role role)
{
    switch (role) {
    case EF_RCU_CONTROL:
        return "control";
    case EF_RCU_PMD:
        return "pmd";
    case EF_RCU_RECLAIMER:
        return "reclaimer";
    case EF_RCU_N_ROLES:
    default:
        OVS_NOT_REACHED();
    }
}

/* --- Entering and leaving ------------------------------------------------ */

static void
set_role(struct ef_rcu_thread *thread, enum ef_rcu_role role)
    OVS_REQUIRES(mutex)
{
    unsigned n;

    atomic_read_relaxed(&n_pmds, &n);
    n += (role == EF_RCU_PMD) - (thread->role == EF_RCU_PMD);
    atomic_store_relaxed(&n_pmds, n);
    thread->role = role;
}

bool
ef_rcu_has_pmds(void)
{
    unsigned n;

    atomic_read_relaxed(&n_pmds, &n);
    return n > 0;
}

static void
leave(void *thread_)
{
    struct ef_rcu_thread *thread = thread_;

    ef_rcu_flush(thread);
    ef_rcu_offline(&thread->reader);
    ovs_mutex_lock(&mutex);
    set_role(thread, EF_RCU_CONTROL);
    ovs_list_remove(&thread->node);
    ovs_mutex_unlock(&mutex);
    free_cacheline(thread);
    /* Destructors of other keys may yet postpone: they enter once more. */
    self = NULL;
}

/* The first caller has no other threads yet.  Who has threads may rely on the
 * handlers being there, as the package's own member sets them up here. */
static void
create_exit_key(void)
{
    fatal_signal_init();
    xpthread_key_create(&exit_key, leave);
}

static void
take_name(struct ef_rcu_thread *thread)
    OVS_REQUIRES(mutex)
{
    const char *name = get_subprogram_name();

    ovs_strlcpy(thread->name, name[0] ? name : "main", sizeof thread->name);
}

static struct ef_rcu_thread *
enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct ef_rcu_thread *thread = xzalloc_cacheline(sizeof *thread);

    pthread_once(&once, create_exit_key);
    atomic_init(&thread->reader.seen, EF_RCU_OFFLINE);
    thread->role = EF_RCU_CONTROL;
    thread->tid = syscall(SYS_gettid);
    xpthread_setspecific(exit_key, thread);
    self = thread;

    ovs_mutex_lock(&mutex);
    take_name(thread);
    ovs_list_push_back(&threads, &thread->node);
    ovs_mutex_unlock(&mutex);
    return thread;
}

struct ef_rcu_thread *
ef_rcu_self_or_null(void)
{
    return self;
}

struct ef_rcu_thread *
ef_rcu_self(void)
{
    return OVS_LIKELY(self) ? self : enter();
}

void
ef_rcu_set_role(enum ef_rcu_role role)
{
    struct ef_rcu_thread *thread = ef_rcu_self();

    ovs_mutex_lock(&mutex);
    set_role(thread, role);
    take_name(thread);
    ovs_mutex_unlock(&mutex);
}

/* --- Grace periods ------------------------------------------------------- */

void
ef_rcu_grace_begin(struct ef_rcu_grace *grace)
{
    *grace = (struct ef_rcu_grace) {
        .target = ef_rcu_epoch_advance(),
        .began_us = ef_clock_us(),
        .pmds_us = -1,
    };
}

static void
note_late(struct ef_rcu_grace *grace, struct ef_rcu_thread *thread,
          long long now_us)
    OVS_REQUIRES(mutex)
{
    uint64_t delay_us = now_us - grace->began_us;

    thread->delays.max_us = MAX(thread->delays.max_us, delay_us);
    if (!thread->delays.late_us) {
        thread->delays.late_us = grace->began_us;
    }
    if (!grace->late_tid || thread->role == EF_RCU_PMD) {
        grace->late_tid = thread->tid;
        grace->late_role = thread->role;
        ovs_strlcpy_arrays(grace->late_name, thread->name);
    }
}

/* Returns NULL if it has ended. */
static struct ef_rcu_thread *
find_thread(pid_t tid)
    OVS_REQUIRES(mutex)
{
    struct ef_rcu_thread *thread;

    LIST_FOR_EACH (thread, node, &threads) {
        if (thread->tid == tid) {
            return thread;
        }
    }
    return NULL;
}

/* Counts for the thread that passed last, if a look found one late. */
static void
note_over(struct ef_rcu_grace *grace, pid_t last_tid, long long now_us)
    OVS_REQUIRES(mutex)
{
    struct ef_rcu_thread *thread;

    if (grace->asking_tid) {
        return;
    }
    ef_histogram_add(&durations, now_us - grace->began_us);
    thread = last_tid ? find_thread(last_tid) : NULL;
    if (thread) {
        thread->delays.n_last++;
    }
}

bool
ef_rcu_grace_is_over(struct ef_rcu_grace *grace)
{
    pid_t last_tid = grace->late_tid;
    bool pmd_online = false;
    bool pmd_late = false;
    struct ef_rcu_thread *thread;
    long long now_us;
    bool over;

    grace->late_tid = 0;
    ovs_mutex_lock(&mutex);
    now_us = ef_clock_us();
    LIST_FOR_EACH (thread, node, &threads) {
        uint64_t seen;
        bool late;

        if (thread->tid == grace->asking_tid) {
            continue;
        }
        seen = ef_rcu_reader_seen(&thread->reader);
        late = seen != EF_RCU_OFFLINE && seen < grace->target;

        if (late) {
            note_late(grace, thread, now_us);
        } else {
            thread->delays.late_us = 0;
        }
        if (thread->role == EF_RCU_PMD) {
            pmd_online |= seen != EF_RCU_OFFLINE;
            pmd_late |= late;
        }
    }
    if (pmd_online && !pmd_late && grace->pmds_us < 0) {
        grace->pmds_us = now_us - grace->began_us;
        if (!grace->asking_tid) {
            ef_histogram_add(&pmd_durations, grace->pmds_us);
        }
    }
    over = !grace->late_tid;
    if (over) {
        note_over(grace, last_tid, now_us);
    }
    ovs_mutex_unlock(&mutex);
    return over;
}

void
ef_rcu_count_stall(pid_t tid)
{
    struct ef_rcu_thread *thread;

    ovs_mutex_lock(&mutex);
    n_stalls++;
    thread = find_thread(tid);
    if (thread) {
        thread->delays.n_stalls++;
    }
    ovs_mutex_unlock(&mutex);
}

/* --- Showing ------------------------------------------------------------- */

void
ef_rcu_probe(long long timeout_us)
{
    struct ef_rcu_grace grace;

    ef_rcu_grace_begin(&grace);
    grace.asking_tid = ef_rcu_self()->tid;
    while (!ef_rcu_grace_is_over(&grace)
           && ef_clock_us() - grace.began_us < timeout_us) {
        xnanosleep_no_quiesce(PROBE_LOOK_US * 1000);
    }
}

static void
get_info(struct ef_rcu_thread_info *info, struct ef_rcu_thread *thread)
    OVS_REQUIRES(mutex)
{
    uint64_t seen = ef_rcu_reader_seen(&thread->reader);

    *info = (struct ef_rcu_thread_info) {
        .role = thread->role,
        .tid = thread->tid,
        .is_offline = seen == EF_RCU_OFFLINE,
        .seen = seen,
        .n_paced = ef_counter_get(&thread->n_paced),
        .paced_us = ef_counter_get(&thread->paced_us),
        .delays = thread->delays,
    };
    ovs_strlcpy_arrays(info->name, thread->name);
    atomic_read_relaxed(&thread->n_deferred, &info->n_deferred);
    atomic_read_relaxed(&thread->deferred_us, &info->deferred_us);
}

size_t
ef_rcu_get_threads(struct ef_rcu_thread_info **infosp)
{
    struct ef_rcu_thread_info *infos;
    struct ef_rcu_thread *thread;
    size_t n = 0;

    ovs_mutex_lock(&mutex);
    infos = xmalloc(ovs_list_size(&threads) * sizeof *infos);
    LIST_FOR_EACH (thread, node, &threads) {
        get_info(&infos[n++], thread);
    }
    ovs_mutex_unlock(&mutex);

    *infosp = infos;
    return n;
}

void
ef_rcu_get_grace_stats(struct ef_rcu_grace_stats *stats)
{
    ovs_mutex_lock(&mutex);
    *stats = (struct ef_rcu_grace_stats) {
        .n = ef_counter_get(&durations.n),
        .n_stalls = n_stalls,
        .p50_us = ef_histogram_percentile(&durations, 50),
        .p99_us = ef_histogram_percentile(&durations, 99),
        .max_us = ef_counter_get(&durations.max),
        .pmd_n = ef_counter_get(&pmd_durations.n),
        .pmd_p50_us = ef_histogram_percentile(&pmd_durations, 50),
        .pmd_p99_us = ef_histogram_percentile(&pmd_durations, 99),
        .pmd_max_us = ef_counter_get(&pmd_durations.max),
    };
    ovs_mutex_unlock(&mutex);
}
