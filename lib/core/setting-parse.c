/* SPDX-License-Identifier: Apache-2.0 */

/* Strict parsers of the database's values.  Called by whatever takes
 * configuration over, mostly on the main thread. */

#include <config.h>

#include "core/setting-parse.h"

#include <stdlib.h>
#include <string.h>

#include "core/digits.h"
#include "core/log.h"
#include "core/settings.h"
#include "smap.h"
#include "util.h"

void
ef_setting_refuse(const char *scope, const struct smap *cfg, const char *key,
                  const char *rule)
{
    const char *text = smap_get_def(cfg, key, "");

    /* The bridge hands the same values over whenever anything changes.  Not a
     * warning: upstream falls back without a word. */
    if (ef_settings_refuse(scope, key, text, rule)) {
        VLOG_INFO("%s: '%s=%s' is refused: %s", scope, key, text, rule);
    }
}

bool
ef_setting_number(const char *scope, const struct smap *cfg, const char *key,
                  unsigned long long def, unsigned long long min,
                  unsigned long long max, unsigned long long *value)
{
    const char *text = smap_get(cfg, key);
    uint64_t n = def;

    if (text && (!ef_digits_whole(text, max, &n) || n < min)) {
        char *rule = xasprintf("must be a number from %llu to %llu", min, max);

        ef_setting_refuse(scope, cfg, key, rule);
        free(rule);
        return false;
    }
    ef_settings_accept(scope, key, text);
    *value = n;
    return true;
}

bool
ef_setting_bool(const char *scope, const struct smap *cfg, const char *key,
                bool def, bool *value)
{
    const char *text = smap_get(cfg, key);
    bool is_true = text && !strcasecmp(text, "true");

    if (text && !is_true && strcasecmp(text, "false")) {
        ef_setting_refuse(scope, cfg, key, "must be 'true' or 'false'");
        return false;
    }
    ef_settings_accept(scope, key, text);
    *value = text ? is_true : def;
    return true;
}
