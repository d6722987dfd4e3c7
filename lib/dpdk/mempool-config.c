/* SPDX-License-Identifier: Apache-2.0 */

/* Parses "per-port-memory", "shared-mempool-config" and "mempool-config" and
 * finds the size of buffers.  Called by mempool-shape.c; any thread. */

#include <config.h>

#include "dpdk/mempool-config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <rte_ether.h>
#include <rte_mbuf_core.h>

#include "core/digits.h"
#include "openvswitch/compiler.h"
#include "util.h"

/* Drivers fill buffers in units of this; a buffer that is not a multiple would
 * hold less than it seems to, and packets would come in several pieces. */
#define BUF_UNIT 1024

/* Room for two VLAN tags beside the MTU, which some drivers insist on. */
#define BUF_OVERHEAD (RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN + 2 * 4)

#define SEPARATORS ", \t\r\n"

BUILD_ASSERT_DECL(ROUND_UP(EF_MEMPOOL_MAX_MTU + BUF_OVERHEAD, BUF_UNIT)
                  + RTE_PKTMBUF_HEADROOM <= UINT16_MAX);

static const char *
parse_step(const char *s, const char *end, struct ef_mempool_step *step)
{
    uint64_t n;

    step->socket_id = EF_MEMPOOL_ALL_SOCKETS;
    if (!ef_digits_take(&s, EF_MEMPOOL_MAX_MTU, &n)) {
        return "an MTU must be a number from 0 to "
               OVS_STRINGIZE(EF_MEMPOOL_MAX_MTU);
    }
    step->mtu = n;
    if (s == end) {
        return NULL;
    }
    if (*s != ':' && *s != '=') {
        return "must be a list of MTU or MTU:NUMA";
    }
    s++;
    if (!ef_digits_take(&s, INT_MAX, &n) || s != end) {
        return "a NUMA node must be a number, 0 or more";
    }
    step->socket_id = n;
    return NULL;
}

const char *
ef_mempool_steps_parse(const char *value, struct ef_mempool_steps *steps)
{
    const char *s = value;

    steps->steps = NULL;
    steps->n = 0;
    for (;;) {
        const char *rule, *end;

        s += strspn(s, SEPARATORS);
        if (!*s) {
            return NULL;
        }
        end = s + strcspn(s, SEPARATORS);
        steps->steps = xrealloc(steps->steps,
                                (steps->n + 1) * sizeof *steps->steps);
        rule = parse_step(s, end, &steps->steps[steps->n]);
        if (rule) {
            ef_mempool_steps_clear(steps);
            return rule;
        }
        steps->n++;
        s = end;
    }
}

void
ef_mempool_steps_clear(struct ef_mempool_steps *steps)
{
    free(steps->steps);
    steps->steps = NULL;
    steps->n = 0;
}

const char *
ef_mempool_per_port_parse(const char *value, bool *per_port)
{
    *per_port = value && !strcasecmp(value, "true");
    return !value || *per_port || !strcasecmp(value, "false")
           ? NULL
           : "must be true or false";
}

uint32_t
ef_mempool_buf_size(int mtu)
{
    return ROUND_UP(mtu + BUF_OVERHEAD, BUF_UNIT) + RTE_PKTMBUF_HEADROOM;
}

const struct ef_mempool_step *
ef_mempool_steps_fit(const struct ef_mempool_steps *steps, int mtu,
                     int socket_id)
{
    uint32_t need = ef_mempool_buf_size(mtu);
    const struct ef_mempool_step *best = NULL;

    for (size_t i = 0; i < steps->n; i++) {
        const struct ef_mempool_step *step = &steps->steps[i];

        if (ef_mempool_buf_size(step->mtu) >= need
            && (step->socket_id == EF_MEMPOOL_ALL_SOCKETS
                || step->socket_id == socket_id)
            && (!best || step->mtu < best->mtu)) {
            best = step;
        }
    }
    return best;
}

bool
ef_mempool_name_is_valid(const char *name, size_t len)
{
    return (len >= 1 && len <= EF_MEMPOOL_NAME_MAX
            && strspn(name, "abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789-_.") >= len);
}

/* Appends what stands from 's' to 'end'. */
static const char *
parse_pool(const char *s, const char *end, struct ef_mempool_numbers *numbers)
{
    const char *colon = memchr(s, ':', end - s);
    struct ef_mempool_number new;
    uint64_t n;

    if (!colon) {
        return "must be a list of NAME:N";
    } else if (!ef_mempool_name_is_valid(s, colon - s)) {
        return EF_MEMPOOL_NAME_RULE;
    }
    new.name = xmemdup0(s, colon - s);
    s = colon + 1;
    if (ef_mempool_numbers_get(numbers, new.name)) {
        free(new.name);
        return "a pool must not occur twice";
    } else if (!ef_digits_take(&s, EF_MEMPOOL_MAX_BUFS, &n) || s != end
               || n < EF_MEMPOOL_MIN_BUFS) {
        free(new.name);
        return "a number of buffers must be from "
               OVS_STRINGIZE(EF_MEMPOOL_MIN_BUFS) " to "
               OVS_STRINGIZE(EF_MEMPOOL_MAX_BUFS);
    }
    new.n_bufs = n;
    numbers->pools = xrealloc(numbers->pools,
                              (numbers->n + 1) * sizeof *numbers->pools);
    numbers->pools[numbers->n++] = new;
    return NULL;
}

const char *
ef_mempool_numbers_parse(const char *value, struct ef_mempool_numbers *numbers)
{
    const char *rule = NULL;

    *numbers = (struct ef_mempool_numbers) { .n = 0 };
    while (value && !rule) {
        const char *end = value + strcspn(value, ",");

        rule = parse_pool(value, end, numbers);
        value = *end ? end + 1 : NULL;
    }
    if (rule) {
        ef_mempool_numbers_clear(numbers);
    }
    return rule;
}

void
ef_mempool_numbers_clear(struct ef_mempool_numbers *numbers)
{
    for (size_t i = 0; i < numbers->n; i++) {
        free(numbers->pools[i].name);
    }
    free(numbers->pools);
    *numbers = (struct ef_mempool_numbers) { .n = 0 };
}

uint32_t
ef_mempool_numbers_get(const struct ef_mempool_numbers *numbers,
                       const char *name)
{
    for (size_t i = 0; i < numbers->n; i++) {
        if (!strcmp(numbers->pools[i].name, name)) {
            return numbers->pools[i].n_bufs;
        }
    }
    return 0;
}
