/* SPDX-License-Identifier: Apache-2.0 */

/* The loop of one PMD in simulated time: polls its receive queues in turn,
 * pays for each packet and each send, and asks a policy about each waiting
 * port after each receive batch, as lib/pmd does.  Single-threaded; called by
 * tests/sim/sim-hold.c. */

#include <config.h>

#include "hold-model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/hold.h"
#include "util.h"

#define ON_CYCLES (100.0 * SIM_CYCLES_PER_US)
#define ON_PEAK 1.5
#define MICROBURST 256
#define MICROBURST_GAP 42
/* How much of the past the PMD's state remembers. */
#define BEHIND_MAX (2000 * SIM_CYCLES_PER_US)

struct packet {
    uint64_t arrival;
    uint64_t joined;            /* Its batch. */
    uint64_t sent;              /* 0: lost. */
    size_t next_of_port;        /* SIZE_MAX: none. */
    uint8_t port;
    uint8_t rxq;
};

struct ring {
    size_t slots[SIM_RING];     /* Indices of packets. */
    size_t head, n;
};

struct port {
    struct ef_hold hold;
    size_t batch[SIM_BURST];
    size_t n;
    uint64_t deadline;          /* Of the first packet, as measured here. */
};

struct sim {
    const struct sim_scenario *scenario;
    enum sim_policy policy;
    struct packet *packets;
    size_t n, next;             /* Next to arrive. */
    size_t n_done;              /* Sent or lost. */
    uint64_t clock;
    uint64_t last_check;
    struct ring rings[SIM_N_RXQ];
    struct port ports[SIM_MAX_PORTS];
    struct ef_hold_load load;
    bool held;                  /* At the last check. */
    size_t n_polled;            /* Packets of this iteration. */
    uint64_t full, total;       /* Cycles. */
    size_t n_sends, n_sent, n_late;
};

/* --- Arrivals ----------------------------------------------------------- */

static uint64_t random_state;

