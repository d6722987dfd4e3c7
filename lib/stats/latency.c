/* SPDX-License-Identifier: Apache-2.0 */

/* Stamps packets and counts how long they stayed.
 *
 * pmd/poll.c, pmd/input.c and output/tx-port.c call it on the thread that owns
 * the instance; commands merge and clear on the main thread.  Nothing is
 * allocated after the start, and nobody waits. */

#include <config.h>

#include "stats/latency.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "core/counter.h"
#include "core/random.h"
#include "hash.h"
#include "random.h"
#include "stats/cpu-taken.h"
#include "util.h"

BUILD_ASSERT_DECL(IS_POW2(EF_LATENCY_PAIRS));

struct ef_latency_table {
    atomic_uint32_t era;        /* Main thread writes.  Starts at 1. */
    atomic_ullong n_full;       /* Owner writes. */
    atomic_ullong n_full_before;        /* Main thread: at the last clear. */

    unsigned core;              /* Constant. */
    atomic_int tid;             /* 0: no thread yet. */
    struct ef_latency_taken before;     /* Main thread: at the last clear. */

    struct ef_latency_pair pairs[EF_LATENCY_PAIRS];
};

static uint32_t
read32(const atomic_uint32_t *p)
{
    uint32_t value;

    atomic_read_relaxed(CONST_CAST(atomic_uint32_t *, p), &value);
    return value;
}

static struct ef_latency_taken
read_taken(const struct ef_latency_table *table)
{
    int tid;

    atomic_read_relaxed(&CONST_CAST(struct ef_latency_table *, table)->tid,
                        &tid);
    return (struct ef_latency_taken) {
        .run_delay_us = tid ? ef_cpu_run_delay_us(tid) : -1,
        .steal_ms = ef_cpu_steal_ms(table->core),
    };
}

void
ef_latency_init(struct ef_latency *lat, unsigned core)
{
    /* Large enough for malloc() to take pages that are backed when they are
     * written: a pair of ports costs memory when it has samples. */
    struct ef_latency_table *table = xcalloc(1, sizeof *table);

    atomic_init(&table->era, 1);
    table->core = core;
    table->before.steal_ms = ef_cpu_steal_ms(core);
    *lat = (struct ef_latency) {
        .random = random_uint32() | 1,
        .table = table,
    };
}

void
ef_latency_destroy(struct ef_latency *lat)
{
    if (lat) {
        free(lat->table);
        lat->table = NULL;
    }
}

void
ef_latency_set_thread(struct ef_latency *lat)
{
    atomic_store_relaxed(&lat->table->tid, (int) syscall(SYS_gettid));
}

/* Packets to the next one that is stamped: 1 to 2 * every - 1, so 'every' on
 * average. */
static uint32_t
next_gap(struct ef_latency *lat, uint32_t every)
{
    uint64_t random = ef_random_next(&lat->random);

    return 1 + (random * (2 * every - 1) >> 32);
}

void
ef_latency_stamp(struct ef_latency *lat, uint32_t every,
                 uint64_t emptied_ticks, struct dp_packet_batch *batch,
                 odp_port_t in_port)
{
    uint64_t i;

    lat->received = ef_ticks_now();
    lat->classified = 0;
    lat->in_port = odp_to_u32(in_port);
    lat->wait = emptied_ticks ? lat->received - emptied_ticks : UINT64_MAX;
    for (i = lat->until; i < batch->count; i += next_gap(lat, every)) {
        ef_stamp_put(batch->packets[i], lat->received);
    }
    lat->until = i - batch->count;
    lat->pending = true;
}

void
ef_latency_join(struct ef_latency *lat, struct ef_latency_batch *samples,
                struct dp_packet *const packets[], size_t n)
{
    uint64_t flag = ef_stamp_get_flag();
    uint64_t now = 0;

    for (size_t i = 0; i < n; i++) {
        if (OVS_LIKELY(!(packets[i]->mbuf.ol_flags & flag))) {
            continue;
        }
        if (ef_stamp_is(packets[i], flag, lat->received)) {
            now = now ? now : ef_ticks_now();
            samples->samples[samples->n++] = (struct ef_latency_sample) {
                .received = lat->received,
                .joined = now,
                .wait = lat->wait,
                .lookup = ((lat->classified ? lat->classified : now)
                           - lat->received),
                .in_port = lat->in_port,
            };
        }
        ef_stamp_remove(packets[i], flag);
    }
}

