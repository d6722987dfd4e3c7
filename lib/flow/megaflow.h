/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FLOW_MEGAFLOW_H
#define EF_FLOW_MEGAFLOW_H 1

/* A datapath flow (megaflow) of one PMD: match, actions, statistics.
 *
 * Life: ef_flow_table_insert() makes it with one reference, held by the
 * table.  Whoever keeps a pointer across a quiescent state takes a reference
 * with ef_flow_ref(), which fails when the last one is already gone.  The
 * memory goes after the last reference and a grace period.
 *
 * Threads: the owning instance (the PMD, or the holder of the non-PMD mutex)
 * writes 'batch' and 'stats'.  Everything marked const is set before the flow
 * is published.  'actions' is replaced under the flow table's mutex and read
 * under RCU.  'dead' goes from false to true once, under that mutex, and is
 * read relaxed: a cache that sees the old value forwards one more packet by a
 * flow that existed when the packet arrived. */

#include <stdbool.h>
#include <stdint.h>

#include "cmap.h"
#include "dpif.h"
#include "flow/key.h"
#include "openvswitch/types.h"
#include "ovs-atomic.h"
#include "ovs-rcu.h"

struct ef_flow_batch;           /* Packet path: packets of one flow. */

/* Immutable.  Freed by RCU. */
struct ef_flow_actions {
    unsigned size;              /* Of 'actions', in bytes. */
    struct nlattr actions[];    /* Sequence of OVS_ACTION_ATTR_*. */
};

struct ef_flow_stats {
    atomic_llong used_ms;       /* Last used, time_msec(); 0: never. */
    atomic_ullong n_packets;
    atomic_ullong n_bytes;
    atomic_uint16_t tcp_flags;  /* All flags seen. */
};

/* What the offload provider said last, for when it cannot be asked. */
struct ef_flow_hw {
    atomic_int result;          /* 0 or a positive errno. */
    struct ef_flow_stats stats;
    atomic_bool offloaded;
    ATOMIC(const char *) dp_layer;
    atomic_uint32_t mark;       /* 0 if the flow has no mark. */
};

/* A rule of the classifier.  'key' has only as many words as its mask.
 *
 * The lookup compares the words of 'key', which begin on a cache line of their
 * own for that reason: one line serves masks of up to eight words. */
struct ef_rule {
    uint8_t pad[24];            /* Moves 'key.buf' to the line's start. */
    struct cmap_node node;      /* In its subtable's 'rules'. */
    const struct ef_key *mask;  /* The subtable's; gone a grace period after
                                 * the rule left the classifier. */
    struct ef_key key;          /* Last member: room follows. */
} __attribute__((aligned(CACHE_LINE_SIZE)));
BUILD_ASSERT_DECL(offsetof(struct ef_rule, key.buf) == CACHE_LINE_SIZE);

struct ef_flow {
    /* Hot, one cache line: the owning instance, for every batch. */
    struct ef_flow_batch *batch; /* Only during packet input. */
    OVSRCU_TYPE(struct ef_flow_actions *) actions;
    struct ef_flow_stats stats;
    atomic_bool dead;           /* Not in the table any more. */
    odp_port_t in_port;         /* flow.in_port, close at hand. */
    struct ovs_refcount ref_cnt; /* Anybody, but mostly the owner's EMC. */

    /* Flow table, under its mutex; links are read under RCU. */
    struct cmap_node simple_node; /* In 'simple', by 'simple_mark'. */
    uint64_t simple_mark;       /* See flow/simple-match.h. */
    struct cmap_node node;      /* In 'flows', by ufid. */
    bool is_simple;             /* In 'simple'. */

    /* Offload thread. */
    struct cmap_node mark_node;
    struct ef_flow_hw hw;

    /* Constant. */
    unsigned core_id;           /* PMD that owns the flow. */
    odp_port_t orig_in_port;    /* Port that a tunnelled packet came in by, or
                                 * ODPP_NONE. */
    ovs_u128 ufid;              /* Of the unmasked flow. */
    ovs_u128 mega_ufid;         /* Of the masked flow. */
    char *extra_info;           /* For dumps. */
    struct flow flow;           /* Unmasked. */

    /* Starts a cache line. */
    struct ef_rule rule;        /* Last member: room follows. */
};
BUILD_ASSERT_DECL(offsetof(struct ef_flow, simple_node) <= CACHE_LINE_SIZE);

static inline struct ef_flow *
ef_flow_from_rule(const struct ef_rule *rule)
{
    return rule ? CONTAINER_OF(rule, struct ef_flow, rule) : NULL;
}

static inline uint32_t
ef_flow_hash(const ovs_u128 *ufid)
{
    return ufid->u32[0];
}

/* Any thread that is not quiescent. */
static inline struct ef_flow_actions *
ef_flow_get_actions(const struct ef_flow *flow)
{
    return ovsrcu_get(struct ef_flow_actions *, &flow->actions);
}

static inline bool
ef_flow_is_dead(const struct ef_flow *flow)
{
    bool dead;

    atomic_read_relaxed(&CONST_CAST(struct ef_flow *, flow)->dead, &dead);
    return dead;
}

/* Returns false if the flow is about to be freed. */
static inline bool
ef_flow_ref(struct ef_flow *flow)
{
    return ovs_refcount_try_ref_rcu(&flow->ref_cnt);
}

void ef_flow_unref(struct ef_flow *);

/* Owning instance: accounts for a batch, with 'now_ms' from time_msec(). */
void ef_flow_account(struct ef_flow *, unsigned n_packets, unsigned n_bytes,
                     uint16_t tcp_flags, long long now_ms);

/* Any thread: software statistics only. */
void ef_flow_read_stats(const struct ef_flow *, struct dpif_flow_stats *);

/* Replaces the actions; needs the flow table's mutex.  'actions' may be null
 * if 'size' is 0. */
void ef_flow_set_actions(struct ef_flow *, const struct nlattr *actions,
                         size_t size);

/* Allocation, for flow/flow-table.c and tests: copies all arguments.  'mask'
 * is ef_key_from_mask() of 'match'.  The flow has one reference; its memory is
 * aligned to cache lines and always comes from here. */
struct ef_flow *ef_flow_create(const struct match *, const struct ef_key *mask,
                               const ovs_u128 *ufid,
                               const struct nlattr *actions, size_t size,
                               odp_port_t orig_in_port, unsigned core_id);

#endif /* flow/megaflow.h */
