/* SPDX-License-Identifier: Apache-2.0 */

/* Flow dumps: all flows of one instance after the other, in batches.
 *
 * Revalidators share a dump, each with a dump thread of its own; the dump's
 * mutex covers the position, and nothing is formatted under it. */

#include <config.h>

#include "dpif/ops.h"

#include "cmap.h"
#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "flow/flow-nlattr.h"
#include "odp-util.h"
#include "openvswitch/ofpbuf.h"
#include "ovs-thread.h"

#define BATCH_MAX 50

struct dump {
    struct dpif_flow_dump up;
    struct ef_datapath *dp;     /* Kept by the open dpif. */

    struct ovs_mutex mutex;     /* Protects what follows. */
    struct cmap_position pmd_pos;
    struct ef_pmd *pmd;         /* At hand, with a reference, or NULL. */
    struct cmap_position flow_pos;      /* In its flows. */
    bool finished;
};

struct dump_thread {
    struct dpif_flow_dump_thread up;
    struct dump *dump;

    /* For the flows returned last. */
    struct odputil_keybuf keys[BATCH_MAX];
    struct odputil_keybuf masks[BATCH_MAX];
};

static struct dump *
dump_cast(struct dpif_flow_dump *dump)
{
    return CONTAINER_OF(dump, struct dump, up);
}

static struct dump_thread *
dump_thread_cast(struct dpif_flow_dump_thread *thread)
{
    return CONTAINER_OF(thread, struct dump_thread, up);
}

struct dpif_flow_dump *
ef_dpif_flow_dump_create(const struct dpif *dpif, bool terse,
                         struct dpif_flow_dump_types *types OVS_UNUSED)
{
    struct dump *dump = xzalloc(sizeof *dump);

    dpif_flow_dump_init(&dump->up, dpif);
    dump->up.terse = terse;
    dump->dp = ef_dpif_datapath(dpif);
    ovs_mutex_init(&dump->mutex);
    return &dump->up;
}

int
ef_dpif_flow_dump_destroy(struct dpif_flow_dump *dump_)
{
    struct dump *dump = dump_cast(dump_);

    if (dump->pmd) {
        ef_pmd_unref(dump->pmd); /* Nobody waited for the end. */
    }
    ovs_mutex_destroy(&dump->mutex);
    free(dump);
    return 0;
}

struct dpif_flow_dump_thread *
ef_dpif_flow_dump_thread_create(struct dpif_flow_dump *dump)
{
    struct dump_thread *thread = xmalloc(sizeof *thread);

    dpif_flow_dump_thread_init(&thread->up, dump);
    thread->dump = dump_cast(dump);
    return &thread->up;
}

void
ef_dpif_flow_dump_thread_destroy(struct dpif_flow_dump_thread *thread)
{
    free(dump_thread_cast(thread));
}

/* Goes on to the next instance.  Returns false at the end. */
static bool
next_pmd(struct dump *dump)
    OVS_REQUIRES(dump->mutex)
{
    if (dump->pmd) {
        ef_pmd_unref(dump->pmd);
    }
    dump->pmd = ef_datapath_next_pmd(dump->dp, &dump->pmd_pos);
    dump->flow_pos = (struct cmap_position) { .bucket = 0 };
    return dump->pmd != NULL;
}

/* Stores up to 'max' flows, under RCU.  Returns how many; 0 at the end. */
static int
take_flows(struct dump *dump, const struct ef_flow *flows[], int max)
    OVS_REQUIRES(dump->mutex)
{
    int n = 0;

    if (!dump->pmd && !dump->finished) {
        dump->finished = !next_pmd(dump);
    }
    while (!dump->finished && n < max) {
        struct cmap_node *node = cmap_next_position(&dump->pmd->flows.flows,
                                                    &dump->flow_pos);

        if (node) {
            flows[n++] = CONTAINER_OF(node, struct ef_flow, node);
        } else {
            dump->finished = !next_pmd(dump);
        }
    }
    return n;
}

int
ef_dpif_flow_dump_next(struct dpif_flow_dump_thread *thread_,
                       struct dpif_flow *dst, int max_flows)
{
    struct dump_thread *thread = dump_thread_cast(thread_);
    const struct ef_flow *flows[BATCH_MAX];
    struct dump *dump = thread->dump;
    int n;

    ovs_mutex_lock(&dump->mutex);
    n = take_flows(dump, flows, MIN(max_flows, BATCH_MAX));
    ovs_mutex_unlock(&dump->mutex);

    for (int i = 0; i < n; i++) {
        struct ofpbuf key, mask;

        ofpbuf_use_stack(&key, &thread->keys[i], sizeof thread->keys[i]);
        ofpbuf_use_stack(&mask, &thread->masks[i], sizeof thread->masks[i]);
        ef_flow_to_dpif_flow(flows[i], &key, &mask, &dst[i], dump->up.terse);
        ef_offload_flow_status(&dump->dp->env.offload,
                               CONST_CAST(struct ef_flow *, flows[i]),
                               &dst[i].stats, &dst[i].attrs);
    }
    return n;
}
