/* SPDX-License-Identifier: Apache-2.0 */

/* Makes EAL's arguments out of the database's other_config.
 *
 * Called by eal.c on the main thread.  No state.  Malformed values are found
 * here, where the key at fault is still known; what only EAL can tell is left
 * to eal-trial.c. */

#include <config.h>

#include "dpdk/eal.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "core/digits.h"
#include "dpdk/eal-vlog.h"
#include "smap.h"
#include "svec.h"
#include "util.h"

#define STRINGIFY2(X) #X
#define STRINGIFY(X) STRINGIFY2(X)

#define MASK_RULE "must be a hexadecimal mask of at least one core"
#define LIST_RULE "must be one to " STRINGIFY(RTE_MAX_NUMA_NODES)       \
                  " numbers of megabytes with commas between them, "    \
                  "one for each NUMA node"
#define ALLOC_RULE "must be a number of megabytes from 1 to 2147483647"
#define DIR_RULE "must be an existing directory"
#define QUOTE_RULE "has a quote or a backslash that nothing follows"
#define HELP_RULE "must not ask for help, which ends the process"

/* Each of the check_...() functions returns NULL or the rule that 'value'
 * breaks. */

/* Blanks around the number are fine with EAL. */
static const char *
check_mask(const char *value)
{
    const char *digits;
    size_t n;

    value += strspn(value, " \t");
    if (value[0] == '0' && (value[1] == 'x' || value[1] == 'X')) {
        value += 2;
    }
    digits = value;
    n = strspn(digits, "0123456789abcdefABCDEF");
    value = digits + n;
    value += strspn(value, " \t");
    return *value || strspn(digits, "0") >= n ? MASK_RULE : NULL;
}

static const char *
check_list(const char *value)
{
    uint64_t n;

    for (int i = 0; i < RTE_MAX_NUMA_NODES; i++) {
        value += strspn(value, " ");
        if (!ef_digits_take(&value, UINT32_MAX, &n)) {
            return LIST_RULE;
        } else if (!*value) {
            return NULL;
        } else if (*value++ != ',') {
            return LIST_RULE;
        }
    }
    return LIST_RULE;
}

static const char *
check_alloc(const char *value)
{
    uint64_t n;

    value += strspn(value, "0");
    return ef_digits_whole(value, INT_MAX, &n) ? NULL : ALLOC_RULE;
}

static const char *
check_dir(const char *value)
{
    struct stat s;

    return !stat(value, &s) && S_ISDIR(s.st_mode) ? NULL : DIR_RULE;
}

/* Whether svec_parse_words() would meet the end within a quote or after a
 * backslash; it would only warn.  As there, one kind of quote within the
 * other takes its place. */
static bool
is_unfinished(const char *words)
{
    char quote = 0;

    for (; *words; words++) {
        if (*words == '\'' || *words == '"') {
            quote = *words == quote ? 0 : *words;
        } else if (*words == '\\' && quote != '\'' && !*++words) {
            return true;
        }
    }
    return quote != 0;
}

static const char *
check_extra(const char *value)
{
    struct svec words = SVEC_EMPTY_INITIALIZER;
    const char *rule = NULL;
    const char *word;
    size_t i;

    if (is_unfinished(value)) {
        return QUOTE_RULE;
    }
    svec_parse_words(&words, value);
    SVEC_FOR_EACH (i, word, &words) {
        if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
            rule = HELP_RULE;
        }
    }
    svec_destroy(&words);
    return rule;
}

/* A key that becomes an option of EAL.  'rivals' are the options in dpdk-extra
 * that EAL would refuse beside it. */
struct eal_key {
    const char *key;
    const char *option;
    const char *rivals[3];
    const char *(*check)(const char *value);
    bool empty_is_unset;
};

#define CORE_OPTIONS { "-c", "-l", "--lcores" }
#define MEMORY_OPTIONS { "-m", "--socket-mem", NULL }

static const struct eal_key keys[] = {
    { "dpdk-lcore-mask", "-c", CORE_OPTIONS, check_mask, false },
    { "dpdk-hugepage-dir", "--huge-dir", { "--huge-dir", NULL, NULL },
      check_dir, false },
    { "dpdk-socket-limit", "--socket-limit", { "--socket-limit", NULL, NULL },
      check_list, false },
    { "dpdk-alloc-mem", "-m", MEMORY_OPTIONS, check_alloc, true },
    { "dpdk-socket-mem", "--socket-mem", MEMORY_OPTIONS, check_list, true },
};

static const char *
get_value(const struct smap *other_config, const struct eal_key *key)
{
    const char *value = smap_get(other_config, key->key);

    return value && !*value && key->empty_is_unset ? NULL : value;
}

/* Whether 'word' is 'option' ("-c", "--lcores"), alone or with its value. */
static bool
is_option(const char *word, const char *option)
{
    size_t len = strlen(option);

    if (strncmp(word, option, len)) {
        return false;
    }
    return option[1] != '-' || !word[len] || word[len] == '=';
}

