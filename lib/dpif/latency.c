/* SPDX-License-Identifier: Apache-2.0 */

/* Merges what the instances measured of latency, or clears it, by command.
 *
 * Runs on the main thread; a PMD is neither asked nor disturbed. */

#include <config.h>

#include "dpif/latency.h"

#include "core/ticks.h"
#include "dpif/datapath.h"
#include "dpif/pmd-set.h"
#include "openvswitch/dynamic-string.h"
#include "show/latency-show.h"
#include "stats/latency.h"
#include "unixctl.h"
#include "util.h"

#define NO_DATAPATH "please specify an existing datapath"

/* What is shown, and who owns it. */
struct collection {
    struct ef_latency_pair **merged;
    struct ef_latency_show_pair *pairs;
    struct ef_latency_show_thread *threads;
    struct ef_latency_facts facts;
};

/* The name of a port, to be freed. */
static char *
port_name(const struct ef_datapath *dp, const atomic_uint32_t *number)
{
    const struct ef_port *port;
    uint32_t n;

    atomic_read_relaxed(CONST_CAST(atomic_uint32_t *, number), &n);
    port = ef_port_table_find(&dp->ports, u32_to_odp(n));
    return (port ? xstrdup(netdev_get_name(port->netdev))
            : xasprintf("(port %"PRIu32", gone)", n));
}

static int
compare_pairs(const void *a_, const void *b_)
{
    const struct ef_latency_show_pair *a = a_;
    const struct ef_latency_show_pair *b = b_;
    int in = strcmp(a->in_port, b->in_port);

    return in ? in : strcmp(a->out_port, b->out_port);
}

static void
collect_threads(struct collection *c, const struct ef_datapath *dp,
                size_t *n_merged)
{
    struct ef_pmd **pmds;
    size_t n;

    pmds = ef_datapath_sorted_pmds(dp, &n);
    c->threads = xcalloc(n, sizeof *c->threads);
    for (size_t i = 0; i < n; i++) {
        const struct ef_latency *lat = &pmds[i]->output.latency;

        ef_latency_merge(lat, &c->merged, n_merged);
        c->threads[i].core = pmds[i]->core_id;
        c->threads[i].taken = ef_latency_get_taken(lat);
        c->threads[i].n_full = ef_latency_n_full(lat);
    }
    free(pmds);
    c->facts.threads = c->threads;
    c->facts.n_threads = n;
}

/* Frees what is of other ports than 'only', which may be null. */
static void
collect_pairs(struct collection *c, const struct ef_datapath *dp,
              const char *only, size_t n_merged)
{
    size_t n = 0;

    c->pairs = xcalloc(MAX(n_merged, 1), sizeof *c->pairs);
    for (size_t i = 0; i < n_merged; i++) {
        struct ef_latency_pair *pair = c->merged[i];
        char *in = port_name(dp, &pair->key.in_port);
        char *out = port_name(dp, &pair->key.out_port);

        if (!only || !strcmp(only, in) || !strcmp(only, out)) {
            c->pairs[n++] = (struct ef_latency_show_pair) { in, out, pair };
        } else {
            free(in);
            free(out);
            free(pair);
        }
    }
    qsort(c->pairs, n, sizeof *c->pairs, compare_pairs);
    c->facts.pairs = c->pairs;
    c->facts.n_pairs = n;
}

static void
collection_free(struct collection *c)
{
    for (size_t i = 0; i < c->facts.n_pairs; i++) {
        free(CONST_CAST(char *, c->pairs[i].in_port));
        free(CONST_CAST(char *, c->pairs[i].out_port));
        free(CONST_CAST(struct ef_latency_pair *, c->pairs[i].pair));
    }
    free(c->merged);
    free(c->pairs);
    free(c->threads);
}

static void
show(const struct ef_datapath *dp, const char *only, bool json,
     struct ds *reply)
{
    struct collection c = { .facts.ticks_per_us = ef_ticks_per_us() };
    size_t n_merged = 0;

    if (ef_stamp_get_flag()) {
        atomic_read_relaxed(&CONST_CAST(struct ef_datapath *, dp)
                            ->env.params.latency_sample, &c.facts.sample);
    }
    collect_threads(&c, dp, &n_merged);
    collect_pairs(&c, dp, only, n_merged);
    (json ? ef_show_latency_json : ef_show_latency)(reply, &c.facts);
    collection_free(&c);
}

/* Returns false if 'reply' is what is wrong. */
static bool
answer(struct ef_datapath *dp, const char *only, bool json, struct ds *reply)
{
    bool ok = true;

    if (!dp) {
        ds_put_cstr(reply, NO_DATAPATH);
        return false;
    }
    ovs_rwlock_rdlock(&dp->ports.rwlock);
    if (only && !ef_port_table_find_name(&dp->ports, only)) {
        ds_put_format(reply, "'%s': the data path has no such port", only);
        ok = false;
    } else {
        show(dp, only, json, reply);
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);
    return ok;
}

static void
show_cmd(struct unixctl_conn *conn, int argc, const char *argv[],
         void *aux OVS_UNUSED)
{
    bool json = argc > 1 && !strcmp(argv[argc - 1], "json");
    const char *only = argc - json > 1 ? argv[1] : NULL;
    struct ds reply = DS_EMPTY_INITIALIZER;
    bool ok;

    if (argc > 2 && !json) {
        ds_put_format(&reply, "'%s': the last argument must be 'json'",
                      argv[2]);
        ok = false;
    } else {
        ovs_mutex_lock(&ef_datapaths_mutex);
        ok = answer(ef_datapath_lookup(NULL), only, json, &reply);
        ovs_mutex_unlock(&ef_datapaths_mutex);
    }
    if (ok) {
        unixctl_command_reply(conn, ds_cstr(&reply));
    } else {
        unixctl_command_reply_error(conn, ds_cstr(&reply));
    }
    ds_destroy(&reply);
}

static void
clear_cmd(struct unixctl_conn *conn, int argc OVS_UNUSED,
          const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    const struct ef_datapath *dp;
    struct ef_pmd *pmd;

    ovs_mutex_lock(&ef_datapaths_mutex);
    dp = ef_datapath_lookup(NULL);
    if (dp) {
        EF_PMD_FOR_EACH (pmd, dp) {
            ef_latency_clear(&pmd->output.latency);
        }
    }
    ovs_mutex_unlock(&ef_datapaths_mutex);
    if (dp) {
        unixctl_command_reply(conn, NULL);
    } else {
        unixctl_command_reply_error(conn, NO_DATAPATH);
    }
}

void
ef_latency_commands_init(void)
{
    unixctl_command_register("dpif-netdev/latency-show", "[PORT] [json]",
                             0, 2, show_cmd, NULL);
    unixctl_command_register("dpif-netdev/latency-clear", "", 0, 0,
                             clear_cmd, NULL);
}
