/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_THRESHOLD_H
#define EF_DPDK_TX_THRESHOLD_H 1

/* When a driver frees sent buffers (tx-free-thresh) and asks its device to
 * report them sent (tx-rs-thresh).  Pure.
 *
 * By DPDK's definition, buffers are freed once fewer descriptors than
 * tx-free-thresh are free: the lower it is, the longer buffers linger in the
 * ring.  (Some drivers count those that wait instead: then it is the other way
 * round.)  With a high tx-rs-thresh many buffers become free at once, and none
 * before.  The other extreme makes each burst pay for it.  "driver" leaves it
 * to the driver.
 *
 * Threads: any. */

#include <stdbool.h>
#include <stdint.h>

#define EF_TX_THRESH_DRIVER 0

/* Parses "driver" or a number from 1; what is more than an int holds is
 * INT_MAX.  Returns NULL or, leaving '*thresh', the broken rule. */
const char *ef_tx_thresh_parse(const char *value, int *thresh);

/* Rules that hold for every driver: below the ring's size.  'key' gets the
 * option that breaks the rule.  Returns NULL or the rule. */
const char *ef_tx_thresh_check(int free_thresh, int rs_thresh, int ring_size,
                               const char **key);

/* What a driver makes of it. */
enum ef_tx_thresh_source {
    EF_TX_THRESH_SET,           /* By options. */
    EF_TX_THRESH_DEFAULT,       /* The driver's own, known. */
    EF_TX_THRESH_NOT_REPORTED,  /* The driver has none, or does not say. */
};

struct ef_tx_thresh_facts {
    enum ef_tx_thresh_source free_source, rs_source;
    int free_thresh, rs_thresh; /* In force; 0 if not reported. */
};

/* What to propose for a ring that is sent bursts of at most 'burst' (0: not
 * known): values that keep fewer than a quarter of the ring waiting, by DPDK's
 * definition, are multiples of the usual burst where the ring is long enough
 * for that, and which drivers accept: tx-rs-thresh divides the ring.  Both 0
 * if there is nothing to propose: a short ring, or one whose size is not a
 * power of 2. */
void ef_tx_thresh_propose(int ring_size, unsigned burst, int *free_thresh,
                          int *rs_thresh);

#endif /* dpdk/tx-threshold.h */
