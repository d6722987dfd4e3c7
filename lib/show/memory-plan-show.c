/* SPDX-License-Identifier: Apache-2.0 */

/* Prints what memory ports will need.
 *
 * The command is answered on the thread "ctl".  Nothing is allocated from
 * DPDK: it only says how large things would be. */

#include <config.h>

#include "show/memory-plan-show.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dpdk/lcores.h"
#include "dpdk/memory-plan.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "show/command.h"
#include "show/show-json.h"
#include "util.h"

/* --- Text ---------------------------------------------------------------- */

static double
mib(uint64_t bytes)
{
    return bytes / (1024.0 * 1024);
}

static void
put_pool(struct ds *ds, const struct ef_plan_pool *p)
{
    char *what = (p->is_named ? xasprintf("named %s", p->name)
                  : p->name ? xasprintf("of port %s", p->name)
                  : xstrdup("shared"));

    ds_put_format(ds, "%4d %12"PRIu32" %9"PRIu32" %9.1f %6u %11"PRIu32"  %s",
                  p->socket_id, p->buf_size, p->n_bufs, mib(p->bytes),
                  p->n_ports, p->n_ring, what);
    if (p->n_ring > p->n_bufs) {
        ds_put_cstr(ds, " (fewer than its rings can hold)");
    }
    ds_put_char(ds, '\n');
    free(what);
}

static void
put_node(struct ds *ds, const struct ef_plan_node *n)
{
    ds_put_format(ds, "node %d: %.1f MiB, of which %.1f MiB for rings: "
                  "%"PRIu64" pages of 2 MiB or %"PRIu64" of 1 GiB; "
                  "%.1f MiB are free now\n", n->socket_id, mib(n->bytes),
                  mib(n->ring_bytes), n->n_pages_2m, n->n_pages_1g,
                  mib(n->free_bytes));
}

void
ef_show_memory_plan(struct ds *ds, const struct ef_memory_plan *plan)
{
    if (!plan->n_pools) {
        ds_put_cstr(ds, "no pools\n");
        return;
    }
    ds_put_format(ds, "%4s %12s %9s %9s %6s %11s  pool\n", "node",
                  "buffer_bytes", "buffers", "MiB", "ports", "rings_hold");
    for (size_t i = 0; i < plan->n_pools; i++) {
        put_pool(ds, &plan->pools[i]);
    }
    for (size_t i = 0; i < plan->n_nodes; i++) {
        put_node(ds, &plan->nodes[i]);
    }
}

/* --- JSON ---------------------------------------------------------------- */

static struct json *
pool_json(const struct ef_plan_pool *p)
{
    struct json *json = json_object_create();

    ef_show_json_string(json, "name", p->name);
    json_object_put(json, "is_named", json_boolean_create(p->is_named));
    json_object_put(json, "socket_id", json_integer_create(p->socket_id));
    ef_show_json_number(json, "buf_size", p->buf_size);
    ef_show_json_number(json, "n_bufs", p->n_bufs);
    ef_show_json_number(json, "bytes", p->bytes);
    ef_show_json_number(json, "n_ports", p->n_ports);
    ef_show_json_number(json, "n_ring", p->n_ring);
    return json;
}

static struct json *
node_json(const struct ef_plan_node *n)
{
    struct json *json = json_object_create();

    json_object_put(json, "socket_id", json_integer_create(n->socket_id));
    ef_show_json_number(json, "bytes", n->bytes);
    ef_show_json_number(json, "ring_bytes", n->ring_bytes);
    ef_show_json_number(json, "free_bytes", n->free_bytes);
    ef_show_json_number(json, "n_pages_2m", n->n_pages_2m);
    ef_show_json_number(json, "n_pages_1g", n->n_pages_1g);
    return json;
}

void
ef_show_memory_plan_json(struct ds *ds, const struct ef_memory_plan *plan)
{
    struct json *json = json_object_create();
    struct json *pools = json_array_create_empty();
    struct json *nodes = json_array_create_empty();

    for (size_t i = 0; i < plan->n_pools; i++) {
        json_array_add(pools, pool_json(&plan->pools[i]));
    }
    for (size_t i = 0; i < plan->n_nodes; i++) {
        json_array_add(nodes, node_json(&plan->nodes[i]));
    }
    json_object_put(json, "pools", pools);
    json_object_put(json, "nodes", nodes);
    ef_show_json_print(ds, json);
}

/* --- The command --------------------------------------------------------- */

/* Returns NULL or what is wrong. */
static char *
parse_all(const char *args[], int n, struct ef_memory_spec *specs)
{
    struct shash names = SHASH_INITIALIZER(&names);
    char *error = NULL;

    for (int i = 0; i < n && !error; i++) {
        error = ef_memory_spec_parse(args[i], ef_lcores_n(), &specs[i]);
        if (!error && !shash_add_once(&names, specs[i].name, NULL)) {
            error = xasprintf("'%s': a port must occur once", args[i]);
        }
    }
    shash_destroy(&names);
    return error;
}

static void
show(struct ds *ds, const struct ef_memory_spec *specs, size_t n, bool json)
{
    struct ef_mempool_request *requests = xcalloc(n, sizeof *requests);
    struct ef_memory_plan plan;

    for (size_t i = 0; i < n; i++) {
        requests[i] = specs[i].request;
    }
    ef_memory_plan_make(requests, n, &plan);
    (json ? ef_show_memory_plan_json : ef_show_memory_plan)(ds, &plan);
    ef_memory_plan_destroy(&plan);
    free(requests);
}

static bool
answer(const char *args[], int n_args, bool json, struct ds *ds)
{
    struct ef_memory_spec *specs;
    char *error = NULL;
    size_t n;

    if (n_args) {
        n = n_args;
        specs = xcalloc(n, sizeof *specs);
        error = parse_all(args, n_args, specs);
    } else if (ef_memory_specs_now(&specs, &n)) {
        error = xstrdup("ports are being set up, try again");
    }
    if (error) {
        ds_put_cstr(ds, error);
        free(error);
    } else {
        show(ds, specs, n, json);
    }
    ef_memory_specs_free(specs, n);
    return !error;
}

void
ef_memory_plan_show_init(void)
{
    static const struct ef_show_command command = {
        .name = "dpif-netdev/memory-plan",
        .needs_dpdk = true,
        .answer = answer,
        .usage = "[SPEC]... [json]",
        .max_args = EF_MEMORY_PLAN_MAX_SPECS,
    };

    ef_show_command_register(&command);
}
