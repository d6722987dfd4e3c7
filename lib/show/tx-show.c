/* SPDX-License-Identifier: Apache-2.0 */

/* Prints what becomes of packets after they were given to drivers.
 *
 * The command is answered on the thread "ctl".  The facts are a snapshot that
 * lib/dpdk takes under the mutex of one port at a time; who reconfigures that
 * port holds it meanwhile. */

#include <config.h>

#include "show/tx-show.h"

#include <errno.h>
#include <inttypes.h>

#include "dpdk/tx-facts.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "show/command.h"
#include "show/show-json.h"
#include "util.h"

/* Right-aligned in 'width' columns. */
struct cell {
    const char *title;
    int width;
};

enum column {
    QUEUE, SENT, COMPLETED, IN_FLIGHT, MIN_IN_FLIGHT, MAX_IN_FLIGHT, RING_USED,
    RING_SIZE, COMPLETED_PPS, OLDEST_US, LOST, REFUSED, MAX_BURST,
    LIFE_P50_US, LIFE_P99_US, LIFE_MAX_US, N_COLUMNS
};

static const struct cell cells[N_COLUMNS] = {
    [QUEUE] = { "queue", 5 },
    [SENT] = { "sent", 14 },
    [COMPLETED] = { "completed", 14 },
    [IN_FLIGHT] = { "in_flight", 9 },
    [MIN_IN_FLIGHT] = { "min", 7 },
    [MAX_IN_FLIGHT] = { "max", 7 },
    [RING_USED] = { "ring_used", 9 },
    [RING_SIZE] = { "ring", 6 },
    [COMPLETED_PPS] = { "completed/s", 11 },
    [OLDEST_US] = { "oldest_us", 9 },
    [LOST] = { "lost", 5 },
    [REFUSED] = { "refused", 8 },
    [MAX_BURST] = { "burst", 5 },
    [LIFE_P50_US] = { "life_p50_us", 11 },
    [LIFE_P99_US] = { "life_p99_us", 11 },
    [LIFE_MAX_US] = { "life_max_us", 11 },
};

/* --- Text ---------------------------------------------------------------- */

static void
put_thresh(struct ds *ds, const char *key, enum ef_tx_thresh_source source,
           int thresh)
{
    switch (source) {
    case EF_TX_THRESH_SET:
        ds_put_format(ds, "%s %d (set)", key, thresh);
        break;
    case EF_TX_THRESH_DEFAULT:
        ds_put_format(ds, "%s %d (the driver's)", key, thresh);
        break;
    case EF_TX_THRESH_NOT_REPORTED:
        ds_put_format(ds, "%s unknown (the driver has none or does not say)",
                      key);
        break;
    default:
        OVS_NOT_REACHED();
    }
}

/* Whether there is something better than what is in force. */
static bool
has_hint(const struct ef_tx_port_facts *f)
{
    return (f->proposed_free
            && (f->proposed_free != f->thresh.free_thresh
                || f->proposed_rs != f->thresh.rs_thresh));
}

static void
put_value(struct ds *ds, enum column column, int64_t value)
{
    if (value < 0) {
        ds_put_format(ds, " %*s", cells[column].width, "unknown");
    } else {
        ds_put_format(ds, " %*"PRId64, cells[column].width, value);
    }
}

