/* SPDX-License-Identifier: Apache-2.0 */

/* Prints how long packets stayed in the switch.
 *
 * Called by dpif/latency.c on the main thread, with histograms that it has
 * merged: nobody else writes them. */

#include <config.h>

#include "show/latency-show.h"

#include <inttypes.h>

#include "core/counter.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "show/show-json.h"
#include "util.h"

static const char *const stage_names[EF_LATENCY_N_STAGES] = {
    [EF_LATENCY_WAIT] = "wait",
    [EF_LATENCY_LOOKUP] = "lookup",
    [EF_LATENCY_WORK] = "work",
    [EF_LATENCY_HOLD] = "hold",
    [EF_LATENCY_TOTAL] = "total",
};

static const struct {
    const char *title, *key;
    double percent;
} columns[] = {
    { "p50", "p50_ns", 50 },
    { "p90", "p90_ns", 90 },
    { "p99", "p99_ns", 99 },
    { "p99.9", "p99.9_ns", 99.9 },
    { "max", "max_ns", 100 },
};

static const struct {
    const char *key;
    double percent;
} spread[] = { { "p10", 10 }, { "p50", 50 }, { "p90", 90 }, { "max", 100 } };

static uint64_t
count(const struct ef_histogram *h)
{
    return ef_counter_get(&h->n);
}

/* Values go up to years in ns, if a maximum is one. */
static uint64_t
percentile_ns(const struct ef_latency_facts *f, const struct ef_histogram *h,
              double percent)
{
    return (ef_histogram_percentile(h, percent) * 1000.0
            / MAX(f->ticks_per_us, 1));
}

/* --- Text ---------------------------------------------------------------- */

static void
put_stage(struct ds *ds, const struct ef_latency_facts *f, const char *name,
          const struct ef_histogram *h)
{
    ds_put_format(ds, "  %-6s %10"PRIu64, name, count(h));
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
        uint64_t ns = percentile_ns(f, h, columns[i].percent);

        ds_put_format(ds, " %8"PRIu64".%02"PRIu64, ns / 1000,
                      ns % 1000 / 10);
    }
    ds_put_char(ds, '\n');
}

static void
put_pair(struct ds *ds, const struct ef_latency_facts *f,
         const struct ef_latency_show_pair *p)
{
    uint64_t n_unknown = ef_counter_get(&p->pair->n_wait_unknown);
    uint32_t class;

    atomic_read_relaxed(&CONST_CAST(struct ef_latency_pair *, p->pair)
                        ->key.class, &class);
    ds_put_format(ds, "%s -> %s, class %"PRIu32"\n  %-6s %10s", p->in_port,
                  p->out_port, class, "us", "samples");
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
        ds_put_format(ds, " %11s", columns[i].title);
    }
    ds_put_char(ds, '\n');
    for (size_t i = 0; i < EF_LATENCY_N_STAGES; i++) {
        put_stage(ds, f, stage_names[i], &p->pair->stages[i]);
    }
    ds_put_format(ds, "  wait is at most that, and not known for %"PRIu64
                  " samples\n  batch", n_unknown);
    for (size_t i = 0; i < ARRAY_SIZE(spread); i++) {
        ds_put_format(ds, " %s %"PRIu64, spread[i].key,
                      ef_histogram_percentile(&p->pair->batch,
                                              spread[i].percent));
    }
    ds_put_char(ds, '\n');
}

static void
put_known(struct ds *ds, int64_t n, const char *unit)
{
    if (n < 0) {
        ds_put_cstr(ds, "unknown");
    } else {
        ds_put_format(ds, "%"PRId64" %s", n, unit);
    }
}

