/* SPDX-License-Identifier: Apache-2.0 */

/* Reads /proc for time that others had the processor.  Called by commands, on
 * the main thread. */

#include <config.h>

#include "stats/cpu-taken.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

/* "RUN_NS DELAY_NS TIMES", as the kernel's scheduler/sched-stats says. */
int64_t
ef_cpu_run_delay_us(int tid)
{
    char *path = xasprintf("/proc/self/task/%d/schedstat", tid);
    FILE *file = fopen(path, "r");
    int64_t delay_ns = -1;

    free(path);
    if (file) {
        if (fscanf(file, "%*u %"SCNd64, &delay_ns) != 1) {
            delay_ns = -1;
        }
        fclose(file);
    }
    return delay_ns < 0 ? -1 : delay_ns / 1000;
}

/* "cpuN USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...", proc(5). */
int64_t
ef_cpu_steal_ms(unsigned core)
{
    FILE *file = fopen("/proc/stat", "r");
    char *name = xasprintf("cpu%u ", core);
    int64_t steal = -1;
    char line[512];

    while (file && steal < 0 && fgets(line, sizeof line, file)) {
        if (!strncmp(line, name, strlen(name))
            && sscanf(line + strlen(name), "%*u %*u %*u %*u %*u %*u %*u %"
                      SCNd64, &steal) != 1) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    free(name);
    return steal < 0 ? -1 : steal * 1000 / sysconf(_SC_CLK_TCK);
}
