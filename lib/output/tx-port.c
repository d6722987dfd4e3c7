/* SPDX-License-Identifier: Apache-2.0 */

/* Collects packets in a batch for each port and sends batches when they are
 * full, due, or when their ports are about to be replaced.
 *
 * Actions queue packets, the loop of the instance flushes, its reload replaces
 * the ports: all in the thread that owns the instance. */

#include <config.h>

#include "output/tx-port.h"

#include <string.h>

#include "dpdk/ethdev.h"
#include "hash.h"
#include "netdev-provider.h"
#include "output/tx-policy.h"
#include "output/tx-queue.h"
#include "util.h"

BUILD_ASSERT_DECL(IS_POW2(EF_OUTPUT_CACHE_SIZE));

static void remove_ports(struct ef_output *, long long now_us);
static struct ef_tx_port *add_port(struct hmap *, struct ef_port *);
static struct ef_tx_port *find_in(const struct hmap *, odp_port_t);
static int send_batch(struct ef_output *, struct ef_tx_batch *,
                      long long now_us);

void
ef_output_init(struct ef_output *out, const struct ef_params *params,
               struct pmd_perf_stats *perf, unsigned core_id, bool may_hold)
{
    memset(out, 0, sizeof *out);
    out->params = params;
    out->perf = perf;
    out->core_id = core_id;
    out->may_hold = may_hold;
    ef_latency_init(&out->latency, core_id);
    ovs_list_init(&out->waiting);
    ovs_list_init(&out->watched);
    hmap_init(&out->send);
    hmap_init(&out->tunnel);
}

void
ef_output_destroy(struct ef_output *out, long long now_us)
{
    if (out) {
        remove_ports(out, now_us);
        hmap_destroy(&out->send);
        hmap_destroy(&out->tunnel);
        ef_latency_destroy(&out->latency);
    }
}

void
ef_output_set_ports(struct ef_output *out, struct ef_port *const ports[],
                    size_t n, long long now_us)
{
    remove_ports(out, now_us);
    hmap_shrink(&out->send);
    hmap_shrink(&out->tunnel);
    for (size_t i = 0; i < n; i++) {
        if (netdev_has_tunnel_push_pop(ports[i]->netdev)) {
            add_port(&out->tunnel, ports[i]);
        }
        if (netdev_n_txq(ports[i]->netdev)) {
            struct ef_tx_port *tx = add_port(&out->send, ports[i]);

            if (tx->is_watched) {
                ovs_list_push_back(&out->watched, &tx->watched);
            }
        }
    }
    ef_tx_policy_refresh(out);
}

/* Finds a port to send to: in the cache, which it fills, or in the map. */
static inline struct ef_tx_port *
find_send(struct ef_output *out, odp_port_t port_no)
{
    uint32_t slot = odp_to_u32(port_no) % EF_OUTPUT_CACHE_SIZE;
    struct ef_tx_port *tx = out->cache[slot];

    if (OVS_UNLIKELY(!tx || tx->port_no != port_no)) {
        tx = find_in(&out->send, port_no);
        if (tx) {
            out->cache[slot] = tx;
        }
    }
    return tx;
}

/* Adds 'n' packets of one kind to 'b'; sends what is there first if they do
 * not go together, and the batch when it is full. */
static inline void
append(struct ef_output *out, struct ef_tx_batch *b,
       struct dp_packet *const packets[], size_t n, struct ef_rxq *rxq,
       long long now_us)
{
    struct dp_packet_batch *batch = &b->packets;

    if (batch->count
        && (batch->count + n > NETDEV_MAX_BURST
            || batch->packets[0]->source != packets[0]->source)) {
        send_batch(out, b, now_us);
    }
    if (b->policy == EF_TX_HOLD) {
        ef_hold_arrived(&b->hold, out->now, n, !batch->count);
    }
    if (!batch->count) {
        if (OVS_UNLIKELY(b->is_urgent)) {
            ovs_list_push_front(&out->waiting, &b->waiting);
        } else {
            ovs_list_push_back(&out->waiting, &b->waiting);
        }
        out->n_batches++;
    }
    ef_latency_joined(&out->latency, &b->latency, packets, n);
    memcpy(&batch->packets[batch->count], packets, n * sizeof *packets);
    for (size_t i = 0; i < n; i++) {
        b->rxqs[batch->count + i] = rxq;
    }
    batch->count += n;
    if (batch->count >= b->hold.limit) {
        send_batch(out, b, now_us);
    }
}

