/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of rcu/stall-watch.c: what the log says of a thread that is late,
 * when, and how often.  An actor is held back; the calling thread waits for a
 * grace period and looks. */

#include <config.h>

#include "rcu/stall-watch.h"

#include <sched.h>
#include <unistd.h>

#include "core/clock.h"
#include "ef-test.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/vlog.h"
#include "rcu-fixture.h"
#include "rcu/rcu.h"

#define STALL_MS 100
#define N_HOGS 6

static char log_name[] = "/tmp/ef-rcu-stall-XXXXXX";
static atomic_bool hold = ATOMIC_VAR_INIT(false);

/* --- The log ------------------------------------------------------------- */

/* Starts an empty log.  The file of the name before is gone. */
static void
log_start(void)
{
    int fd;

    strcpy(log_name + strlen(log_name) - 6, "XXXXXX");
    fd = mkstemp(log_name);
    EF_CHECK(fd >= 0);
    close(fd);
    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    vlog_set_levels(NULL, VLF_FILE, VLL_INFO);
    EF_CHECK_EQ(vlog_set_log_file(log_name), 0);
}

static void
log_end(struct ds *log)
{
    FILE *file = fopen(log_name, "r");

    ds_init(log);
    EF_REQUIRE(file != NULL);
    for (int c = getc(file); c != EOF; c = getc(file)) {
        ds_put_char(log, c);
    }
    ds_cstr(log);
    fclose(file);
    unlink(log_name);
}

static unsigned
count(const struct ds *log, const char *what)
{
    const char *p = ds_cstr_ro(log);
    unsigned n = 0;

    while ((p = strstr(p, what)) != NULL) {
        p += strlen(what);
        n++;
    }
    return n;
}

/* Ages in ms of the warnings about 'name'.  Returns their number. */
static unsigned
warned_ages(const struct ds *log, const char *name, int ages[8])
{
    const char *p = ds_cstr_ro(log);
    unsigned n = 0;

    while ((p = strstr(p, "|WARN|blocked ")) != NULL && n < 8) {
        char found[32];
        int length = 0;

        p += strlen("|WARN|");
        if (sscanf(p, "blocked %d ms waiting for %31s to quiesce%n",
                   &ages[n], found, &length) == 2 && length
            && p[length] == '\n' && !strcmp(found, name)) {
            n++;
        }
    }
    return n;
}

/* --- Threads that are late ----------------------------------------------- */

static bool
held(void)
{
    bool value;

    atomic_read(&hold, &value);
    return value;
}

static void
spin_step(void *aux OVS_UNUSED)
{
    while (held()) {
        continue;
    }
}

static void
block_step(void *aux OVS_UNUSED)
{
    while (held()) {
        rcu_sleep_ms(1);
    }
}

