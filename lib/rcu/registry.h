/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_RCU_REGISTRY_H
#define EF_RCU_REGISTRY_H 1

/* Every thread that takes part in RCU, with a name.
 *
 * A thread registers itself with its first call and leaves the registry when
 * it ends.  It writes its own record without locks; whoever waits for a grace
 * period walks over all records under the registry's mutex, which no quiescent
 * state takes. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "openvswitch/list.h"
#include "openvswitch/thread.h"
#include "rcu/epoch.h"

struct ef_rcu_chunk;

/* Who produces pending calls.  Only control threads are slowed. */
enum ef_rcu_role {
    EF_RCU_CONTROL,
    EF_RCU_PMD,
    EF_RCU_RECLAIMER,
    EF_RCU_N_ROLES
};
const char *ef_rcu_role_name(enum ef_rcu_role);

/* Grace periods that a thread held up; guarded by the registry's mutex. */
struct ef_rcu_delays {
    uint64_t n_last;            /* Periods that ended with this thread. */
    uint64_t max_us;            /* Longest time that it kept one waiting. */
    uint64_t n_stalls;          /* Times it was reported as late. */
    long long late_us;          /* Since when it holds one up, 0 if it does
                                 * not as far as anybody has looked. */
};

struct ef_rcu_thread {
    /* The thread's own: its reader, and what it has postponed. */
    PADDED_MEMBERS(CACHE_LINE_SIZE,
        struct ef_rcu_reader reader;
        struct ef_rcu_chunk *chunk;     /* Newest of those filled since the
                                         * last quiescent state, or NULL. */
        unsigned next_capacity;         /* Of the next chunk. */
        bool has_produced;              /* Since the last pace. */
        unsigned no_wait;               /* Depth of ef_rcu_no_wait_begin(). */
        enum ef_rcu_role role;          /* Changes under the mutex. */
    );

    /* Written by the thread, read by anybody. */
    atomic_uint n_deferred;             /* Calls in all of them. */
    atomic_llong deferred_us;           /* Time of the first of them. */
    atomic_ullong n_paced;              /* Waits for the reclaimer. */
    atomic_ullong paced_us;             /* Their sum. */

    /* Constant once registered. */
    pid_t tid;

    /* Guarded by the registry's mutex. */
    struct ovs_list node;
    char name[16];
    struct ef_rcu_delays delays;
};

/* --- Any thread, about itself -------------------------------------------- */

/* The calling thread's record; a new one is offline. */
struct ef_rcu_thread *ef_rcu_self(void);
/* NULL if it has none. */
struct ef_rcu_thread *ef_rcu_self_or_null(void);
/* Also takes over the thread's present name. */
void ef_rcu_set_role(enum ef_rcu_role);

/* --- Who waits for a grace period ---------------------------------------- */

/* One grace period, as its waiter follows it. */
struct ef_rcu_grace {
    uint64_t target;
    long long began_us;
    long long pmds_us;          /* Until no PMD was late, -1 before. */
    pid_t asking_tid;           /* Not 0: nobody waits but this thread, which
                                 * asks about the others. */

    /* The thread that was late at the last look, if any was. */
    pid_t late_tid;
    enum ef_rcu_role late_role;
    char late_name[16];
};

/* Begins one for all that the caller has unlinked or taken. */
void ef_rcu_grace_begin(struct ef_rcu_grace *);
/* Returns true when it is over.  The caller's own thread must be offline, or
 * pass quiescent states between calls. */
bool ef_rcu_grace_is_over(struct ef_rcu_grace *);
bool ef_rcu_has_pmds(void);
/* Counts that the thread 'tid' was reported as late. */
void ef_rcu_count_stall(pid_t tid);

/* --- Who shows ----------------------------------------------------------- */

struct ef_rcu_thread_info {
    char name[16];
    enum ef_rcu_role role;
    pid_t tid;
    bool is_offline;
    uint64_t seen;
    unsigned n_deferred;
    long long deferred_us;
    uint64_t n_paced;
    uint64_t paced_us;
    struct ef_rcu_delays delays;
};

/* Begins a grace period that nobody needs and waits for it, no longer than the
 * timeout, so that what is known about each thread is new. */
void ef_rcu_probe(long long timeout_us);

/* Copies what is known about each thread; '*infosp' is to be freed.  Returns
 * their number. */
size_t ef_rcu_get_threads(struct ef_rcu_thread_info **infosp);

struct ef_rcu_grace_stats {
    uint64_t n;                 /* Periods that ended. */
    uint64_t n_stalls;          /* Reports of late threads. */
    uint64_t p50_us, p99_us, max_us;
    /* Until the last PMD had passed; only periods with a PMD online count. */
    uint64_t pmd_n;
    uint64_t pmd_p50_us, pmd_p99_us, pmd_max_us;
};
void ef_rcu_get_grace_stats(struct ef_rcu_grace_stats *);

#endif /* rcu/registry.h */
