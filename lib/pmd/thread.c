/* SPDX-License-Identifier: Apache-2.0 */

/* PMD thread: polls its receive queues until the main thread asks for a
 * reload, takes over new queues and ports, and so on until it is told to end.
 * Started by ef_pmd_start().  In between it passes quiescent states, sleeps
 * when it may and has nothing to do, sorts subtables and stores its load. */

#include <config.h>

#include "pmd/thread.h"

#include "core/core-claim.h"
#include "core/log.h"
#include "coverage.h"
#include "dpdk.h"
#include "dpdk/rx-burst.h"
#include "netdev.h"
#include "openvswitch/poll-loop.h"
#include "ovs-numa.h"
#include "pmd/pmd.h"
#include "pmd/poll.h"
#include "pmd/private.h"
#include "rcu/rcu.h"
#include "seq.h"
#include "timeval.h"

/* Iterations between two rounds of housekeeping. */
#define HOUSEKEEPING_ITERATIONS 1024
#define SORT_INTERVAL_US 1000000
/* This part of a full burst ends a series of sleeps. */
#define SLEEP_END_PART 2
/* By this much each sleep of a series is longer than the one before. */
#define SLEEP_STEP_US 1
/* Kernel timer slack, which otherwise adds 50 us to each sleep. */
#define TIMER_SLACK_NS 1

/* A queue with what the loop needs to know about its port. */
struct polled {
    struct ef_rxq *rxq;
    odp_port_t port_no;
    bool emc_enabled;
    bool enabled;               /* The device delivers to this queue. */
    uint64_t change_seq;        /* Of the device, when 'enabled' was read. */
};

/* State of the thread. */
struct loop {
    struct ef_pmd *pmd;
    struct ef_rcu_thread *rcu;
    struct polled *polled;
    struct ef_rxq **rxqs;       /* The same queues, for accounting. */
    size_t n;
    uint64_t sleep_us;          /* Length of the next sleep. */
};

/* Takes over the wanted queues and ports. */
static void
load_config(struct loop *loop)
{
    struct ef_pmd *pmd = loop->pmd;
    struct ef_reload *reload = &pmd->reload;

    ovs_mutex_lock(&reload->mutex);
    loop->n = reload->n_rxqs;
    loop->polled = xrealloc(loop->polled, loop->n * sizeof *loop->polled);
    loop->rxqs = xrealloc(loop->rxqs, loop->n * sizeof *loop->rxqs);
    for (size_t i = 0; i < loop->n; i++) {
        struct ef_rxq *rxq = reload->rxqs[i];
        struct ef_port *port = rxq->port;

        loop->rxqs[i] = rxq;
        rxq->burst = ef_rx_burst(port->netdev);
        loop->polled[i] = (struct polled) {
            .rxq = rxq,
            .port_no = port->port_no,
            .emc_enabled = port->emc_enabled,
            .enabled = netdev_rxq_enabled(rxq->rx),
            .change_seq = netdev_get_change_seq(port->netdev),
        };
    }
    ef_output_set_ports(&pmd->output, reload->ports, reload->n_ports,
                        pmd->act.now_us);
    ovs_mutex_unlock(&reload->mutex);
}

/* With no queue to poll: waits until there is something to reload. */
static void
wait_for_work(const struct loop *loop, bool busy)
{
    struct ef_reload *reload = &loop->pmd->reload;

    if (busy) {
        while (!ef_reload_is_requested(reload)) {
            ef_rcu_quiesce_batch(loop->rcu);
        }
    } else {
        while (seq_read(reload->seq) == reload->last_seq) {
            seq_wait(reload->seq, reload->last_seq);
            poll_block();
        }
    }
}

/* Whether the device delivers to a queue changes without a reload. */
static void
refresh_enabled(struct loop *loop)
{
    for (size_t i = 0; i < loop->n; i++) {
        struct polled *p = &loop->polled[i];
        uint64_t seq = netdev_get_change_seq(p->rxq->port->netdev);

        if (p->change_seq != seq) {
            p->change_seq = seq;
            p->enabled = netdev_rxq_enabled(p->rxq->rx);
            p->rxq->burst = ef_rx_burst(p->rxq->port->netdev);
        }
    }
}

