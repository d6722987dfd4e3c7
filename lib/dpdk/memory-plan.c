/* SPDX-License-Identifier: Apache-2.0 */

/* Computes the pools that a set of ports would have, and their memory.
 *
 * Called on the thread "ctl".  A pool is, in DPDK's memory: its buffers, none
 * of which lies across a border of pages; its head, with a cache for every
 * lcore there may be; and the stores of the handler. */

#include <config.h>

#include "dpdk/memory-plan.h"

#include <stdlib.h>

#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "dp-packet.h"
#include "dpdk/lcores.h"
#include "util.h"

#define PAGE_2M (UINT64_C(1) << 21)
#define PAGE_1G (UINT64_C(1) << 30)

/* --- Bytes of a pool ----------------------------------------------------- */

/* From the start of a buffer to that of the next.  What struct dp_packet has
 * beyond the mbuf is in the private area (dpdk/mempool.c). */
static uint64_t
stride(uint32_t buf_size)
{
    return rte_mempool_calc_obj_size(ROUND_UP(sizeof(struct dp_packet),
                                              RTE_CACHE_LINE_SIZE)
                                     + buf_size, 0, NULL);
}

/* Bytes of 'n' buffers in pages of this size. */
static uint64_t
bytes_of_bufs(uint32_t buf_size, uint64_t n, uint64_t page)
{
    uint64_t each = stride(buf_size);
    uint64_t per_page = page / each;

    if (!per_page) {
        return n * ROUND_UP(each, page);
    }
    return n / per_page * page + n % per_page * each;
}

static uint64_t
bytes_of_rest(uint32_t n_bufs)
{
    struct rte_mempool *mp OVS_UNUSED = NULL;

    return (RTE_MEMPOOL_HEADER_SIZE(mp, EF_STORE_FRONT)
            + sizeof(struct rte_pktmbuf_pool_private)
            + ef_store_memory(n_bufs, MAX(ef_lcores_n(), 1)));
}

struct page_search {
    int socket_id;
    uint64_t size;              /* 0: none found. */
};

static int
look_at_pages(const struct rte_memseg_list *list, void *search_)
{
    struct page_search *search = search_;

    if (!list->external && list->socket_id == search->socket_id
        && (!search->size || list->page_sz < search->size)) {
        search->size = list->page_sz;
    }
    return 0;
}

/* Of the pages that DPDK lays buffers out for: the smallest of the node. */
static uint64_t
page_size(int socket_id)
{
    struct page_search search = { .socket_id = socket_id };

    if (!rte_eal_has_hugepages()) {
        return get_page_size();
    }
    rte_memseg_list_walk(look_at_pages, &search);
    return search.size ? search.size : PAGE_2M;
}

/* --- Pools --------------------------------------------------------------- */

static const char *
pool_name(const struct ef_mempool_shape *shape)
{
    return shape->name ? shape->name : shape->owner;
}

static struct ef_plan_pool *
find_pool(struct ef_memory_plan *plan, const struct ef_mempool_shape *shape)
{
    for (size_t i = 0; i < plan->n_pools; i++) {
        struct ef_plan_pool *pool = &plan->pools[i];

        if (pool->socket_id == shape->socket_id
            && pool->buf_size == shape->buf_size
            && pool->n_bufs == shape->n_bufs
            && pool->is_named == (shape->name != NULL)
            && nullable_string_is_equal(pool->name, pool_name(shape))) {
            return pool;
        }
    }
    return NULL;
}

static struct ef_plan_pool *
add_pool(struct ef_memory_plan *plan, const struct ef_mempool_shape *shape)
{
    struct ef_plan_pool *pool;

    plan->pools = xrealloc(plan->pools,
                           (plan->n_pools + 1) * sizeof *plan->pools);
    pool = &plan->pools[plan->n_pools++];
    *pool = (struct ef_plan_pool) {
        .name = nullable_xstrdup(pool_name(shape)),
        .is_named = shape->name != NULL,
        .socket_id = shape->socket_id,
        .buf_size = shape->buf_size,
        .n_bufs = shape->n_bufs,
        .bytes = bytes_of_rest(shape->n_bufs)
                 + bytes_of_bufs(shape->buf_size, shape->n_bufs,
                                 page_size(shape->socket_id)),
    };
    return pool;
}

