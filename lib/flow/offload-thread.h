/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_OFFLOAD_THREAD_H
#define EF_FLOW_OFFLOAD_THREAD_H 1

/* Offload threads, their queues and what travels through them.
 *
 * As many threads as the package's netdev-offload was configured for start
 * with the first request; they and their queues stay until the process ends.
 * Requests of one producer stay in order, and so do those that are queued
 * under one flow table's mutex.  A queue has no limit of its own: requests
 * come with flows, whose number ofproto limits; offload-stats-show tells its
 * length.
 *
 * An offload thread is quiescent while it sleeps or waits for the port
 * lock, and at least every 10 ms besides. */

#include <stdint.h>

#include "flow/megaflow.h"
#include "flow/offload-mark.h"
#include "mov-avg.h"
#include "mpsc-queue.h"
#include "ovs-atomic.h"

struct ef_offload;
struct match;
struct netdev;

enum ef_offload_op {
    EF_OFFLOAD_ADD,
    EF_OFFLOAD_MODIFY,
    EF_OFFLOAD_DEL,
    EF_OFFLOAD_FLUSH,           /* All of a device. */
    EF_OFFLOAD_SYNC,            /* Nothing but to tell that its turn came. */
};

/* Owned by the producer until queued, then by the offload thread. */
struct ef_offload_request {
    struct mpsc_queue_node node;
    enum ef_offload_op op;
    long long queued_us;        /* time_usec() */
    struct ef_offload *offload;

    /* ADD, MODIFY, DEL: with a reference. */
    struct ef_flow *flow;

    /* ADD, MODIFY. */
    struct match *match;
    struct nlattr *actions;     /* NULL if 'actions_len' is 0. */
    size_t actions_len;

    /* FLUSH, SYNC: all threads and the requester meet there, for FLUSH
     * twice. */
    struct ovs_barrier *barrier;
    struct netdev *netdev;      /* FLUSH. */
};

struct ef_offload_thread {
    /* Producers and the thread. */
    struct mpsc_queue queue;
    atomic_uint64_t n_queued;   /* Requests in 'queue'. */

    /* The thread writes; see offload-mark.h. */
    struct ef_mark_table marks;

    /* The thread. */
    struct mov_avg_cma cma;     /* Of the time from queued to done, in us. */
    struct mov_avg_ema ema;

    /* The thread writes, any thread reads: copies of the above. */
    atomic_ullong cma_mean_us, cma_stddev_us;
    atomic_ullong ema_mean_us, ema_stddev_us;
};

struct ef_offload_threads {
    unsigned n;
    struct ef_offload_thread **threads; /* 'n' elements. */
};

/* Any thread.  Starts the threads unless they run. */
const struct ef_offload_threads *ef_offload_threads_start(void);
/* Any thread.  Returns NULL if they have not been started. */
const struct ef_offload_threads *ef_offload_threads_get(void);

/* Any thread. */
void ef_offload_enqueue(struct ef_offload_thread *,
                        struct ef_offload_request *);

/* Offload threads (flow/offload-apply.c): does what 'request' asks for; it
 * stays the caller's. */
void ef_offload_apply(const struct ef_offload_request *request,
                      struct ef_mark_table *);

#endif /* flow/offload-thread.h */
