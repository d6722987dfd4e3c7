/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_STORE_SHARED_H
#define EF_DPDK_STORE_SHARED_H 1

/* The part of a pool's free buffers that all users share.
 *
 * Buffers lie in chunks, which have numbers and are on one of three stacks:
 *
 *     full     EF_STORE_BULK buffers in each
 *     odd      fewer: what was left over, or came in small portions
 *     empty    none
 *
 * A stack's head is one word, the number of its topmost chunk and a tag that
 * counts changes, so that a head which was seen before cannot be mistaken for
 * the same state (the tag would have to go round, 2^32 changes, between a
 * user's look and its compare-and-swap).  A chunk that was popped is its
 * user's alone until pushed again.  A user that is preempted in the middle
 * holds up nobody, and at most one chunk.
 *
 * There are always enough chunks.  Be N the buffers, T the users:
 *
 *   - Full chunks on their stack: at most N / EF_STORE_BULK.
 *   - In users' hands: at most T, one each.
 *   - On the odd stack: at most T.  Only a user that popped an odd chunk, or
 *     found the odd stack empty, pushes one, and one at most, and then looks
 *     again.  Call these users committed.  At the moment when one finds the
 *     stack empty, chunks on it plus committed users are at most 0 + T; each
 *     other step takes from one what it adds to the other.
 *
 * A user that wants an empty chunk has none in its hands.  So with
 * N / EF_STORE_BULK + 2 T chunks one is always on the empty stack; each user
 * brings its two along (ef_shared_add_chunks()).
 *
 * Everything is in DPDK's memory, at the same address in all processes. */

#include <stdint.h>

#include "dpdk/buffer-store.h"
#include "ovs-atomic.h"

#define EF_CHUNKS_PER_USER 2

struct ef_chunk {
    atomic_uint32_t next;       /* Number of the chunk below; 0: none.  A
                                 * user that lost a race may still read it. */
    uint32_t n;                 /* This and the rest: of who popped it. */
    void *bufs[EF_STORE_BULK];
};

/* A user's account: written by the user, read by any. */
struct ef_trips {
    atomic_ullong n_gets;       /* Trips that brought buffers. */
    atomic_ullong n_puts;       /* Trips that took some away. */
    atomic_ullong n_empty;      /* Trips that found none. */
    atomic_ullong n_odd;        /* Of all these, those to the odd stack. */
    atomic_ullong n_retries;    /* Compare-and-swaps that failed. */
    atomic_ullong n_bufs_got, n_bufs_put;
};

struct ef_chunk_stack {
    /* Changed by all users.  Tag in the upper half, number in the lower. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) atomic_uint64_t head;
};

struct ef_shared {
    /* Set-up, constant afterwards: chunks 1 to 'n_base'. */
    struct ef_chunk *base;
    uint32_t n_base;
    /* Users' own: numbers n_base + 1 + EF_CHUNKS_PER_USER * user.  A pointer
     * is written before its chunks are pushed, so who pops one sees it. */
    struct ef_chunk **own;

    /* All users. */
    struct ef_chunk_stack full, odd, empty;
    /* Buffers on them.  Raised before a chunk is pushed, lowered after. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) atomic_ullong n_full;
    atomic_ullong n_odd;
};

/* Set-up; the packet path may go on. */

/* Chunks for 'n_bufs' buffers, apart from what users bring. */
uint32_t ef_shared_n_chunks(uint32_t n_bufs);
/* 'base' has room for 'n_base' chunks, 'own' for a pointer of each user. */
void ef_shared_init(struct ef_shared *, struct ef_chunk *base, uint32_t n_base,
                    struct ef_chunk **own);
/* Must precede the first trip of 'user'. */
void ef_shared_add_chunks(struct ef_shared *, unsigned user,
                          struct ef_chunk[EF_CHUNKS_PER_USER]);

/* Users, each with an account of its own.  'n' is 1 to EF_STORE_BULK; an
 * EF_STORE_BULK at once is the quick case. */

/* Returns how many buffers there were, up to 'n', in 'bufs'; 0 only if none
 * were on the stacks. */
unsigned ef_shared_get(struct ef_shared *, struct ef_trips *, void **bufs,
                       unsigned n);
void ef_shared_put(struct ef_shared *, struct ef_trips *, void *const *bufs,
                   unsigned n);

/* Any thread. */

/* Buffers on the stacks, and how many of these are odd ones.  A user lowers
 * its own count before ef_shared_put() raises this one: who calls this first
 * and reads users' counts next counts no buffer twice, if none are taken. */
uint64_t ef_shared_count(const struct ef_shared *, uint64_t *n_odd);

#endif /* dpdk/store-shared.h */
