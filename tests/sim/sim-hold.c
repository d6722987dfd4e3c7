/* SPDX-License-Identifier: Apache-2.0 */

/* Simulates a PMD that decides by output/hold.c when to send, beside one that
 * sends at once and an oracle that knows the arrivals and makes batches as
 * large as the target allows, on the same packets (tests/sim/hold-model.h).
 *
 * A short run is part of "make check"; "make sim" runs all of the matrix
 * (EF_SIM_FULL) and prints a line per scenario.  Single-threaded.
 *
 * Documentation/topics/output-batching.rst says why the conditions are
 * these. */

#include <config.h>

#include "hold-model.h"

#include "ef-test.h"
#include "util.h"

/* Where a switch that sends at once spends this part of its time on full
 * bursts, it does not keep up, and batches are compared with the oracle's. */
#define SHORT_OF_TIME 0.9
/* Of the oracle's mean batch. */
#define BATCH_MIN 0.9
/* How much more than sending at once the mean latency may be, at a load of a
 * tenth. */
#define ADDED_MAX_US 1.0
/* Elsewhere, unless short of time: so much, or this part of it if that is
 * more. */
#define ADDED_LOADED_MAX_US 1.5
#define ADDED_LOADED_PART 0.1
/* Losses differ by so much if batches do not. */
#define LOSS_NOISE 0.001

static const char *const traffic_names[SIM_N_TRAFFIC] = {
    "poisson", "on-off", "microbursts"
};

struct outcome {
    struct sim_result at_once, ours, oracle;
};

static bool
is_full_run(void)
{
    return getenv("EF_SIM_FULL") != NULL;
}

static bool
is_short_of_time(const struct outcome *o)
{
    return o->at_once.full >= SHORT_OF_TIME;
}

static double
added_us(const struct outcome *o)
{
    return o->ours.latency_us - o->at_once.latency_us;
}

static void
print_scenario(const struct sim_scenario *s, const struct outcome *o)
{
    printf("# %-11s %d ports load %.2f target %3d limit %2d seed %u%s: "
           "batch %.1f, %.1f of %.1f; mean us %.2f, %.2f, %.2f; "
           "p50 %.2f, %.2f; p99 %.1f, %.1f; hold p99 %.1f max %.1f; "
           "loss %.4f, %.4f\n",
           traffic_names[s->traffic], s->n_ports, s->load, s->target_us,
           s->limit, s->seed, is_short_of_time(o) ? " (short)" : "",
           o->at_once.batch, o->ours.batch, o->oracle.batch,
           o->at_once.latency_us, o->ours.latency_us, o->oracle.latency_us,
           o->at_once.latency_p50_us, o->ours.latency_p50_us,
           o->at_once.latency_p99_us, o->ours.latency_p99_us,
           o->ours.hold_p99_us, o->ours.hold_max_us,
           o->at_once.loss, o->ours.loss);
}

static void
check_scenario(const struct sim_scenario *s, const struct outcome *o)
{
    bool ok = EF_CHECK_EQ(o->ours.n_late, 0);

    ok &= EF_CHECK_EQ(o->oracle.n_late, 0);
    ok &= EF_CHECK(o->ours.loss <= o->at_once.loss + LOSS_NOISE);
    if (is_short_of_time(o)) {
        ok &= EF_CHECK(o->ours.batch >= BATCH_MIN * o->oracle.batch);
    }
    if (s->load <= 0.1) {
        ok &= EF_CHECK(added_us(o) < ADDED_MAX_US);
    } else if (!is_short_of_time(o)) {
        double part_us = o->at_once.latency_us * ADDED_LOADED_PART;

        ok &= EF_CHECK(added_us(o) < MAX(ADDED_LOADED_MAX_US, part_us));
    }
    if (!ok || is_full_run()) {
        print_scenario(s, o);
    }
}

/* Runs 's' for each target. */
static void
check_targets(struct sim_scenario s, const int targets_us[], size_t n)
{
    struct outcome o;

    sim_run(&s, SIM_AT_ONCE, &o.at_once);
    for (size_t i = 0; i < n; i++) {
        s.target_us = targets_us[i];
        sim_run(&s, SIM_CONTROLLER, &o.ours);
        sim_run(&s, SIM_ORACLE, &o.oracle);
        check_scenario(&s, &o);
    }
}

static void
check_traffic(enum sim_traffic traffic, int limit, unsigned seed)
{
    static const double loads[] = { 0.1, 0.95, 0.5, 0.3, 0.7, 0.8, 0.9 };
    static const int ports[] = { 1, 8, 2, 4 };
    static const int targets_us[] = { 0, 20, 200, 5, 50, 100 };
    bool full = is_full_run();

    for (size_t i = 0; i < (full ? ARRAY_SIZE(ports) : 2); i++) {
        for (size_t j = 0; j < (full ? ARRAY_SIZE(loads) : 3); j++) {
            struct sim_scenario s = {
                .traffic = traffic, .load = loads[j], .n_ports = ports[i],
                .limit = limit, .seed = seed,
                .n_packets = full ? 100000 : 30000,
            };

            check_targets(s, targets_us,
                          full ? ARRAY_SIZE(targets_us) : 3);
        }
    }
}

EF_TEST(poisson)
{
    check_traffic(SIM_POISSON, SIM_BURST, 1);
}

EF_TEST(on_off)
{
    check_traffic(SIM_ON_OFF, SIM_BURST, 1);
}

EF_TEST(microbursts)
{
    check_traffic(SIM_MICROBURSTS, SIM_BURST, 1);
}

/* Smaller output batches. */
EF_TEST(limit_8)
{
    check_traffic(SIM_POISSON, 8, 2);
}

EF_TEST(limit_1)
{
    struct sim_scenario s = {
        .traffic = SIM_POISSON, .load = 0.5, .n_ports = 8, .target_us = 50,
        .limit = 1, .n_packets = 10000, .seed = 1,
    };
    struct sim_result ours;

    sim_run(&s, SIM_CONTROLLER, &ours);
    EF_CHECK(ours.batch == 1);
}

/* A PMD that was behind once, and holds ever after. */
EF_TEST_MUST_FAIL(estimate_that_never_decays)
{
    struct sim_scenario s = {
        .traffic = SIM_POISSON, .load = 0.1, .n_ports = 8, .target_us = 50,
        .limit = SIM_BURST, .n_packets = 30000, .seed = 1,
    };
    struct outcome o;

    sim_run(&s, SIM_AT_ONCE, &o.at_once);
    sim_run(&s, SIM_NO_DECAY, &o.ours);
    sim_run(&s, SIM_ORACLE, &o.oracle);
    check_scenario(&s, &o);
}

/* Each packet gives its batch another 'target'. */
EF_TEST_MUST_FAIL(deadline_that_moves)
{
    struct sim_scenario s = {
        .traffic = SIM_POISSON, .load = 0.95, .n_ports = 8, .target_us = 5,
        .limit = SIM_BURST, .n_packets = 30000, .seed = 1,
    };
    struct outcome o;

    sim_run(&s, SIM_AT_ONCE, &o.at_once);
    sim_run(&s, SIM_NO_DEADLINE, &o.ours);
    sim_run(&s, SIM_ORACLE, &o.oracle);
    check_scenario(&s, &o);
}
