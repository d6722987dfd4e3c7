/* SPDX-License-Identifier: Apache-2.0 */

/* Prints the pools of packet buffers and what each core keeps of them.
 *
 * The command is answered on the thread "ctl".  Everything is in one snapshot
 * that lib/dpdk takes under the mutex of the pools; that mutex is held while
 * a pool is made, a fraction of a second. */

#include <config.h>

#include "show/mempool-show.h"

#include <inttypes.h>

#include "dpdk/mempool.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "show/command.h"
#include "show/show-json.h"
#include "util.h"

/* --- Text ---------------------------------------------------------------- */

static void
put_title(struct ds *ds, const struct ef_mempool_facts *f)
{
    ds_put_format(ds, "pool %s: ", f->rte_name);
    if (f->is_named) {
        ds_put_format(ds, "named %s", f->name);
    } else if (f->name) {
        ds_put_format(ds, "of port %s", f->name);
    } else {
        ds_put_cstr(ds, "shared");
    }
    ds_put_format(ds, ", NUMA node %d, %u buffers of %"PRIu32" bytes, "
                  "%u port%s\n", f->socket_id, f->n_bufs, f->buf_size,
                  f->n_ports, f->n_ports == 1 ? "" : "s");
}

static void
put_core(struct ds *ds, const struct ef_mempool_core_facts *c)
{
    const struct ef_store_core_stats *s = &c->store;

    ds_put_format(ds, "  %4u %5u %6u %6u %6u %10"PRIu64" %12"PRIu64
                  " %10"PRIu64" %12"PRIu64" %8"PRIu64" %8"PRIu64" %8"PRIu64
                  " %12"PRIu64" %12"PRIu64"\n",
                  c->core, c->lcore, s->size, s->fill, s->front_fill,
                  s->n_refills, s->n_refill_bufs, s->n_flushes,
                  s->n_flush_bufs, s->n_empty, s->n_odd, s->n_retries,
                  s->n_get_calls, s->n_put_calls);
}

static void
put_pool(struct ds *ds, const struct ef_mempool_facts *f)
{
    put_title(ds, f);
    ds_put_format(ds, "  free %u, in use %u, the rings of its ports can hold "
                  "%u\n", f->n_free, f->n_in_use, f->n_ring);
    if (f->is_waiting && f->n_in_use) {
        ds_put_format(ds, "  no port has it: waits for %u buffers, then is "
                      "freed\n", f->n_in_use);
    } else if (f->is_waiting) {
        ds_put_format(ds, "  no port has it, all buffers are home: is freed "
                      "in %d s or when a pool is made\n",
                      EF_MEMPOOL_KEEP_MS / 1000);
    }
    ds_put_format(ds, "  shared store %u, of these odd %u; threads without a "
                  "store: gets %"PRIu64", puts %"PRIu64", found nothing "
                  "%"PRIu64", retries %"PRIu64"\n", f->shared.n_shared,
                  f->shared.n_odd, f->shared.n_odd_gets, f->shared.n_odd_puts,
                  f->shared.n_empty, f->shared.n_retries);
    if (f->n_cores) {
        ds_put_format(ds, "  %4s %5s %6s %6s %6s %10s %12s %10s %12s %8s %8s "
                      "%8s %12s %12s\n", "core", "lcore", "size", "fill",
                      "front", "refills", "refill_bufs", "flushes",
                      "flush_bufs", "empty", "odd", "retries", "gets", "puts");
    }
    for (size_t i = 0; i < f->n_cores; i++) {
        put_core(ds, &f->cores[i]);
    }
}

void
ef_show_mempools(struct ds *ds, const struct ef_mempool_facts *facts,
                 size_t n)
{
    if (!n) {
        ds_put_cstr(ds, "no pools\n");
    }
    for (size_t i = 0; i < n; i++) {
        put_pool(ds, &facts[i]);
    }
}

/* --- JSON ---------------------------------------------------------------- */

