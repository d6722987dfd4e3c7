/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of show/latency-show.c: made-up samples as text and as JSON. */

#include <config.h>

#include "show/latency-show.h"

#include "core/counter.h"
#include "ef-test.h"
#include "openvswitch/dynamic-string.h"

#define TICKS_PER_US 2000

static const struct ef_latency_show_thread threads[] = {
    { 3, { 1500, 20 }, 0 },
    { 4, { -1, -1 }, 7 },
    { UINT32_MAX, { 12, 0 }, 0 },
};

/* Ten samples that take 2,000 ticks, 1 us, in each stage. */
static struct ef_latency_pair *
pair_new(void)
{
    struct ef_latency_pair *pair = xzalloc(sizeof *pair);

    for (int i = 0; i < 10; i++) {
        for (size_t stage = 0; stage < EF_LATENCY_N_STAGES; stage++) {
            if (stage != EF_LATENCY_WAIT) {
                ef_histogram_add(&pair->stages[stage], 2000);
            }
        }
        ef_histogram_add(&pair->batch, 1 + i);
    }
    ef_counter_set(&pair->n_wait_unknown, 10);
    return pair;
}

static void
check(bool json, const char *wanted)
{
    struct ef_latency_pair *pair = pair_new();
    struct ef_latency_show_pair shown = { "p0", "p1", pair };
    struct ef_latency_facts facts = { 64, TICKS_PER_US, &shown, 1, threads,
                                      ARRAY_SIZE(threads) };
    struct ds ds = DS_EMPTY_INITIALIZER;

    (json ? ef_show_latency_json : ef_show_latency)(&ds, &facts);
    EF_CHECK_STR_EQ(ds_cstr(&ds), wanted);
    ds_destroy(&ds);
    free(pair);
}

#define ONE "        1.00        1.00        1.00        1.00        1.00\n"
#define NONE "        0.00        0.00        0.00        0.00        0.00\n"
#define ONE_JSON                                                        \
    "{\"max_ns\":1000,\"n\":10,\"p50_ns\":1000,\"p90_ns\":1000,"        \
    "\"p99.9_ns\":1000,\"p99_ns\":1000}"

EF_TEST(text)
{
    check(false,
          "one packet in 64 is measured\n"
          "p0 -> p1, class 0\n"
          "  us        samples         p50         p90         p99"
          "       p99.9         max\n"
          "  wait            0" NONE
          "  lookup         10" ONE
          "  work           10" ONE
          "  hold           10" ONE
          "  total          10" ONE
          "  wait is at most that, and not known for 10 samples\n"
          "  batch p10 1 p50 5 p90 9 max 10\n"
          "taken by the kernel or the host:\n"
          "  pmd thread core_id 3: run delay 1500 us, steal 20 ms\n"
          "  pmd thread core_id 4: run delay unknown, steal unknown, "
          "7 samples of too many pairs of ports\n"
          "  main thread: run delay 12 us\n");
}

EF_TEST(json)
{
    check(true,
          "{\"pairs\":[{\"batch\":{\"max\":10,\"p10\":1,\"p50\":5,"
          "\"p90\":9},\"class\":0,\"in\":\"p0\",\"n_wait_unknown\":10,"
          "\"out\":\"p1\",\"stages\":{\"hold\":" ONE_JSON ",\"lookup\":"
          ONE_JSON ",\"total\":" ONE_JSON ",\"wait\":{\"max_ns\":null,"
          "\"n\":0,\"p50_ns\":null,\"p90_ns\":null,\"p99.9_ns\":null,"
          "\"p99_ns\":null},\"work\":" ONE_JSON "}}],\"sample\":64,"
          "\"threads\":[{\"core\":3,\"n_full\":0,\"run_delay_us\":1500,"
          "\"steal_ms\":20},{\"core\":4,\"n_full\":7,"
          "\"run_delay_us\":null,\"steal_ms\":null},{\"core\":null,"
          "\"n_full\":0,\"run_delay_us\":12,\"steal_ms\":null}]}\n");
}

/* Planted: text without the pair. */
EF_TEST_MUST_FAIL(planted)
{
    check(false, "one packet in 64 is measured\n");
}

EF_TEST(off)
{
    struct ef_latency_facts facts = { .ticks_per_us = TICKS_PER_US };
    struct ds ds = DS_EMPTY_INITIALIZER;

    ef_show_latency(&ds, &facts);
    EF_CHECK_STR_EQ(ds_cstr(&ds), "no packets are measured: "
                    "other_config:latency-sample is 0\n"
                    "taken by the kernel or the host:\n");
    ds_destroy(&ds);
}
