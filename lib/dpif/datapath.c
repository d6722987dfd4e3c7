/* SPDX-License-Identifier: Apache-2.0 */

/* Creation, references and destruction of datapaths, and the dpif callbacks
 * that open and close them.  Called by the main thread. */

#include <config.h>

#include "dpif/datapath.h"

#include "core/ticks.h"

#include <errno.h>

#include "conntrack.h"
#include "dpif-netdev.h"
#include "dpif/pmd-set.h"
#include "dpif/port-ops.h"
#include "hash.h"
#include "id-pool.h"
#include "odp-util.h"
#include "ovs-numa.h"
#include "seq.h"
#include "sset.h"
#include "tnl-ports.h"
#include "util.h"

struct ovs_mutex ef_datapaths_mutex = OVS_MUTEX_INITIALIZER;
struct shash ef_datapaths = SHASH_INITIALIZER(&ef_datapaths);

/* The classes. */

bool
ef_dpif_class_is_dummy(const struct dpif_class *class)
{
    return class != &dpif_netdev_class;
}

const char *
ef_dpif_port_open_type(const struct dpif_class *class, const char *type)
{
    if (strcmp(type, "internal")) {
        return type;
    }
    return ef_dpif_class_is_dummy(class) ? "dummy-internal" : "tap";
}

/* The replaced member's own question, asked by the package. */
bool
dpif_is_netdev(const struct dpif *dpif)
{
    return dpif->dpif_class->open == ef_dpif_open;
}

struct ef_dpif *
ef_dpif_cast(const struct dpif *dpif)
{
    ovs_assert(dpif_is_netdev(dpif));
    return CONTAINER_OF(dpif, struct ef_dpif, dpif);
}

struct ef_datapath *
ef_dpif_datapath(const struct dpif *dpif)
{
    return ef_dpif_cast(dpif)->dp;
}

/* Datapaths. */

/* Returns the datapath called 'name' if its class is 'type', else NULL. */
static struct ef_datapath *
lookup_typed(const char *type, size_t type_len, const char *name)
    OVS_REQUIRES(ef_datapaths_mutex)
{
    struct ef_datapath *dp = shash_find_data(&ef_datapaths, name);

    return dp && strlen(dp->class->type) == type_len
           && !strncmp(dp->class->type, type, type_len) ? dp : NULL;
}

struct ef_datapath *
ef_datapath_lookup(const char *name)
{
    if (name) {
        struct ef_datapath *dp = shash_find_data(&ef_datapaths, name);
        const char *at = strchr(name, '@');

        return !dp && at ? lookup_typed(name, at - name, at + 1) : dp;
    } else if (shash_count(&ef_datapaths) == 1) {
        return shash_first(&ef_datapaths)->data;
    }
    return NULL;
}

static void
init_env(struct ef_pmd_env *env, struct ef_datapath *dp)
{
    env->dp_name = dp->name;
    ef_params_init(&env->params);
    ef_upcall_init(&env->upcall, dp->name);
    ef_meter_table_init(&env->meters);
    env->conntrack = conntrack_init();
    env->offload.port_lock = &dp->ports.rwlock;
    env->offload.dpif_type = dpif_normalize_type(dp->class->type);
    ovs_mutex_init_recursive(&env->non_pmd_mutex);
    ovs_mutex_init(&env->txq_ids_mutex);
    /* One for each core that may have a PMD, INT_MAX of them if that is not
     * known, and one for the instance without a thread. */
    env->txq_ids = id_pool_create(0, 1u + ovs_numa_get_n_cores());
}

/* RCU callback. */
static void
free_datapath(struct ef_datapath *dp)
{
    struct ef_pmd_env *env = &dp->env;

    id_pool_destroy(env->txq_ids);
    ovs_mutex_destroy(&env->txq_ids_mutex);
    ovs_mutex_destroy(&env->non_pmd_mutex);
    ef_meter_table_destroy(&env->meters);
    ef_port_table_destroy(&dp->ports);
    free(dp->pmd_cpu_mask);
    ef_sleep_max_destroy(&dp->sleep_max);
    free(dp->name);
    free(dp);
}

static void
destroy(struct ef_datapath *dp)
    OVS_REQUIRES(ef_datapaths_mutex)
{
    struct ef_port *port;

    shash_find_and_delete(&ef_datapaths, dp->name);

    ovs_rwlock_wrlock(&dp->ports.rwlock);
    EF_PORT_FOR_EACH_SAFE (port, &dp->ports) {
        ef_datapath_del_port(dp, port);
    }
    ovs_rwlock_unlock(&dp->ports.rwlock);

    ef_datapath_del_all_pmds(dp);
    /* The flows that just went left requests that refer to 'env.offload'. */
    ef_offload_drain(&dp->env.offload);
    cmap_destroy(&dp->pmds);
    ef_bond_table_destroy(&dp->bonds);
    conntrack_destroy(dp->env.conntrack);
    ef_upcall_destroy(&dp->env.upcall);
    seq_destroy(dp->reconfigure_seq);

    /* Instances use 'env' until RCU frees them, which it does before it comes
     * to this, since they were postponed earlier in this thread. */
    ovsrcu_postpone(free_datapath, dp);
}

