/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of show/rcu-show.c and show/command.c: the text and the JSON
 * object of rcu/show have the same facts, which are those of lib/rcu. */

#include <config.h>

#include "show/rcu-show.h"

#include <unistd.h>

#include "compat/unixctl-json.h"
#include "core/clock.h"
#include "ef-test.h"
#include "fatal-signal.h"
#include "jsonrpc.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "rcu-fixture.h"
#include "rcu/rcu.h"
#include "unixctl-fixture.h"

#define N_THREADS 200

/* --- Facts of both forms ------------------------------------------------- */

static struct json *
show_json(void)
{
    struct ds ds = DS_EMPTY_INITIALIZER;
    struct json *json;

    ef_show_rcu_json(&ds);
    EF_CHECK_EQ(strcspn(ds_cstr(&ds), "\n"), ds.length - 1);
    json = json_from_string(ds_cstr(&ds));
    EF_CHECK_EQ(json->type, JSON_OBJECT);
    ds_destroy(&ds);
    return json;
}

static struct json *
member(const struct json *object, const char *name)
{
    struct json *json = shash_find_data(json_object(object), name);

    if (!json) {
        printf("# no %s\n", name);
        abort();
    }
    return json;
}

static long long
number(const struct json *object, const char *name)
{
    return json_integer(member(object, name));
}

static void
put_durations(struct ds *ds, const char *title, const struct json *d)
{
    ds_put_format(ds, "%s: %lld, p50 %lld us, p99 %lld us, max %lld us\n",
                  title, number(d, "count"), number(d, "p50_us"),
                  number(d, "p99_us"), number(d, "max_us"));
}

static void
put_reclaimer(struct ds *ds, const struct json *r)
{
    const struct json *functions = member(r, "functions");

    ds_put_format(ds, "reclaimer: %lld calls in %lld slices, busy %lld us, "
                  "longest slice %lld us\n",
                  number(r, "calls"), number(r, "slices"),
                  number(r, "busy_us"), number(r, "max_slice_us"));
    for (size_t i = 0; i < json_array(functions)->n; i++) {
        const struct json *f = json_array(functions)->elems[i];

        ds_put_format(ds, "  %s: %lld calls, mean %lld ns, max %lld ns\n",
                      json_string(member(f, "name")), number(f, "calls"),
                      number(f, "total_ns") / number(f, "calls"),
                      number(f, "max_ns"));
    }
}

static void
put_thread(struct ds *ds, const struct json *t)
{
    ds_put_format(ds, "  %s (%lld): %s, %s", json_string(member(t, "name")),
                  number(t, "tid"), json_string(member(t, "role")),
                  json_string(member(t, "state")));
    if (number(t, "late_us")) {
        ds_put_format(ds, " for %lld us", number(t, "late_us"));
    }
    ds_put_format(ds, ", last of %lld periods, delayed one by up to %lld us, "
                  "reported %lld times, slowed %lld times\n",
                  number(t, "last_of"), number(t, "max_delay_us"),
                  number(t, "reported"), number(t, "slowed"));
}

/* Says what the object says in the words of the text. */
static void
put_as_text(struct ds *ds, const struct json *json)
{
    const struct json *p = member(json, "pending");
    const struct json *batches = member(json, "batches_per_period");
    const struct json *threads = member(json, "threads");

    put_durations(ds, "grace periods", member(json, "grace_periods"));
    put_durations(ds, "  until PMDs had passed", member(json, "pmds_passed"));
    ds_put_format(ds, "  batches of calls per period: %.1f\n",
                  batches->type == JSON_REAL ? json_real(batches)
                  : json_integer(batches));
    ds_put_format(ds, "  threads reported as late: %lld (from 1000 ms on)\n",
                  number(json, "late_reports"));
    ds_put_format(ds, "pending: %lld calls (control %lld, reclaimer %lld, "
                  "pmd %lld), %lld bytes, limit %lld calls\n",
                  number(p, "calls"), number(p, "control"),
                  number(p, "reclaimer"), number(p, "pmd"),
                  number(p, "bytes"), number(p, "limit"));
    ds_put_format(ds, "  most so far: %lld calls, %lld bytes\n",
                  number(p, "max_calls"), number(p, "max_bytes"));
    ds_put_format(ds, "  oldest: %lld us\n", number(p, "oldest_us"));
    put_reclaimer(ds, member(json, "reclaimer"));
    ds_put_format(ds, "producers slowed: %lld times, %lld us\n",
                  number(json, "slowed"), number(json, "slowed_us"));
    ds_put_cstr(ds, "threads:\n");
    for (size_t i = 0; i < json_array(threads)->n; i++) {
        put_thread(ds, json_array(threads)->elems[i]);
    }
}

