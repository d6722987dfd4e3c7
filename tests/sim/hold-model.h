/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SIM_HOLD_MODEL_H
#define EF_SIM_HOLD_MODEL_H 1

/* A PMD loop in simulated time, for tests/sim/sim-hold.c: where its packets
 * come from, what its work costs, and what became of each packet.
 *
 * Everything is in cycles of a 2.5 GHz processor.  The same seed gives the
 * same packets, so policies are compared on the same arrivals. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_CYCLES_PER_US 2500
#define SIM_BURST 32            /* Most packets of one receive batch. */
#define SIM_N_RXQ 2
#define SIM_RING 2048           /* Packets that a receive queue holds. */
#define SIM_MAX_PORTS 8

/* Cycles. */
#define SIM_POLL_COST 100       /* A look at a receive queue. */
#define SIM_PACKET_COST 200     /* A packet, from receive to its batch. */
#define SIM_SEND_COST 150       /* A send: a doorbell, or a kick. */
#define SIM_CHECK_COST 10       /* Of one waiting port. */

enum sim_traffic {
    SIM_POISSON,                /* Packets independent of each other. */
    SIM_ON_OFF,                 /* Each port on for 100 us at 1.5 / n_ports of
                                 * what the PMD can do, and off. */
    SIM_MICROBURSTS,            /* 256 packets at 60 Mpps, to all ports. */
    SIM_N_TRAFFIC
};

enum sim_policy {
    SIM_AT_ONCE,                /* After each receive batch. */
    SIM_CONTROLLER,             /* lib/output/hold.c. */
    SIM_ORACLE,                 /* Knows the arrivals: waits if and only if a
                                 * packet for the port comes in time. */
    SIM_NO_DECAY,               /* Planted fault: 'behind' only grows. */
    SIM_NO_DEADLINE,            /* Planted fault: each packet renews it. */
};

struct sim_scenario {
    enum sim_traffic traffic;
    double load;                /* Of what the PMD can do in full batches. */
    int n_ports;
    int target_us;
    int limit;                  /* Output batch. */
    size_t n_packets;
    unsigned seed;
};

struct sim_result {
    double batch;               /* Mean packets per send. */
    double loss;                /* Part of the packets that found no room. */
    double full;                /* Part of the time spent on full bursts. */
    double latency_us;          /* Arrival to sent, mean. */
    double latency_p50_us;
    double latency_p99_us;
    double hold_us;             /* Joined a batch to sent, mean. */
    double hold_p99_us;
    double hold_max_us;
    size_t n_late;              /* Batches that were due at a check before the
                                 * one that sent them. */
};

void sim_run(const struct sim_scenario *, enum sim_policy,
             struct sim_result *);

#endif /* hold-model.h */
