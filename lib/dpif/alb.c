/* SPDX-License-Identifier: Apache-2.0 */

/* Automatic load balancing of rx queues: once an interval, if some PMD was
 * overloaded all the time, tries out a new plan.  Called by the main thread
 * from dpif/run.c. */

#include <config.h>

#include "dpif/reconfigure.h"

#include "core/log.h"
#include "dpif/pmd-set.h"
#include "dpif/schedule.h"

static bool
is_overloaded(const struct ef_datapath *dp)
{
    struct ef_pmd *pmd;

    EF_PMD_FOR_EACH (pmd, dp) {
        if (atomic_count_get(&pmd->load.n_overloaded) >= EF_LOAD_INTERVALS) {
            return true;
        }
    }
    return false;
}

/* Whether a new plan is enough of an improvement over what is in force. */
static bool
dry_run(struct ef_datapath *dp)
{
    struct ef_sched current, planned;
    bool improves = false;

    ef_schedule_init_current(&current, dp);
    if (ef_alb_is_worthwhile(&dp->alb, &current)) {
        VLOG_DBG("PMD auto load balance performing dry run.");
        ef_schedule_init(&planned, dp);
        ef_sched_plan(&planned);
        ef_sched_log(&planned, VLL_DBG);
        improves = ef_alb_improves(&dp->alb, &current, &planned);
        ef_sched_uninit(&planned);
    }
    ef_sched_uninit(&current);
    return improves;
}

void
ef_datapath_run_alb(struct ef_datapath *dp, long long now_ms)
{
    if (dp->alb.enabled
        && ef_alb_is_due(&dp->alb, now_ms)
        && is_overloaded(dp)
        && !ef_datapath_needs_reconfigure(dp)
        && dry_run(dp)) {
        VLOG_INFO("PMD auto load balance dry run. "
                  "Requesting datapath reconfigure.");
        ef_datapath_request_reconfigure(dp);
    }
}
