/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of dpif/config.c: other_config:rcu-max-pending and rcu-stall-ms.
 * A bad value is refused with its rule, and what was in force stays. */

#include <config.h>

#include "dpif/ops.h"

#include "core/settings.h"
#include "dpif.h"
#include "dummy.h"
#include "ef-test.h"
#include "rcu/rcu.h"
#include "smap.h"

struct setting {
    const char *key;
    char in_force[32], refused[64], rule[64];
    bool found;
};

static void
copy_setting(const struct ef_setting *s, void *setting_)
{
    struct setting *setting = setting_;

    if (!strcmp(s->scope, "Open_vSwitch") && !strcmp(s->key, setting->key)) {
        setting->found = true;
        ovs_strlcpy(setting->in_force, s->in_force ? s->in_force : "",
                    sizeof setting->in_force);
        ovs_strlcpy(setting->refused, s->refused ? s->refused : "",
                    sizeof setting->refused);
        ovs_strlcpy(setting->rule, s->rule ? s->rule : "",
                    sizeof setting->rule);
    }
}

static struct dpif *dpif;

static bool
open_datapath(void)
{
    if (!dpif) {
        dummy_enable("override");
        EF_CHECK_EQ(dpif_create_and_open("test", "dummy", &dpif), 0);
    }
    return dpif != NULL;
}

/* Sets 'key' to 'text', NULL to remove it, and nothing else. */
static void
set(const char *key, const char *text)
{
    struct smap cfg = SMAP_INITIALIZER(&cfg);

    if (text) {
        smap_add(&cfg, key, text);
    }
    EF_CHECK_EQ(ef_dpif_set_config(dpif, &cfg), 0);
    smap_destroy(&cfg);
}

static void
check_accepted(const char *key, const char *text)
{
    struct setting s = { .key = key };

    set(key, text);
    ef_settings_for_each(copy_setting, &s);
    EF_CHECK(s.found);
    EF_CHECK_STR_EQ(s.in_force, text ? text : "");
    EF_CHECK_STR_EQ(s.refused, "");
}

static void
check_refused(const char *key, const char *text, const char *in_force,
              const char *rule)
{
    struct setting s = { .key = key };

    set(key, text);
    ef_settings_for_each(copy_setting, &s);
    EF_CHECK_STR_EQ(s.in_force, in_force);
    EF_CHECK_STR_EQ(s.refused, text);
    EF_CHECK_STR_EQ(s.rule, rule);
}

EF_TEST(defaults)
{
    EF_REQUIRE(open_datapath());
    ef_rcu_set_max_pending(7);
    ef_rcu_set_stall_ms(7);
    check_accepted("rcu-max-pending", NULL);
    check_accepted("rcu-stall-ms", NULL);
    EF_CHECK_EQ(ef_rcu_get_max_pending(), EF_RCU_MAX_PENDING_DEFAULT);
    EF_CHECK_EQ(ef_rcu_get_max_pending(), 65536);
    EF_CHECK_EQ(ef_rcu_get_stall_ms(), EF_RCU_STALL_MS_DEFAULT);
    EF_CHECK_EQ(ef_rcu_get_stall_ms(), 1000);
}

EF_TEST(max_pending)
{
    static const char *const bad[] = {
        "0", "-1", "1000000001", "99999999999999999999", "4294967297", "",
        "many", "12k", "1.5", "0x100", "5 6",
    };

    EF_REQUIRE(open_datapath());
    check_accepted("rcu-max-pending", "1");
    EF_CHECK_EQ(ef_rcu_get_max_pending(), 1);
    check_accepted("rcu-max-pending", "1000000000");
    EF_CHECK_EQ(ef_rcu_get_max_pending(), 1000000000);
    check_accepted("rcu-max-pending", "1234");
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        check_refused("rcu-max-pending", bad[i], "1234",
                      "must be a number from 1 to 1000000000");
        EF_CHECK_EQ(ef_rcu_get_max_pending(), 1234);
    }
    check_accepted("rcu-max-pending", NULL);
    EF_CHECK_EQ(ef_rcu_get_max_pending(), EF_RCU_MAX_PENDING_DEFAULT);
}

EF_TEST(stall_ms)
{
    static const char *const bad[] = {
        "-1", "3600001", "99999999999999999999", "", "1s", "never",
    };

    EF_REQUIRE(open_datapath());
    check_accepted("rcu-stall-ms", "3600000");
    EF_CHECK_EQ(ef_rcu_get_stall_ms(), 3600000);
    check_accepted("rcu-stall-ms", "0");
    EF_CHECK_EQ(ef_rcu_get_stall_ms(), 0);
    check_accepted("rcu-stall-ms", "250");
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        check_refused("rcu-stall-ms", bad[i], "250",
                      "must be a number from 0 to 3600000");
        EF_CHECK_EQ(ef_rcu_get_stall_ms(), 250);
    }
    check_accepted("rcu-stall-ms", NULL);
    EF_CHECK_EQ(ef_rcu_get_stall_ms(), EF_RCU_STALL_MS_DEFAULT);
}

/* A value that is good. */
EF_TEST_MUST_FAIL(planted)
{
    EF_REQUIRE(open_datapath());
    check_refused("rcu-stall-ms", "17", "",
                  "must be a number from 0 to 3600000");
}
