/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of control/options.c and of replies in JSON: a client that asks
 * for them gets them, on its own connection only. */

#include <config.h>

#include "control/options.h"

#include "control-fixture.h"
#include "control/control.h"
#include "ef-test.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"
#include "show/command.h"

/* An empty reply in JSON. */
#define NOTHING "{\"reply\":\"\",\"reply-format\":\"plain\"}"

static void
echo(struct unixctl_conn *conn, int argc, const char *argv[],
     void *aux OVS_UNUSED)
{
    unixctl_command_reply(conn, argc > 1 ? argv[1] : NULL);
}

static void
fail(struct unixctl_conn *conn, int argc OVS_UNUSED,
     const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    unixctl_command_reply_error(conn, "no");
}

static void
both(struct unixctl_conn *conn, int argc OVS_UNUSED,
     const char *argv[] OVS_UNUSED, void *aux OVS_UNUSED)
{
    if (unixctl_command_get_output_format(conn) == UNIXCTL_OUTPUT_FMT_JSON) {
        unixctl_command_reply_json(conn, json_integer_create(7));
    } else {
        unixctl_command_reply(conn, "seven");
    }
}

static void
start(struct fixture *fixture)
{
    fixture_start(fixture);
    ef_control_register("format/echo", "", 0, 1, echo, NULL);
    unixctl_command_register("format/fail", "", 0, 1, fail, NULL);
    unixctl_command_register("format/both", "", 0, 0, both, NULL);
}

/* Returns the reply as JSON text, an error behind "error: ". */
static char *
exchange(struct jsonrpc *client, const char *command, const char *arg1,
         const char *arg2)
{
    char *argv[] = { CONST_CAST(char *, arg1), CONST_CAST(char *, arg2) };
    struct json *result, *error;
    char *text, *s;

    if (!EF_CHECK(!ef_client_transact(client, command, !!arg1 + !!arg2, argv,
                                      &result, &error))) {
        return xstrdup("");
    }
    text = json_to_string(error ? error : result, JSSF_SORT);
    s = error ? xasprintf("error: %s", text) : xstrdup(text);
    free(text);
    json_destroy(result);
    json_destroy(error);
    return s;
}

static void
expect(struct jsonrpc *client, const char *command, const char *arg1,
       const char *arg2, const char *expected)
{
    char *s = exchange(client, command, arg1, arg2);

    EF_CHECK_STR_EQ(s, expected);
    free(s);
}

EF_TEST(replies_are_text_until_json_is_asked_for)
{
    struct fixture fixture;
    struct jsonrpc *client;

    start(&fixture);
    client = client_open();
    expect(client, "format/echo", "me", NULL, "\"me\\n\"");
    expect(client, "format/both", NULL, NULL, "\"seven\\n\"");
    expect(client, "set-options", "--format", "json", NOTHING);
    expect(client, "format/echo", "me", NULL,
           "{\"reply\":\"me\",\"reply-format\":\"plain\"}");
    expect(client, "format/echo", NULL, NULL, NOTHING);
    expect(client, "format/both", NULL, NULL, "7");
    expect(client, "format/fail", NULL, NULL, "error: \"no\"");
    expect(client, "set-options", "--format=text", NULL, "\"\"");
    expect(client, "format/fail", NULL, NULL, "error: \"no\\n\"");
    jsonrpc_close(client);
    fixture_end(&fixture);
}

EF_TEST(one_client_chooses_for_itself_only)
{
    struct jsonrpc *one, *other;
    struct fixture fixture;

    start(&fixture);
    one = client_open();
    other = client_open();
    expect(one, "set-options", "--format", "JSON", NOTHING);
    expect(other, "format/both", NULL, NULL, "\"seven\\n\"");
    expect(one, "format/both", NULL, NULL, "7");
    jsonrpc_close(one);
    jsonrpc_close(other);
    fixture_end(&fixture);
}

EF_TEST(list_of_commands_is_an_object)
{
    struct fixture fixture;
    struct jsonrpc *client;
    char *s;

    start(&fixture);
    client = client_open();
    free(exchange(client, "set-options", "--format", "json"));
    s = exchange(client, "list-commands", NULL, NULL);
    EF_CHECK(s[0] == '{');
    EF_CHECK(strstr(s, "\"set-options\":\"[--format text|json]\""));
    free(s);
    jsonrpc_close(client);
    fixture_end(&fixture);
}

static void
show_text(struct ds *reply)
{
    ds_put_cstr(reply, "n: 1\n");
}

static void
show_json(struct ds *reply)
{
    ds_put_cstr(reply, "{\"n\":1}\n");
}

EF_TEST(shown_facts_are_an_object)
{
    static const struct ef_show_command command = {
        .name = "format/show", .text = show_text, .json = show_json,
    };
    struct fixture fixture;
    struct jsonrpc *client;

    start(&fixture);
    ef_show_command_register(&command);
    client = client_open();
    expect(client, "format/show", NULL, NULL, "\"n: 1\\n\"");
    expect(client, "format/show", "json", NULL,
           "\"{\\\"n\\\":1}\\n\"");
    expect(client, "set-options", "--format", "json", NOTHING);
    expect(client, "format/show", NULL, NULL, "{\"n\":1}");
    expect(client, "format/show", "json", NULL, "{\"n\":1}");
    jsonrpc_close(client);
    fixture_end(&fixture);
}

static void
check_refusals(const char *what_is_wrong_with_xml)
{
    struct fixture fixture;
    struct jsonrpc *client;

    start(&fixture);
    client = client_open();
    expect(client, "set-options", "--format", "xml", what_is_wrong_with_xml);
    expect(client, "set-options", "--format", NULL,
           "error: \"option '--format' requires an argument\\n\"");
    expect(client, "set-options", "--colour", "red",
           "error: \"unrecognized option '--colour'\\n\"");
    expect(client, "set-options", "--format=json", "text",
           "error: \"unrecognized option '--format=json'\\n\"");
    expect(client, "set-options", NULL, NULL,
           "error: \"\\\"set-options\\\" command requires at least 1 "
           "arguments\\n\"");
    /* The old format stays. */
    expect(client, "format/both", NULL, NULL, "\"seven\\n\"");
    jsonrpc_close(client);
    fixture_end(&fixture);
}

EF_TEST(bad_options_are_refused)
{
    check_refusals("error: \"option format has invalid value xml\\n\"");
}

EF_TEST_MUST_FAIL(bad_options_are_taken)
{
    check_refusals("\"\"");
}

EF_TEST(formats_have_names)
{
    enum unixctl_output_fmt format;

    EF_CHECK_STR_EQ(unixctl_output_fmt_to_string(UNIXCTL_OUTPUT_FMT_TEXT),
                 "text");
    EF_CHECK_STR_EQ(unixctl_output_fmt_to_string(UNIXCTL_OUTPUT_FMT_JSON),
                 "json");
    EF_CHECK(unixctl_output_fmt_from_string("json", &format));
    EF_CHECK_EQ(format, UNIXCTL_OUTPUT_FMT_JSON);
    EF_CHECK(!unixctl_output_fmt_from_string("yaml", &format));
}
