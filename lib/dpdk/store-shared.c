/* SPDX-License-Identifier: Apache-2.0 */

/* Keeps free buffers in chunks on lock-free stacks (see the header).  Called
 * by dpdk/store-core.c for PMDs, and for other threads under a lock of
 * dpdk/buffer-store.c.  Also linked into the object for secondary processes,
 * so nothing of the package is called here.
 */

#include <config.h>

#include "dpdk/store-shared.h"

#include <string.h>

#include "core/counter.h"

/* Stacks. */

static struct ef_chunk *
chunk_at(const struct ef_shared *s, uint32_t number)
{
    uint32_t i = number - 1;

    if (i < s->n_base) {
        return &s->base[i];
    }
    i -= s->n_base;
    return &s->own[i / EF_CHUNKS_PER_USER][i % EF_CHUNKS_PER_USER];
}

/* The head after 'head', with chunk 'number' on top. */
static uint64_t
head_after(uint64_t head, uint32_t number)
{
    return ((head >> 32) + 1) << 32 | number;
}

/* The time between looking at a head and swapping it is when others can come
 * in between.  These two take the waits for memory out of it: the head's line
 * is fetched at once for writing, and the topmost chunk's before the look that
 * counts. */

static void
warm(const atomic_uint64_t *head)
{
    __builtin_prefetch(CONST_CAST(atomic_uint64_t *, head), 1);
}

static void
peek(const struct ef_shared *s, struct ef_chunk_stack *stack)
{
    uint64_t head;

    /* Acquire, for chunk_at(), as in pop(). */
    atomic_read_explicit(&stack->head, &head, memory_order_acquire);
    if ((uint32_t) head) {
        uint32_t next;

        atomic_read_relaxed(&chunk_at(s, head)->next, &next);
    }
}

/* The account is NULL in set-up. */
static void
push(struct ef_shared *s, struct ef_chunk_stack *stack, uint32_t number,
     struct ef_trips *trips)
{
    struct ef_chunk *chunk = chunk_at(s, number);
    uint64_t head;

    warm(&stack->head);
    atomic_read_relaxed(&stack->head, &head);
    for (;;) {
        atomic_store_relaxed(&chunk->next, (uint32_t) head);
        /* Release: the chunk's contents, 'next' included, to the acquire in
         * pop(), also if other changes of the head come in between. */
        if (atomic_compare_exchange_strong_explicit(
                &stack->head, &head, head_after(head, number),
                memory_order_release, memory_order_relaxed)) {
            return;
        }
        if (trips) {
            ef_counter_add(&trips->n_retries, 1);
        }
    }
}

/* Returns 0 if the stack is empty. */
static uint32_t
pop(struct ef_shared *s, struct ef_chunk_stack *stack, struct ef_trips *trips)
{
    uint64_t head;

    warm(&stack->head);
    peek(s, stack);
    /* Acquire, here and when the swap fails: 'next' of the topmost chunk, from
     * the release in push().  If another user has popped that chunk meanwhile,
     * 'next' may be anything, and the tag makes the swap fail. */
    atomic_read_explicit(&stack->head, &head, memory_order_acquire);
    for (;;) {
        uint32_t number = head;
        uint32_t next;

        if (!number) {
            return 0;
        }
        atomic_read_relaxed(&chunk_at(s, number)->next, &next);
        if (atomic_compare_exchange_strong_explicit(
                &stack->head, &head, head_after(head, next),
                memory_order_acquire, memory_order_acquire)) {
            return number;
        }
        ef_counter_add(&trips->n_retries, 1);
    }
}

/* Counts of buffers. */

static void
raise(atomic_ullong *count, unsigned n)
{
    unsigned long long old;

    /* Release: what the buffers were counted in before is lowered already, for
     * the acquires in ef_shared_count(). */
    atomic_add_explicit(count, n, &old, memory_order_release);
}

static void
lower(atomic_ullong *count, unsigned n)
{
    unsigned long long old;

    atomic_sub_relaxed(count, n, &old);
}

/* Chunks with buffers. */

static void
push_bufs(struct ef_shared *s, uint32_t number, struct ef_trips *trips)
{
    uint32_t n = chunk_at(s, number)->n;

    if (n == EF_STORE_BULK) {
        raise(&s->n_full, n);
        push(s, &s->full, number, trips);
    } else if (n) {
        raise(&s->n_odd, n);
        push(s, &s->odd, number, trips);
    } else {
        push(s, &s->empty, number, trips);
    }
}