static unsigned
overload_threshold(const struct ef_pmd *pmd)
{
    const struct ef_params *params = &pmd->env->params;
    uint8_t threshold;
    bool enabled;

    atomic_read_relaxed(&params->alb_enabled, &enabled);
    atomic_read_relaxed(&params->alb_load_threshold, &threshold);
    return enabled && !pmd->isolated ? threshold : UINT_MAX;
}

/* A change of the budget is in force after the next housekeeping. */
static void
read_overload_budget(struct ef_pmd *pmd)
{
    atomic_read_relaxed(&pmd->env->params.overload_percent,
                        &pmd->overload.percent);
}

static void
housekeeping(struct loop *loop)
{
    struct ef_pmd *pmd = loop->pmd;
    long long now_us = pmd->act.now_us;

    coverage_try_clear();
    if (now_us > pmd->load.next_store_us) {
        ef_pmd_load_store(&pmd->load, &pmd->perf, loop->rxqs, loop->n,
                          overload_threshold(pmd), now_us);
    }
    if (now_us > pmd->next_sort_us && ef_flow_table_try_sort(&pmd->flows)) {
        pmd->next_sort_us = now_us + SORT_INTERVAL_US;
    }
    ef_emc_sweep(&pmd->emc);
    read_overload_budget(pmd);
    refresh_enabled(loop);
}

/* Polls each queue once.  Returns the number of packets. */
static uint64_t
poll_queues(struct loop *loop)
{
    struct ef_pmd *pmd = loop->pmd;
    uint64_t n_packets = 0;

    atomic_read_relaxed(&pmd->env->params.smc_enable, &pmd->smc_enable);
    for (size_t i = 0; i < loop->n; i++) {
        const struct polled *p = &loop->polled[i];
        int n;

        if (!p->enabled) {
            continue;
        }
        ef_pmd_set_emc(pmd, p->emc_enabled);
        n = ef_pmd_poll_rxq(pmd, p->rxq, p->port_no);
        /* No pointer to a flow, an action or a port is kept between batches,
         * so one batch is all that a grace period waits for. */
        ef_rcu_quiesce_batch(loop->rcu);
        n_packets += n;
        if (n && n >= p->rxq->burst / SLEEP_END_PART) {
            loop->sleep_us = 0;
        }
    }
    return n_packets;
}

/* Sends output that is due, all of it before a sleep: a packet must not wait
 * longer than it would have without.  Returns the number of packets. */
static int
flush(struct loop *loop, uint64_t n_received)
{
    struct ef_pmd *pmd = loop->pmd;

    if (n_received && !loop->sleep_us) {
        /* Done after each batch. */
        return 0;
    }
    if (!n_received) {
        /* Nobody looked at the clock. */
        pmd->act.now_us = time_usec();
        ef_output_received(&pmd->output, pmd->perf.last_tsc);
        ef_output_polled(&pmd->output, pmd->perf.last_tsc, 0,
                         NETDEV_MAX_BURST);
        ef_output_xps_expire(&pmd->output, pmd->act.now_us);
    }
    return ef_output_flush(&pmd->output, pmd->act.now_us, loop->sleep_us);
}

/* Sleeps if the load has been low.  Returns the cycles slept. */
static uint64_t
sleep_if_idle(struct loop *loop, uint64_t max_sleep_us)
{
    struct ef_pmd *pmd = loop->pmd;
    uint64_t slept = 0;

    if (loop->sleep_us) {
        struct cycle_timer timer;

        cycle_timer_start(&pmd->perf, &timer);
        ovsrcu_quiesce_start();
        xnanosleep_no_quiesce(loop->sleep_us * 1000);
        ovsrcu_quiesce_end();
        slept = cycle_timer_stop(&pmd->perf, &timer);
        pmd->act.now_us = time_usec();
        ef_output_paused(&pmd->output, pmd->perf.last_tsc);
    }
    loop->sleep_us = MIN(loop->sleep_us + SLEEP_STEP_US, max_sleep_us);
    return slept;
}

