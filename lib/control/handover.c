/* SPDX-License-Identifier: Apache-2.0 */

/* Queues between "ctl", the thread that serves requests, and those who reply.
 *
 * One mutex for all servers, since a connection may outlive its own. */

#include <config.h>

#include "control/handover.h"

#include <stdlib.h>

#include "control/connection.h"
#include "jsonrpc.h"
#include "ovs-thread.h"
#include "seq.h"
#include "util.h"

static struct ovs_mutex mutex = OVS_MUTEX_INITIALIZER;

void
ef_handover_init(struct ef_handover *handover)
{
    *handover = (struct ef_handover) { .asked = seq_create() };
    handover->seen = seq_read(handover->asked);
    latch_init(&handover->wake);
    ovs_list_init(&handover->requests);
    ovs_list_init(&handover->replies);
}

void
ef_handover_destroy(struct ef_handover *handover)
{
    ovs_assert(ovs_list_is_empty(&handover->requests));
    ovs_assert(ovs_list_is_empty(&handover->replies));
    latch_destroy(&handover->wake);
    seq_destroy(handover->asked);
}

static void
move_all(struct ovs_list *to, struct ovs_list *from)
{
    ovs_list_move(to, from);
    ovs_list_init(from);
}

/* --- "ctl" --------------------------------------------------------------- */

bool
ef_handover_is_served(const struct ef_handover *handover)
{
    bool is_served;

    ovs_mutex_lock(&mutex);
    is_served = handover->is_served;
    ovs_mutex_unlock(&mutex);
    return is_served;
}

void
ef_handover_ask(struct unixctl_conn *conn, struct jsonrpc_msg *msg)
{
    struct ef_handover *handover = conn->handover;

    ovs_mutex_lock(&mutex);
    conn->request = msg;
    ovs_list_push_back(&handover->requests, &conn->queue_node);
    ovs_mutex_unlock(&mutex);
    seq_change(handover->asked);
}

void
ef_handover_ask_self(struct unixctl_conn *conn)
{
    ovs_mutex_lock(&mutex);
    conn->is_executed = true;
    ovs_mutex_unlock(&mutex);
}

bool
ef_handover_take_replies(struct ef_handover *handover,
                         struct ovs_list *replies)
{
    bool is_ending;

    /* First: what comes after the look below sets it again. */
    latch_poll(&handover->wake);
    ovs_mutex_lock(&mutex);
    move_all(replies, &handover->replies);
    is_ending = handover->is_ending;
    ovs_mutex_unlock(&mutex);
    return !is_ending;
}

void
ef_handover_wait(struct ef_handover *handover)
{
    latch_wait(&handover->wake);
}

/* --- Serving thread ------------------------------------------------------ */

void
ef_handover_take_requests(struct ef_handover *handover,
                          struct ovs_list *requests)
{
    struct unixctl_conn *conn;

    /* First: what comes after the look below changes it again. */
    handover->seen = seq_read(handover->asked);
    ovs_mutex_lock(&mutex);
    handover->is_served = true;
    move_all(requests, &handover->requests);
    LIST_FOR_EACH (conn, queue_node, requests) {
        conn->is_executed = true;
    }
    ovs_mutex_unlock(&mutex);
}

void
ef_handover_wait_requests(struct ef_handover *handover)
{
    seq_wait(handover->asked, handover->seen);
}

void
ef_handover_end(struct ef_handover *handover)
{
    ovs_mutex_lock(&mutex);
    handover->is_ending = true;
    latch_set(&handover->wake);
    ovs_mutex_unlock(&mutex);
}

/* --- Any thread ---------------------------------------------------------- */

void
ef_handover_reply(struct unixctl_conn *conn, struct jsonrpc_msg *reply)
{
    struct ef_handover *handover;

    ovs_mutex_lock(&mutex);
    handover = conn->handover;
    if (handover) {
        conn->is_executed = false;
        conn->reply = reply;
        ovs_list_push_back(&handover->replies, &conn->queue_node);
        /* Under the mutex, so that the server cannot go first. */
        latch_set(&handover->wake);
    }
    ovs_mutex_unlock(&mutex);

    if (!handover) {
        jsonrpc_msg_destroy(reply);
        free(conn);
    }
}

bool
ef_handover_leave(struct unixctl_conn *conn)
{
    bool is_executed;

    ovs_mutex_lock(&mutex);
    conn->handover = NULL;
    is_executed = conn->is_executed;
    if (conn->request || conn->reply) {
        ovs_list_remove(&conn->queue_node);
    }
    ovs_mutex_unlock(&mutex);
    return !is_executed;
}