/* Returns how many of the 'n' packets, of which there is at least one, are of
 * the first one's kind, up to the first that is not. */
static inline size_t
count_same_kind(struct dp_packet *const packets[], size_t n)
{
    enum dp_packet_source kind = packets[0]->source;
    size_t i;

    for (i = 1; i < n && packets[i]->source == kind; i++) {
        continue;
    }
    return i;
}

/* The batch for 'packet' at a port with classes. */
static inline struct ef_tx_batch *
batch_of(struct ef_tx_port *tx, const struct dp_packet *packet)
{
    struct ef_tx_classes *classes = tx->classes;
    uint32_t queue = packet->md.skb_priority;

    if (dp_packet_size(packet) <= classes->small_packet) {
        return classes->urgent;
    }
    return (queue < EF_BATCHING_CLASSES
            ? classes->by_queue[queue] : &tx->batch);
}

/* Like append(), to the batches of their classes. */
static void
append_by_class(struct ef_output *out, struct ef_tx_port *tx,
                struct dp_packet *const packets[], size_t n,
                struct ef_rxq *rxq, long long now_us)
{
    size_t run;

    for (size_t i = 0; i < n; i += run) {
        struct ef_tx_batch *b = batch_of(tx, packets[i]);

        for (run = 1; i + run < n && batch_of(tx, packets[i + run]) == b;
             run++) {
            continue;
        }
        append(out, b, &packets[i], run, rxq, now_us);
    }
}

bool
ef_output_packets(struct ef_output *out, struct dp_packet_batch *batch,
                  odp_port_t port_no, struct ef_rxq *rxq, long long now_us)
{
    struct ef_tx_port *tx = find_send(out, port_no);
    size_t n = dp_packet_batch_size(batch);
    size_t run;

    if (OVS_UNLIKELY(!tx)) {
        return false;
    }
    for (size_t i = 0; i < n; i += run) {
        run = count_same_kind(&batch->packets[i], n - i);
        if (OVS_UNLIKELY(tx->has_classes)) {
            append_by_class(out, tx, &batch->packets[i], run, rxq, now_us);
        } else {
            append(out, &tx->batch, &batch->packets[i], run, rxq, now_us);
        }
    }
    dp_packet_batch_init(batch);
    return true;
}

static inline bool
is_due(const struct ef_output *out, const struct ef_tx_batch *b,
       long long now_us)
{
    switch (b->policy) {
    case EF_TX_INTERVAL:
        return now_us >= b->flush_time_us;
    case EF_TX_AT_ONCE:
        return true;
    case EF_TX_HOLD:
        return b->tx->is_full
               || !ef_hold_waits(&b->hold, out->now,
                                 dp_packet_batch_size(&b->packets),
                                 out->load.behind);
    }
    OVS_NOT_REACHED();
}

int
ef_output_flush(struct ef_output *out, long long now_us, bool force)
{
    struct ef_tx_batch *b;
    int n = 0;

    if (OVS_UNLIKELY(ef_tx_policy_is_stale(out))) {
        ef_tx_policy_refresh(out);
    }
    if (!out->n_batches) {
        return 0;
    }
    LIST_FOR_EACH_SAFE (b, waiting, &out->waiting) {
        if (force || is_due(out, b, now_us)) {
            n += send_batch(out, b, now_us);
        }
    }
    return n;
}

struct ef_port *
ef_output_find_tunnel(const struct ef_output *out, odp_port_t port_no)
{
    const struct ef_tx_port *tx = find_in(&out->tunnel, port_no);

    return tx ? tx->port : NULL;
}

