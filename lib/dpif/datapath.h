/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPIF_DATAPATH_H
#define EF_DPIF_DATAPATH_H 1

/* A datapath: ports, instances, configuration.  The only place that sees the
 * whole.
 *
 * Locks, outermost first: ef_datapaths_mutex, ports.rwlock, bonds.mutex,
 * env.non_pmd_mutex.  A reference (ef_datapath_unref()) keeps a datapath;
 * each open dpif has one, and so has the datapath itself until it is
 * destroyed.
 *
 * Threads: main, unless stated otherwise. */

#include <stdbool.h>
#include <stdint.h>

#include "cmap.h"
#include "core/sleep-max.h"
#include "dpif-provider.h"
#include "openvswitch/shash.h"
#include "output/bond.h"
#include "ovs-thread.h"
#include "pmd/pmd.h"
#include "port/port-table.h"
#include "sched/plan.h"
#include "sched/rebalance.h"

struct ef_datapath {
    /* Constant. */
    const struct dpif_class *class;
    char *name;

    struct ovs_refcount ref_cnt;
    atomic_flag destroyed;

    struct ef_port_table ports;
    struct ef_pmd_env env;
    struct cmap pmds;           /* "struct ef_pmd"s by core. Changed by the
                                 * main thread; read under RCU. */
    struct ef_bond_table bonds;

    dp_purge_callback *purge_cb;        /* A PMD's flows are about to go. */
    void *purge_aux;

    /* Configuration. */
    char *pmd_cpu_mask;         /* NULL if unset. */
    enum ef_sched_algorithm sched_algorithm;
    bool sched_isolate;
    struct ef_alb alb;
    struct ef_sleep_max sleep_max;
    bool configured;            /* set_config() was called. */

    struct seq *reconfigure_seq;        /* Changed to ask for it. */
    uint64_t last_reconfigure_seq;
    uint64_t last_tnl_conf_seq;
};

/* An open dpif. */
struct ef_dpif {
    struct dpif dpif;
    struct ef_datapath *dp;
    uint64_t last_port_seq;
};

/* All datapaths, of this class and of the dummy classes, by name. */
extern struct ovs_mutex ef_datapaths_mutex;
extern struct shash ef_datapaths OVS_GUARDED_BY(ef_datapaths_mutex);

struct ef_dpif *ef_dpif_cast(const struct dpif *);
struct ef_datapath *ef_dpif_datapath(const struct dpif *);

/* Any thread; 'ef_datapaths_mutex' held.  Finds the datapath NAME or, as
 * ovs-dpctl writes it, TYPE@NAME; or the only one if 'name' is null.  Returns
 * NULL if there is none, or with a null 'name' more than one. */
struct ef_datapath *ef_datapath_lookup(const char *name)
    OVS_REQUIRES(ef_datapaths_mutex);
void ef_datapath_unref(struct ef_datapath *);

bool ef_dpif_class_is_dummy(const struct dpif_class *);
const char *ef_dpif_port_open_type(const struct dpif_class *,
                                   const char *type);

/* Callbacks of the dpif class. */
int ef_dpif_enumerate(struct sset *, const struct dpif_class *);
int ef_dpif_open(const struct dpif_class *, const char *name, bool create,
                 struct dpif **);
void ef_dpif_close(struct dpif *);
int ef_dpif_destroy(struct dpif *);

#endif /* dpif/datapath.h */
