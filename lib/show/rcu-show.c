/* SPDX-License-Identifier: Apache-2.0 */

/* Prints the state of grace periods and postponed calls.
 *
 * The command is answered on the thread "ctl".  Everything comes from counters
 * and from one short walk over the threads, so it is safe at any moment. */

#include <config.h>

#include "show/rcu-show.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/clock.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "rcu/call-stats.h"
#include "rcu/deferral.h"
#include "rcu/rcu.h"
#include "rcu/reclaimer.h"
#include "show/command.h"
#include "util.h"

/* Of the functions with the longest calls. */
#define N_FUNCTIONS_SHOWN 8

struct snapshot {
    long long now_us;
    struct ef_rcu_grace_stats grace;
    struct ef_rcu_pending pending;
    uint64_t n_pending;         /* The sum, and what threads have not given
                                 * away yet. */
    long long oldest_us;        /* Age of the oldest pending call. */
    struct ef_rcu_reclaimer_stats reclaimer;
    uint64_t n_run;
    uint64_t n_paced, paced_us;
    struct ef_rcu_thread_info *threads;
    size_t n_threads;
    struct ef_rcu_function_stats functions[EF_RCU_N_FUNCTIONS + 1];
    size_t n_functions;
};

static void
sum_threads(struct snapshot *s, long long *oldest_us)
{
    for (size_t i = 0; i < s->n_threads; i++) {
        const struct ef_rcu_thread_info *t = &s->threads[i];

        s->n_paced += t->n_paced;
        s->paced_us += t->paced_us;
        if (t->n_deferred) {
            s->pending.n[t->role] += t->n_deferred;
            *oldest_us = MIN(*oldest_us, t->deferred_us);
        }
    }
}

static void
take_snapshot(struct snapshot *s)
{
    long long oldest_us;

    ef_rcu_probe(EF_RCU_SHOW_PROBE_US);
    *s = (struct snapshot) { .now_us = ef_clock_us() };
    ef_rcu_get_grace_stats(&s->grace);
    ef_rcu_get_pending(&s->pending);
    ef_rcu_get_reclaimer_stats(&s->reclaimer);
    s->n_threads = ef_rcu_get_threads(&s->threads);
    s->n_functions = MIN(ef_rcu_get_function_stats(s->functions),
                         N_FUNCTIONS_SHOWN);

    oldest_us = s->reclaimer.oldest_us ? s->reclaimer.oldest_us : s->now_us;
    sum_threads(s, &oldest_us);
    s->oldest_us = MAX(s->now_us - oldest_us, 0);
    for (int i = 0; i < EF_RCU_N_ROLES; i++) {
        s->n_pending += s->pending.n[i];
        s->n_run += s->pending.n_run[i];
    }
}

static void
free_snapshot(struct snapshot *s)
{
    free(s->threads);
}

/* Chunks of calls that a grace period covers. */
static double
mean_chunks(const struct snapshot *s)
{
    return (s->reclaimer.n_periods
            ? (double) s->reclaimer.n_chunks / s->reclaimer.n_periods : 0);
}

/* Names a function if the dynamic symbol table does, otherwise says where in
 * the program it is, as addr2line and gdb take it. */
static char *
function_name(void (*function)(void *))
{
    Dl_info info;

    if (!function) {
        return xstrdup("others");
    } else if (function == free) {
        return xstrdup("free");
    } else if (!dladdr((void *) function, &info) || !info.dli_fname) {
        return xasprintf("%p", (void *) function);
    } else if (info.dli_sname && info.dli_saddr == (void *) function) {
        return xstrdup(info.dli_sname);
    } else {
        const char *slash = strrchr(info.dli_fname, '/');

        return xasprintf("%s+0x%"PRIxPTR, slash ? slash + 1 : info.dli_fname,
                         (uintptr_t) function - (uintptr_t) info.dli_fbase);
    }
}

static const char *
thread_state(const struct ef_rcu_thread_info *t)
{
    return t->is_offline ? "offline" : t->delays.late_us ? "late" : "online";
}

static long long
late_us(const struct snapshot *s, const struct ef_rcu_thread_info *t)
{
    return (!t->is_offline && t->delays.late_us
            ? s->now_us - t->delays.late_us : 0);
}

