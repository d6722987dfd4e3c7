/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_MEMPOOL_SHOW_H
#define EF_SHOW_MEMPOOL_SHOW_H 1

/* The command "dpif-netdev/mempool-show [json]": each pool of packet buffers,
 * where its buffers are, and a line for each core that keeps some.
 * Documentation/topics/buffers.rst tells what the numbers mean.
 *
 * Threads: any, "ctl" if asked by a command. */

#include <stddef.h>

struct ds;
struct ef_mempool_facts;

void ef_mempool_show_init(void);

/* Pure. */
void ef_show_mempools(struct ds *, const struct ef_mempool_facts *, size_t n);
/* The same as a JSON object, on one line. */
void ef_show_mempools_json(struct ds *, const struct ef_mempool_facts *,
                           size_t n);

#endif /* show/mempool-show.h */
