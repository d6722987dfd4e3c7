/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_MISS_H
#define EF_PMD_MISS_H 1

/* Packets without a flow: ask ofproto, execute, install.
 * Threads: owner. */

struct ef_input;
struct ef_pmd;

/* Handles all packets that are still missed in 'in': one that an earlier
 * packet of the batch brought a flow for gets that flow, the others are
 * consumed. */
void ef_input_miss(struct ef_pmd *, struct ef_input *);

#endif /* pmd/miss.h */
