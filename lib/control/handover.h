/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CONTROL_HANDOVER_H
#define EF_CONTROL_HANDOVER_H 1

/* How requests come from "ctl" to the thread that serves them, and replies
 * from any thread to "ctl".
 *
 * Both ways, connections are queued, not messages: one is in at most one
 * queue, since a request is read only when the one before has been answered.
 * So the queues are as long as there are connections, at most.
 *
 * A connection belongs to "ctl" while it is idle, to the queue while it is in
 * one, and otherwise to whoever has to reply.  The mutex that guards the
 * queues makes what one owner wrote visible to the next; it is a leaf. */

#include <stdbool.h>
#include <stdint.h>

#include "latch.h"
#include "openvswitch/list.h"

struct jsonrpc_msg;
struct seq;
struct unixctl_conn;

/* Of one server. */
struct ef_handover {
    struct seq *asked;          /* Changes with each request. */
    uint64_t seen;              /* Serving thread: of 'asked'. */
    struct latch wake;          /* Set for "ctl" to look here. */

    /* Under the mutex. */
    struct ovs_list requests;   /* "struct unixctl_conn"s, oldest first. */
    struct ovs_list replies;    /* The same. */
    bool is_served;             /* Somebody has taken requests. */
    bool is_ending;
};

void ef_handover_init(struct ef_handover *);
/* No connection may refer to it any more; see ef_handover_leave(). */
void ef_handover_destroy(struct ef_handover *);

/* --- "ctl" --------------------------------------------------------------- */

bool ef_handover_is_served(const struct ef_handover *);

/* The serving thread shall execute 'msg', which it owns from now on. */
void ef_handover_ask(struct unixctl_conn *, struct jsonrpc_msg *msg);
/* "ctl" itself is about to execute a request. */
void ef_handover_ask_self(struct unixctl_conn *);

/* Moves the connections with replies to '*replies', a list.  Returns false if
 * the server is about to end. */
bool ef_handover_take_replies(struct ef_handover *, struct ovs_list *replies);
/* Wakes the poll loop when there is reason to do so. */
void ef_handover_wait(struct ef_handover *);

/* --- Serving thread ------------------------------------------------------ */

/* Moves the connections with requests to '*requests', a list.  The caller
 * executes each one's 'request'. */
void ef_handover_take_requests(struct ef_handover *,
                               struct ovs_list *requests);
void ef_handover_wait_requests(struct ef_handover *);

/* Tells "ctl" that the server is about to end. */
void ef_handover_end(struct ef_handover *);

/* --- Any thread ---------------------------------------------------------- */

/* "ctl" shall send 'reply', which it owns from now on. */
void ef_handover_reply(struct unixctl_conn *, struct jsonrpc_msg *reply);

/* The connection's server goes away.  Returns true if the caller owns the
 * connection from now on, false if a reply is still to come: it will be
 * dropped, and the connection freed with it. */
bool ef_handover_leave(struct unixctl_conn *);

#endif /* control/handover.h */
