/* SPDX-License-Identifier: Apache-2.0 */

/* Judges a port by the facts about its tx queues: pure but for the log.
 *
 * Called by tx-alarm-run.c in the main thread. */

#include <config.h>

#include "dpdk/tx-alarm.h"

#include <stdlib.h>

#include "dpdk/log.h"
#include "openvswitch/dynamic-string.h"
#include "util.h"

/* Seconds of swinging. */
#define N_SECONDS 3
/* Rates within this share of the highest are steady. */
#define STEADY_PERCENT 20
#define LAG_US 1000000
#define STUCK_US 500000
/* What drivers keep that do not say when they free. */
#define DEFAULT_LINGER 32

enum kind { SWING, LAG, LOST, POOL, N_KINDS };

/* What a queue did in a second. */
struct second {
    uint64_t pps;
    int64_t min, max;
};

struct queue {
    uint64_t n_windows;         /* Seen before. */
    uint64_t n_lost, n_refused; /* Likewise. */
    struct second seconds[N_SECONDS]; /* The latest last. */
    size_t n_seconds;
};

struct state {
    char *text;                 /* NULL: no alarm. */
    long long seen_ms;          /* When it was found last. */
};

struct ef_tx_alarm {
    struct state states[N_KINDS];
    char *text;                 /* Of all. */
    struct queue *queues;
    size_t n_queues;
};

typedef char *rule_func(struct queue *, unsigned number,
                        const struct ef_tx_watch_stats *,
                        const struct ef_tx_thresh_facts *);
static rule_func find_swing, find_lag, find_lost;

/* Each returns the cause, to be freed, or NULL. */
static rule_func *const rules[] = {
    [SWING] = find_swing,
    [LAG] = find_lag,
    [LOST] = find_lost,
};

static void renew_text(struct ef_tx_alarm *);

struct ef_tx_alarm *
ef_tx_alarm_create(void)
{
    return xzalloc(sizeof(struct ef_tx_alarm));
}

void
ef_tx_alarm_destroy(struct ef_tx_alarm *alarm)
{
    if (alarm) {
        for (int i = 0; i < N_KINDS; i++) {
            free(alarm->states[i].text);
        }
        free(alarm->text);
        free(alarm->queues);
        free(alarm);
    }
}

void
ef_tx_alarm_forget(struct ef_tx_alarm *alarm)
{
    for (int i = 0; alarm && i < N_KINDS; i++) {
        free(alarm->states[i].text);
        alarm->states[i].text = NULL;
    }
    for (size_t i = 0; alarm && i < alarm->n_queues; i++) {
        alarm->queues[i].n_seconds = 0;
    }
    if (alarm) {
        renew_text(alarm);
    }
}

const char *
ef_tx_alarm_text(const struct ef_tx_alarm *alarm)
{
    return alarm ? alarm->text : NULL;
}

/* Takes 'cause', NULL: none now.  Returns whether the text is another. */
static bool
update_state(struct state *state, const char *name, char *cause, bool log,
             long long now_ms)
{
    if (cause) {
        state->seen_ms = now_ms;
        if (state->text) {
            free(cause);
            return false;
        }
        state->text = cause;
        if (log) {
            VLOG_WARN("%s: %s", name, cause);
        }
        return true;
    }
    if (!state->text || now_ms - state->seen_ms < EF_TX_ALARM_GONE_MS) {
        return false;
    }
    if (log) {
        VLOG_INFO("%s: gone for %d s: %s", name, EF_TX_ALARM_GONE_MS / 1000,
                  state->text);
    }
    free(state->text);
    state->text = NULL;
    return true;
}

static void
renew_text(struct ef_tx_alarm *alarm)
{
    struct ds s = DS_EMPTY_INITIALIZER;

    for (int i = 0; i < N_KINDS; i++) {
        if (alarm->states[i].text) {
            ds_put_format(&s, "%s%s", s.length ? "; " : "",
                          alarm->states[i].text);
        }
    }
    free(alarm->text);
    alarm->text = s.length ? ds_steal_cstr(&s) : NULL;
    ds_destroy(&s);
}

