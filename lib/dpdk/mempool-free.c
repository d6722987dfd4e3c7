/* SPDX-License-Identifier: Apache-2.0 */

/* Frees pools that no port has.  Main thread, once a second while one waits
 * and when a pool is made or given back; the RCU reclaimer takes the steps in
 * between.
 *
 * INCOMPLETE -> COUNTED: a sweep finds all buffers home, and notes how often
 *     any were put back until then.  That may be wrong: while DPDK's cache is
 *     flushed, its buffers are seen in two places, and a missing one goes
 *     unnoticed.
 * COUNTED -> COMPLETE, a grace period later: whoever was flushing then is
 *     done.  If nothing was put back since, nobody began to flush either, and
 *     if all are home still, they are.  Else it starts again.
 * COMPLETE -> MAY_GO, another grace period later: the PMD that brought the
 *     last buffer home, counted but perhaps not stored yet, has left the
 *     pool's code.
 *
 * Nobody takes buffers of a pool without users, so a complete one stays so. */

#include <config.h>

#include "dpdk/mempool-private.h"

#include <rte_mempool.h>

#include "core/clock.h"
#include "dpdk/log.h"
#include "openvswitch/poll-loop.h"
#include "ovs-atomic.h"
#include "rcu/rcu.h"
#include "timeval.h"
#include "util.h"

#define SWEEP_INTERVAL_MS 1000

static uintptr_t last_grace OVS_GUARDED_BY(ef_mempool_mutex);

/* Pools without users.  Written under the mutex, read by the main loop without
 * it: orders nothing, the mutex follows. */
static atomic_uint n_waiting = ATOMIC_VAR_INIT(0);
static long long next_sweep;    /* Main thread. */

static void
change_waiting(int n)
{
    unsigned old;

    atomic_add_relaxed(&n_waiting, n, &old);
}

void
ef_mempool_start_waiting(struct ef_mempool *pool)
{
    pool->wait = EF_MEMPOOL_INCOMPLETE;
    pool->unused_since = time_msec();
    change_waiting(1);
}

void
ef_mempool_stop_waiting(struct ef_mempool *pool)
{
    pool->wait = EF_MEMPOOL_INCOMPLETE;
    change_waiting(-1);
}

static bool
all_seem_home(const struct ef_mempool *pool)
{
    return rte_mempool_avail_count(pool->rte) >= pool->rte->size;
}

/* Takes a step with a pool that waited for a grace period.  Returns whether it
 * has to wait for another. */
static bool
step(struct ef_mempool *pool)
    OVS_REQUIRES(ef_mempool_mutex)
{
    if (pool->wait == EF_MEMPOOL_COMPLETE) {
        pool->wait = EF_MEMPOOL_MAY_GO;
    } else if (pool->wait == EF_MEMPOOL_COUNTED) {
        /* In this order: what is put back while we count shows. */
        bool home = all_seem_home(pool);

        if (home && ef_store_n_puts(pool->rte) == pool->n_puts) {
            pool->wait = EF_MEMPOOL_COMPLETE;
            return true;
        }
        pool->wait = EF_MEMPOOL_INCOMPLETE;
    }
    return false;
}

/* RCU reclaimer, one grace period after it was postponed.  Defers once more
 * for the second step, never for the third. */
static void
grace_is_over(void *grace_)
{
    uintptr_t grace = (uintptr_t) grace_;
    struct ef_mempool *pool;
    bool again = false;

    ovs_mutex_lock(&ef_mempool_mutex);
    LIST_FOR_EACH (pool, node, &ef_mempools) {
        if (!ef_mempool_is_used(pool) && pool->grace == grace && step(pool)) {
            pool->grace = last_grace + 1;
            again = true;
        }
    }
    if (again) {
        last_grace++;
        ovsrcu_postpone__(grace_is_over, (void *) last_grace);
    }
    ovs_mutex_unlock(&ef_mempool_mutex);
}

void
ef_mempool_sweep(void)
{
    struct ef_mempool *pool;
    bool found = false;

    LIST_FOR_EACH (pool, node, &ef_mempools) {
        if (!ef_mempool_is_used(pool) && pool->wait == EF_MEMPOOL_INCOMPLETE) {
            /* Before the count: see step(). */
            pool->n_puts = ef_store_n_puts(pool->rte);
            if (all_seem_home(pool)) {
                pool->wait = EF_MEMPOOL_COUNTED;
                pool->grace = last_grace + 1;
                found = true;
            }
        }
    }
    if (found) {
        last_grace++;
        ovsrcu_postpone__(grace_is_over, (void *) last_grace);
    }
}

void
ef_mempool_free_unused(bool all)
{
    long long now = time_msec();
    struct ef_mempool *pool;

    LIST_FOR_EACH_SAFE (pool, node, &ef_mempools) {
        if (!ef_mempool_is_used(pool) && pool->wait == EF_MEMPOOL_MAY_GO
            && (all || now >= pool->unused_since + EF_MEMPOOL_KEEP_MS)) {
            change_waiting(-1);
            ef_mempool_free(pool);
        }
    }
}

/* Frees all that may go.  Returns whether there were any; '*soon' tells
 * whether others only wait for grace periods. */
static bool
free_ready(bool *soon)
    OVS_REQUIRES(ef_mempool_mutex)
{
    size_t n = ovs_list_size(&ef_mempools);
    struct ef_mempool *pool;

    ef_mempool_free_unused(true);
    ef_mempool_sweep();
    *soon = false;
    LIST_FOR_EACH (pool, node, &ef_mempools) {
        *soon |= (!ef_mempool_is_used(pool)
                  && pool->wait != EF_MEMPOOL_INCOMPLETE);
    }
    return ovs_list_size(&ef_mempools) < n;
}

bool
ef_mempool_await_freed(void)
{
    long long until_us = ef_clock_us() + EF_MEMPOOL_AWAIT_US;
    bool soon;

    /* Some thread may want a lock that our caller holds, and never become
     * quiescent meanwhile: hence the bound. */
    while (!free_ready(&soon)) {
        if (!soon || ef_clock_us() >= until_us) {
            return false;
        }
        ovs_mutex_unlock(&ef_mempool_mutex);
        ef_rcu_no_wait_begin();
        ovsrcu_quiesce_start();
        xnanosleep_no_quiesce(500 * 1000);
        ovsrcu_quiesce_end();
        ef_rcu_no_wait_end();
        ovs_mutex_lock(&ef_mempool_mutex);
    }
    return true;
}

static bool
any_waits(void)
{
    unsigned n;

    atomic_read_relaxed(&n_waiting, &n);
    return n;
}

void
ef_mempool_run(void)
{
    long long now;

    if (!any_waits()) {
        return;
    }
    now = time_msec();
    if (now < next_sweep) {
        return;
    }
    next_sweep = now + SWEEP_INTERVAL_MS;
    ovs_mutex_lock(&ef_mempool_mutex);
    ef_mempool_free_unused(false);
    ef_mempool_sweep();
    ovs_mutex_unlock(&ef_mempool_mutex);
}

void
ef_mempool_wait(void)
{
    if (any_waits()) {
        poll_timer_wait_until(next_sweep);
    }
}