/* --- Text ---------------------------------------------------------------- */

static void
put_totals(struct ds *ds, const struct snapshot *s)
{
    const struct ef_rcu_grace_stats *g = &s->grace;
    const struct ef_rcu_pending *p = &s->pending;
    const struct ef_rcu_reclaimer_stats *r = &s->reclaimer;

    ds_put_format(ds, "grace periods: %"PRIu64", p50 %"PRIu64" us, "
                  "p99 %"PRIu64" us, max %"PRIu64" us\n",
                  g->n, g->p50_us, g->p99_us, g->max_us);
    ds_put_format(ds, "  until PMDs had passed: %"PRIu64", p50 %"PRIu64" us, "
                  "p99 %"PRIu64" us, max %"PRIu64" us\n",
                  g->pmd_n, g->pmd_p50_us, g->pmd_p99_us, g->pmd_max_us);
    ds_put_format(ds, "  batches of calls per period: %.1f\n", mean_chunks(s));
    ds_put_format(ds, "  threads reported as late: %"PRIu64" (from %"PRIu32
                  " ms on)\n", g->n_stalls, ef_rcu_get_stall_ms());
    ds_put_format(ds, "pending: %"PRIu64" calls (control %"PRIu64", "
                  "reclaimer %"PRIu64", pmd %"PRIu64"), %"PRIu64" bytes, "
                  "limit %"PRIu32" calls\n",
                  s->n_pending, p->n[EF_RCU_CONTROL], p->n[EF_RCU_RECLAIMER],
                  p->n[EF_RCU_PMD], p->bytes, ef_rcu_get_max_pending());
    ds_put_format(ds, "  most so far: %"PRIu64" calls, %"PRIu64" bytes\n",
                  p->max_n, p->max_bytes);
    ds_put_format(ds, "  oldest: %lld us\n", s->oldest_us);
    ds_put_format(ds, "reclaimer: %"PRIu64" calls in %"PRIu64" slices, busy "
                  "%"PRIu64" us, longest slice %"PRIu64" us\n",
                  s->n_run, r->n_slices, r->busy_us, r->max_slice_us);
}

static void
put_functions(struct ds *ds, const struct snapshot *s)
{
    for (size_t i = 0; i < s->n_functions; i++) {
        const struct ef_rcu_function_stats *f = &s->functions[i];
        char *name = function_name(f->function);

        ds_put_format(ds, "  %s: %"PRIu64" calls, mean %"PRIu64" ns, "
                      "max %"PRIu64" ns\n",
                      name, f->n, f->total_ns / f->n, f->max_ns);
        free(name);
    }
}

static void
put_threads(struct ds *ds, const struct snapshot *s)
{
    ds_put_format(ds, "producers slowed: %"PRIu64" times, %"PRIu64" us\n",
                  s->n_paced, s->paced_us);
    ds_put_cstr(ds, "threads:\n");
    for (size_t i = 0; i < s->n_threads; i++) {
        const struct ef_rcu_thread_info *t = &s->threads[i];

        ds_put_format(ds, "  %s (%d): %s, %s", t->name, (int) t->tid,
                      ef_rcu_role_name(t->role), thread_state(t));
        if (late_us(s, t)) {
            ds_put_format(ds, " for %lld us", late_us(s, t));
        }
        ds_put_format(ds, ", last of %"PRIu64" periods, delayed one by up to "
                      "%"PRIu64" us, reported %"PRIu64" times, "
                      "slowed %"PRIu64" times\n",
                      t->delays.n_last, t->delays.max_us, t->delays.n_stalls,
                      t->n_paced);
    }
}

void
ef_show_rcu(struct ds *ds)
{
    struct snapshot s;

    take_snapshot(&s);
    put_totals(ds, &s);
    put_functions(ds, &s);
    put_threads(ds, &s);
    free_snapshot(&s);
}

/* --- JSON ---------------------------------------------------------------- */

static void
put_number(struct json *object, const char *name, uint64_t n)
{
    json_object_put(object, name, json_integer_create(n));
}