/* --- Nodes --------------------------------------------------------------- */

static struct ef_plan_node *
get_node(struct ef_memory_plan *plan, int socket_id)
{
    struct rte_malloc_socket_stats stats;
    struct ef_plan_node *node;

    for (size_t i = 0; i < plan->n_nodes; i++) {
        if (plan->nodes[i].socket_id == socket_id) {
            return &plan->nodes[i];
        }
    }
    plan->nodes = xrealloc(plan->nodes,
                           (plan->n_nodes + 1) * sizeof *plan->nodes);
    node = &plan->nodes[plan->n_nodes++];
    *node = (struct ef_plan_node) { .socket_id = socket_id };
    if (!rte_malloc_get_socket_stats(socket_id, &stats)) {
        node->free_bytes = stats.heap_freesz_bytes;
    }
    return node;
}

/* Buffers by pages of this size; what is small shares pages. */
static uint64_t
count_pages(const struct ef_memory_plan *plan,
            const struct ef_plan_node *node, uint64_t page)
{
    uint64_t small = node->ring_bytes;
    uint64_t n = 0;

    for (size_t i = 0; i < plan->n_pools; i++) {
        const struct ef_plan_pool *pool = &plan->pools[i];

        if (pool->socket_id == node->socket_id) {
            n += DIV_ROUND_UP(bytes_of_bufs(pool->buf_size, pool->n_bufs,
                                            page), page);
            small += bytes_of_rest(pool->n_bufs);
        }
    }
    return n + DIV_ROUND_UP(small, page);
}

static int
compare_nodes(const void *a_, const void *b_)
{
    const struct ef_plan_node *a = a_;
    const struct ef_plan_node *b = b_;

    return a->socket_id < b->socket_id ? -1 : a->socket_id > b->socket_id;
}

static void
sum_nodes(struct ef_memory_plan *plan)
{
    for (size_t i = 0; i < plan->n_pools; i++) {
        get_node(plan, plan->pools[i].socket_id)->bytes
            += plan->pools[i].bytes;
    }
    for (size_t i = 0; i < plan->n_nodes; i++) {
        struct ef_plan_node *node = &plan->nodes[i];

        node->bytes += node->ring_bytes;
        node->n_pages_2m = count_pages(plan, node, PAGE_2M);
        node->n_pages_1g = count_pages(plan, node, PAGE_1G);
    }
    if (plan->n_nodes) {
        qsort(plan->nodes, plan->n_nodes, sizeof *plan->nodes,
              compare_nodes);
    }
}

/* --- Public functions ---------------------------------------------------- */

/* Descriptors in our memory; a guest's rings are in its own. */
static uint64_t
n_descriptors(const struct ef_mempool_request *r)
{
    return (r->copies ? 0
            : (uint64_t) r->n_rxq * r->rxq_size
              + (uint64_t) r->n_txq * r->txq_size);
}

static void
add_request(struct ef_memory_plan *plan, const struct ef_mempool_request *r)
{
    uint64_t n_ring = n_descriptors(r);
    struct ef_mempool_shape shape;
    struct ef_plan_pool *pool;

    /* A port that asks for the impossible gets no pool either. */
    if (ef_mempool_shape(r, &shape)) {
        return;
    }
    pool = find_pool(plan, &shape);
    if (!pool) {
        pool = add_pool(plan, &shape);
    }
    pool->n_ports++;
    pool->n_ring += n_ring;
    get_node(plan, shape.socket_id)->ring_bytes
        += n_ring * EF_PLAN_DESCRIPTOR_BYTES;
}

void
ef_memory_plan_make(const struct ef_mempool_request *requests, size_t n,
                    struct ef_memory_plan *plan)
{
    *plan = (struct ef_memory_plan) { .pools = NULL };
    for (size_t i = 0; i < n; i++) {
        add_request(plan, &requests[i]);
    }
    sum_nodes(plan);
}

void
ef_memory_plan_destroy(struct ef_memory_plan *plan)
{
    if (!plan) {
        return;
    }
    for (size_t i = 0; i < plan->n_pools; i++) {
        free(plan->pools[i].name);
    }
    free(plan->pools);
    free(plan->nodes);
}