static void
put_thread(struct ds *ds, const struct ef_latency_show_thread *t)
{
    if (t->core == UINT32_MAX) {
        ds_put_cstr(ds, "main thread");
    } else {
        ds_put_format(ds, "pmd thread core_id %u", t->core);
    }
    ds_put_cstr(ds, ": run delay ");
    put_known(ds, t->taken.run_delay_us, "us");
    if (t->core != UINT32_MAX) {
        ds_put_cstr(ds, ", steal ");
        put_known(ds, t->taken.steal_ms, "ms");
    }
    if (t->n_full) {
        ds_put_format(ds, ", %"PRIu64" samples of too many pairs of ports",
                      t->n_full);
    }
    ds_put_char(ds, '\n');
}

void
ef_show_latency(struct ds *ds, const struct ef_latency_facts *f)
{
    if (f->sample) {
        ds_put_format(ds, "one packet in %"PRIu32" is measured\n", f->sample);
    } else {
        ds_put_cstr(ds, "no packets are measured: other_config:latency-sample "
                    "is 0\n");
    }
    for (size_t i = 0; i < f->n_pairs; i++) {
        put_pair(ds, f, &f->pairs[i]);
    }
    ds_put_cstr(ds, "taken by the kernel or the host:\n");
    for (size_t i = 0; i < f->n_threads; i++) {
        ds_put_cstr(ds, "  ");
        put_thread(ds, &f->threads[i]);
    }
}

/* --- JSON ---------------------------------------------------------------- */

static struct json *
stage_json(const struct ef_latency_facts *f, const struct ef_histogram *h)
{
    struct json *json = json_object_create();

    ef_show_json_number(json, "n", count(h));
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
        ef_show_json_known(json, columns[i].key,
                           count(h) ? percentile_ns(f, h, columns[i].percent)
                           : -1);
    }
    return json;
}

static struct json *
pair_json(const struct ef_latency_facts *f,
          const struct ef_latency_show_pair *p)
{
    struct json *stages = json_object_create();
    struct json *batch = json_object_create();
    struct json *json = json_object_create();
    uint32_t class;

    atomic_read_relaxed(&CONST_CAST(struct ef_latency_pair *, p->pair)
                        ->key.class, &class);
    ef_show_json_string(json, "in", p->in_port);
    ef_show_json_string(json, "out", p->out_port);
    ef_show_json_number(json, "class", class);
    ef_show_json_number(json, "n_wait_unknown",
                        ef_counter_get(&p->pair->n_wait_unknown));
    for (size_t i = 0; i < EF_LATENCY_N_STAGES; i++) {
        json_object_put(stages, stage_names[i],
                        stage_json(f, &p->pair->stages[i]));
    }
    json_object_put(json, "stages", stages);
    for (size_t i = 0; i < ARRAY_SIZE(spread); i++) {
        ef_show_json_number(batch, spread[i].key,
                            ef_histogram_percentile(&p->pair->batch,
                                                    spread[i].percent));
    }
    json_object_put(json, "batch", batch);
    return json;
}

static struct json *
thread_json(const struct ef_latency_show_thread *t)
{
    struct json *json = json_object_create();
    bool is_pmd = t->core != UINT32_MAX;

    ef_show_json_known(json, "core", is_pmd ? (int64_t) t->core : -1);
    ef_show_json_known(json, "run_delay_us", t->taken.run_delay_us);
    ef_show_json_known(json, "steal_ms", is_pmd ? t->taken.steal_ms : -1);
    ef_show_json_number(json, "n_full", t->n_full);
    return json;
}

void
ef_show_latency_json(struct ds *ds, const struct ef_latency_facts *f)
{
    struct json *threads = json_array_create_empty();
    struct json *pairs = json_array_create_empty();
    struct json *json = json_object_create();

    ef_show_json_number(json, "sample", f->sample);
    for (size_t i = 0; i < f->n_pairs; i++) {
        json_array_add(pairs, pair_json(f, &f->pairs[i]));
    }
    for (size_t i = 0; i < f->n_threads; i++) {
        json_array_add(threads, thread_json(&f->threads[i]));
    }
    json_object_put(json, "pairs", pairs);
    json_object_put(json, "threads", threads);
    ef_show_json_print(ds, json);
}