void
ef_latency_copy(const struct ef_latency *lat, struct dp_packet_batch *to,
                struct dp_packet_batch *from)
{
    uint64_t flag = ef_stamp_get_flag();

    for (size_t i = 0; i < from->count; i++) {
        if (ef_stamp_is(from->packets[i], flag, lat->received)) {
            ef_stamp_put(to->packets[i], lat->received);
        }
    }
}

static bool
key_is(const struct ef_latency_pair *pair, uint32_t in_port,
       uint32_t out_port, uint32_t class)
{
    return (read32(&pair->key.in_port) == in_port
            && read32(&pair->key.out_port) == out_port
            && read32(&pair->key.class) == class);
}

/* Empties 'pair' and gives it to another key, or the same.  Readers who look
 * meanwhile see that it is not of the era that they want. */
static void
take_pair(struct ef_latency_pair *pair, uint32_t era, uint32_t in_port,
          uint32_t out_port, uint32_t class)
{
    atomic_store_relaxed(&pair->era, 0);
    /* Pairs with the fence in merge_pair(): who has read any of what follows
     * finds the 0, or a later era. */
    atomic_thread_fence(memory_order_release);
    atomic_store_relaxed(&pair->key.in_port, in_port);
    atomic_store_relaxed(&pair->key.out_port, out_port);
    atomic_store_relaxed(&pair->key.class, class);
    ef_counter_set(&pair->n_wait_unknown, 0);
    for (size_t i = 0; i < EF_LATENCY_N_STAGES; i++) {
        ef_histogram_clear(&pair->stages[i]);
    }
    ef_histogram_clear(&pair->batch);
    /* Pairs with the acquire in merge_pair(). */
    atomic_store_explicit(&pair->era, era, memory_order_release);
}

/* Returns NULL if all are taken.  Old ones stay in the chain, which ends at
 * the first that was never used. */
static struct ef_latency_pair *
find_pair(struct ef_latency_table *table, uint32_t in_port,
          uint32_t out_port, uint32_t class)
{
    uint32_t hash = hash_3words(in_port, out_port, class);
    uint32_t era = read32(&table->era);
    struct ef_latency_pair *old = NULL;

    for (uint32_t i = 0; i < EF_LATENCY_PAIRS; i++) {
        struct ef_latency_pair *pair;
        uint32_t pair_era;

        pair = &table->pairs[(hash + i) % EF_LATENCY_PAIRS];
        pair_era = read32(&pair->era);
        if (pair_era == era && key_is(pair, in_port, out_port, class)) {
            return pair;
        }
        if (pair_era != era && !old) {
            old = pair;
        }
        if (!pair_era) {
            break;
        }
    }
    if (old) {
        take_pair(old, era, in_port, out_port, class);
    }
    return old;
}

void
ef_latency_send(struct ef_latency *lat, struct ef_latency_batch *samples,
                odp_port_t out_port, unsigned class, size_t n_packets,
                uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < samples->n; i++) {
        const struct ef_latency_sample *s = &samples->samples[i];
        uint64_t total = end - s->received;
        uint64_t hold = start - s->joined;
        struct ef_latency_pair *pair;

        pair = find_pair(lat->table, s->in_port, odp_to_u32(out_port), class);
        if (!pair) {
            ef_counter_add(&lat->table->n_full, 1);
            continue;
        }
        if (s->wait == UINT64_MAX) {
            ef_counter_add(&pair->n_wait_unknown, 1);
        } else {
            ef_histogram_add(&pair->stages[EF_LATENCY_WAIT], s->wait);
        }
        ef_histogram_add(&pair->stages[EF_LATENCY_LOOKUP], s->lookup);
        ef_histogram_add(&pair->stages[EF_LATENCY_WORK], total - hold);
        ef_histogram_add(&pair->stages[EF_LATENCY_HOLD], hold);
        ef_histogram_add(&pair->stages[EF_LATENCY_TOTAL], total);
        ef_histogram_add(&pair->batch, n_packets);
    }
    samples->n = 0;
}