static void
put_queue(struct ds *ds, const struct ef_tx_queue_facts *q)
{
    const struct ef_tx_watch_stats *w = &q->watch;
    const int64_t values[N_COLUMNS] = {
        [QUEUE] = q->queue,
        [SENT] = w->n_sent,
        [COMPLETED] = w->n_completed,
        [IN_FLIGHT] = w->in_flight,
        [MIN_IN_FLIGHT] = w->min_in_flight,
        [MAX_IN_FLIGHT] = w->max_in_flight,
        [RING_USED] = w->ring_used,
        [RING_SIZE] = w->ring_size,
        [COMPLETED_PPS] = w->completed_pps,
        [OLDEST_US] = w->oldest_us,
        [LOST] = w->n_lost,
        [REFUSED] = w->n_refused,
        [MAX_BURST] = w->max_burst,
        [LIFE_P50_US] = w->life_p50_us,
        [LIFE_P99_US] = w->life_p99_us,
        [LIFE_MAX_US] = w->life_max_us,
    };

    ds_put_char(ds, ' ');
    for (enum column i = 0; i < N_COLUMNS; i++) {
        put_value(ds, i, values[i]);
    }
    ds_put_format(ds, "%s%s\n", w->is_idle ? " idle" : "",
                  w->has_cleanup ? " cleans-up" : "");
}

static void
put_queues(struct ds *ds, const struct ef_tx_port_facts *f)
{
    if (f->n_queues) {
        ds_put_char(ds, ' ');
        for (enum column i = 0; i < N_COLUMNS; i++) {
            ds_put_format(ds, " %*s", cells[i].width, cells[i].title);
        }
        ds_put_char(ds, '\n');
    }
    for (size_t i = 0; i < f->n_queues; i++) {
        put_queue(ds, &f->queues[i]);
    }
}

static void
put_port(struct ds *ds, const struct ef_tx_port_facts *f)
{
    ds_put_format(ds, "port %s (%s)", f->name, f->driver ? f->driver
                                                         : "no driver");
    if (f->copies) {
        ds_put_cstr(ds, ": copied to the guest, nothing is ever in flight");
    }
    ds_put_char(ds, '\n');
    if (f->alarm) {
        ds_put_format(ds, "  alarm: %s\n", f->alarm);
    }
    if (f->copies || f->is_busy) {
        return;
    }

    ds_put_cstr(ds, "  ");
    put_thresh(ds, "tx-free-thresh", f->thresh.free_source,
               f->thresh.free_thresh);
    put_thresh(ds, ", tx-rs-thresh", f->thresh.rs_source,
               f->thresh.rs_thresh);
    ds_put_char(ds, '\n');
    if (has_hint(f)) {
        ds_put_format(ds, "  hint: for this ring and its bursts "
                      "options:tx-free-thresh=%d options:tx-rs-thresh=%d\n",
                      f->proposed_free, f->proposed_rs);
    }
    if (f->unwatchable) {
        ds_put_cstr(ds, "  not watched: marks would say nothing with this "
                    "driver\n");
    } else if (!f->watched) {
        ds_put_cstr(ds, "  not watched: other_config:tx-telemetry is "
                    "false\n");
    }
    put_queues(ds, f);
}

void
ef_show_tx(struct ds *ds, const struct ef_tx_port_facts *facts, size_t n)
{
    if (!n) {
        ds_put_cstr(ds, "no ports of DPDK\n");
    }
    for (size_t i = 0; i < n; i++) {
        put_port(ds, &facts[i]);
    }
}

/* --- JSON ---------------------------------------------------------------- */

static const char *
source_name(enum ef_tx_thresh_source source)
{
    switch (source) {
    case EF_TX_THRESH_SET:
        return "set";
    case EF_TX_THRESH_DEFAULT:
        return "default";
    case EF_TX_THRESH_NOT_REPORTED:
        return "not_reported";
    default:
        OVS_NOT_REACHED();
    }
}

static struct json *
thresh_json(const struct ef_tx_thresh_facts *t)
{
    struct json *json = json_object_create();

    ef_show_json_string(json, "free_source", source_name(t->free_source));
    ef_show_json_string(json, "rs_source", source_name(t->rs_source));
    ef_show_json_number(json, "free_thresh", t->free_thresh);
    ef_show_json_number(json, "rs_thresh", t->rs_thresh);
    return json;
}