static void
set_n_queues(struct ef_tx_alarm *alarm, size_t n)
{
    if (n > alarm->n_queues) {
        alarm->queues = xrealloc(alarm->queues, n * sizeof *alarm->queues);
        memset(&alarm->queues[alarm->n_queues], 0,
               (n - alarm->n_queues) * sizeof *alarm->queues);
    }
    alarm->n_queues = n;
}

/* Whether a full second has passed since the last time; then it becomes the
 * latest of those kept. */
static bool
keep_second(struct queue *queue, const struct ef_tx_watch_stats *stats)
{
    if (stats->n_windows == queue->n_windows) {
        return false;
    }
    queue->n_windows = stats->n_windows;
    if (queue->n_seconds == N_SECONDS) {
        memmove(&queue->seconds[0], &queue->seconds[1],
                (N_SECONDS - 1) * sizeof queue->seconds[0]);
        queue->n_seconds--;
    }
    queue->seconds[queue->n_seconds++] = (struct second) {
        .pps = stats->completed_pps,
        .min = stats->min_in_flight,
        .max = stats->max_in_flight,
    };
    return true;
}

bool
ef_tx_alarm_judge(struct ef_tx_alarm *alarm,
                  const struct ef_tx_alarm_input *input, long long now_ms)
{
    bool changed = false;

    set_n_queues(alarm, input->n_queues);
    for (size_t rule = 0; rule < ARRAY_SIZE(rules); rule++) {
        char *cause = NULL;

        for (size_t i = 0; i < input->n_queues; i++) {
            char *another = rules[rule](&alarm->queues[i], i,
                                        &input->queues[i], &input->thresh);

            /* One queue is shown, the others are looked at all the same: each
             * rule keeps what it has seen. */
            if (cause) {
                free(another);
            } else {
                cause = another;
            }
        }
        if (rule == LAG && input->link_is_down) {
            free(cause);
            cause = NULL;
        }
        changed |= update_state(&alarm->states[rule], input->name, cause,
                                true, now_ms);
    }
    /* Logged once for all ports of the pool. */
    changed |= update_state(&alarm->states[POOL], input->name,
                            nullable_xstrdup(input->pool_cause), false,
                            now_ms);
    if (changed) {
        renew_text(alarm);
    }
    return changed;
}

/* Rules. */

static bool
is_known(enum ef_tx_thresh_source source)
{
    return source != EF_TX_THRESH_NOT_REPORTED;
}

static bool
is_swinging(const struct queue *queue, unsigned ring_size)
{
    uint64_t min_pps = UINT64_MAX, max_pps = 0;

    if (queue->n_seconds < N_SECONDS) {
        return false;
    }
    for (size_t i = 0; i < N_SECONDS; i++) {
        const struct second *s = &queue->seconds[i];

        if (s->max - s->min <= ring_size / 2) {
            return false;
        }
        min_pps = MIN(min_pps, s->pps);
        max_pps = MAX(max_pps, s->pps);
    }
    return min_pps && (max_pps - min_pps) * 100 <= max_pps * STEADY_PERCENT;
}

static void
put_advice(struct ds *s, const struct ef_tx_watch_stats *stats,
           const struct ef_tx_thresh_facts *thresh)
{
    int free_thresh, rs_thresh;

    if (is_known(thresh->free_source)) {
        ds_put_format(s, ", tx-free-thresh is %d", thresh->free_thresh);
    }
    if (is_known(thresh->rs_source)) {
        ds_put_format(s, ", tx-rs-thresh is %d", thresh->rs_thresh);
    }
    if (is_known(thresh->free_source) || is_known(thresh->rs_source)) {
        ef_tx_thresh_propose(stats->ring_size, stats->max_burst,
                             &free_thresh, &rs_thresh);
        if (free_thresh && (free_thresh != thresh->free_thresh
                            || rs_thresh != thresh->rs_thresh)) {
            ds_put_format(s, "; try tx-free-thresh=%d and tx-rs-thresh=%d",
                          free_thresh, rs_thresh);
        }
    }
}

