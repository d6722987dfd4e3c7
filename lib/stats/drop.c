/* SPDX-License-Identifier: Apache-2.0 */

/* Counts drops by reason: in the coverage counters that operators know, and
 * in totals of our own, which unlike those can be read at once.
 *
 * Any thread.  A total is the sum of slots that threads add to atomically; a
 * thread always uses the same slot, so that PMDs that drop at full rate do not
 * fight for a cache line.  With more threads than slots some share one, which
 * costs time but no count. */

#include <config.h>

#include "stats/drop.h"

#include "coverage.h"
#include "dp-packet.h"
#include "openvswitch/compiler.h"
#include "ovs-atomic.h"
#include "ovs-thread.h"
#include "util.h"

#define X(ENUM, NAME, TEXT) COVERAGE_DEFINE(datapath_drop_##NAME);
EF_DROP_REASONS
#undef X

#define N_SLOTS 32

OVS_ALIGNED_STRUCT(CACHE_LINE_SIZE, drop_slot) {
    atomic_ullong n[EF_N_DROPS];
};

static struct drop_slot slots[N_SLOTS];

static const char *const drop_names[EF_N_DROPS] = {
#define X(ENUM, NAME, TEXT) #NAME,
    EF_DROP_REASONS
#undef X
};

static const char *const drop_texts[EF_N_DROPS] = {
#define X(ENUM, NAME, TEXT) TEXT,
    EF_DROP_REASONS
#undef X
};

static void
count_coverage(enum ef_drop_reason reason, size_t n)
{
    switch (reason) {
#define X(ENUM, NAME, TEXT)                       \
    case EF_DROP_##ENUM:                          \
        COVERAGE_ADD(datapath_drop_##NAME, n);    \
        break;
    EF_DROP_REASONS
#undef X
    case EF_N_DROPS:
    default:
        OVS_NOT_REACHED();
    }
}

void
ef_drop_count(enum ef_drop_reason reason, size_t n)
{
    struct drop_slot *slot = &slots[ovsthread_id_self() % N_SLOTS];
    unsigned long long before;

    if (n) {
        count_coverage(reason, n);
        atomic_add_relaxed(&slot->n[reason], n, &before);
    }
}

void
ef_drop_packet(enum ef_drop_reason reason, struct dp_packet *packet)
{
    ef_drop_count(reason, 1);
    dp_packet_delete(packet);
}

void
ef_drop_batch(enum ef_drop_reason reason, struct dp_packet_batch *batch,
              bool owned)
{
    ef_drop_count(reason, dp_packet_batch_size(batch));
    dp_packet_delete_batch(batch, owned);
}

const char *
ef_drop_name(enum ef_drop_reason reason)
{
    ovs_assert(reason < EF_N_DROPS);
    return drop_names[reason];
}

const char *
ef_drop_text(enum ef_drop_reason reason)
{
    ovs_assert(reason < EF_N_DROPS);
    return drop_texts[reason];
}

uint64_t
ef_drop_read(enum ef_drop_reason reason)
{
    uint64_t total = 0;

    ovs_assert(reason < EF_N_DROPS);
    for (size_t i = 0; i < N_SLOTS; i++) {
        unsigned long long n;

        atomic_read_relaxed(&slots[i].n[reason], &n);
        total += n;
    }
    return total;
}
