/* SPDX-License-Identifier: Apache-2.0 */

/* A buffer for one packet in one piece, whatever its length.
 *
 * Called by what copies, joins and cuts packets on their way from and to a
 * port of DPDK's, on the thread that has the queue. */

#include <config.h>

#include "dpdk/buffer.h"

#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "dpdk/log.h"
#include "util.h"

static struct vlog_rate_limit rl = VLOG_RATE_LIMIT_INIT(5, 20);

/* Bookkeeping that DPDK keeps at the end of attached memory, aligned. */
BUILD_ASSERT_DECL(EF_BUFFER_MAX + RTE_PKTMBUF_HEADROOM
                  + sizeof(struct rte_mbuf_ext_shared_info)
                  + 2 * sizeof(void *) <= UINT16_MAX);

static void
free_attached(void *addr OVS_UNUSED, void *memory)
{
    rte_free(memory);
}

static int
attach_memory(struct rte_mbuf *mbuf, uint32_t size)
{
    uint16_t len = ROUND_UP(RTE_PKTMBUF_HEADROOM + size
                            + sizeof(struct rte_mbuf_ext_shared_info),
                            sizeof(void *)) + sizeof(void *);
    struct rte_mbuf_ext_shared_info *info;
    void *memory = rte_malloc(NULL, len, RTE_CACHE_LINE_SIZE);

    if (!memory) {
        return ENOMEM;
    }
    /* Cannot fail: 'len' has room for it.  Shortens 'len' by it. */
    info = rte_pktmbuf_ext_shinfo_init_helper(memory, &len, free_attached,
                                              memory);
    rte_pktmbuf_attach_extbuf(mbuf, memory, rte_malloc_virt2iova(memory),
                              len, info);
    rte_pktmbuf_reset_headroom(mbuf);
    return 0;
}

struct rte_mbuf *
ef_buffer_alloc(struct rte_mempool *pool, uint32_t size)
{
    struct rte_mbuf *mbuf;

    if (OVS_UNLIKELY(size > EF_BUFFER_MAX)) {
        VLOG_ERR_RL(&rl, "Can't copy packet: too big %"PRIu32, size);
        return NULL;
    }
    mbuf = rte_pktmbuf_alloc(pool);
    if (OVS_UNLIKELY(!mbuf)) {
        return NULL;
    }
    if (OVS_UNLIKELY(rte_pktmbuf_tailroom(mbuf) < size)
        && attach_memory(mbuf, size)) {
        VLOG_ERR_RL(&rl, "Failed to allocate memory using rte_malloc: "
                    "%"PRIu32, size);
        rte_pktmbuf_free(mbuf);
        return NULL;
    }
    return mbuf;
}
