/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of show/config-show.c: the text and the JSON object. */

#include <config.h>

#include "show/config-show.h"

#include "core/settings.h"
#include "ef-test.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"

static void
check_output(const char *text, const char *json)
{
    struct ds ds = DS_EMPTY_INITIALIZER;
    struct json *parsed;

    ef_show_config(&ds);
    EF_CHECK_STR_EQ(ds_cstr(&ds), text);
    ds_clear(&ds);
    ef_show_config_json(&ds);
    EF_CHECK_STR_EQ(ds_cstr(&ds), json);
    parsed = json_from_string(ds_cstr(&ds));
    EF_CHECK_EQ(parsed->type, JSON_OBJECT);
    json_destroy(parsed);
    ds_destroy(&ds);
}

EF_TEST(nothing_known)
{
    check_output("", "{}\n");
}

EF_TEST(accepted_and_refused)
{
    ef_settings_accept("Open_vSwitch", "b", "1 MB");
    ef_settings_accept("Open_vSwitch", "a", NULL);
    ef_settings_refuse("Open_vSwitch", "c", "x", "must be a number");
    ef_settings_accept("Interface p0", "d", "4");
    ef_settings_refuse("Interface p0", "d", "9", "must be at most 8");

    check_output("Interface p0:\n"
                 "  d: '4'\n"
                 "    refused '9': must be at most 8\n"
                 "Open_vSwitch:\n"
                 "  a: default\n"
                 "  b: '1 MB'\n"
                 "  c: default\n"
                 "    refused 'x': must be a number\n",

                 "{\"Interface p0\":{"
                 "\"d\":{\"in_force\":\"4\",\"refused\":\"9\","
                 "\"rule\":\"must be at most 8\"}},"
                 "\"Open_vSwitch\":{"
                 "\"a\":{\"in_force\":null},"
                 "\"b\":{\"in_force\":\"1 MB\"},"
                 "\"c\":{\"in_force\":null,\"refused\":\"x\","
                 "\"rule\":\"must be a number\"}}}\n");
    ef_settings_forget("Open_vSwitch");
    ef_settings_forget("Interface p0");
}

/* What a user writes makes no lines and no members of its own. */
EF_TEST(hostile_values)
{
    ef_settings_accept("s", "a", "x\n  b: 'y'");
    ef_settings_refuse("s", "a", "\"},\\", "'\x7f'");
    check_output("s:\n"
                 "  a: 'x\\x0a  b: 'y''\n"
                 "    refused '\"},\\': '\\x7f'\n",
                 "{\"s\":{\"a\":{\"in_force\":\"x\\n  b: 'y'\","
                 "\"refused\":\"\\\"},\\\\\",\"rule\":\"'\x7f'\"}}}\n");
    ef_settings_forget("s");
}

EF_TEST_MUST_FAIL(planted)
{
    ef_settings_refuse("s", "a", "x", "rule");
    check_output("s:\n  a: default\n", "{\"s\":{\"a\":{}}}\n");
    ef_settings_forget("s");
}
