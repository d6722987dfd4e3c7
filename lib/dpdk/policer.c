/* SPDX-License-Identifier: Apache-2.0 */

/* Ingress policing: Interface:ingress_policing_rate and _burst of DPDK ports.
 * Created by dpdk/dev-callbacks.c in the main thread; run by PMDs that receive
 * from the port (dpdk/rx-finish.c). */

#include <config.h>

#include "dpdk/policer.h"

#include <rte_cycles.h>
#include <rte_spinlock.h>

#include "dpdk/log.h"
#include "dpdk/rate-limit.h"
#include "ovs-rcu.h"
#include "util.h"

#define DEFAULT_BURST_KB 8000

struct ef_policer {
    /* Whichever PMD polls the port, for the verdict on one burst. */
    OVS_ALIGNED_VAR(CACHE_LINE_SIZE) rte_spinlock_t lock;
    struct ef_rate_limit limit;
};

static uint64_t
kbits_to_bytes(uint32_t kbits)
{
    return kbits * UINT64_C(1000) / 8;
}

struct ef_policer *
ef_policer_create(uint32_t rate_kbps, uint32_t burst_kb)
{
    struct ef_policer *policer = xzalloc_cacheline(sizeof *policer);

    rte_spinlock_init(&policer->lock);
    if (ef_rate_limit_init(&policer->limit, kbits_to_bytes(rate_kbps),
                           kbits_to_bytes(burst_kb ? burst_kb
                                          : DEFAULT_BURST_KB))) {
        VLOG_ERR("Could not create rte meter for ingress policer");
        ef_policer_destroy(policer);
        return NULL;
    }
    return policer;
}

void
ef_policer_destroy(struct ef_policer *policer)
{
    free_cacheline(policer);
}

void
ef_policer_destroy_later(struct ef_policer *policer)
{
    if (policer) {
        ovsrcu_postpone(ef_policer_destroy, policer);
    }
}

size_t
ef_policer_run(struct ef_policer *policer, struct rte_mbuf **pkts, size_t n)
{
    size_t n_kept = 0;

    for (size_t i = 0; i < n; i += EF_RATE_LIMIT_BURST) {
        size_t burst = MIN(n - i, EF_RATE_LIMIT_BURST);
        uint64_t pass;

        /* The time is read under the lock: it must not go backwards. */
        rte_spinlock_lock(&policer->lock);
        pass = ef_rate_limit_judge(&policer->limit, &pkts[i], burst,
                                   rte_rdtsc());
        rte_spinlock_unlock(&policer->lock);
        n_kept = ef_rate_limit_sift(pkts, n_kept, &pkts[i], burst, pass);
    }
    return n_kept;
}
