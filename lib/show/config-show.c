/* SPDX-License-Identifier: Apache-2.0 */

/* Prints what is known about the keys of the database.
 *
 * dpif/commands.c has the command registered; it is answered on the thread
 * "ctl".  Reads core/settings.c, under its mutex, and nothing else, so it is
 * safe at any moment. */

#include <config.h>

#include "show/config-show.h"

#include <ctype.h>
#include <string.h>

#include "core/settings.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "openvswitch/shash.h"
#include "show/command.h"
#include "util.h"

struct text {
    struct ds *ds;
    char *scope;                /* Of the last line, NULL at first. */
};

/* The database lets any character into a value; one value stays one line. */
static void
put_escaped(struct ds *ds, const char *s)
{
    for (; *s; s++) {
        unsigned char c = *s;

        if (iscntrl(c)) {
            ds_put_format(ds, "\\x%02x", c);
        } else {
            ds_put_char(ds, c);
        }
    }
}

static void
put_quoted(struct ds *ds, const char *s)
{
    ds_put_char(ds, '\'');
    put_escaped(ds, s);
    ds_put_char(ds, '\'');
}

static void
put_setting(const struct ef_setting *setting, void *text_)
{
    struct text *text = text_;
    struct ds *ds = text->ds;

    if (!text->scope || strcmp(text->scope, setting->scope)) {
        free(text->scope);
        text->scope = xstrdup(setting->scope);
        put_escaped(ds, setting->scope);
        ds_put_cstr(ds, ":\n");
    }
    ds_put_cstr(ds, "  ");
    put_escaped(ds, setting->key);
    ds_put_cstr(ds, ": ");
    if (setting->in_force) {
        put_quoted(ds, setting->in_force);
    } else {
        ds_put_cstr(ds, "default");
    }
    if (setting->refused) {
        ds_put_cstr(ds, "\n    refused ");
        put_quoted(ds, setting->refused);
        ds_put_cstr(ds, ": ");
        put_escaped(ds, setting->rule);
    }
    ds_put_char(ds, '\n');
}

void
ef_show_config(struct ds *ds)
{
    struct text text = { .ds = ds };

    ef_settings_for_each(put_setting, &text);
    free(text.scope);
}

static void
add_setting(const struct ef_setting *setting, void *json)
{
    struct json *scope = shash_find_data(json_object(json), setting->scope);
    struct json *key = json_object_create();

    if (!scope) {
        scope = json_object_create();
        json_object_put(json, setting->scope, scope);
    }
    json_object_put(key, "in_force", (setting->in_force
                                      ? json_string_create(setting->in_force)
                                      : json_null_create()));
    if (setting->refused) {
        json_object_put_string(key, "refused", setting->refused);
        json_object_put_string(key, "rule", setting->rule);
    }
    json_object_put(scope, setting->key, key);
}

void
ef_show_config_json(struct ds *ds)
{
    struct json *json = json_object_create();

    ef_settings_for_each(add_setting, json);
    json_to_ds(json, JSSF_SORT, ds);
    ds_put_char(ds, '\n');
    json_destroy(json);
}

void
ef_config_show_init(void)
{
    static const struct ef_show_command command = {
        .name = "evenflow/config-show",
        .text = ef_show_config,
        .json = ef_show_config_json,
    };

    ef_show_command_register(&command);
}
