/* SPDX-License-Identifier: Apache-2.0 */

/* Settings of the whole datapath, through a dpif of type "dummy": a value that
 * breaks a rule is refused, and the old one stays. */

#include <config.h>

#include "dpif/ops.h"

#include "core/settings.h"
#include "dpif/datapath.h"
#include "dummy.h"
#include "ef-test.h"
#include "openvswitch/vlog.h"
#include "smap.h"

static struct dpif *
setup(void)
{
    static struct dpif *dpif;

    if (!dpif) {
        vlog_set_levels(NULL, VLF_CONSOLE, VLL_OFF);
        dummy_enable("");
        ovs_assert(!dpif_create_and_open("ef-test", "dummy", &dpif));
    }
    return dpif;
}

/* Sets the interval; NULL: not at all.  Returns what is in force. */
static uint32_t
set_flush_interval(const char *value)
{
    struct smap config = SMAP_INITIALIZER(&config);
    struct dpif *dpif = setup();
    uint32_t interval_us;
    int error;

    if (value) {
        smap_add(&config, "tx-flush-interval", value);
    }
    error = ef_dpif_set_config(dpif, &config);
    EF_CHECK_EQ(error, 0);
    atomic_read_relaxed(&ef_dpif_datapath(dpif)
                        ->env.params.tx_flush_interval_us, &interval_us);
    smap_destroy(&config);
    return interval_us;
}

/* Of all that is set, here one key at a time. */
static void
look(const struct ef_setting *setting, void *refused)
{
    if (setting->refused && setting->rule) {
        *(bool *) refused = true;
    }
}

static bool
is_refused(void)
{
    bool refused = false;

    ef_settings_for_each(look, &refused);
    return refused;
}

EF_TEST(flush_interval)
{
    EF_CHECK_EQ(set_flush_interval("0"), 0u);
    EF_CHECK_EQ(set_flush_interval("50"), 50u);
    EF_CHECK_EQ(set_flush_interval("1000000"), 1000000u);
    EF_CHECK(!is_refused());
    EF_CHECK_EQ(set_flush_interval(NULL), 0u);
}

EF_TEST(bad_flush_interval_is_refused)
{
    static const char *const bad[] = { "-1", "1000001", "4294967296", "",
                                       "soon", "5x" };

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        EF_CHECK_EQ(set_flush_interval("70"), 70u);
        EF_CHECK(!is_refused());
        EF_CHECK_EQ(set_flush_interval(bad[i]), 70u);
        EF_CHECK(is_refused());
    }
    EF_CHECK_EQ(set_flush_interval(NULL), 0u);
    EF_CHECK(!is_refused());
}

/* Sets the key, or removes it if 'value' is null; returns what is in force. */
static unsigned
set_overload_budget(const char *value)
{
    struct smap config = SMAP_INITIALIZER(&config);
    struct dpif *dpif = setup();
    uint8_t percent;
    int error;

    if (value) {
        smap_add(&config, "rx-overload-budget", value);
    }
    error = ef_dpif_set_config(dpif, &config);
    EF_CHECK_EQ(error, 0);
    atomic_read_relaxed(&ef_dpif_datapath(dpif)->env.params.overload_percent,
                        &percent);
    smap_destroy(&config);
    return percent;
}

EF_TEST(overload_budget)
{
    static const char *const bad[] = { "51", "-1", "261", "30 %", "" };

    EF_CHECK_EQ(set_overload_budget(NULL), EF_OVERLOAD_PERCENT_DEFAULT);
    EF_CHECK_EQ(set_overload_budget("0"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        EF_CHECK_EQ(set_overload_budget("50"), 50);
        EF_CHECK(!is_refused());
        EF_CHECK_EQ(set_overload_budget(bad[i]), 50);
        EF_CHECK(is_refused());
    }
    EF_CHECK_EQ(set_overload_budget(NULL), EF_OVERLOAD_PERCENT_DEFAULT);
    EF_CHECK(!is_refused());
}

EF_TEST_MUST_FAIL(refused_value_is_in_force)
{
    set_flush_interval("70");
    EF_CHECK_EQ(set_flush_interval("2000000"), 2000000u);
}
