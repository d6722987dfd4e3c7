/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_RCU_STALL_WATCH_H
#define EF_RCU_STALL_WATCH_H 1

/* Says who holds a grace period up, and what that thread is doing.
 *
 * After other_config:rcu-stall-ms, and again each time that twice as much has
 * passed, a warning names the thread in the words that monitoring programs
 * know, and a second line says how the thread spent the time since half of
 * it: running, waiting for a processor, or blocked, as the kernel accounts for
 * it.
 *
 *     struct ef_rcu_watch watch;
 *
 *     ef_rcu_watch_start(&watch);
 *     while (!ef_rcu_grace_is_over(&grace)) {
 *         ef_rcu_watch_look(&watch, &grace);
 *         sleep a little;
 *     }
 *
 * Threads: whoever waits for the period; it is offline. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ef_rcu_grace;

/* Time of a thread by what it did, in ns, as the kernel counts it. */
struct ef_rcu_sample {
    pid_t tid;                  /* 0: none was taken. */
    long long when_us;
    uint64_t run_ns;
    uint64_t wait_ns;           /* For a processor. */
};

struct ef_rcu_watch {
    unsigned n_doublings;       /* Of the age of the next warning. */
    struct ef_rcu_sample sample;
};

void ef_rcu_watch_start(struct ef_rcu_watch *);
/* The period is not over: 'grace' names a late thread. */
void ef_rcu_watch_look(struct ef_rcu_watch *, const struct ef_rcu_grace *);

/* --- Any thread ---------------------------------------------------------- */

/* Samples thread 'tid' of this process.  Returns false if there is none. */
bool ef_rcu_sample_take(struct ef_rcu_sample *, pid_t tid);

/* What a thread did mostly, between two samples of it. */
const char *ef_rcu_sample_state(const struct ef_rcu_sample *before,
                                const struct ef_rcu_sample *after);

#endif /* rcu/stall-watch.h */
