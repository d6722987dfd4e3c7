/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_SETTINGS_H
#define EF_CORE_SETTINGS_H 1

/* What each key of the database was set to, what is in force and what was
 * refused and why: the facts behind "evenflow/config-show".
 *
 * Whoever parses a key reports here.  'scope' is "Open_vSwitch" or
 * "Interface NAME".  A refusal stays until the key is accepted, unset or its
 * scope forgotten.
 *
 *     ef_settings_accept("Open_vSwitch", "emc-insert-inv-prob", "100");
 *     ef_settings_refuse("Interface vhu0", "tx-retries-max", "77",
 *                        "must be a number from 0 to 32");
 *
 * Threads: any that may block; calls lock each other out. */

#include <stdbool.h>

#include "openvswitch/compiler.h"

/* The scope of the interface 'name', to be freed. */
char *ef_settings_interface(const char *name);

/* 'value' is in force; NULL: the default is. */
void ef_settings_accept(const char *scope, const char *key,
                        const char *value);
/* 'value' is refused; what was in force stays.  Returns false if the same
 * value was refused before. */
bool ef_settings_refuse(const char *scope, const char *key,
                        const char *value, const char *rule);
/* Everything about 'scope', for instance when a port goes. */
void ef_settings_forget(const char *scope);

/* One known key; strings live as long as the callback runs. */
struct ef_setting {
    const char *scope;
    const char *key;
    const char *in_force;       /* NULL: the default. */
    const char *refused;        /* NULL: nothing was. */
    const char *rule;           /* Why it was, or NULL. */
};

/* Calls 'cb' for every key, sorted by scope and key, with the lock held: 'cb'
 * calls none of these functions. */
void ef_settings_for_each(void (*cb)(const struct ef_setting *, void *aux),
                          void *aux);

#endif /* core/settings.h */