static const struct json *
find_thread(const struct json *json, pid_t tid)
{
    const struct json *threads = member(json, "threads");

    for (size_t i = 0; i < json_array(threads)->n; i++) {
        const struct json *t = json_array(threads)->elems[i];

        if (number(t, "tid") == tid) {
            return t;
        }
    }
    printf("# no thread %d\n", (int) tid);
    abort();
}

static void
check_state(const struct json *json, pid_t tid, const char *role,
            const char *state)
{
    const struct json *t = find_thread(json, tid);

    EF_CHECK_STR_EQ(json_string(member(t, "role")), role);
    EF_CHECK_STR_EQ(json_string(member(t, "state")), state);
    EF_CHECK_EQ(number(t, "late_us") > 0, !strcmp(state, "late"));
}

static void
nothing(void *aux OVS_UNUSED)
{
}

static void
postpone_step(void *n_)
{
    const int *n = n_;

    for (int i = 0; i < *n; i++) {
        ovsrcu_postpone__(i % 2 ? free : nothing, i % 2 ? xmalloc(100) : NULL);
    }
}

static void
set_pmd_step(void *aux OVS_UNUSED)
{
    ef_rcu_set_pmd();
}

/* --- Tests --------------------------------------------------------------- */

/* Nothing changes between the two but the ages, of which there is none. */
EF_TEST(text_and_json_agree)
{
    struct ds text = DS_EMPTY_INITIALIZER;
    struct ds from_json = DS_EMPTY_INITIALIZER;
    struct rcu_actor *pmd = rcu_actor_start("pmd");
    struct json *json;
    int n = 100;

    rcu_actor_do(pmd, set_pmd_step, NULL);
    rcu_actor_do(pmd, rcu_offline_step, NULL);
    postpone_step(&n);
    ovsrcu_barrier();
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
    rcu_sleep_ms(20);           /* The reclaimer goes to sleep. */

    json = show_json();
    put_as_text(&from_json, json);
    ef_show_rcu(&text);
    EF_CHECK_STR_EQ(ds_cstr(&text), ds_cstr(&from_json));
    EF_CHECK(number(member(json, "reclaimer"), "calls") >= n);
    EF_CHECK(number(member(json, "grace_periods"), "count") > 0);
    EF_CHECK(number(member(json, "pending"), "max_calls") >= n);
    EF_CHECK(strstr(ds_cstr(&text), "  free: "));
    EF_CHECK(strstr(ds_cstr(&text), "  test-rcu-show+0x")
             || strstr(ds_cstr(&text), "  nothing: "));
    check_state(json, pmd->tid, "pmd", "offline");
    json_destroy(json);
    ds_destroy(&text);
    ds_destroy(&from_json);
    rcu_actor_end(pmd);
}

/* A thread is late because it is now, not because somebody had to wait. */
EF_TEST(late_thread)
{
    struct rcu_actor *late = rcu_actor_start("late");
    struct rcu_actor *away = rcu_actor_start("away");
    struct ds text = DS_EMPTY_INITIALIZER;
    struct ef_rcu_thread_info info;
    struct json *json;
    char *start;

    rcu_actor_do(away, rcu_offline_step, NULL);
    EF_REQUIRE(rcu_thread_info(late->tid, &info));
    json = show_json();
    check_state(json, late->tid, "control", "late");
    check_state(json, away->tid, "control", "offline");
    json_destroy(json);

    ef_show_rcu(&text);
    start = xasprintf("  %s (%d): control, late for ", info.name,
                      (int) late->tid);
    EF_CHECK(strstr(ds_cstr(&text), start));
    free(start);
    ds_destroy(&text);

    rcu_actor_do(late, rcu_quiesce_step, NULL);
    rcu_actor_do(late, rcu_offline_step, NULL);
    rcu_actor_do(away, rcu_online_step, NULL);
    json = show_json();
    check_state(json, late->tid, "control", "offline");
    check_state(json, away->tid, "control", "late");
    json_destroy(json);
    rcu_actor_end(late);
    json = show_json();
    EF_CHECK_EQ(number(find_thread(json, getpid()), "late_us"), 0);
    json_destroy(json);
    rcu_actor_end(away);
}

