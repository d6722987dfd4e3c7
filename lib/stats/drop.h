/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_STATS_DROP_H
#define EF_STATS_DROP_H 1

/* Every reason for which our code drops a packet, each with a counter.
 *
 * A drop is never a bare free: it goes through one of these functions.  The
 * coverage counter of a reason is "datapath_drop_" plus its name, as
 * upstream calls them; ef_drop_read() gives the same totals to commands.
 *
 * Threads: any; counters are per thread and summed when read. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dp_packet;
struct dp_packet_batch;

/* X(ENUMERATOR, counter name, text for people) */
#define EF_DROP_REASONS                                                  \
    X(METER, meter, "a meter band was exceeded")                         \
    X(UPCALL_ERROR, upcall_error, "the slow path refused the packet")    \
    X(LOCK_ERROR, lock_error, "the slow path was not available")         \
    X(USERSPACE_ACTION_ERROR, userspace_action_error,                    \
      "a userspace action failed")                                       \
    X(TUNNEL_PUSH_ERROR, tunnel_push_error,                              \
      "a tunnel header could not be added")                              \
    X(TUNNEL_POP_ERROR, tunnel_pop_error,                                \
      "a tunnel header could not be removed")                            \
    X(RECIRC_ERROR, recirc_error, "the recirculation limit was reached") \
    X(INVALID_PORT, invalid_port, "the output port does not exist")      \
    X(INVALID_BOND, invalid_bond, "the output bond does not exist")      \
    X(INVALID_TNL_PORT, invalid_tnl_port,                                \
      "the tunnel port does not exist")                                  \
    X(RX_INVALID_PACKET, rx_invalid_packet,                              \
      "shorter than an Ethernet header")                                 \
    X(HW_MISS_RECOVER, hw_miss_recover,                                  \
      "a partly offloaded packet could not be restored")                 \
    X(RX_OVERLOAD, rx_overload,                                          \
      "data that a PMD that does not keep up had no time for")

enum ef_drop_reason {
#define X(ENUM, NAME, TEXT) EF_DROP_##ENUM,
    EF_DROP_REASONS
#undef X
    EF_N_DROPS
};

/* Counts 'n' drops; the caller disposes of the packets. */
void ef_drop_count(enum ef_drop_reason, size_t n);

/* Counts one drop and frees 'packet'. */
void ef_drop_packet(enum ef_drop_reason, struct dp_packet *packet);

/* Counts a drop for each packet of 'batch' and, if 'owned', frees them. */
void ef_drop_batch(enum ef_drop_reason, struct dp_packet_batch *batch,
                   bool owned);

/* For show commands. */
const char *ef_drop_name(enum ef_drop_reason);
const char *ef_drop_text(enum ef_drop_reason);
uint64_t ef_drop_read(enum ef_drop_reason);

#endif /* stats/drop.h */
