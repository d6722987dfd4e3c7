/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of sched/plan.c and sched/plan-log.c.
 *
 * Plans are written as text.  A PMD is CORE@NODE, a queue is
 * PORT.QUEUE@NODE, with !CORE if it is pinned and =CYCLES if it has load; the
 * result has the core of each queue in the order given, with ! if it was
 * pinned, ~ if it crossed nodes, or - if nobody polls it, and the isolated
 * cores after a slash. */

#include <config.h>

#include "sched/plan.h"

#include <unistd.h>

#include "core/log.h"
#include "ef-test.h"
#include "openvswitch/dynamic-string.h"
#include "ovs-numa.h"
#include "util.h"

struct plan_case {
    const char *name;
    enum ef_sched_algorithm algorithm;
    bool isolate;
    const char *pmds;
    const char *rxqs;
    const char *result;
};

#define RR EF_SCHED_ROUNDROBIN
#define CYCLES EF_SCHED_CYCLES
#define GROUP EF_SCHED_GROUP

#define EIGHT "1.0@0 1.1@0 1.2@0 1.3@0 1.4@0 1.5@0 1.6@0 1.7@0"

static const struct plan_case cases[] = {
    { "nothing", CYCLES, true, "", "", "/" },
    { "no queue", GROUP, true, "0@0", "", "/" },
    { "no PMD", RR, true, "", "1.0@0 1.1@0", "- -/" },
    { "no PMD, pinned", GROUP, true, "", "1.0@0!3 1.1@0", "- -/" },

    /* One node, in turn. */
    { "roundrobin", RR, true, "0@0 1@0", EIGHT, "0 1 0 1 0 1 0 1/" },
    { "roundrobin keeps the order given", RR, true, "0@0 1@0",
      "2.0@0=5 1.0@0=9 1.1@0=7", "0 1 0/" },
    { "up and down", CYCLES, true, "0@0 1@0", EIGHT, "0 1 1 0 0 1 1 0/" },
    { "up and down, three PMDs", CYCLES, true, "4@0 5@0 9@0", EIGHT,
      "4 5 9 9 5 4 4 5/" },
    { "cycles: dearest first", CYCLES, true, "0@0 1@0",
      "1.0@0=10 1.1@0=40 1.2@0=30 1.3@0=20", "0 0 1 1/" },
    { "cycles: ties go by port, then queue", CYCLES, true, "0@0 1@0 2@0",
      "2.0@0=7 1.1@0=7 1.0@0=7", "2 1 0/" },
    { "cycles: port numbers are unsigned", CYCLES, true, "0@0 1@0",
      "4294967293.0@0 1.0@0", "1 0/" },

    /* One node, by load. */
    { "group without load: fewest queues", GROUP, true, "0@0 1@0", EIGHT,
      "0 1 0 1 0 1 0 1/" },
    { "group: least load", GROUP, true, "0@0 1@0",
      "1.0@0=90 1.1@0=40 1.2@0=30 1.3@0=15", "0 1 1 1/" },
    { "group: load, then queues", GROUP, true, "0@0 1@0",
      "1.0@0 1.1@0=90 1.2@0=40 1.3@0=30 1.4@0", "0 0 1 1 0/" },
    { "group: the first of equals", GROUP, true, "3@0 7@0",
      "1.0@0=10 1.1@0=10 1.2@0=10", "3 7 3/" },

    /* Pinning. */
    { "pinned, isolated", CYCLES, true, "0@0 1@0",
      "1.0@0 1.1@0!0 1.2@0", "1 0! 1/0" },
    { "pinned, not isolated", RR, false, "0@0 1@0",
      "1.0@0 1.1@0!0 1.2@0", "0 0! 1/" },
    { "pinned queues count as load", GROUP, false, "0@0 1@0",
      "1.0@0!0=50 1.1@0=40 1.2@0=20", "0! 1 1/" },
    { "pinned queues count as queues", GROUP, false, "0@0 1@0",
      "1.0@0!0 1.1@0!0 1.2@0 1.3@0 1.4@0", "0! 0! 1 1 0/" },
    { "pinned across nodes", CYCLES, true, "0@0 1@1",
      "1.0@1!0 1.1@1", "0! 1/0" },
    { "pinned to no PMD", CYCLES, true, "0@0 1@0",
      "1.0@0!5 1.1@0", "0 1/" },
    { "all isolated", GROUP, true, "0@0 1@0",
      "1.0@0!0 1.1@0!1 1.2@0", "0! 1! -/0 1" },
    { "turns pass over isolated PMDs", CYCLES, true, "0@0 1@0 2@0",
      "1.0@0!1 1.1@0 1.2@0 1.3@0 1.4@0", "1! 0 2 2 0/1" },

    /* Nodes.  The order of foreign nodes is what upstream's switch does with
     * --dummy-numa=1,2,1,2 and --dummy-numa=0,2,0,3. */
    { "each to its node", CYCLES, true, "0@0 1@1 2@0 3@1",
      "1.0@0 2.0@1 1.1@0 2.1@1 1.2@0", "0 1 2 3 2/" },
    { "own node even if busier", GROUP, true, "0@0 1@1",
      "1.0@0=90 1.1@0=80 1.2@0=70", "0 0 0/" },
    { "no PMD on the node", CYCLES, true, "2@0 3@0",
      "1.0@1 1.1@1 1.2@1 1.3@1", "2~ 3~ 3~ 2~/" },
    { "only isolated PMDs on the node", CYCLES, true, "0@0 1@1",
      "1.0@0!0 1.1@0 1.2@0", "0! 1~ 1~/0" },
    { "foreign queues take nodes in turn", RR, true, "0@1 1@2 2@1 3@2",
      "1.0@0 1.1@0 1.2@0 1.3@0", "0~ 1~ 2~ 3~/" },
    { "foreign queues, three nodes", RR, true, "0@0 1@2 2@0 3@3",
      "1.0@1 1.1@1 1.2@1 1.3@1", "0~ 1~ 3~ 2~/" },
    { "isolated nodes are passed over", RR, true, "0@1 1@2 2@3",
      "1.0@0 1.1@0!1 1.2@0 1.3@0", "0~ 1! 2~ 0~/1" },
    { "foreign queues, by load within the node", GROUP, true,
      "0@1 1@2 2@1 3@2", "1.0@0=9 1.1@0=8 1.2@0=7 1.3@0=6 1.4@0=5",
      "0~ 1~ 2~ 3~ 2~/" },
    { "foreign and own queues share the turn", RR, true, "0@1 1@1",
      "1.0@0 2.0@1 1.1@0", "0~ 1 0~/" },
    { "device without a node", RR, true, "0@0 1@0", "1.0@-1", "0~/" },
};