static double
uniform(void)
{
    uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static double
exponential(double mean)
{
    return -mean * log(1 - uniform());
}

/* Cycles between packets at 'load'. */
static double
mean_gap(double load)
{
    return (SIM_PACKET_COST
            + (double) (SIM_POLL_COST + SIM_SEND_COST) / SIM_BURST) / load;
}

static void
arrive(struct packet *p, double time, int port)
{
    *p = (struct packet) {
        .arrival = time,
        .port = port,
        .rxq = uniform() * SIM_N_RXQ,
        .next_of_port = SIZE_MAX,
    };
}

static void
make_poisson(const struct sim_scenario *s, struct packet *packets)
{
    double time = 0;

    for (size_t i = 0; i < s->n_packets; i++) {
        time += exponential(mean_gap(s->load));
        arrive(&packets[i], time, uniform() * s->n_ports);
    }
}

static void
make_microbursts(const struct sim_scenario *s, struct packet *packets)
{
    double start = 0, time = 0;

    for (size_t i = 0; i < s->n_packets; i++) {
        if (i % MICROBURST == 0) {
            start += exponential(mean_gap(s->load) * MICROBURST);
            time = MAX(start, time);
        }
        time += MICROBURST_GAP;
        arrive(&packets[i], time, uniform() * s->n_ports);
    }
}

static void
make_on_off(const struct sim_scenario *s, struct packet *packets)
{
    double gap = mean_gap(ON_PEAK) * s->n_ports;
    double off_mean = ON_CYCLES * (ON_PEAK / s->load - 1);
    double next[SIM_MAX_PORTS], off[SIM_MAX_PORTS];

    for (int i = 0; i < s->n_ports; i++) {
        next[i] = exponential(off_mean);
        off[i] = next[i] + exponential(ON_CYCLES);
    }
    for (size_t i = 0; i < s->n_packets; i++) {
        int port = 0;

        for (int j = 1; j < s->n_ports; j++) {
            port = next[j] < next[port] ? j : port;
        }
        arrive(&packets[i], next[port], port);
        next[port] += exponential(gap);
        if (next[port] > off[port]) {
            next[port] = off[port] + exponential(off_mean);
            off[port] = next[port] + exponential(ON_CYCLES);
        }
    }
}

static void
make_packets(const struct sim_scenario *s, struct packet *packets)
{
    size_t last[SIM_MAX_PORTS];

    random_state = s->seed;
    switch (s->traffic) {
    case SIM_ON_OFF:
        make_on_off(s, packets);
        break;
    case SIM_MICROBURSTS:
        make_microbursts(s, packets);
        break;
    case SIM_POISSON:
    case SIM_N_TRAFFIC:
    default:
        make_poisson(s, packets);
        break;
    }
    memset(last, 0xff, sizeof last);
    for (size_t i = 0; i < s->n_packets; i++) {
        size_t *prev = &last[packets[i].port];

        if (*prev != SIZE_MAX) {
            packets[*prev].next_of_port = i;
        }
        *prev = i;
    }
}

/* --- The loop ----------------------------------------------------------- */

/* What is measured begins after a tenth of the packets. */
static bool
is_measured(const struct sim *sim, size_t i)
{
    return i >= sim->n / 10;
}

/* Packets that have arrived are in their rings, or lost. */
static void
admit(struct sim *sim)
{
    for (; sim->next < sim->n
           && sim->packets[sim->next].arrival <= sim->clock; sim->next++) {
        struct ring *ring = &sim->rings[sim->packets[sim->next].rxq];

        if (ring->n < SIM_RING) {
            ring->slots[(ring->head + ring->n++) % SIM_RING] = sim->next;
        } else {
            sim->n_done++;
        }
    }
}

static void
send_batch(struct sim *sim, struct port *port)
{
    sim->clock += SIM_SEND_COST;
    for (size_t i = 0; i < port->n; i++) {
        sim->packets[port->batch[i]].sent = sim->clock;
    }
    if (is_measured(sim, port->batch[0])) {
        sim->n_sends++;
        sim->n_sent += port->n;
        sim->n_late += port->deadline < sim->last_check;
    }
    sim->n_done += port->n;
    port->n = 0;
}

/* A packet leaves its ring for the batch of its port; 'now' is the reading of
 * the clock that the receive batch has. */
static void
forward(struct sim *sim, size_t i, uint64_t now)
{
    struct packet *p = &sim->packets[i];
    struct port *port = &sim->ports[p->port];

    sim->clock += SIM_PACKET_COST;
    p->joined = sim->clock;
    if (!port->n) {
        port->deadline = sim->clock + port->hold.target;
    }
    ef_hold_arrived(&port->hold, now, 1, !port->n);
    port->batch[port->n++] = i;
    if (port->n == sim->scenario->limit) {
        send_batch(sim, port);
    }
}

/* Whether another packet for the port comes before its batch is due. */
static bool
oracle_waits(const struct sim *sim, const struct port *port)
{
    const struct packet *p = &sim->packets[port->batch[port->n - 1]];

    return sim->clock < port->hold.deadline
           && p->next_of_port != SIZE_MAX
           && sim->packets[p->next_of_port].arrival < port->hold.deadline;
}

static bool
waits(const struct sim *sim, const struct port *port)
{
    struct ef_hold hold = port->hold;

    switch (sim->policy) {
    case SIM_AT_ONCE:
        return false;
    case SIM_ORACLE:
        return oracle_waits(sim, port);
    case SIM_NO_DEADLINE:
        hold.deadline = hold.last + hold.target;
        break;
    case SIM_CONTROLLER:
    case SIM_NO_DECAY:
    default:
        break;
    }
    return ef_hold_waits(&hold, sim->clock, port->n, sim->load.behind);
}

static void
check_ports(struct sim *sim)
{
    uint64_t now = sim->clock;

    sim->held = false;
    for (int i = 0; i < sim->scenario->n_ports; i++) {
        struct port *port = &sim->ports[i];

        if (port->n) {
            sim->clock += SIM_CHECK_COST;
            if (waits(sim, port)) {
                sim->held = true;
            } else {
                send_batch(sim, port);
            }
        }
    }
    sim->last_check = now;
}

static void
tell_load(struct sim *sim, size_t n)
{
    uint32_t behind = sim->load.behind;

    ef_hold_polled(&sim->load, sim->clock, n, SIM_BURST, sim->held);
    if (sim->policy == SIM_NO_DECAY) {
        sim->load.behind = MAX(sim->load.behind, behind + 10);
    }
}

static void
poll_ring(struct sim *sim, struct ring *ring)
{
    uint64_t start = sim->clock, now;
    size_t n;

    sim->clock += SIM_POLL_COST;
    admit(sim);
    now = sim->clock;
    n = MIN(ring->n, SIM_BURST);
    for (size_t i = 0; i < n; i++) {
        forward(sim, ring->slots[ring->head], now);
        ring->head = (ring->head + 1) % SIM_RING;
        ring->n--;
    }
    sim->n_polled += n;
    if (n) {
        tell_load(sim, n);
    }
    check_ports(sim);
    sim->total += sim->clock - start;
    sim->full += n == SIM_BURST ? sim->clock - start : 0;
}

/* --- Results ------------------------------------------------------------ */

static int
compare_u64(const void *a_, const void *b_)
{
    const uint64_t *a = a_, *b = b_;

    return *a < *b ? -1 : *a > *b;
}

static double
mean_us(const uint64_t cycles[], size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += cycles[i];
    }
    return n ? sum / n / SIM_CYCLES_PER_US : 0;
}

