/* SPDX-License-Identifier: Apache-2.0 */

/* Parses pmd-rxq-affinity: which core polls which receive queue.
 *
 * Called when a port's configuration changes and when its queues are opened
 * anew.  Any thread. */

#include <config.h>

#include "port/rxq.h"

#include <errno.h>
#include <stdlib.h>

#include "openvswitch/ofp-parse.h"
#include "ovs-numa.h"
#include "util.h"

/* Returns false unless 's' is a whole number that is not negative. */
static bool
parse_id(const char *s, unsigned *id)
{
    int value;

    if (!str_to_int(s, 0, &value) || value < 0) {
        return false;
    }
    *id = value;
    return true;
}

int
ef_rxq_affinity_parse(const char *list, unsigned cores[], unsigned n)
{
    char *copy = xstrdup(list ? list : "");
    char *rest = copy;
    char *queue_s, *core_s;
    int error = 0;

    for (unsigned i = 0; i < n; i++) {
        cores[i] = OVS_CORE_UNSPEC;
    }
    while (!error && ofputil_parse_key_value(&rest, &queue_s, &core_s)) {
        unsigned queue, core;

        if (!parse_id(queue_s, &queue) || !parse_id(core_s, &core)) {
            error = EINVAL;
        } else if (queue < n) {
            cores[queue] = core;
        }
    }
    free(copy);
    return error;
}
