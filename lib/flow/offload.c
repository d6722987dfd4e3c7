/* SPDX-License-Identifier: Apache-2.0 */

/* Queues offload requests, and waits for them where that is asked for.
 *
 * PMDs, revalidators and the main thread call; nothing here but flush and
 * drain waits, and these two belong to the main thread. */

#include <config.h>

#include "flow/offload.h"

#include "flow/offload-thread.h"
#include "netdev-offload.h"
#include "netdev.h"
#include "openvswitch/match.h"
#include "ovs-thread.h"
#include "timeval.h"
#include "util.h"

static struct ef_offload_request *
request_create(struct ef_offload *offload, enum ef_offload_op op,
               long long now_us)
{
    struct ef_offload_request *request = xzalloc(sizeof *request);

    request->op = op;
    request->queued_us = now_us;
    request->offload = offload;
    return request;
}

/* Queues a request for 'flow' to the thread that is in charge of its
 * megaflow. */
static void
enqueue_flow(struct ef_offload_request *request, struct ef_flow *flow)
{
    const struct ef_offload_threads *all = ef_offload_threads_start();
    unsigned i = netdev_offload_ufid_to_thread_id(flow->mega_ufid);

    request->flow = flow;
    ef_offload_enqueue(all->threads[i], request);
}

void
ef_offload_flow_put(struct ef_offload *offload, struct ef_flow *flow,
                    const struct match *match, const struct nlattr *actions,
                    size_t actions_len, bool modify, long long now_us)
{
    struct ef_offload_request *request;

    if (!netdev_is_flow_api_enabled() || !ef_flow_ref(flow)) {
        return;
    }
    request = request_create(offload,
                             modify ? EF_OFFLOAD_MODIFY : EF_OFFLOAD_ADD,
                             now_us);
    request->match = xmemdup(match, sizeof *match);
    if (actions_len) {
        request->actions = xmemdup(actions, actions_len);
        request->actions_len = actions_len;
    }
    enqueue_flow(request, flow);
}

void
ef_offload_flow_del(struct ef_offload *offload, struct ef_flow *flow,
                    long long now_us)
{
    /* Without a reference left there is no mark either: marks hold one. */
    if (netdev_is_flow_api_enabled() && ef_flow_ref(flow)) {
        enqueue_flow(request_create(offload, EF_OFFLOAD_DEL, now_us), flow);
    }
}

struct ef_flow *
ef_offload_find_mark(uint32_t mark, unsigned core_id)
{
    const struct ef_offload_threads *all = ef_offload_threads_get();

    if (all) {
        for (unsigned i = 0; i < all->n; i++) {
            struct ef_flow *flow = ef_mark_lookup(&all->threads[i]->marks,
                                                  mark, core_id);

            if (flow) {
                return flow;
            }
        }
    }
    return NULL;
}

/* Threads that wait at a barrier serve no other: two sets of such requests
 * must not be in the queues at once, or each thread might wait at another
 * barrier. */
static struct ovs_mutex barrier_mutex = OVS_MUTEX_INITIALIZER;

static void
enqueue_barrier(struct ef_offload *offload, enum ef_offload_op op,
                struct netdev *netdev, struct ovs_barrier *barrier)
    OVS_REQUIRES(barrier_mutex)
{
    const struct ef_offload_threads *all = ef_offload_threads_start();
    long long now_us = time_usec();

    ovs_barrier_init(barrier, 1 + all->n);
    for (unsigned i = 0; i < all->n; i++) {
        struct ef_offload_request *request
            = request_create(offload, op, now_us);

        request->netdev = netdev;
        request->barrier = barrier;
        ef_offload_enqueue(all->threads[i], request);
    }
}

/* The barriers below may live on the stack: a thread that is on its way out
 * of ovs_barrier_block() has let go of the barrier and holds only a reference
 * to what is behind it. */

void
ef_offload_flush(struct ef_offload *offload, struct netdev *netdev)
    OVS_NO_THREAD_SAFETY_ANALYSIS
{
    struct ovs_barrier barrier;
    struct netdev *ref;

    if (!netdev_is_flow_api_enabled()) {
        return;
    }

    /* Requests ahead of ours need the lock. */
    ref = netdev_ref(netdev);
    ovs_rwlock_unlock(offload->port_lock);

    ovs_mutex_lock(&barrier_mutex);
    enqueue_barrier(offload, EF_OFFLOAD_FLUSH, ref, &barrier);
    ovs_barrier_block(&barrier);
    netdev_close(ref);

    /* The threads wait until we have the lock, so that no request slips in
     * between the flush and what the caller does next. */
    ovs_rwlock_wrlock(offload->port_lock);
    ovs_barrier_block(&barrier);
    ovs_barrier_destroy(&barrier);
    ovs_mutex_unlock(&barrier_mutex);
}

void
ef_offload_drain(struct ef_offload *offload)
{
    struct ovs_barrier barrier;

    if (!ef_offload_threads_get()) {
        return;
    }
    ovs_mutex_lock(&barrier_mutex);
    enqueue_barrier(offload, EF_OFFLOAD_SYNC, NULL, &barrier);
    ovs_barrier_block(&barrier);
    ovs_barrier_destroy(&barrier);
    ovs_mutex_unlock(&barrier_mutex);
}
