/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_OFFLOAD_MARK_H
#define EF_FLOW_OFFLOAD_MARK_H 1

/* Hardware marks of one offload thread: megaflow -> mark -> flows.
 *
 * Flows of several PMDs with the same masked flow share one mark, since
 * hardware has the megaflow only once.  All requests for a megaflow go to the
 * same offload thread, so each thread has a table of its own; the numbers come
 * from a pool that the threads share.
 *
 *     mark = ef_mark_alloc(&table);
 *     if (put into hardware fails) {
 *         ef_mark_free(&table, mark);
 *     } else {
 *         ef_mark_attach(&table, flow, mark);
 *     }
 *     ...
 *     mark = ef_mark_detach(&table, flow);
 *     if (mark) {
 *         remove from hardware; ef_mark_free(&table, mark);
 *     }
 *
 * Threads: the owning offload thread, except for ef_mark_lookup(). */

#include <stdint.h>

#include "cmap.h"
#include "flow/megaflow.h"
#include "openvswitch/hmap.h"

#define EF_MARK_NONE 0          /* "No mark", for hardware as well. */
#define EF_MARK_MAX (UINT32_MAX - 1)

struct id_fpool;

struct ef_mark_table {
    /* Constant. */
    struct id_fpool *pool;
    unsigned pool_user;         /* Number of the thread in the pool. */

    /* Owner. */
    struct hmap megaflows;      /* Marks in use, by masked ufid. */

    /* Owner writes, PMDs read under RCU. */
    struct cmap flows;          /* "struct ef_flow"s by mark. */
};

void ef_mark_table_init(struct ef_mark_table *, struct id_fpool *,
                        unsigned pool_user);
/* No flow may be left. */
void ef_mark_table_destroy(struct ef_mark_table *);

/* Returns the mark of the megaflow, or EF_MARK_NONE. */
uint32_t ef_mark_find(const struct ef_mark_table *,
                      const ovs_u128 *mega_ufid);

/* Returns a mark that nobody uses, or EF_MARK_NONE if all are taken. */
uint32_t ef_mark_alloc(struct ef_mark_table *);
void ef_mark_free(struct ef_mark_table *, uint32_t mark);

/* Gives 'flow', which must have none, the mark of its megaflow, and takes a
 * reference.  The caller has a reference too. */
void ef_mark_attach(struct ef_mark_table *, struct ef_flow *flow,
                    uint32_t mark);
/* Takes the mark, and the table's reference, from 'flow', which must have
 * one.  If it was the last flow with this mark, returns the mark, which the
 * caller frees when hardware does not use it any more; else EF_MARK_NONE. */
uint32_t ef_mark_detach(struct ef_mark_table *, struct ef_flow *flow);

/* Any thread that is not quiescent: the live flow of PMD 'core_id' that has
 * 'mark', or NULL.  A flow that loses its mark and gets another at the same
 * moment may be overlooked; its packet then takes the way without a mark. */
struct ef_flow *ef_mark_lookup(const struct ef_mark_table *, uint32_t mark,
                               unsigned core_id);

static inline uint32_t
ef_flow_mark(const struct ef_flow *flow)
{
    uint32_t mark;

    atomic_read_relaxed(&CONST_CAST(struct ef_flow *, flow)->hw.mark, &mark);
    return mark;
}

#endif /* flow/offload-mark.h */