static struct ef_sched_pmd *
parse_pmds(const char *s, size_t *n)
{
    struct ef_sched_pmd *pmds = xcalloc(16, sizeof *pmds);
    int len;

    *n = 0;
    while (sscanf(s, " %u@%d%n", &pmds[*n].core_id, &pmds[*n].numa_id,
                  &len) == 2) {
        s += len;
        ++*n;
    }
    return pmds;
}

static struct ef_sched_rxq *
parse_rxqs(const char *s, size_t *n)
{
    struct ef_sched_rxq *rxqs = xcalloc(16, sizeof *rxqs);
    int len;

    *n = 0;
    for (;;) {
        struct ef_sched_rxq *rxq = &rxqs[*n];

        if (sscanf(s, " %"SCNu32".%d@%d%n", &rxq->port_no, &rxq->queue_id,
                   &rxq->numa_id, &len) != 3) {
            break;
        }
        s += len;
        rxq->port_name = "p0";
        rxq->pinned_core = OVS_CORE_UNSPEC;
        if (sscanf(s, "!%u%n", &rxq->pinned_core, &len) == 1) {
            s += len;
        }
        if (sscanf(s, "=%"SCNu64"%n", &rxq->cycles, &len) == 1) {
            s += len;
        }
        ++*n;
    }
    return rxqs;
}

static void
init_case(struct ef_sched *sched, const struct plan_case *c)
{
    *sched = (struct ef_sched) {
        .algorithm = c->algorithm,
        .isolate = c->isolate,
    };
    sched->pmds = parse_pmds(c->pmds, &sched->n_pmds);
    sched->rxqs = parse_rxqs(c->rxqs, &sched->n_rxqs);
}

static char *
format_result(const struct ef_sched *sched)
{
    static const char marks[] = {
        [EF_SCHED_PINNED] = '!',
        [EF_SCHED_ASSIGNED] = '\0',
        [EF_SCHED_CROSS_NUMA] = '~',
        [EF_SCHED_UNPOLLED] = '?',
    };
    struct ds ds = DS_EMPTY_INITIALIZER;

    for (size_t i = 0; i < sched->n_rxqs; i++) {
        const struct ef_sched_rxq *rxq = &sched->rxqs[i];

        ds_put_cstr(&ds, i ? " " : "");
        if (rxq->pmd < 0) {
            ds_put_char(&ds, rxq->outcome == EF_SCHED_UNPOLLED ? '-' : '?');
        } else {
            ds_put_format(&ds, "%u", sched->pmds[rxq->pmd].core_id);
            if (marks[rxq->outcome]) {
                ds_put_char(&ds, marks[rxq->outcome]);
            }
        }
    }
    ds_put_char(&ds, '/');
    for (size_t i = 0, n = 0; i < sched->n_pmds; i++) {
        if (sched->pmds[i].isolated) {
            ds_put_format(&ds, "%s%u", n++ ? " " : "",
                          sched->pmds[i].core_id);
        }
    }
    return ds_steal_cstr(&ds);
}

