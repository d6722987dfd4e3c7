/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_ALARM_H
#define EF_DPDK_TX_ALARM_H 1

/* Whether something is wrong with a port's completions, and why.
 *
 *     swing  the rate is steady, but buffers in flight go up and down by more
 *            than half the ring, each second of three
 *     lag    a buffer is out for a second although packets are sent, and it is
 *            more than what a threshold lets linger; or the ring is full and
 *            nothing has completed for half a second
 *     lost   buffers did not come back although later ones did
 *     pool   the pool's per-core stores run dry (see dpdk/pool-alarm.h)
 *
 * Each is logged when it is new and when it has been gone for
 * EF_TX_ALARM_GONE_MS; its text stays until then.
 *
 * Threads: main, under the port's mutex. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dpdk/tx-threshold.h"
#include "dpdk/tx-watch.h"

#define EF_TX_ALARM_GONE_MS 10000

struct ef_tx_alarm;             /* One per port. */

/* What is judged. */
struct ef_tx_alarm_input {
    const char *name;           /* Of the port. */
    const struct ef_tx_watch_stats *queues;
    size_t n_queues;
    struct ef_tx_thresh_facts thresh;
    bool link_is_down;          /* Nothing can complete. */
    const char *pool_cause;     /* From ef_pool_alarm_get(). */
};

struct ef_tx_alarm *ef_tx_alarm_create(void);
void ef_tx_alarm_destroy(struct ef_tx_alarm *); /* NULL is accepted. */

/* To be called some times a second.  Returns whether the text is another. */
bool ef_tx_alarm_judge(struct ef_tx_alarm *, const struct ef_tx_alarm_input *,
                       long long now_ms);
/* The port was set up anew, perhaps with other thresholds: what was found is
 * forgotten without a word, and found again if it is still so.  NULL is
 * accepted. */
void ef_tx_alarm_forget(struct ef_tx_alarm *);
/* NULL: all is well.  'alarm' may be NULL. */
const char *ef_tx_alarm_text(const struct ef_tx_alarm *alarm);

#endif /* dpdk/tx-alarm.h */