/* Exact: of sorted values. */
static double
percentile_us(const uint64_t cycles[], size_t n, double part)
{
    return n ? (double) cycles[(size_t) (part * (n - 1))] / SIM_CYCLES_PER_US
             : 0;
}

static void
evaluate(const struct sim *sim, struct sim_result *result)
{
    uint64_t *latency = xmalloc(sim->n * sizeof *latency);
    uint64_t *hold = xmalloc(sim->n * sizeof *hold);
    size_t n = 0, n_lost = 0;

    for (size_t i = 0; i < sim->n; i++) {
        const struct packet *p = &sim->packets[i];

        if (is_measured(sim, i) && p->sent) {
            latency[n] = p->sent - p->arrival;
            hold[n++] = p->sent - p->joined;
        }
        n_lost += !p->sent;
    }
    qsort(latency, n, sizeof *latency, compare_u64);
    qsort(hold, n, sizeof *hold, compare_u64);
    *result = (struct sim_result) {
        .batch = sim->n_sends ? (double) sim->n_sent / sim->n_sends : 0,
        .loss = (double) n_lost / sim->n,
        .full = (double) sim->full / sim->total,
        .latency_us = mean_us(latency, n),
        .latency_p50_us = percentile_us(latency, n, 0.5),
        .latency_p99_us = percentile_us(latency, n, 0.99),
        .hold_us = mean_us(hold, n),
        .hold_p99_us = percentile_us(hold, n, 0.99),
        .hold_max_us = percentile_us(hold, n, 1),
        .n_late = sim->n_late,
    };
    free(latency);
    free(hold);
}

void
sim_run(const struct sim_scenario *scenario, enum sim_policy policy,
        struct sim_result *result)
{
    struct sim *sim = xzalloc(sizeof *sim);

    sim->scenario = scenario;
    sim->policy = policy;
    sim->n = scenario->n_packets;
    sim->packets = xmalloc(sim->n * sizeof *sim->packets);
    make_packets(scenario, sim->packets);
    ef_hold_load_init(&sim->load, 0, BEHIND_MAX);
    for (int i = 0; i < scenario->n_ports; i++) {
        ef_hold_init(&sim->ports[i].hold,
                     scenario->target_us * SIM_CYCLES_PER_US,
                     scenario->limit);
    }
    while (sim->n_done < sim->n) {
        sim->n_polled = 0;
        for (int i = 0; i < SIM_N_RXQ; i++) {
            poll_ring(sim, &sim->rings[i]);
        }
        if (!sim->n_polled) {
            tell_load(sim, 0);
        }
    }
    evaluate(sim, result);
    free(sim->packets);
    free(sim);
}