static struct json *
durations_json(uint64_t n, uint64_t p50_us, uint64_t p99_us, uint64_t max_us)
{
    struct json *json = json_object_create();

    put_number(json, "count", n);
    put_number(json, "p50_us", p50_us);
    put_number(json, "p99_us", p99_us);
    put_number(json, "max_us", max_us);
    return json;
}

static struct json *
pending_json(const struct snapshot *s)
{
    struct json *json = json_object_create();

    put_number(json, "calls", s->n_pending);
    for (int i = 0; i < EF_RCU_N_ROLES; i++) {
        put_number(json, ef_rcu_role_name(i), s->pending.n[i]);
    }
    put_number(json, "bytes", s->pending.bytes);
    put_number(json, "limit", ef_rcu_get_max_pending());
    put_number(json, "max_calls", s->pending.max_n);
    put_number(json, "max_bytes", s->pending.max_bytes);
    put_number(json, "oldest_us", s->oldest_us);
    return json;
}

static struct json *
function_json(const struct ef_rcu_function_stats *f)
{
    struct json *json = json_object_create();
    char *name = function_name(f->function);

    json_object_put_string(json, "name", name);
    put_number(json, "calls", f->n);
    put_number(json, "total_ns", f->total_ns);
    put_number(json, "max_ns", f->max_ns);
    free(name);
    return json;
}

static struct json *
reclaimer_json(const struct snapshot *s)
{
    struct json *json = json_object_create();
    struct json *functions = json_array_create_empty();

    put_number(json, "calls", s->n_run);
    put_number(json, "slices", s->reclaimer.n_slices);
    put_number(json, "busy_us", s->reclaimer.busy_us);
    put_number(json, "max_slice_us", s->reclaimer.max_slice_us);
    for (size_t i = 0; i < s->n_functions; i++) {
        json_array_add(functions, function_json(&s->functions[i]));
    }
    json_object_put(json, "functions", functions);
    return json;
}

static struct json *
thread_json(const struct snapshot *s, const struct ef_rcu_thread_info *t)
{
    struct json *json = json_object_create();

    json_object_put_string(json, "name", t->name);
    json_object_put_string(json, "role", ef_rcu_role_name(t->role));
    json_object_put_string(json, "state", thread_state(t));
    put_number(json, "tid", t->tid);
    put_number(json, "late_us", late_us(s, t));
    put_number(json, "last_of", t->delays.n_last);
    put_number(json, "max_delay_us", t->delays.max_us);
    put_number(json, "reported", t->delays.n_stalls);
    put_number(json, "slowed", t->n_paced);
    put_number(json, "slowed_us", t->paced_us);
    return json;
}

void
ef_show_rcu_json(struct ds *ds)
{
    struct json *json = json_object_create();
    struct json *threads = json_array_create_empty();
    struct snapshot s;

    take_snapshot(&s);
    json_object_put(json, "grace_periods",
                    durations_json(s.grace.n, s.grace.p50_us, s.grace.p99_us,
                                   s.grace.max_us));
    json_object_put(json, "pmds_passed",
                    durations_json(s.grace.pmd_n, s.grace.pmd_p50_us,
                                   s.grace.pmd_p99_us, s.grace.pmd_max_us));
    json_object_put(json, "batches_per_period",
                    json_real_create(mean_chunks(&s)));
    put_number(json, "late_reports", s.grace.n_stalls);
    json_object_put(json, "pending", pending_json(&s));
    json_object_put(json, "reclaimer", reclaimer_json(&s));
    put_number(json, "slowed", s.n_paced);
    put_number(json, "slowed_us", s.paced_us);
    for (size_t i = 0; i < s.n_threads; i++) {
        json_array_add(threads, thread_json(&s, &s.threads[i]));
    }
    json_object_put(json, "threads", threads);
    free_snapshot(&s);

    json_to_ds(json, JSSF_SORT, ds);
    ds_put_char(ds, '\n');
    json_destroy(json);
}

void
ef_rcu_show_init(void)
{
    static const struct ef_show_command command = {
        .name = "rcu/show",
        .text = ef_show_rcu,
        .json = ef_show_rcu_json,
    };

    ef_show_command_register(&command);
}