static int
create(const char *name, const struct dpif_class *class,
       struct ef_datapath **dpp)
    OVS_REQUIRES(ef_datapaths_mutex)
{
    static struct ovsthread_once tsc_once = OVSTHREAD_ONCE_INITIALIZER;
    struct ef_datapath *dp;
    int error;

    /* Takes a second; test data paths do without. */
    if (!ef_dpif_class_is_dummy(class) && ovsthread_once_start(&tsc_once)) {
        pmd_perf_estimate_tsc_frequency();
        ef_ticks_calibrate();
        ovsthread_once_done(&tsc_once);
    }

    dp = xzalloc(sizeof *dp);
    dp->class = class;
    dp->name = xstrdup(name);
    ovs_refcount_init(&dp->ref_cnt);
    atomic_flag_clear(&dp->destroyed);
    ef_port_table_init(&dp->ports);
    init_env(&dp->env, dp);
    cmap_init(&dp->pmds);
    ef_bond_table_init(&dp->bonds);
    dp->sched_algorithm = EF_SCHED_CYCLES;
    dp->reconfigure_seq = seq_create();
    dp->last_reconfigure_seq = seq_read(dp->reconfigure_seq);
    shash_add(&ef_datapaths, name, dp);

    ovs_rwlock_wrlock(&dp->ports.rwlock);
    /* The first instance, so that its tx queue is number 0. */
    ef_datapath_add_pmd(dp, EF_NON_PMD_CORE, OVS_NUMA_UNSPEC);
    error = ef_datapath_add_port(dp, name,
                                 ef_dpif_port_open_type(class, "internal"),
                                 ODPP_LOCAL);
    ovs_rwlock_unlock(&dp->ports.rwlock);
    if (error) {
        destroy(dp);
        return error;
    }

    dp->last_tnl_conf_seq = seq_read(tnl_conf_seq);
    *dpp = dp;
    return 0;
}

void
ef_datapath_unref(struct ef_datapath *dp)
{
    if (dp) {
        /* Nobody finds it by name while the last reference goes. */
        ovs_mutex_lock(&ef_datapaths_mutex);
        if (ovs_refcount_unref_relaxed(&dp->ref_cnt) == 1) {
            destroy(dp);
        }
        ovs_mutex_unlock(&ef_datapaths_mutex);
    }
}

/* Callbacks. */

int
ef_dpif_enumerate(struct sset *names, const struct dpif_class *class)
{
    struct shash_node *node;

    ovs_mutex_lock(&ef_datapaths_mutex);
    SHASH_FOR_EACH (node, &ef_datapaths) {
        const struct ef_datapath *dp = node->data;

        if (dp->class == class) {
            sset_add(names, node->name);
        }
    }
    ovs_mutex_unlock(&ef_datapaths_mutex);
    return 0;
}

static struct dpif *
open_datapath(struct ef_datapath *dp)
{
    uint16_t netflow_id = hash_string(dp->name, 0);
    struct ef_dpif *dpif = xmalloc(sizeof *dpif);

    ovs_refcount_ref(&dp->ref_cnt);
    dpif_init(&dpif->dpif, dp->class, dp->name, netflow_id >> 8, netflow_id);
    dpif->dp = dp;
    dpif->last_port_seq = seq_read(dp->ports.seq);
    return &dpif->dpif;
}

int
ef_dpif_open(const struct dpif_class *class, const char *name, bool create_,
             struct dpif **dpifp)
{
    struct ef_datapath *dp;
    int error = 0;

    ovs_mutex_lock(&ef_datapaths_mutex);
    dp = shash_find_data(&ef_datapaths, name);
    if (!dp) {
        error = create_ ? create(name, class, &dp) : ENODEV;
    } else if (dp->class != class) {
        error = EINVAL;
    } else if (create_) {
        error = EEXIST;
    }
    if (!error) {
        *dpifp = open_datapath(dp);
    }
    ovs_mutex_unlock(&ef_datapaths_mutex);
    return error;
}

void
ef_dpif_close(struct dpif *dpif)
{
    ef_datapath_unref(ef_dpif_datapath(dpif));
    free(ef_dpif_cast(dpif));
}

int
ef_dpif_destroy(struct dpif *dpif)
{
    struct ef_datapath *dp = ef_dpif_datapath(dpif);

    if (!atomic_flag_test_and_set(&dp->destroyed)) {
        /* The datapath's own reference; 'dpif' still has one. */
        ignore(ovs_refcount_unref_relaxed(&dp->ref_cnt));
    }
    return 0;
}
