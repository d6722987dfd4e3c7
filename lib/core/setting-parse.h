/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_SETTING_PARSE_H
#define EF_CORE_SETTING_PARSE_H 1

/* Reads a key of the database strictly and reports to core/settings.h.
 *
 * An unset key stores the default.  A malformed or forbidden value is refused:
 * the functions then return false and store nothing, so that what the caller
 * had stays in force; the refusal is logged once, until it is another one.
 *
 *     unsigned long long n = old;
 *
 *     ef_setting_number("Open_vSwitch", cfg, "rcu-stall-ms", 1000, 0, 60000,
 *                       &n);
 *
 * Threads: any that may block. */

#include <stdbool.h>

struct smap;

/* A decimal number from 'min' to 'max'. */
bool ef_setting_number(const char *scope, const struct smap *, const char *key,
                       unsigned long long def, unsigned long long min,
                       unsigned long long max, unsigned long long *);

/* "true" or "false". */
bool ef_setting_bool(const char *scope, const struct smap *, const char *key,
                     bool def, bool *);

/* Refuses the value of 'key', which the caller found bad. */
void ef_setting_refuse(const char *scope, const struct smap *, const char *key,
                       const char *rule);

#endif /* core/setting-parse.h */