static void
check_result(const struct ef_sched *sched, const struct plan_case *c)
{
    char *result = format_result(sched);

    if (!EF_CHECK_STR_EQ(result, c->result)) {
        printf("# in \"%s\"\n", c->name);
    }
    free(result);
}

EF_TEST(plan_table)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct ef_sched sched;

        init_case(&sched, &cases[i]);
        ef_sched_plan(&sched);
        check_result(&sched, &cases[i]);
        ef_sched_uninit(&sched);
    }
}

/* The same input gives the same plan, also in the same struct. */
EF_TEST(plan_is_repeatable)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct ef_sched sched;

        init_case(&sched, &cases[i]);
        ef_sched_plan(&sched);
        ef_sched_plan(&sched);
        check_result(&sched, &cases[i]);
        ef_sched_uninit(&sched);
    }
}

/* Where load decides, the order of the input does not. */
EF_TEST(plan_ignores_input_order)
{
    static const struct plan_case forward = {
        "", GROUP, true, "0@0 1@0 2@1",
        "1.0@0=5 1.1@0=9 2.0@1=5 2.1@0=5 3.0@0!1=2", NULL,
    };
    struct ef_sched a, b;

    init_case(&a, &forward);
    init_case(&b, &forward);
    for (size_t i = 0; i < b.n_rxqs; i++) {
        b.rxqs[i] = a.rxqs[a.n_rxqs - 1 - i];
    }
    ef_sched_plan(&a);
    ef_sched_plan(&b);
    for (size_t i = 0; i < a.n_rxqs; i++) {
        EF_CHECK_EQ(a.rxqs[i].pmd, b.rxqs[a.n_rxqs - 1 - i].pmd);
    }
    ef_sched_uninit(&a);
    ef_sched_uninit(&b);
}

/* A PMD that the plan does not know about. */
EF_TEST_MUST_FAIL(plan_for_other_pmds)
{
    struct ef_sched sched;

    init_case(&sched, &cases[4]);
    sched.n_pmds--;
    ef_sched_plan(&sched);
    check_result(&sched, &cases[4]);
    ef_sched_uninit(&sched);
}

EF_TEST(plan_adds_up)
{
    static const struct plan_case c = {
        "", GROUP, false, "0@0 1@0",
        "1.0@0!0=50 1.1@0=40 1.2@0=20 1.3@0!9=1", NULL,
    };
    struct ef_sched sched;

    init_case(&sched, &c);
    ef_sched_plan(&sched);
    EF_CHECK_EQ(sched.pmds[0].n_rxqs, 2);
    EF_CHECK_EQ(sched.pmds[0].cycles, 51);
    EF_CHECK_EQ(sched.pmds[1].n_rxqs, 2);
    EF_CHECK_EQ(sched.pmds[1].cycles, 60);
    EF_CHECK(sched.rxqs[3].pin_failed);
    EF_CHECK(!sched.rxqs[0].pin_failed);

    EF_CHECK_EQ(sched.n_order, 3);
    EF_CHECK_EQ(sched.order[0], 1);
    EF_CHECK_EQ(sched.order[1], 2);
    EF_CHECK_EQ(sched.order[2], 3);
    ef_sched_uninit(&sched);
}

EF_TEST(algorithm_names)
{
    enum ef_sched_algorithm algorithm = CYCLES;

    EF_CHECK(ef_sched_algorithm_parse("group", &algorithm));
    EF_CHECK_EQ(algorithm, GROUP);
    EF_CHECK(!ef_sched_algorithm_parse("Group", &algorithm));
    EF_CHECK(!ef_sched_algorithm_parse("", &algorithm));
    EF_CHECK_EQ(algorithm, GROUP);
    EF_CHECK_STR_EQ(ef_sched_algorithm_name(RR), "roundrobin");
    EF_CHECK_STR_EQ(ef_sched_algorithm_name(CYCLES), "cycles");
}

/* Log texts.  Lines are "LEVEL MESSAGE". */