static void
iteration(struct loop *loop, bool with_housekeeping)
{
    struct ef_pmd *pmd = loop->pmd;
    uint64_t n_received, n_sent;
    uint64_t max_sleep_us, slept;
    bool metrics;

    pmd_perf_start_iteration(&pmd->perf);
    atomic_read_relaxed(&pmd->max_sleep_us, &max_sleep_us);

    n_received = poll_queues(loop);
    if (!max_sleep_us) {
        loop->sleep_us = 0;
    }
    n_sent = flush(loop, n_received);
    if (OVS_UNLIKELY(ef_output_is_idle_due(&pmd->output, pmd->act.now_us))) {
        ef_output_idle(&pmd->output, pmd->act.now_us);
    }
    slept = sleep_if_idle(loop, max_sleep_us);
    if (with_housekeeping) {
        housekeeping(loop);
    }
    ef_rcu_quiesce_batch(loop->rcu);

    atomic_read_relaxed(&pmd->env->params.perf_metrics, &metrics);
    pmd_perf_end_iteration(&pmd->perf, n_received, n_sent, slept, metrics);
}

static void
poll_until_reload(struct loop *loop)
{
    struct ef_pmd *pmd = loop->pmd;
    unsigned n = 0;

    cycles_counter_update(&pmd->perf);

    /* While we hold it, clearing statistics is ours to do. */
    ovs_mutex_lock(&pmd->perf.stats_mutex);
    do {
        bool with_housekeeping = ++n > HOUSEKEEPING_ITERATIONS;

        iteration(loop, with_housekeeping);
        if (with_housekeeping) {
            n = 0;
        }
    } while (!ef_reload_is_requested(&pmd->reload));
    ovs_mutex_unlock(&pmd->perf.stats_mutex);
}

/* Takes over the new configuration and answers.  Returns false to end. */
static bool
reload(struct loop *loop, bool *busy_wait)
{
    struct ef_pmd *pmd = loop->pmd;
    bool new_txq, exiting;

    load_config(loop);
    atomic_read_relaxed(&pmd->reload.busy_wait, busy_wait);
    atomic_read_relaxed(&pmd->reload.new_txq, &new_txq);
    atomic_read_relaxed(&pmd->reload.exit, &exiting);
    ef_reload_done(&pmd->reload);
    if (new_txq) {
        ef_pmd_txq_put(pmd);
        ef_pmd_txq_get(pmd);
    }
    return !exiting;
}

static void
start_measuring(struct loop *loop)
{
    struct ef_pmd *pmd = loop->pmd;

    ef_pmd_load_reset(&pmd->load);
    ef_overload_reset(&pmd->overload, loop->rxqs, loop->n);
    read_overload_budget(pmd);
    for (size_t i = 0; i < loop->n; i++) {
        struct ef_rxq *rxq = loop->rxqs[i];

        VLOG_DBG("Core %u processing port \'%s\' with queue-id %d\n",
                 pmd->core_id, netdev_rxq_get_name(rxq->rx),
                 netdev_rxq_get_queue_id(rxq->rx));
        ef_load_reset(&rxq->load);
    }
}

void *
ef_pmd_thread_main(void *pmd_)
{
    struct ef_pmd *pmd = pmd_;
    struct loop loop = { .pmd = pmd };
    bool busy_wait = false;
    bool dpdk_attached;

    ef_pmd_set_self(pmd);
    ef_latency_set_thread(&pmd->output.latency);
    ef_rcu_set_pmd();
    loop.rcu = ef_rcu_self();
    ovs_numa_thread_setaffinity_core(pmd->core_id);
    ef_core_claim();
    dpdk_attached = dpdk_attach_thread(pmd->core_id);
    set_timer_resolution(TIMER_SLACK_NS);
    load_config(&loop);
    ef_pmd_txq_get(pmd);

    do {
        /* DPDK may have been initialized while we slept. */
        if (!dpdk_attached) {
            dpdk_attached = dpdk_attach_thread(pmd->core_id);
        }
        start_measuring(&loop);
        if (!loop.n) {
            wait_for_work(&loop, busy_wait);
        }
        poll_until_reload(&loop);
    } while (reload(&loop, &busy_wait));

    ef_core_release();
    ef_pmd_txq_put(pmd);
    free(loop.polled);
    free(loop.rxqs);
    if (dpdk_attached) {
        dpdk_detach_thread();
    }
    return NULL;
}
