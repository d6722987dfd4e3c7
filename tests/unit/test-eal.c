/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of dpdk/eal.c and eal-keys.c: one process's way from a malformed
 * key to a DPDK that runs, and what is shown on that way.  EAL starts in
 * earnest, once, without huge pages; so each test goes on from the one before
 * it, and to run a single one shows nothing. */

#include <config.h>

#include "dpdk.h"

#include <sys/resource.h>

#include "core/settings.h"
#include "ef-test.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/vlog.h"
#include "smap.h"

#define GOOD_EXTRA "--no-huge --no-pci --no-telemetry --no-shconf -m 64"
#define BOGUS_REASON "test-eal: unrecognized option '--bogus'; " \
    "Invalid 'command line' arguments."

static struct smap config = SMAP_INITIALIZER(&config);

/* Whether a child was waited for in the call. */
static bool
init_tries(void)
{
    struct rusage before, after;

    getrusage(RUSAGE_CHILDREN, &before);
    dpdk_init(&config);
    getrusage(RUSAGE_CHILDREN, &after);
    return after.ru_minflt != before.ru_minflt;
}

static void
put(const struct ef_setting *s, void *ds)
{
    if (s->in_force || s->refused) {
        ds_put_format(ds, "%s=%s", s->key, s->in_force ? s->in_force : "-");
        if (s->refused) {
            ds_put_format(ds, "!%s!%s", s->refused, s->rule);
        }
        ds_put_char(ds, '\n');
    }
}

static void
check_shown(const char *expected)
{
    struct ds ds = DS_EMPTY_INITIALIZER;

    ef_settings_for_each(put, &ds);
    EF_CHECK_STR_EQ(ds_cstr(&ds), expected);
    ds_destroy(&ds);
}

EF_TEST(not_wanted)
{
    /* EAL calls openlog() once more, and what the package's call was given
     * leaks. */
    vlog_set_syslog_method("null");
    vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
    dpdk_init(NULL);
    EF_CHECK(!init_tries());
    check_shown("");

    smap_add(&config, "dpdk-init", "false");
    smap_add(&config, "dpdk-lcore-mask", "zz");
    EF_CHECK(!init_tries());
    EF_CHECK(!dpdk_available());
    EF_CHECK(!dpdk_attach_thread(0));
    check_shown("dpdk-init=false\n");

    smap_replace(&config, "dpdk-init", "yes");
    EF_CHECK(!init_tries());
    check_shown("dpdk-init=-!yes!must be true, false or try\n");
}

EF_TEST(malformed_key)
{
    smap_replace(&config, "dpdk-init", "true");
    EF_CHECK(!init_tries());
    EF_CHECK(!dpdk_available());
    check_shown("dpdk-init=true\n"
                "dpdk-lcore-mask=-!zz!"
                "must be a hexadecimal mask of at least one core\n");
}

EF_TEST(refused_by_eal)
{
    smap_remove(&config, "dpdk-lcore-mask");
    smap_add(&config, "dpdk-extra", GOOD_EXTRA" --bogus");
    EF_CHECK(init_tries());
    EF_CHECK(!dpdk_available());
    check_shown("dpdk-extra=-!"GOOD_EXTRA" --bogus!"BOGUS_REASON"\n"
                "dpdk-init=true!true!"BOGUS_REASON"\n");
}

EF_TEST(refused_is_not_tried_again)
{
    smap_add(&config, "other", "1");
    for (int i = 0; i < 10; i++) {
        EF_CHECK(!init_tries());
    }
    smap_replace(&config, "dpdk-extra", GOOD_EXTRA" --bogus-too");
    EF_CHECK(init_tries());
    EF_CHECK(!init_tries());
    EF_CHECK(!dpdk_available());

    smap_replace(&config, "dpdk-init", "false");
    EF_CHECK(!init_tries());
    check_shown("dpdk-init=false\n");
}

EF_TEST(corrected)
{
    smap_replace(&config, "dpdk-init", "true");
    smap_replace(&config, "dpdk-extra", GOOD_EXTRA);
    smap_add(&config, "dpdk-socket-mem", "512");
    EF_CHECK(init_tries());
    EF_CHECK(dpdk_available());
    EF_CHECK_EQ(rte_lcore_id(), NON_PMD_CORE_ID);
    check_shown("dpdk-extra="GOOD_EXTRA"\n"
                "dpdk-init=true\n"
                "dpdk-socket-mem=-!512!dpdk-extra's -m wins\n");
    EF_CHECK(!init_tries());
}

EF_TEST(late_changes_wait)
{
    smap_replace(&config, "dpdk-extra", "--bogus");
    smap_replace(&config, "dpdk-init", "try");
    smap_remove(&config, "dpdk-socket-mem");
    smap_add(&config, "dpdk-alloc-mem", "8");
    for (int i = 0; i < 2; i++) {
        EF_CHECK(!init_tries());
        EF_CHECK(dpdk_available());
        check_shown("dpdk-alloc-mem=-!8!"
                    "takes effect when ovs-vswitchd is restarted\n"
                    "dpdk-extra="GOOD_EXTRA"!--bogus!"
                    "takes effect when ovs-vswitchd is restarted\n"
                    "dpdk-init=true\n"
                    "dpdk-socket-mem=-!!its removal "
                    "takes effect when ovs-vswitchd is restarted\n");
    }

    smap_replace(&config, "dpdk-extra", GOOD_EXTRA);
    smap_replace(&config, "dpdk-init", "false");
    smap_remove(&config, "dpdk-alloc-mem");
    smap_replace(&config, "dpdk-socket-mem", "512");
    EF_CHECK(!init_tries());
    EF_CHECK(dpdk_available());
    check_shown("dpdk-extra="GOOD_EXTRA"\n"
                "dpdk-init=true!false!"
                "takes effect when ovs-vswitchd is restarted\n"
                "dpdk-socket-mem=-!512!dpdk-extra's -m wins\n");
}

EF_TEST_MUST_FAIL(planted)
{
    smap_replace(&config, "dpdk-init", "true");
    dpdk_init(&config);
    EF_CHECK(!dpdk_available());
    smap_destroy(&config);
}