static char *
plan_and_log(const struct plan_case *c, enum vlog_level level)
{
    char path[] = "/tmp/test-sched-plan.XXXXXX";
    char text[8192];
    struct ef_sched sched;
    size_t n;
    FILE *log;

    ignore(close(mkstemp(path)));
    vlog_set_levels(NULL, VLF_ANY_DESTINATION, VLL_OFF);
    vlog_set_pattern(VLF_FILE, "%p %m");
    vlog_set_log_file(path);
    vlog_set_levels(VLM_dpif_netdev, VLF_FILE, VLL_DBG);

    init_case(&sched, c);
    ef_sched_plan(&sched);
    ef_sched_log(&sched, level);
    ef_sched_uninit(&sched);

    log = fopen(path, "r");
    n = log ? fread(text, 1, sizeof text - 1, log) : 0;
    text[n] = '\0';
    if (log) {
        fclose(log);
    }
    unlink(path);
    return xstrdup(text);
}

static void
check_log(enum ef_sched_algorithm algorithm, bool isolate, const char *pmds,
          const char *rxqs, enum vlog_level level, const char *expected)
{
    struct plan_case c = { "", algorithm, isolate, pmds, rxqs, NULL };
    char *text = plan_and_log(&c, level);

    EF_CHECK_STR_EQ(text, expected);
    free(text);
}

EF_TEST(log_of_a_plan)
{
    check_log(CYCLES, true, "0@0 10@1", "1.0@0=7 1.1@0!10=5",
        VLL_INFO,
        "INFO Core 10 on numa node 1 is pinned with port 'p0' rx queue 1 "
        "(measured processing cycles 5)\n"
        "INFO Performing pmd to rx queue assignment using cycles "
        "algorithm.\n"
        "INFO Core  0 on numa node 0 assigned port 'p0' rx queue 0 "
        "(measured processing cycles 7).\n");
}

EF_TEST(log_without_cycles)
{
    check_log(RR, true, "0@0 1@0", "1.0@0=7 1.1@0!1=5", VLL_INFO,
        "INFO Core  1 on numa node 0 is pinned with port 'p0' rx queue 1\n"
        "INFO Performing pmd to rx queue assignment using roundrobin "
        "algorithm.\n"
        "INFO Core  0 on numa node 0 assigned port 'p0' rx queue 0.\n");
}

EF_TEST(log_of_other_nodes)
{
    check_log(GROUP, true, "2@0", "1.7@1", VLL_INFO,
        "INFO Performing pmd to rx queue assignment using group "
        "algorithm.\n"
        "INFO There's no available (non-isolated) pmd thread on numa node 1."
        " Port 'p0' rx queue 7 will be assigned to a pmd on numa node 0. "
        "This may lead to reduced performance.\n"
        "INFO Core  2 on numa node 0 assigned port 'p0' rx queue 7 "
        "(measured processing cycles 0).\n");
}

EF_TEST(log_of_failures)
{
    check_log(CYCLES, true, "0@0", "1.0@0!0 1.1@0!4 1.2@0=3",
        VLL_INFO,
        "INFO Core  0 on numa node 0 is pinned with port 'p0' rx queue 0 "
        "(measured processing cycles 0)\n"
        "WARN Core  4 cannot be pinned with port 'p0' rx queue 1. Use "
        "pmd-cpu-mask to enable a pmd on core 4. An alternative core will "
        "be assigned.\n"
        "INFO Performing pmd to rx queue assignment using cycles "
        "algorithm.\n"
        "WARN No non-isolated pmd on any numa available for port 'p0' rx "
        "queue 2 (measured processing cycles 3). This rx queue will not be "
        "polled.\n"
        "WARN No non-isolated pmd on any numa available for port 'p0' rx "
        "queue 1 (measured processing cycles 0). This rx queue will not be "
        "polled.\n");
}

/* A dry run alarms nobody and does not claim to perform anything. */
EF_TEST(log_of_a_dry_run)
{
    check_log(RR, true, "0@0", "1.0@0!0 1.1@0!4", VLL_DBG,
        "DBG Core  0 on numa node 0 is pinned with port 'p0' rx queue 0\n"
        "DBG Core  4 cannot be pinned with port 'p0' rx queue 1. Use "
        "pmd-cpu-mask to enable a pmd on core 4. An alternative core will "
        "be assigned.\n"
        "DBG No non-isolated pmd on any numa available for port 'p0' rx "
        "queue 1. This rx queue will not be polled.\n");
}

EF_TEST(log_without_unpinned_queues)
{
    check_log(CYCLES, true, "0@0", "", VLL_INFO, "");
}
