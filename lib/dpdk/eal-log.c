/* SPDX-License-Identifier: Apache-2.0 */

/* Takes DPDK's messages into our log, and defines the log module "dpdk" that
 * they and our own messages about EAL have (dpdk/eal-vlog.h).
 *
 * eal.c calls the set-up on the main thread before EAL starts; messages come
 * from any thread, PMDs included. */

#include <config.h>

#include "dpdk/eal.h"

#include <errno.h>
#include <stdio.h>

#include <rte_log.h>

#include "openvswitch/vlog.h"
#include "util.h"

VLOG_DEFINE_THIS_MODULE(dpdk);

static enum vlog_level
to_vlog_level(int dpdk_level)
{
    if (dpdk_level <= RTE_LOG_CRIT) {
        return VLL_EMER;
    } else if (dpdk_level == RTE_LOG_ERR) {
        return VLL_ERR;
    } else if (dpdk_level == RTE_LOG_WARNING) {
        return VLL_WARN;
    } else if (dpdk_level == RTE_LOG_NOTICE || dpdk_level == RTE_LOG_INFO) {
        return VLL_INFO;
    } else {
        return VLL_DBG;
    }
}

/* 'write' of a stream.  A driver that repeats itself must not fill the disk,
 * and one that talks of details must not hide an error: two limits. */
static ssize_t
write_message(void *cookie OVS_UNUSED, const char *s, size_t size)
{
    static struct vlog_rate_limit limit = VLOG_RATE_LIMIT_INIT(600, 600);
    static struct vlog_rate_limit dbg_limit = VLOG_RATE_LIMIT_INIT(600, 600);
    enum vlog_level level = to_vlog_level(rte_log_cur_msg_loglevel());
    int len = size && s[size - 1] == '\n' ? size - 1 : size;

    if (level == VLL_EMER) {
        VLOG(level, "%.*s", len, s);
    } else {
        VLOG_RL(level == VLL_DBG ? &dbg_limit : &limit, level,
                "%.*s", len, s);
    }
    return size;
}

void
ef_eal_log_start(void)
{
    static const cookie_io_functions_t functions = { .write = write_message };
    static FILE *stream;

    if (stream) {
        return;
    }
    stream = fopencookie(NULL, "w+", functions);
    if (!stream) {
        VLOG_ERR("Can't redirect DPDK log: %s.", ovs_strerror(errno));
        return;
    }
    setbuf(stream, NULL);       /* A message is a call of write_message(). */
    rte_openlog_stream(stream);
}
