/* SPDX-License-Identifier: Apache-2.0 */

/* Prints the packet and cycle counters of an instance.
 *
 * Called by dpif/commands.c for each instance, on the main thread. */

#include <config.h>

#include "show/pmd-stats-show.h"

#include <inttypes.h>

#include "openvswitch/dynamic-string.h"
#include "pmd/pmd.h"
#include "show/pmd-title.h"
#include "stats/pmd-perf.h"

static double
ratio(uint64_t part, uint64_t whole)
{
    return whole ? part / (double) whole : 0;
}

static void
put_count(struct ds *ds, const char *label, uint64_t n)
{
    ds_put_format(ds, "  %s: %"PRIu64"\n", label, n);
}

static void
put_average(struct ds *ds, const char *label, uint64_t sum, uint64_t n)
{
    ds_put_format(ds, "  avg. %s: %.02f\n", label, ratio(sum, n));
}

static void
put_share(struct ds *ds, const char *label, uint64_t part, uint64_t whole)
{
    ds_put_format(ds, "  %s cycles: %"PRIu64" (%.02f%%)\n", label, part,
                  ratio(part, whole) * 100);
}

static void
put_per_packet(struct ds *ds, const char *label, uint64_t cycles,
               uint64_t n_packets)
{
    ds_put_format(ds, "  avg %s per packet: %.02f (%"PRIu64"/%"PRIu64")\n",
                  label, ratio(cycles, n_packets), cycles, n_packets);
}

static void
put_packets(struct ds *ds, const uint64_t n[PMD_N_STATS])
{
    uint64_t received = n[PMD_STAT_RECV];
    uint64_t recirculated = n[PMD_STAT_RECIRC];

    put_count(ds, "packets received", received);
    put_count(ds, "packet recirculations", recirculated);
    put_average(ds, "datapath passes per packet",
                received ? received + recirculated : 0, received);
    put_count(ds, "phwol hits", n[PMD_STAT_PHWOL_HIT]);
    put_count(ds, "mfex opt hits", n[PMD_STAT_MFEX_OPT_HIT]);
    put_count(ds, "simple match hits", n[PMD_STAT_SIMPLE_HIT]);
    put_count(ds, "emc hits", n[PMD_STAT_EXACT_HIT]);
    put_count(ds, "smc hits", n[PMD_STAT_SMC_HIT]);
    put_count(ds, "megaflow hits", n[PMD_STAT_MASKED_HIT]);
    put_average(ds, "subtable lookups per megaflow hit",
                n[PMD_STAT_MASKED_LOOKUP], n[PMD_STAT_MASKED_HIT]);
    put_count(ds, "miss with success upcall", n[PMD_STAT_MISS]);
    put_count(ds, "miss with failed upcall", n[PMD_STAT_LOST]);
    put_average(ds, "packets per output batch",
                n[PMD_STAT_SENT_PKTS], n[PMD_STAT_SENT_BATCHES]);
}

static void
put_cycles(struct ds *ds, const uint64_t n[PMD_N_STATS])
{
    uint64_t idle = n[PMD_CYCLES_ITER_IDLE];
    uint64_t busy = n[PMD_CYCLES_ITER_BUSY];
    uint64_t received = n[PMD_STAT_RECV];

    if (!(idle + busy)) {
        return;
    }
    put_share(ds, "idle", idle, idle + busy);
    put_share(ds, "processing", busy, idle + busy);

    if (received) {
        put_per_packet(ds, "cycles", idle + busy, received);
        put_per_packet(ds, "processing cycles", busy, received);
    }
}

void
ef_show_pmd_stats(struct ds *ds, const struct ef_pmd *pmd)
{
    uint64_t n[PMD_N_STATS];

    pmd_perf_read_counters(CONST_CAST(struct pmd_perf_stats *, &pmd->perf), n);

    ef_show_pmd_title(ds, pmd);
    put_packets(ds, n);
    put_cycles(ds, n);
}
