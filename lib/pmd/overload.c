/* SPDX-License-Identifier: Apache-2.0 */

/* Which receive queues are in overload, and how much time may go into them.
 * Called by the owner of the instance, from pmd/overload-input.c and when its
 * queues change. */

#include <config.h>

#include "pmd/overload.h"

#include "dp-packet.h"
#include "util.h"

void
ef_overload_reset(struct ef_overload *overload, struct ef_rxq *const rxqs[],
                  size_t n)
{
    overload->n_on = 0;
    for (size_t i = 0; i < n; i++) {
        rxqs[i]->overload = (struct ef_rxq_overload) { 0 };
    }
}

unsigned
ef_overload_threshold(const struct ef_rxq_overload *q)
{
    return q->on ? EF_OVERLOAD_LOW : EF_OVERLOAD_HIGH;
}

bool
ef_overload_set(struct ef_overload *overload, struct ef_rxq_overload *q,
                int is_filled)
{
    bool on = is_filled > 0;

    if (on != q->on) {
        q->on = on;
        q->each = 0;
        overload->n_on += on ? 1 : -1;
    }
    return on;
}

void
ef_overload_took(struct ef_rxq_overload *q, uint64_t ticks, size_t n)
{
    if (n) {
        uint64_t each = MIN(ticks / n, EF_OVERLOAD_TURN);

        q->each = q->each ? (q->each * UINT64_C(3) + each) / 4 : each;
    }
}

unsigned
ef_overload_share(const struct ef_rxq_overload *q)
{
    return (q->each <= EF_OVERLOAD_TURN / NETDEV_MAX_BURST ? NETDEV_MAX_BURST
            : MAX(EF_OVERLOAD_TURN / q->each, 1));
}

uint64_t
ef_overload_earn(struct ef_overload *overload, uint64_t now)
{
    /* So long a pause earns as much as may be saved. */
    uint64_t most = EF_OVERLOAD_SAVED * 100;
    uint64_t passed = MIN(now - overload->last, most);

    overload->last = now;
    overload->credit = MIN(overload->credit
                           + (int64_t) (passed * overload->percent / 100),
                           EF_OVERLOAD_SAVED);
    return (overload->credit > 0
            ? MAX(overload->credit / MAX(overload->n_on, 1), 1) : 0);
}
