/* SPDX-License-Identifier: Apache-2.0 */

/* The values of options:tx-free-thresh and options:tx-rs-thresh: what they
 * mean, rules that hold whatever the driver is, and what to propose.
 *
 * Pure; any thread. */

#include <config.h>

#include "dpdk/tx-threshold.h"

#include <limits.h>
#include <string.h>

#include "util.h"

/* What a burst is taken for if none was seen. */
#define DEFAULT_BURST 32
/* With reports more often than this, they cost more than the packets. */
#define MIN_STEP 8
/* In shorter rings there is nothing to choose. */
#define MIN_RING 64

const char *
ef_tx_thresh_parse(const char *value, int *thresh)
{
    int n = 0;

    if (!strcmp(value, "driver")) {
        *thresh = EF_TX_THRESH_DRIVER;
        return NULL;
    }
    for (const char *p = value; *p; p++) {
        int digit = *p - '0';

        if (digit < 0 || digit > 9) {
            n = 0;
            break;
        }
        /* What is too large for an int is too large for a ring as well. */
        n = n > (INT_MAX - digit) / 10 ? INT_MAX : n * 10 + digit;
    }
    if (n < 1) {
        return "must be driver or a number from 1";
    }
    *thresh = n;
    return NULL;
}

const char *
ef_tx_thresh_check(int free_thresh, int rs_thresh, int ring_size,
                   const char **key)
{
    if (free_thresh >= ring_size) {
        *key = "tx-free-thresh";
    } else if (rs_thresh >= ring_size) {
        *key = "tx-rs-thresh";
    } else {
        *key = NULL;
        return NULL;
    }
    return "must be below the size of the ring, n_txq_desc";
}

/* The greatest power of 2 up to 'n', which is at least 1. */
static int
pow2_floor(unsigned n)
{
    return 1 << MIN(log_2_floor(n), 15);
}

void
ef_tx_thresh_propose(int ring_size, unsigned burst, int *free_thresh,
                     int *rs_thresh)
{
    int step, n_waiting;

    *free_thresh = *rs_thresh = EF_TX_THRESH_DRIVER;
    if (ring_size < MIN_RING || !is_pow2(ring_size)) {
        return;
    }
    step = MAX(pow2_floor(burst ? burst : DEFAULT_BURST), MIN_STEP);
    /* When the driver looks, a sixteenth waits; a burst comes on top, and what
     * follows the last descriptor that is to be reported. */
    n_waiting = ring_size / 16;
    step = MIN(step, n_waiting);
    *rs_thresh = step;
    *free_thresh = ring_size - n_waiting;
}