static uint32_t
hash_port_no(odp_port_t port_no)
{
    return hash_int(odp_to_u32(port_no), 0);
}

static struct ef_tx_port *
find_in(const struct hmap *map, odp_port_t port_no)
{
    struct ef_tx_port *tx;

    HMAP_FOR_EACH_IN_BUCKET (tx, node, hash_port_no(port_no), map) {
        if (tx->port_no == port_no) {
            return tx;
        }
    }
    return NULL;
}

static struct ef_tx_port *
add_port(struct hmap *map, struct ef_port *port)
{
    struct ef_tx_port *tx = xzalloc_cacheline(sizeof *tx);

    tx->port = port;
    tx->port_no = port->port_no;
    tx->txq_mode = port->txq_mode;
    tx->is_watched = ef_ethdev_is_watched(port->netdev);
    dp_packet_batch_init(&tx->batch.packets);
    tx->batch.tx = tx;
    ef_tx_queue_init(tx);
    hmap_insert(map, &tx->node, hash_port_no(tx->port_no));
    return tx;
}

static void
remove_all(struct hmap *map)
{
    struct ef_tx_port *tx;

    HMAP_FOR_EACH_POP (tx, node, map) {
        ef_tx_queue_uninit(tx);
        free_cacheline(tx->classes);
        free_cacheline(tx);
    }
}

static void
remove_ports(struct ef_output *out, long long now_us)
{
    struct ef_tx_port *tx;

    ef_output_flush(out, now_us, true);
    /* A thread without rx queues never looks at what it sent. */
    LIST_FOR_EACH (tx, watched, &out->watched) {
        if (tx->txq_mode == EF_TXQ_STATIC) {
            ef_ethdev_watch_rest(tx->port->netdev, out->static_txq);
        }
    }
    ovs_assert(ovs_list_is_empty(&out->waiting));
    memset(out->cache, 0, sizeof out->cache);
    ovs_list_init(&out->watched);
    remove_all(&out->send);
    remove_all(&out->tunnel);
}

/* Charges 'cycles' for each of the 'n' packets last sent to the queue it came
 * from; one addition for each run of packets from the same queue. */
static void
charge(struct ef_rxq *const rxqs[], size_t n, uint64_t cycles)
{
    size_t start = 0;

    for (size_t i = 1; i <= n; i++) {
        if (i == n || rxqs[i] != rxqs[start]) {
            if (rxqs[start]) {
                ef_load_add(&rxqs[start]->load, (i - start) * cycles);
            }
            start = i;
        }
    }
}

/* Sends 'b', which is not empty.  Returns the number of packets. */
static int
send_batch(struct ef_output *out, struct ef_tx_batch *b, long long now_us)
{
    size_t n = dp_packet_batch_size(&b->packets);
    struct cycle_timer timer;
    uint32_t interval_us;
    uint64_t cycles, start;
    int txq;

    cycle_timer_start(out->perf, &timer);
    start = out->perf->last_tsc;
    txq = ef_tx_queue_send(out, b->tx, &b->packets, now_us);
    dp_packet_batch_init(&b->packets);
    ovs_list_remove(&b->waiting);
    out->n_batches--;

    if (b->policy == EF_TX_HOLD) {
        ef_tx_policy_look(out, b->tx, txq);
    }
    atomic_read_relaxed(&out->params->tx_flush_interval_us, &interval_us);
    b->flush_time_us = now_us + interval_us;

    pmd_perf_update_counter(out->perf, PMD_STAT_SENT_PKTS, n);
    pmd_perf_update_counter(out->perf, PMD_STAT_SENT_BATCHES, 1);
    cycles = cycle_timer_stop(out->perf, &timer);
    charge(b->rxqs, n, cycles / n);
    ef_latency_sent(&out->latency, &b->latency, b->tx->port_no, b->class, n,
                    start, out->perf->last_tsc);
    return n;
}