static struct ef_latency_pair *
find_or_add(struct ef_latency_pair ***pairsp, size_t *n, uint32_t in_port,
            uint32_t out_port, uint32_t class)
{
    struct ef_latency_pair *pair;

    for (size_t i = 0; i < *n; i++) {
        if (key_is((*pairsp)[i], in_port, out_port, class)) {
            return (*pairsp)[i];
        }
    }
    pair = xzalloc(sizeof *pair);
    atomic_init(&pair->key.in_port, in_port);
    atomic_init(&pair->key.out_port, out_port);
    atomic_init(&pair->key.class, class);
    *pairsp = xrealloc(*pairsp, (*n + 1) * sizeof **pairsp);
    (*pairsp)[(*n)++] = pair;
    return pair;
}

static void
add_pair(struct ef_latency_pair *to, const struct ef_latency_pair *from)
{
    ef_counter_add(&to->n_wait_unknown, ef_counter_get(&from->n_wait_unknown));
    for (size_t i = 0; i < EF_LATENCY_N_STAGES; i++) {
        ef_histogram_merge(&to->stages[i], &from->stages[i]);
    }
    ef_histogram_merge(&to->batch, &from->batch);
}

/* Copies 'pair', whose owner may be at it, if it is of 'era'.  Returns false
 * if it is not, or was not all the time. */
static bool
copy_pair(struct ef_latency_pair *copy, const struct ef_latency_pair *pair,
          uint32_t era)
{
    uint32_t pair_era;

    /* Pairs with the release in take_pair(). */
    atomic_read_explicit(&CONST_CAST(struct ef_latency_pair *, pair)->era,
                         &pair_era, memory_order_acquire);
    if (pair_era != era) {
        return false;
    }
    memset(copy, 0, sizeof *copy);
    atomic_init(&copy->key.in_port, read32(&pair->key.in_port));
    atomic_init(&copy->key.out_port, read32(&pair->key.out_port));
    atomic_init(&copy->key.class, read32(&pair->key.class));
    add_pair(copy, pair);
    /* Pairs with the fence in take_pair(). */
    atomic_thread_fence(memory_order_acquire);
    return read32(&pair->era) == era;
}

void
ef_latency_merge(const struct ef_latency *lat,
                 struct ef_latency_pair ***pairsp, size_t *n)
{
    const struct ef_latency_table *table = lat->table;
    struct ef_latency_pair *copy = xmalloc(sizeof *copy);
    uint32_t era = read32(&table->era);

    for (size_t i = 0; i < EF_LATENCY_PAIRS; i++) {
        if (copy_pair(copy, &table->pairs[i], era)) {
            add_pair(find_or_add(pairsp, n, read32(&copy->key.in_port),
                                 read32(&copy->key.out_port),
                                 read32(&copy->key.class)), copy);
        }
    }
    free(copy);
}

uint64_t
ef_latency_n_full(const struct ef_latency *lat)
{
    return (ef_counter_get(&lat->table->n_full)
            - ef_counter_get(&lat->table->n_full_before));
}

void
ef_latency_clear(struct ef_latency *lat)
{
    struct ef_latency_table *table = lat->table;
    uint32_t era = read32(&table->era) + 1;

    /* 0 is none. */
    atomic_store_relaxed(&table->era, era ? era : 1);
    ef_counter_set(&table->n_full_before, ef_counter_get(&table->n_full));
    table->before = read_taken(table);
}

static int64_t
since(int64_t now, int64_t before)
{
    return now < 0 ? -1 : now - MAX(before, 0);
}

struct ef_latency_taken
ef_latency_get_taken(const struct ef_latency *lat)
{
    const struct ef_latency_table *table = lat->table;
    struct ef_latency_taken now = read_taken(table);

    return (struct ef_latency_taken) {
        .run_delay_us = since(now.run_delay_us, table->before.run_delay_us),
        .steal_ms = since(now.steal_ms, table->before.steal_ms),
    };
}
