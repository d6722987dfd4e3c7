/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of core/settings.c: what is in force, what was refused, order,
 * how long a refusal stays. */

#include <config.h>

#include "core/settings.h"

#include "ef-test.h"
#include "openvswitch/dynamic-string.h"

static void
put(const struct ef_setting *s, void *ds)
{
    ds_put_format(ds, "%s/%s=%s", s->scope, s->key,
                  s->in_force ? s->in_force : "-");
    if (s->refused) {
        ds_put_format(ds, "!%s!%s", s->refused, s->rule);
    } else {
        EF_CHECK(!s->rule);
    }
    ds_put_char(ds, ' ');
}

/* Compares all there is with 'expected', then forgets the scopes. */
static void
check_and_forget(const char *expected)
{
    struct ds ds = DS_EMPTY_INITIALIZER;

    ef_settings_for_each(put, &ds);
    EF_CHECK_STR_EQ(ds_cstr(&ds), expected);
    ef_settings_forget("s");
    ef_settings_forget("t");
    ds_clear(&ds);
    ef_settings_for_each(put, &ds);
    EF_CHECK_STR_EQ(ds_cstr(&ds), "");
    ds_destroy(&ds);
}

EF_TEST(accepted_values)
{
    ef_settings_accept("s", "a", "1");
    ef_settings_accept("s", "b", NULL);
    ef_settings_accept("s", "c", "1");
    ef_settings_accept("s", "c", NULL);
    ef_settings_accept("s", "d", "1");
    ef_settings_accept("s", "d", "2");
    check_and_forget("s/a=1 s/b=- s/c=- s/d=2 ");
}

EF_TEST(refusal_leaves_what_is_in_force)
{
    ef_settings_refuse("s", "a", "x", "rule");
    ef_settings_accept("s", "b", "1");
    ef_settings_refuse("s", "b", "x", "rule");
    ef_settings_refuse("s", "b", "y", "other");
    check_and_forget("s/a=-!x!rule s/b=1!y!other ");
}

EF_TEST(refusal_ends)
{
    ef_settings_refuse("s", "a", "x", "rule");
    ef_settings_accept("s", "a", "1");
    ef_settings_accept("s", "b", "1");
    ef_settings_refuse("s", "b", "x", "rule");
    ef_settings_accept("s", "b", NULL);
    check_and_forget("s/a=1 s/b=- ");
}

EF_TEST(sorted_by_scope_and_key)
{
    ef_settings_accept("t", "a", "4");
    ef_settings_accept("s", "c", "3");
    ef_settings_accept("s", "a", "1");
    ef_settings_accept("s", "b", "2");
    check_and_forget("s/a=1 s/b=2 s/c=3 t/a=4 ");
}

EF_TEST(forget_one_scope)
{
    ef_settings_accept("s", "a", "1");
    ef_settings_accept("t", "a", "2");
    ef_settings_forget("s");
    ef_settings_forget("none");
    check_and_forget("t/a=2 ");
}

static void
remember(const struct ef_setting *s, void *setting)
{
    *(struct ef_setting *) setting = *s;
}

/* A value that was handed out is handed in again. */
EF_TEST(value_of_its_own)
{
    struct ef_setting s;

    ef_settings_accept("s", "a", "1");
    ef_settings_for_each(remember, &s);
    ef_settings_accept("s", "a", s.in_force);
    check_and_forget("s/a=1 ");
}

EF_TEST_MUST_FAIL(planted)
{
    ef_settings_accept("s", "a", "1");
    ef_settings_refuse("s", "a", "2", "rule");
    check_and_forget("s/a=2 ");
}
