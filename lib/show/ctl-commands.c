/* SPDX-License-Identifier: Apache-2.0 */

/* Registers the commands that need neither the main thread nor the data path.
 * Called by dpif/commands.c, on the main thread. */

#include <config.h>

#include "show/ctl-commands.h"

#include "show/config-show.h"
#include "show/memory-plan-show.h"
#include "show/mempool-show.h"
#include "show/rcu-show.h"
#include "show/tx-show.h"

void
ef_ctl_commands_init(void)
{
    ef_config_show_init();
    ef_memory_plan_show_init();
    ef_mempool_show_init();
    ef_rcu_show_init();
    ef_tx_show_init();
}
