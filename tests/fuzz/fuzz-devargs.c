/* SPDX-License-Identifier: Apache-2.0 */

/* Fuzzes what EAL and a port are to be started with: the keys of other_config
 * that become EAL's arguments, and options:dpdk-devargs.  EAL is not started
 * and no device attached: those would do what they are told.
 *
 * Input: lines of KEY=VALUE; "core" is the core for EAL's main thread, and
 * "devargs" and "devargs2" are values of dpdk-devargs. */

#include <config.h>

#include "dpdk/eal.h"

#include <limits.h>

#include "core/settings.h"
#include "dpdk-fixture.h"
#include "dpdk/devargs.h"
#include "dpdk/eal-keys.h"
#include "dpdk/ethdev.h"
#include "fuzz.h"
#include "packets.h"
#include "svec.h"

/* Keys that become an option, and what may be added besides dpdk-extra. */
static const char *const keys[] = {
    "dpdk-alloc-mem", "dpdk-extra", "dpdk-hugepage-dir", "dpdk-lcore-mask",
    "dpdk-socket-limit", "dpdk-socket-mem",
};
#define MAX_ADDED (2 * ARRAY_SIZE(keys) + 3)

int
LLVMFuzzerInitialize(int *argc OVS_UNUSED, char ***argv OVS_UNUSED)
{
    fz_begin();
    /* Now its buses can be told. */
    FZ_CHECK(fx_start());
    return 0;
}

static bool
is_known(const char *key)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (!strcmp(keys[i], key)) {
            return true;
        }
    }
    return false;
}

/* Whether 'key' has just what it was set to among the arguments. */
static bool
has_arg(const struct svec *args, const char *value)
{
    for (size_t i = 0; i < args->n; i++) {
        if (!strcmp(args->names[i], value)) {
            return true;
        }
    }
    return false;
}

/* Every word is one of dpdk-extra's, of a value, or of the few that are
 * added. */
static void
check_accepted(const struct smap *config, const struct svec *args)
{
    const char *extra = smap_get_def(config, "dpdk-extra", "");
    size_t size = 0;

    FZ_CHECK(args->n >= 1 && !strcmp(args->names[0], "program"));
    FZ_CHECK(args->n <= 1 + strlen(extra) + MAX_ADDED);
    for (size_t i = 0; i < args->n; i++) {
        FZ_CHECK(args->names[i] != NULL);
        size += strlen(args->names[i]);
    }
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const char *value = smap_get(config, keys[i]);

        if (value && *value && strcmp(keys[i], "dpdk-extra")) {
            FZ_CHECK(ef_eal_key_rival(config, keys[i])
                     || has_arg(args, value));
        }
        size -= MIN(size, value ? strlen(value) : 0);
    }
    FZ_CHECK(size <= 200);
}

static void
fuzz_args(const struct smap *config)
{
    int core = MAX(smap_get_int(config, "core", 0), 0);
    struct svec args = SVEC_EMPTY_INITIALIZER;
    const char *key = NULL;
    char *error;

    svec_add(&args, "program");
    error = ef_eal_args(config, core, &args, &key);
    if (error) {
        FZ_CHECK(key && is_known(key) && smap_get(config, key));
        FZ_CHECK(fz_names_pair(error, config));
        FZ_CHECK(args.n == 1);          /* As it was. */
    } else {
        check_accepted(config, &args);
    }
    ef_eal_names_cores(config);
    free(error);
    svec_destroy(&args);
}

static void
check_setting(const struct ef_setting *s, void *aux OVS_UNUSED)
{
    FZ_CHECK(!strcmp(s->scope, "Open_vSwitch"));
    FZ_CHECK(!s->refused == !s->rule);
    FZ_CHECK(!s->rule || *s->rule);
}

/* What is shown of the keys, for a switch whose DPDK runs with 'a' and that
 * is now told 'b'. */
static void
fuzz_keys(const struct smap *config)
{
    struct smap empty = SMAP_INITIALIZER(&empty);
    struct smap copy;
    char *names;

    ef_eal_keys_copy(&copy, config);
    FZ_CHECK(ef_eal_keys_are_equal(&copy, config));
    ef_eal_keys_report_idle(config);
    ef_eal_keys_report_started(&copy);
    ef_eal_keys_report_late(config, &empty, &empty);
    ef_eal_keys_report_late(&empty, config, &copy);
    names = ef_eal_keys_report_failed(config, "no reason");
    FZ_CHECK(!*names == smap_is_empty(&copy));
    free(names);
    ef_settings_for_each(check_setting, NULL);
    ef_settings_forget("Open_vSwitch");
    smap_destroy(&copy);
}

static void
fuzz_devargs(const char *a, const char *b)
{
    bool same = ef_devargs_is_same_name(a, b);
    uint16_t port_id = ef_ethdev_find(a);
    struct eth_addr mac;

    /* There is no device. */
    FZ_CHECK(port_id == EF_ETHDEV_NONE);

    FZ_CHECK(same == ef_devargs_is_same_name(b, a));
    FZ_CHECK(!same || strcspn(a, ",") == strcspn(b, ","));
    FZ_CHECK(!same || ef_devargs_is_same_name(a, a));
    FZ_CHECK(!same || !ef_devargs_is_by_mac(a));

    if (ef_devargs_get_mac(a, &mac)) {
        char *text = xasprintf("class=eth,mac="ETH_ADDR_FMT,
                               ETH_ADDR_ARGS(mac));
        struct eth_addr again;

        FZ_CHECK(ef_devargs_is_by_mac(a));
        FZ_CHECK(ef_devargs_get_mac(text, &again)
                 && eth_addr_equals(mac, again));
        free(text);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fz_input in = { data, size };
    char *text = fz_string(&in);
    struct smap config;

    fz_smap(text, &config);
    fuzz_args(&config);
    fuzz_keys(&config);
    if (smap_get(&config, "devargs")) {
        fuzz_devargs(smap_get(&config, "devargs"),
                     smap_get_def(&config, "devargs2", ""));
    }
    smap_destroy(&config);
    free(text);
    fz_done();
    return 0;
}
