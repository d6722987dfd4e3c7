/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_POOL_ALARM_H
#define EF_DPDK_POOL_ALARM_H 1

/* Pools whose per-core stores run dry together: two or more cores make more
 * than EF_POOL_ALARM_REFILLS trips to the shared store a second, or a trip
 * finds nothing there.
 *
 * Logged once per pool when it is new, and when it has been gone for
 * EF_TX_ALARM_GONE_MS.
 *
 * Threads: main. */

#include <stddef.h>

#include "dpdk/mempool.h"

#define EF_POOL_ALARM_REFILLS 1000

/* Takes facts, once a second or so. */
void ef_pool_alarm_judge(const struct ef_mempool_facts *, size_t n,
                         long long now_ms);
/* The alarm of the pool that DPDK calls 'rte_name', or NULL.  Valid until
 * ef_pool_alarm_judge() is called next. */
const char *ef_pool_alarm_get(const char *rte_name);

#endif /* dpdk/pool-alarm.h */
