/* SPDX-License-Identifier: Apache-2.0 */

/* Wires between two devices of net_ef_tx: what one sends comes in at the
 * other.  They and their rings stay as long as the process does. */

#include <config.h>

#include "wire.h"

#include <errno.h>
#include <stdio.h>

#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#define N_WIRES 8
#define RING_SIZE 1024

static struct wire {
    struct ef_wire directions[2];
    bool taken[2];              /* The device that receives from it. */
} wires[N_WIRES];

/* Set-up. */

static int
make_rings(struct wire *w, unsigned n)
{
    for (int i = 0; i < 2; i++) {
        struct ef_wire *d = &w->directions[i];
        char name[RTE_RING_NAMESIZE];

        snprintf(name, sizeof name, "ef_wire%u%c", n, "ab"[i]);
        if (!d->frames) {
            d->frames = rte_ring_create(name, RING_SIZE, SOCKET_ID_ANY,
                                        RING_F_SC_DEQ);
        }
        if (!d->frames) {
            return ENOMEM;
        }
    }
    return 0;
}

int
ef_wire_attach(unsigned n, struct ef_wire **in, struct ef_wire **out)
{
    struct wire *w;
    unsigned end;
    int error;

    if (n >= N_WIRES) {
        return EINVAL;
    }
    w = &wires[n];
    end = w->taken[0];
    if (w->taken[end]) {
        return EBUSY;
    }
    error = make_rings(w, n);
    if (!error) {
        w->taken[end] = true;
        *in = &w->directions[end];
        *out = &w->directions[!end];
    }
    return error;
}

void
ef_wire_detach(struct ef_wire *in)
{
    for (int i = 0; i < N_WIRES; i++) {
        for (int j = 0; j < 2; j++) {
            if (&wires[i].directions[j] == in) {
                wires[i].taken[j] = false;
            }
        }
    }
}

/* Frames on their way. */

static uint64_t *
sent_tsc(struct rte_mbuf *mbuf)
{
    return (void *) &mbuf->hash;
}

/* Whether the ring at the far end is full of packets that came earlier. */
static bool
is_full(const struct ef_wire *w, uint64_t now)
{
    uint64_t next = __atomic_load_n(&w->next_tsc, __ATOMIC_RELAXED);
    uint64_t spacing = __atomic_load_n(&w->spacing, __ATOMIC_RELAXED);

    return (spacing && now > next
            && (now - next) / spacing
               >= __atomic_load_n(&w->size, __ATOMIC_RELAXED));
}

void
ef_wire_send(struct ef_wire *w, const struct rte_mbuf *frame)
{
    uint64_t now = rte_rdtsc();
    struct rte_mbuf *copy = is_full(w, now) ? NULL
        : rte_pktmbuf_copy(frame, frame->pool, 0, UINT32_MAX);

    if (copy) {
        copy->ol_flags = 0;
        *sent_tsc(copy) = now;
        if (!rte_ring_enqueue(w->frames, copy)) {
            return;
        }
        rte_pktmbuf_free(copy);
    }
    __atomic_fetch_add(&w->n_lost, 1, __ATOMIC_RELAXED);
}

bool
ef_wire_is_empty(const struct ef_wire *w)
{
    return !w->head && rte_ring_empty(w->frames);
}

struct rte_mbuf *
ef_wire_take(struct ef_wire *w, uint64_t until)
{
    struct rte_mbuf *mbuf;

    if (!w->head && rte_ring_dequeue(w->frames, (void **) &w->head)) {
        return NULL;
    }
    mbuf = w->head;
    if (*sent_tsc(mbuf) > until) {
        return NULL;
    }
    w->head = NULL;
    return mbuf;
}

void
ef_wire_tell(struct ef_wire *w, uint64_t next_tsc, uint64_t spacing,
             uint32_t size)
{
    __atomic_store_n(&w->next_tsc, next_tsc, __ATOMIC_RELAXED);
    __atomic_store_n(&w->spacing, spacing, __ATOMIC_RELAXED);
    __atomic_store_n(&w->size, size, __ATOMIC_RELAXED);
}