static bool
has_option(const struct svec *args, const char *option)
{
    const char *word;
    size_t i;

    SVEC_FOR_EACH (i, word, args) {
        if (is_option(word, option)) {
            return true;
        }
    }
    return false;
}

static const char *
find_option(const struct svec *args, const char *const options[3])
{
    for (int i = 0; i < 3 && options[i]; i++) {
        if (has_option(args, options[i])) {
            return options[i];
        }
    }
    return NULL;
}

static bool
names_cores(const struct svec *args)
{
    static const char *const options[3] = CORE_OPTIONS;

    return find_option(args, options) != NULL;
}

static void
parse_extra(const struct smap *other_config, struct svec *extra)
{
    const char *value = smap_get(other_config, "dpdk-extra");

    if (value) {
        svec_parse_words(extra, value);
    }
}

bool
ef_eal_names_cores(const struct smap *other_config)
{
    struct svec extra = SVEC_EMPTY_INITIALIZER;
    bool named;

    parse_extra(other_config, &extra);
    named = smap_get(other_config, "dpdk-lcore-mask") || names_cores(&extra);
    svec_destroy(&extra);
    return named;
}

static const char *
find_rival(const struct smap *other_config, const struct svec *extra,
           const struct eal_key *key)
{
    const char *option = find_option(extra, key->rivals);

    /* Of the two keys for memory, this one is the finer. */
    if (!option && !strcmp(key->key, "dpdk-alloc-mem")) {
        const char *finer = smap_get(other_config, "dpdk-socket-mem");

        option = finer && *finer ? "dpdk-socket-mem" : NULL;
    }
    return option;
}

const char *
ef_eal_key_rival(const struct smap *other_config, const char *name)
{
    struct svec extra = SVEC_EMPTY_INITIALIZER;
    const char *rival = NULL;

    parse_extra(other_config, &extra);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (!strcmp(keys[i].key, name) && get_value(other_config, &keys[i])) {
            rival = find_rival(other_config, &extra, &keys[i]);
        }
    }
    svec_destroy(&extra);
    return rival;
}

static char *
check_value(const char *key, const char *value, const char *rule,
            const char **keyp)
{
    if (!rule) {
        return NULL;
    }
    *keyp = key;
    return xasprintf("'%s=%s': %s", key, value, rule);
}

/* Appends the option for 'key', unless 'extra' rules it out. */
static char *
add_key(const struct smap *other_config, const struct eal_key *key,
        const struct svec *extra, struct svec *args, const char **keyp)
{
    const char *value = get_value(other_config, key);
    const char *rival;
    char *error;

    if (!value) {
        return NULL;
    }
    rival = find_rival(other_config, extra, key);
    if (!rival) {
        error = check_value(key->key, value, key->check(value), keyp);
        if (!error) {
            svec_add(args, key->option);
            svec_add(args, value);
        }
        return error;
    } else if (rival[0] == '-') {
        VLOG_WARN("Ignoring database defined option '%s' due to "
                  "dpdk-extra config", key->option);
    } else {
        VLOG_ERR("Multiple defined options for memory type. Please check "
                 "your database settings and reconfigure if necessary.");
    }
    return NULL;
}

/* What EAL gets if nobody says otherwise. */
static void
add_defaults(int affinity_core, struct svec *args)
{
    /* Memory without huge pages is of the legacy kind, and EAL refuses the
     * two together. */
    if (!has_option(args, "--in-memory") && !has_option(args, "--legacy-mem")
        && !has_option(args, "--no-huge")) {
        svec_add(args, "--in-memory");
    }
    if (names_cores(args)) {
        return;
    } else if (affinity_core < RTE_MAX_LCORE) {
        svec_add(args, "-l");
        svec_add_nocopy(args, xasprintf("%d", affinity_core));
    } else {
        /* EAL numbers at most RTE_MAX_LCORE lcores: with "-l" it would not
         * find this core. */
        svec_add_nocopy(args, xasprintf("--lcores=0@%d", affinity_core));
    }
}

char *
ef_eal_args(const struct smap *other_config, int affinity_core,
            struct svec *args, const char **keyp)
{
    const char *words = smap_get(other_config, "dpdk-extra");
    struct svec new_args = SVEC_EMPTY_INITIALIZER;
    struct svec extra = SVEC_EMPTY_INITIALIZER;
    char *error = NULL;

    if (words) {
        error = check_value("dpdk-extra", words, check_extra(words), keyp);
    }
    if (!error) {
        parse_extra(other_config, &extra);
        svec_clone(&new_args, &extra);
    }
    for (size_t i = 0; i < ARRAY_SIZE(keys) && !error; i++) {
        error = add_key(other_config, &keys[i], &extra, &new_args, keyp);
    }
    if (!error) {
        add_defaults(affinity_core, &new_args);
        for (size_t i = 0; i < new_args.n; i++) {
            svec_add(args, new_args.names[i]);
        }
    }
    svec_destroy(&new_args);
    svec_destroy(&extra);
    return error;
}