static struct json *
shared_json(const struct ef_store_stats *s)
{
    struct json *json = json_object_create();

    ef_show_json_number(json, "n_shared", s->n_shared);
    ef_show_json_number(json, "n_odd", s->n_odd);
    ef_show_json_number(json, "n_odd_gets", s->n_odd_gets);
    ef_show_json_number(json, "n_odd_puts", s->n_odd_puts);
    ef_show_json_number(json, "n_empty", s->n_empty);
    ef_show_json_number(json, "n_retries", s->n_retries);
    return json;
}

static struct json *
store_json(const struct ef_store_core_stats *s)
{
    struct json *json = json_object_create();

    ef_show_json_number(json, "size", s->size);
    ef_show_json_number(json, "fill", s->fill);
    ef_show_json_number(json, "front_fill", s->front_fill);
    ef_show_json_number(json, "n_refills", s->n_refills);
    ef_show_json_number(json, "n_flushes", s->n_flushes);
    ef_show_json_number(json, "n_empty", s->n_empty);
    ef_show_json_number(json, "n_odd", s->n_odd);
    ef_show_json_number(json, "n_retries", s->n_retries);
    ef_show_json_number(json, "n_get_calls", s->n_get_calls);
    ef_show_json_number(json, "n_put_calls", s->n_put_calls);
    ef_show_json_number(json, "n_refill_bufs", s->n_refill_bufs);
    ef_show_json_number(json, "n_flush_bufs", s->n_flush_bufs);
    return json;
}

static struct json *
cores_json(const struct ef_mempool_facts *f)
{
    struct json *cores = json_array_create_empty();

    for (size_t i = 0; i < f->n_cores; i++) {
        struct json *json = json_object_create();

        ef_show_json_number(json, "lcore", f->cores[i].lcore);
        ef_show_json_number(json, "core", f->cores[i].core);
        json_object_put(json, "store", store_json(&f->cores[i].store));
        json_array_add(cores, json);
    }
    return cores;
}

static struct json *
pool_json(const struct ef_mempool_facts *f)
{
    struct json *json = json_object_create();

    ef_show_json_string(json, "rte_name", f->rte_name);
    ef_show_json_string(json, "name", f->name);
    json_object_put(json, "is_named", json_boolean_create(f->is_named));
    json_object_put(json, "socket_id", json_integer_create(f->socket_id));
    ef_show_json_number(json, "buf_size", f->buf_size);
    ef_show_json_number(json, "n_bufs", f->n_bufs);
    ef_show_json_number(json, "n_free", f->n_free);
    ef_show_json_number(json, "n_in_use", f->n_in_use);
    ef_show_json_number(json, "n_ports", f->n_ports);
    json_object_put(json, "is_waiting", json_boolean_create(f->is_waiting));
    ef_show_json_number(json, "n_ring", f->n_ring);
    json_object_put(json, "shared", shared_json(&f->shared));
    json_object_put(json, "cores", cores_json(f));
    return json;
}

void
ef_show_mempools_json(struct ds *ds, const struct ef_mempool_facts *facts,
                      size_t n)
{
    struct json *json = json_object_create();
    struct json *pools = json_array_create_empty();

    for (size_t i = 0; i < n; i++) {
        json_array_add(pools, pool_json(&facts[i]));
    }
    json_object_put(json, "pools", pools);
    ef_show_json_print(ds, json);
}

/* --- The command --------------------------------------------------------- */

static bool
show(struct ds *ds, void (*print)(struct ds *, const struct ef_mempool_facts *,
                                  size_t))
{
    struct ef_mempool_facts *facts;
    size_t n;

    if (ef_mempool_try_facts(&facts, &n)) {
        ds_put_cstr(ds, "a pool is being made, try again");
        return false;
    }
    print(ds, facts, n);
    ef_mempool_facts_free(facts, n);
    return true;
}

static bool
answer(const char *args[] OVS_UNUSED, int n_args OVS_UNUSED, bool json,
       struct ds *ds)
{
    return show(ds, json ? ef_show_mempools_json : ef_show_mempools);
}

void
ef_mempool_show_init(void)
{
    static const struct ef_show_command command = {
        .name = "dpif-netdev/mempool-show",
        .needs_dpdk = true,
        .answer = answer,
    };

    ef_show_command_register(&command);
}
