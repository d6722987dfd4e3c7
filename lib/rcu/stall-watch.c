/* SPDX-License-Identifier: Apache-2.0 */

/* Reports threads that pass no quiescent state.
 *
 * Called by the reclaimer and by ovsrcu_synchronize() each time that they find
 * their grace period not over.  Reads the kernel's accounting only from half
 * of the reporting age on. */

#include <config.h>

#include "rcu/stall-watch.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/clock.h"
#include "rcu/log.h"
#include "rcu/rcu.h"
#include "util.h"

static atomic_uint32_t stall_ms = ATOMIC_VAR_INIT(EF_RCU_STALL_MS_DEFAULT);

void
ef_rcu_set_stall_ms(uint32_t ms)
{
    atomic_store_relaxed(&stall_ms, ms);
}

uint32_t
ef_rcu_get_stall_ms(void)
{
    uint32_t ms;

    atomic_read_relaxed(&stall_ms, &ms);
    return ms;
}

/* The format of "schedstat" is in the kernel's
 * Documentation/scheduler/sched-stats.rst. */
bool
ef_rcu_sample_take(struct ef_rcu_sample *sample, pid_t tid)
{
    char path[64];
    FILE *file;
    int n;

    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int) tid);
    file = fopen(path, "r");
    if (!file) {
        return false;
    }
    n = fscanf(file, "%"SCNu64" %"SCNu64, &sample->run_ns, &sample->wait_ns);
    fclose(file);
    sample->tid = n == 2 ? tid : 0;
    sample->when_us = ef_clock_us();
    return n == 2;
}

static uint64_t
blocked_us(const struct ef_rcu_sample *before,
           const struct ef_rcu_sample *after)
{
    uint64_t busy_us = (after->run_ns - before->run_ns
                        + after->wait_ns - before->wait_ns) / 1000;
    uint64_t all_us = after->when_us - before->when_us;

    return all_us > busy_us ? all_us - busy_us : 0;
}

const char *
ef_rcu_sample_state(const struct ef_rcu_sample *before,
                    const struct ef_rcu_sample *after)
{
    uint64_t run_us = (after->run_ns - before->run_ns) / 1000;
    uint64_t wait_us = (after->wait_ns - before->wait_ns) / 1000;
    uint64_t rest_us = blocked_us(before, after);

    return (rest_us > run_us && rest_us > wait_us ? "blocked"
            : wait_us > run_us ? "waiting for a processor"
            : "running");
}

static void
report(const struct ef_rcu_watch *watch, const struct ef_rcu_grace *grace,
       uint64_t age_ms)
{
    const struct ef_rcu_sample *before = &watch->sample;
    struct ef_rcu_sample now;

    VLOG_WARN("blocked %"PRIu64" ms waiting for %s to quiesce",
              age_ms, grace->late_name);
    ef_rcu_count_stall(grace->late_tid);

    if (before->tid == grace->late_tid
        && ef_rcu_sample_take(&now, grace->late_tid)) {
        VLOG_INFO("%s is %s: in the last %lld ms it ran for %"PRIu64" ms, "
                  "waited for a processor for %"PRIu64" ms and was blocked "
                  "for %"PRIu64" ms",
                  grace->late_name, ef_rcu_sample_state(before, &now),
                  (now.when_us - before->when_us) / 1000,
                  (now.run_ns - before->run_ns) / 1000000,
                  (now.wait_ns - before->wait_ns) / 1000000,
                  blocked_us(before, &now) / 1000);
    }
}

void
ef_rcu_watch_start(struct ef_rcu_watch *watch)
{
    *watch = (struct ef_rcu_watch) { .n_doublings = 0 };
}

void
ef_rcu_watch_look(struct ef_rcu_watch *watch, const struct ef_rcu_grace *grace)
{
    uint64_t age_ms = (ef_clock_us() - grace->began_us) / 1000;
    /* Read each time, so that a change holds for a period under way. */
    uint64_t warn_ms = (uint64_t) ef_rcu_get_stall_ms() << watch->n_doublings;

    if (!warn_ms || age_ms < warn_ms / 2) {
        return;
    }
    if (watch->sample.tid != grace->late_tid) {
        ef_rcu_sample_take(&watch->sample, grace->late_tid);
    }
    if (age_ms >= warn_ms) {
        report(watch, grace, age_ms);
        while (warn_ms <= age_ms) {
            warn_ms *= 2;
            watch->n_doublings++;
        }
        watch->sample.tid = 0;
    }
}
