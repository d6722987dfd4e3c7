/* SPDX-License-Identifier: Apache-2.0 */

/* "netdev-dpdk/get-mempool-info [netdev]": a port's pool of buffers, or all
 * pools.  Main thread. */

#include <config.h>

#include "dpdk/mempool.h"

#include <errno.h>

#include "dpdk/dev.h"
#include "unixctl.h"

/* Prints the pool of a port, or of all without one.  Returns NULL or why
 * not. */
static const char *
dump(FILE *stream, const struct netdev *netdev)
{
    const char *error = NULL;

    if (!netdev) {
        ef_mempool_dump(stream, NULL);
    } else if (!ef_dpdk_is_dpdk(netdev)) {
        error = "Not a DPDK Interface";
    } else {
        struct ef_dpdk_dev *dev = ef_dpdk_dev_cast(netdev);

        /* Keeps the pool: only its port gives it back. */
        ovs_mutex_lock(&dev->mutex);
        if (dev->pool) {
            ef_mempool_dump(stream, dev->pool);
        } else {
            error = "Not allocated";
        }
        ovs_mutex_unlock(&dev->mutex);
    }
    return error;
}

static void
get_mempool_info(struct unixctl_conn *conn, int argc, const char *argv[],
                 void *aux OVS_UNUSED)
{
    struct netdev *netdev = NULL;
    char *text = NULL;
    const char *error;
    FILE *stream;
    size_t size;

    if (argc > 1) {
        netdev = netdev_from_name(argv[1]);
        if (!netdev) {
            unixctl_command_reply_error(conn, "Not a DPDK Interface");
            return;
        }
    }

    stream = open_memstream(&text, &size);
    if (!stream) {
        text = xasprintf("Unable to open memstream: %s.",
                         ovs_strerror(errno));
        unixctl_command_reply_error(conn, text);
    } else {
        error = dump(stream, netdev);
        fclose(stream);
        if (error) {
            unixctl_command_reply_error(conn, error);
        } else {
            unixctl_command_reply(conn, text);
        }
    }
    free(text);
    netdev_close(netdev);
}

void
ef_mempool_commands_init(void)
{
    unixctl_command_register("netdev-dpdk/get-mempool-info", "[netdev]", 0, 1,
                             get_mempool_info, NULL);
}