static uint32_t
pop_full(struct ef_shared *s, struct ef_trips *trips)
{
    uint32_t number = pop(s, &s->full, trips);

    if (number) {
        lower(&s->n_full, EF_STORE_BULK);
    }
    return number;
}

static uint32_t
pop_odd(struct ef_shared *s, struct ef_trips *trips, bool *is_odd)
{
    uint32_t number = pop(s, &s->odd, trips);

    if (number) {
        lower(&s->n_odd, chunk_at(s, number)->n);
        *is_odd = true;
    }
    return number;
}

/* Public functions. */

uint32_t
ef_shared_n_chunks(uint32_t n_bufs)
{
    return n_bufs / EF_STORE_BULK;
}

void
ef_shared_init(struct ef_shared *s, struct ef_chunk *base, uint32_t n_base,
               struct ef_chunk **own)
{
    memset(s, 0, sizeof *s);
    s->base = base;
    s->n_base = n_base;
    s->own = own;
    for (uint32_t number = n_base; number > 0; number--) {
        push(s, &s->empty, number, NULL);
    }
}

void
ef_shared_add_chunks(struct ef_shared *s, unsigned user,
                     struct ef_chunk chunks[EF_CHUNKS_PER_USER])
{
    uint32_t first = s->n_base + 1 + EF_CHUNKS_PER_USER * user;

    s->own[user] = chunks;
    for (uint32_t i = 0; i < EF_CHUNKS_PER_USER; i++) {
        push(s, &s->empty, first + i, NULL);
    }
}

unsigned
ef_shared_get(struct ef_shared *s, struct ef_trips *trips, void **bufs,
              unsigned n)
{
    bool is_odd = false;
    struct ef_chunk *chunk;
    uint32_t number;

    /* A portion comes from an odd chunk if there is one, which keeps them few;
     * the header's proof relies on that. */
    if (n == EF_STORE_BULK) {
        number = pop_full(s, trips);
        number = number ? number : pop_odd(s, trips, &is_odd);
    } else {
        number = pop_odd(s, trips, &is_odd);
        number = number ? number : pop_full(s, trips);
    }
    if (!number) {
        ef_counter_add(&trips->n_empty, 1);
        return 0;
    }

    chunk = chunk_at(s, number);
    n = MIN(n, chunk->n);
    chunk->n -= n;
    memcpy(bufs, &chunk->bufs[chunk->n], n * sizeof *bufs);
    is_odd = is_odd || chunk->n;
    push_bufs(s, number, trips);

    ef_counter_add(&trips->n_gets, 1);
    ef_counter_add(&trips->n_bufs_got, n);
    ef_counter_add(&trips->n_odd, is_odd);
    return n;
}

void
ef_shared_put(struct ef_shared *s, struct ef_trips *trips, void *const *bufs,
              unsigned n)
{
    bool is_odd = n < EF_STORE_BULK;

    ef_counter_add(&trips->n_puts, 1);
    ef_counter_add(&trips->n_bufs_put, n);
    ef_counter_add(&trips->n_odd, is_odd);
    while (n) {
        uint32_t number = is_odd ? pop_odd(s, trips, &is_odd) : 0;
        struct ef_chunk *chunk;
        unsigned k;

        number = number ? number : pop(s, &s->empty, trips);
        chunk = chunk_at(s, number);
        k = MIN(n, EF_STORE_BULK - chunk->n);
        memcpy(&chunk->bufs[chunk->n], bufs, k * sizeof *bufs);
        chunk->n += k;
        push_bufs(s, number, trips);
        bufs += k;
        n -= k;
    }
}

uint64_t
ef_shared_count(const struct ef_shared *s_, uint64_t *n_oddp)
{
    struct ef_shared *s = CONST_CAST(struct ef_shared *, s_);
    unsigned long long n_full, n_odd;

    /* Buffers go from users to odd to full chunks; acquires pair with
     * raise(). */
    atomic_read_explicit(&s->n_full, &n_full, memory_order_acquire);
    atomic_read_explicit(&s->n_odd, &n_odd, memory_order_acquire);
    *n_oddp = n_odd;
    return n_full + n_odd;
}