static char *
find_swing(struct queue *queue, unsigned number,
           const struct ef_tx_watch_stats *stats,
           const struct ef_tx_thresh_facts *thresh)
{
    const struct second *last = &queue->seconds[N_SECONDS - 1];
    struct ds s = DS_EMPTY_INITIALIZER;

    if (!keep_second(queue, stats)
        || !is_swinging(queue, stats->ring_size)) {
        return NULL;
    }
    ds_put_format(&s, "tx queue %u: buffers in flight swing from %"PRId64" to "
                  "%"PRId64" of a ring of %u at a steady %"PRIu64" packets/s: "
                  "sent buffers linger until a threshold frees many at once",
                  number,
                  last->min, last->max, stats->ring_size, last->pps);
    put_advice(&s, stats, thresh);
    return ds_steal_cstr(&s);
}

/* Whether no more is out than may wait for a threshold. */
static bool
is_lingering(const struct ef_tx_watch_stats *stats,
             const struct ef_tx_thresh_facts *thresh)
{
    if (stats->ring_used != EF_TX_UNKNOWN) {
        /* What the device has done already just waits to be freed. */
        return stats->ring_used <= (is_known(thresh->rs_source)
                                    ? MAX(thresh->rs_thresh, DEFAULT_LINGER)
                                    : DEFAULT_LINGER);
    }
    if (is_known(thresh->free_source)) {
        /* Some drivers free when so many are used, others when so few are
         * left.  Up to a spacing more seems to be in flight than is. */
        int64_t spacing = ef_tx_watch_spacing(stats->ring_size);

        return stats->in_flight <= MAX(thresh->free_thresh,
                                       stats->ring_size - thresh->free_thresh)
                                   + spacing + spacing / 4;
    }
    /* It may free only when the ring is full (virtio's packed rings, or with
     * fewer descriptors than the ring has): packets that it refuses tell. */
    return true;
}

static char *
find_lag(struct queue *queue, unsigned number,
         const struct ef_tx_watch_stats *stats,
         const struct ef_tx_thresh_facts *thresh)
{
    bool refuses = stats->n_refused > queue->n_refused;

    queue->n_refused = stats->n_refused;
    if (stats->is_idle || stats->in_flight == EF_TX_UNKNOWN) {
        return NULL;
    }
    if (refuses && stats->oldest_us >= STUCK_US) {
        return xasprintf("tx queue %u: the ring is full and takes no more, "
                         "the oldest of %"PRId64" buffers in flight was sent "
                         "%"PRId64" ms ago: the device or its consumer does "
                         "not complete", number, stats->in_flight,
                         stats->oldest_us / 1000);
    }
    if (stats->oldest_us >= LAG_US && !is_lingering(stats, thresh)) {
        return xasprintf("tx queue %u: the oldest of %"PRId64" buffers in "
                         "flight was sent %"PRId64" ms ago: the device or its "
                         "consumer does not complete", number,
                         stats->in_flight, stats->oldest_us / 1000);
    }
    return NULL;
}

static char *
find_lost(struct queue *queue, unsigned number,
          const struct ef_tx_watch_stats *stats,
          const struct ef_tx_thresh_facts *thresh OVS_UNUSED)
{
    uint64_t n_before = queue->n_lost;

    queue->n_lost = stats->n_lost;
    if (stats->n_lost <= n_before) {
        return NULL;
    }
    return xasprintf("tx queue %u: %"PRIu64" of the packets that are watched, "
                     "about one in %d, did not come back although later ones "
                     "did: no completion returns their buffers, the driver or "
                     "the consumer keeps them", number, stats->n_lost,
                     MAX(EF_TX_WATCH_SPACING, stats->ring_size / 16));
}