/* Before a thread has given them away, too. */
EF_TEST(pending_calls)
{
    struct rcu_actor *a = rcu_actor_start("a");
    const struct json *pending;
    struct json *json;
    int n = 10;

    rcu_actor_do(a, postpone_step, &n);
    rcu_sleep_ms(5);
    json = show_json();
    pending = member(json, "pending");
    EF_CHECK_EQ(number(pending, "calls"), n);
    EF_CHECK_EQ(number(pending, "control"), n);
    EF_CHECK(number(pending, "oldest_us") >= 5000);
    json_destroy(json);

    rcu_actor_do(a, rcu_offline_step, NULL);
    EF_CHECK(rcu_wait_until(!rcu_all_pending()));
    rcu_actor_do(a, rcu_online_step, NULL);
    json = show_json();
    pending = member(json, "pending");
    EF_CHECK_EQ(number(pending, "calls"), 0);
    EF_CHECK_EQ(number(pending, "bytes"), 0);
    EF_CHECK_EQ(number(pending, "limit"), EF_RCU_MAX_PENDING_DEFAULT);
    json_destroy(json);
    rcu_actor_end(a);
}

/* All are late, the worst case. */
EF_TEST(many_threads)
{
    static struct rcu_actor *actors[N_THREADS];
    long long began_us, us;
    struct json *json;

    for (int i = 0; i < N_THREADS; i++) {
        actors[i] = rcu_actor_start("many");
    }
    began_us = ef_clock_us();
    json = show_json();
    us = ef_clock_us() - began_us;
    EF_CHECK(us < 1000000);
    EF_CHECK(json_array(member(json, "threads"))->n >= N_THREADS + 1);
    for (int i = 0; i < N_THREADS; i++) {
        check_state(json, actors[i]->tid, "control", "late");
    }
    json_destroy(json);
    for (int i = 0; i < N_THREADS; i++) {
        rcu_actor_end(actors[i]);
    }
}

/* Through the socket, as an operator asks. */
static int
ask(struct jsonrpc *client, const char *argument, char **result, char **error)
{
    char *argv[] = { CONST_CAST(char *, argument) };

    return ef_client_transact_text(client, "rcu/show", argument ? 1 : 0, argv,
                                   result, error);
}

/* The server's part that has to come before any thread. */
static void __attribute__((constructor))
before_threads(void)
{
    fatal_signal_init();
}

EF_TEST(arguments)
{
    char *path = xasprintf("/tmp/ef-rcu-show-%d", (int) getpid());
    char *result, *error;
    struct jsonrpc *client;

    ef_rcu_show_init();
    ef_rcu_show_init();         /* The second time, too, is fine. */
    EF_REQUIRE_EQ(unixctl_fixture_start(path), 0);
    ovsrcu_quiesce_start();
    EF_REQUIRE_EQ(unixctl_client_create(path, &client), 0);

    EF_CHECK_EQ(ask(client, NULL, &result, &error), 0);
    EF_CHECK(!error && result && !strncmp(result, "grace periods: ", 15));
    free(result);
    EF_CHECK_EQ(ask(client, "json", &result, &error), 0);
    EF_CHECK(!error && result && result[0] == '{');
    free(result);
    EF_CHECK_EQ(ask(client, "jsno", &result, &error), 0);
    EF_CHECK(!result && error);
    EF_CHECK(error && strstr(error, "'jsno': the only argument is 'json'"));
    free(error);

    jsonrpc_close(client);
    ovsrcu_quiesce_end();
    unixctl_fixture_end();
    unlink(path);
    free(path);
}

/* A text of another moment. */
EF_TEST_MUST_FAIL(planted)
{
    struct ds text = DS_EMPTY_INITIALIZER;
    struct ds from_json = DS_EMPTY_INITIALIZER;
    struct json *json = show_json();
    int n = 10;

    put_as_text(&from_json, json);
    postpone_step(&n);
    ovsrcu_barrier();
    ef_show_rcu(&text);
    EF_CHECK_STR_EQ(ds_cstr(&text), ds_cstr(&from_json));
    json_destroy(json);
    ds_destroy(&text);
    ds_destroy(&from_json);
}
