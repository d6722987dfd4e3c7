/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_TX_FACTS_H
#define EF_DPDK_TX_FACTS_H 1

/* What "dpif-netdev/tx-show" shows, of one port or all of DPDK's.
 *
 * Threads: any that may block; tries ef_dpdk_dev_list_mutex and one port's
 * mutex at a time. */

#include <stdbool.h>
#include <stddef.h>

#include "dpdk/tx-threshold.h"
#include "dpdk/tx-watch.h"

struct ef_tx_queue_facts {
    unsigned queue;
    struct ef_tx_watch_stats watch;
};

struct ef_tx_port_facts {
    char *name;                 /* Of the Interface. */
    char *driver;
    bool copies;                /* vhost: nothing is ever in flight. */
    bool is_busy;               /* Being set up: nothing else is known. */
    bool watched;               /* tx-telemetry is on. */
    bool unwatchable;           /* Not with this driver. */
    struct ef_tx_thresh_facts thresh;
    int proposed_free, proposed_rs; /* 0: nothing to propose. */
    char *alarm;                /* NULL: none. */
    struct ef_tx_queue_facts *queues;
    size_t n_queues;
};

/* Ports sorted by name; 'name' may be NULL: all.  Returns 0, ENODEV (DPDK has
 * no such port) or EBUSY (ports are being attached or removed).  Waits for a
 * fraction of a second at most. */
int ef_tx_facts_get(const char *name, struct ef_tx_port_facts **, size_t *n);
void ef_tx_facts_free(struct ef_tx_port_facts *, size_t n);

/* Looks for swings, lags and losses; main thread, as often as it likes: works
 * once a second.  Logs each new alarm once and shows it in Interface:status
 * ("tx-alarm"). */
void ef_tx_alarm_run(long long now_ms);
/* Wakes poll_block() for it. */
void ef_tx_alarm_wait(void);

#endif /* dpdk/tx-facts.h */
