/* SPDX-License-Identifier: Apache-2.0 */

/* Decides whether a batch waits for company; the rule and its reason are in
 * the header.  A few multiplications for each waiting port and receive batch.
 *
 * Called by the output side and the loop of an instance, in the thread that
 * owns it. */

#include <config.h>

#include "output/hold.h"

#include <string.h>

#include "util.h"

/* An arrival keeps 1 - 1/2**FADE of what was before. */
#define FADE 3
/* 'packets' counts in 1/2**FRACTION, or fading would stop at small counts. */
#define FRACTION 4
/* Strong evidence counts 2**STRONG times. */
#define STRONG 3

void
ef_hold_load_init(struct ef_hold_load *load, uint64_t now,
                  uint32_t behind_max)
{
    *load = (struct ef_hold_load) { .last = now, .behind_max = behind_max };
}

void
ef_hold_load_skip(struct ef_hold_load *load, uint64_t now)
{
    load->last = now;
}

void
ef_hold_init(struct ef_hold *hold, uint32_t target, uint32_t limit)
{
    memset(hold, 0, sizeof *hold);
    ef_hold_set(hold, target, limit);
}

void
ef_hold_set(struct ef_hold *hold, uint32_t target, uint32_t limit)
{
    ovs_assert(limit > 0);
    target = MIN(target, EF_HOLD_TARGET_MAX);
    if (target < hold->target) {
        hold->deadline -= hold->target - target;
    }
    hold->target = target;
    hold->limit = limit;
}

void
ef_hold_polled(struct ef_hold_load *load, uint64_t now, uint32_t n,
               uint32_t burst, bool held)
{
    uint64_t ticks = now - load->last;

    load->last = now;
    if (n >= burst) {
        ticks <<= held ? STRONG : 0;
        load->behind = MIN(load->behind + ticks, load->behind_max);
    } else if (!held || !n) {
        ticks <<= n ? 0 : STRONG;
        load->behind -= MIN(load->behind, ticks);
    }
}

void
ef_hold_arrived(struct ef_hold *hold, uint64_t now, uint32_t n, bool empty)
{
    uint64_t ticks = now - hold->last;

    if (empty) {
        hold->deadline = now + hold->target;
    }
    hold->last = now;
    if (ticks > hold->target) {
        hold->span = 0;
        hold->packets = 0;
        return;
    }
    if (ticks) {
        hold->span += ticks - (hold->span >> FADE);
        hold->packets -= hold->packets >> FADE;
    }
    /* Unless they belong to an arrival that began the estimate. */
    if (hold->span) {
        hold->packets += n << FRACTION;
    }
}

bool
ef_hold_waits(const struct ef_hold *hold, uint64_t now, uint32_t n,
              uint32_t behind)
{
    uint64_t rest, in_rest, missing, gain;

    if (n >= hold->limit || now >= hold->deadline
        || now - hold->last > hold->span) {
        return false;
    }

    /* Both sides of each comparison are multiplied by 'span' and, for the
     * fraction, by 2**FRACTION: less than 2**54, as times have at most 32 bits
     * and 'packets' 16. */
    rest = hold->deadline - now;
    in_rest = rest * hold->packets;
    if (2 * in_rest <= (uint64_t) hold->span << FRACTION) {
        return false;
    }
    missing = ((uint64_t) hold->span * (hold->limit - n)) << FRACTION;
    gain = (uint64_t) behind * hold->packets;
    return gain >= EF_HOLD_FACTOR * n * MIN(in_rest, missing);
}
