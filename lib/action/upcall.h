/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_ACTION_UPCALL_H
#define EF_ACTION_UPCALL_H 1

/* The way from the packet path to ofproto, which calls back in the same
 * thread.
 *
 * While ofproto changes its set of threads it disables upcalls; then nobody
 * may call.  The packet path only ever tries the lock:
 *
 *     if (ef_upcall_begin(upcall)) {
 *         error = ef_upcall(upcall, ...);
 *         ef_upcall_end(upcall);
 *     } else {
 *         drop with EF_DROP_LOCK_ERROR
 *     }
 *
 * Upcalls start out disabled. */

#include <stdbool.h>
#include <stdint.h>

#include "dpif.h"
#include "fat-rwlock.h"

struct dp_packet;
struct flow;
struct flow_wildcards;
struct ofpbuf;

struct ef_upcall {
    const char *dp_name;        /* For the log. */
    struct fat_rwlock rwlock;   /* Written: upcalls are disabled. */
    upcall_callback *cb;
    void *aux;
};

/* Main thread. */
void ef_upcall_init(struct ef_upcall *, const char *dp_name);
void ef_upcall_destroy(struct ef_upcall *);     /* Must be disabled. */
void ef_upcall_disable(struct ef_upcall *);
void ef_upcall_enable(struct ef_upcall *);

/* Any thread.  ef_upcall_begin() returns false if upcalls are disabled. */
bool ef_upcall_begin(struct ef_upcall *);
void ef_upcall_end(struct ef_upcall *);

/* Between begin and end; arguments as for upcall_callback.  Returns 0, ENOSPC
 * if the flow must not be installed, or another positive errno; ENODEV if
 * nobody registered. */
int ef_upcall(struct ef_upcall *, unsigned core_id,
              const struct dp_packet *packet, const struct flow *flow,
              struct flow_wildcards *wc, ovs_u128 *ufid,
              enum dpif_upcall_type type, const struct nlattr *userdata,
              struct ofpbuf *actions, struct ofpbuf *put_actions);

#endif /* action/upcall.h */
