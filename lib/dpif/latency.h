/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPIF_LATENCY_H
#define EF_DPIF_LATENCY_H 1

/* The commands "dpif-netdev/latency-show [PORT] [json]" and
 * "dpif-netdev/latency-clear", of the only data path.
 *
 * Threads: main. */

void ef_latency_commands_init(void);

#endif /* dpif/latency.h */