static struct json *
watch_json(const struct ef_tx_watch_stats *w)
{
    struct json *json = json_object_create();

    ef_show_json_number(json, "n_sent", w->n_sent);
    ef_show_json_number(json, "n_completed", w->n_completed);
    ef_show_json_known(json, "in_flight", w->in_flight);
    ef_show_json_known(json, "min_in_flight", w->min_in_flight);
    ef_show_json_known(json, "max_in_flight", w->max_in_flight);
    ef_show_json_known(json, "ring_used", w->ring_used);
    ef_show_json_number(json, "ring_size", w->ring_size);
    ef_show_json_number(json, "completed_pps", w->completed_pps);
    ef_show_json_known(json, "oldest_us", w->oldest_us);
    json_object_put(json, "is_idle", json_boolean_create(w->is_idle));
    ef_show_json_number(json, "n_lost", w->n_lost);
    json_object_put(json, "has_cleanup", json_boolean_create(w->has_cleanup));
    ef_show_json_number(json, "max_burst", w->max_burst);
    ef_show_json_number(json, "n_refused", w->n_refused);
    ef_show_json_number(json, "n_unmarked", w->n_unmarked);
    ef_show_json_number(json, "n_windows", w->n_windows);
    ef_show_json_number(json, "life_p50_us", w->life_p50_us);
    ef_show_json_number(json, "life_p99_us", w->life_p99_us);
    ef_show_json_number(json, "life_max_us", w->life_max_us);
    return json;
}

static struct json *
port_json(const struct ef_tx_port_facts *f)
{
    struct json *json = json_object_create();
    struct json *queues = json_array_create_empty();

    ef_show_json_string(json, "name", f->name);
    ef_show_json_string(json, "driver", f->driver);
    json_object_put(json, "busy", json_boolean_create(f->is_busy));
    json_object_put(json, "copies", json_boolean_create(f->copies));
    json_object_put(json, "unwatchable",
                    json_boolean_create(f->unwatchable));
    json_object_put(json, "watched", json_boolean_create(f->watched));
    json_object_put(json, "thresh", thresh_json(&f->thresh));
    ef_show_json_number(json, "proposed_free", f->proposed_free);
    ef_show_json_number(json, "proposed_rs", f->proposed_rs);
    ef_show_json_string(json, "alarm", f->alarm);
    for (size_t i = 0; i < f->n_queues; i++) {
        struct json *queue = json_object_create();

        ef_show_json_number(queue, "queue", f->queues[i].queue);
        json_object_put(queue, "watch", watch_json(&f->queues[i].watch));
        json_array_add(queues, queue);
    }
    json_object_put(json, "queues", queues);
    return json;
}

void
ef_show_tx_json(struct ds *ds, const struct ef_tx_port_facts *facts, size_t n)
{
    struct json *json = json_object_create();
    struct json *ports = json_array_create_empty();

    for (size_t i = 0; i < n; i++) {
        json_array_add(ports, port_json(&facts[i]));
    }
    json_object_put(json, "ports", ports);
    ef_show_json_print(ds, json);
}

/* --- The command --------------------------------------------------------- */

static bool
answer(const char *args[], int n_args, bool json, struct ds *ds)
{
    const char *name = n_args ? args[0] : NULL;
    struct ef_tx_port_facts *facts;
    size_t n;
    int error = ef_tx_facts_get(name, &facts, &n);

    if (error) {
        ds_put_format(ds, "'%s': %s", name ? name : "",
                      error == ENODEV ? "DPDK has no such port"
                      : error == EBUSY ? "ports come and go, try again"
                      : ovs_strerror(error));
        return false;
    }
    (json ? ef_show_tx_json : ef_show_tx)(ds, facts, n);
    ef_tx_facts_free(facts, n);
    return true;
}

void
ef_tx_show_init(void)
{
    static const struct ef_show_command command = {
        .name = "dpif-netdev/tx-show",
        .needs_dpdk = true,
        .answer = answer,
        .usage = "[PORT] [json]",
        .max_args = 1,
    };

    ef_show_command_register(&command);
}