static void
pin_to_first_cpu(void)
{
    cpu_set_t allowed, one;
    int cpu = 0;

    sched_getaffinity(0, sizeof allowed, &allowed);
    while (!CPU_ISSET(cpu, &allowed)) {
        cpu++;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void
pinned_spin_step(void *aux OVS_UNUSED)
{
    pin_to_first_cpu();
    while (held()) {
        continue;
    }
}

static void *
hog_main(void *aux OVS_UNUSED)
{
    ovsrcu_quiesce_start();
    pin_to_first_cpu();
    while (held()) {
        continue;
    }
    return NULL;
}

/* The calling thread waits for a grace period, for 'ms' at most. */
static void
wait_and_look(unsigned ms, struct ef_rcu_grace *grace)
{
    struct ef_rcu_watch watch;
    long long end_us;

    ef_rcu_grace_begin(grace);
    ef_rcu_watch_start(&watch);
    end_us = grace->began_us + ms * 1000LL;
    while (!ef_rcu_grace_is_over(grace) && ef_clock_us() < end_us) {
        ef_rcu_watch_look(&watch, grace);
        rcu_sleep_ms(1);
    }
}

/* What came of holding an actor back in 'step' for 'ms'. */
struct result {
    struct ds log;
    struct ef_rcu_thread_info info;
    uint64_t n_stalls;
};

static void
hold_back(void (*step)(void *), unsigned ms, struct result *result)
{
    struct ef_rcu_grace_stats before, after;
    struct rcu_actor *actor;
    struct ef_rcu_grace grace;

    actor = rcu_actor_start("late");
    ovsrcu_quiesce_start();
    log_start();
    ef_rcu_get_grace_stats(&before);
    atomic_store(&hold, true);
    rcu_actor_begin(actor, step, NULL);
    wait_and_look(ms, &grace);
    EF_CHECK_EQ(grace.late_tid, actor->tid);
    EF_CHECK(rcu_thread_info(actor->tid, &result->info));
    ef_rcu_get_grace_stats(&after);
    atomic_store(&hold, false);
    rcu_actor_finish(actor);
    rcu_actor_do(actor, rcu_quiesce_step, NULL);
    EF_CHECK(ef_rcu_grace_is_over(&grace));
    rcu_actor_end(actor);
    result->n_stalls = after.n_stalls - before.n_stalls;
    log_end(&result->log);
}

static void
check_state(const struct result *r, const char *state)
{
    char *line = xasprintf("|INFO|%s is %s: in the last ", r->info.name,
                           state);

    if (!EF_CHECK_EQ(count(&r->log, line), 1)) {
        printf("# %s\n", ds_cstr_ro(&r->log));
    }
    free(line);
}

static bool
have_schedstat(void)
{
    struct ef_rcu_sample sample;

    return ef_rcu_sample_take(&sample, getpid());
}

EF_TEST(blocked)
{
    struct result r;
    int ages[8];

    ef_rcu_set_stall_ms(STALL_MS);
    hold_back(block_step, STALL_MS + STALL_MS / 2, &r);
    EF_CHECK_EQ(warned_ages(&r.log, r.info.name, ages), 1);
    EF_CHECK(ages[0] >= STALL_MS && ages[0] < 2 * STALL_MS);
    EF_CHECK_EQ(r.n_stalls, 1);
    EF_CHECK_EQ(r.info.delays.n_stalls, 1);
    EF_CHECK(r.info.delays.max_us >= STALL_MS * 1000);
    if (have_schedstat()) {
        check_state(&r, "blocked");
    }
    ds_destroy(&r.log);
}

EF_TEST(running)
{
    struct result r;

    if (!have_schedstat()) {
        EF_TEST_SKIP("the kernel does not count threads' time");
    }
    ef_rcu_set_stall_ms(3 * STALL_MS);
    hold_back(spin_step, 4 * STALL_MS, &r);
    /* On a busy machine it may truly wait. */
    if (!count(&r.log, "is waiting for a processor: ")) {
        check_state(&r, "running");
    }
    EF_CHECK_EQ(r.n_stalls, 1);
    ds_destroy(&r.log);
}

EF_TEST(waiting_for_a_processor)
{
    pthread_t hogs[N_HOGS];
    struct result r;

    if (!have_schedstat()) {
        EF_TEST_SKIP("the kernel does not count threads' time");
    }
    atomic_store(&hold, true);
    for (int i = 0; i < N_HOGS; i++) {
        hogs[i] = ovs_thread_create("hog", hog_main, NULL);
    }
    ef_rcu_set_stall_ms(5 * STALL_MS);
    hold_back(pinned_spin_step, 7 * STALL_MS, &r);
    for (int i = 0; i < N_HOGS; i++) {
        xpthread_join(hogs[i], NULL);
    }
    check_state(&r, "waiting for a processor");
    ds_destroy(&r.log);
}

EF_TEST(each_warning_comes_at_twice_the_age)
{
    struct result r;
    int ages[8];

    ef_rcu_set_stall_ms(STALL_MS);
    hold_back(block_step, 4 * STALL_MS + STALL_MS / 2, &r);
    EF_REQUIRE_EQ(warned_ages(&r.log, r.info.name, ages), 3);
    for (int i = 0; i < 3; i++) {
        EF_CHECK(ages[i] >= STALL_MS << i && ages[i] < STALL_MS << (i + 1));
    }
    EF_CHECK_EQ(r.n_stalls, 3);
    EF_CHECK_EQ(r.info.delays.n_stalls, 3);
    ds_destroy(&r.log);
}

EF_TEST(nothing_before_its_time_and_nothing_for_0)
{
    static const unsigned stall_ms[] = { 3 * STALL_MS, 0 };
    struct result r;

    for (size_t i = 0; i < ARRAY_SIZE(stall_ms); i++) {
        ef_rcu_set_stall_ms(stall_ms[i]);
        hold_back(block_step, 2 * STALL_MS, &r);
        EF_CHECK_EQ(count(&r.log, "quiesce"), 0);
        EF_CHECK_EQ(r.n_stalls, 0);
        EF_CHECK_EQ(r.info.delays.n_stalls, 0);
        ds_destroy(&r.log);
    }
}

static void
set_and_block_step(void *aux OVS_UNUSED)
{
    rcu_sleep_ms(STALL_MS / 2);
    ef_rcu_set_stall_ms(STALL_MS);
    block_step(NULL);
}

/* It is heeded even while a period is under way. */
EF_TEST(change_of_the_age)
{
    struct result r;

    ef_rcu_set_stall_ms(0);
    hold_back(set_and_block_step, STALL_MS + STALL_MS / 2, &r);
    EF_CHECK_EQ(r.n_stalls, 1);
    ds_destroy(&r.log);
}

static void
call(void *n)
{
    atomic_count_inc(n);
}

/* ovsrcu_synchronize() and the reclaimer look for themselves. */
EF_TEST(waiters_report)
{
    atomic_count n = ATOMIC_COUNT_INIT(0);
    struct rcu_actor *actor;
    struct ds log;

    ef_rcu_set_stall_ms(STALL_MS);
    ovsrcu_quiesce_end();
    actor = rcu_actor_start("late");
    log_start();
    atomic_store(&hold, true);
    rcu_actor_begin(actor, block_step, NULL);
    ovsrcu_postpone__(call, &n);
    ovsrcu_quiesce_start();
    rcu_sleep_ms(STALL_MS + STALL_MS / 2);
    atomic_store(&hold, false);
    rcu_actor_finish(actor);
    rcu_actor_do(actor, rcu_quiesce_step, NULL);
    EF_CHECK(rcu_wait_until(atomic_count_get(&n) == 1));
    log_end(&log);
    EF_CHECK_EQ(count(&log, "|ovs_rcu(urcu"), 1 + have_schedstat());
    EF_CHECK_EQ(count(&log, " ms waiting for late"), 1);
    ds_destroy(&log);
    rcu_actor_end(actor);
}

EF_TEST(samples)
{
    static const struct ef_rcu_sample zero = { .tid = 1 };
    struct ef_rcu_sample after = { .tid = 1, .when_us = 1000 };
    struct ef_rcu_sample none;

    EF_CHECK(!ef_rcu_sample_take(&none, 0x7ffffff));
    EF_CHECK_STR_EQ(ef_rcu_sample_state(&zero, &after), "blocked");
    after.run_ns = 700000;
    EF_CHECK_STR_EQ(ef_rcu_sample_state(&zero, &after), "running");
    after.wait_ns = 800000;
    EF_CHECK_STR_EQ(ef_rcu_sample_state(&zero, &after),
                    "waiting for a processor");
    after.run_ns = 0;
    after.wait_ns = 400000;
    EF_CHECK_STR_EQ(ef_rcu_sample_state(&zero, &after), "blocked");
}

/* Looks that stop short of the age. */
EF_TEST_MUST_FAIL(planted)
{
    struct result r;
    int ages[8];

    ef_rcu_set_stall_ms(2 * STALL_MS);
    hold_back(block_step, STALL_MS, &r);
    EF_CHECK_EQ(warned_ages(&r.log, r.info.name, ages), 1);
    ds_destroy(&r.log);
}
