/* SPDX-License-Identifier: Apache-2.0 */

/* The options of a connection: the format of its replies.
 *
 * Called by "ctl".  Not with getopt(), which has one state for all threads. */

#include <config.h>

#include "control/options.h"

#include <string.h>
#include <strings.h>

#include "control/connection.h"
#include "util.h"

static const struct format {
    enum unixctl_output_fmt format;
    const char *name;
} formats[] = {
    { UNIXCTL_OUTPUT_FMT_TEXT, "text" },
    { UNIXCTL_OUTPUT_FMT_JSON, "json" },
};

const char *
unixctl_output_fmt_to_string(enum unixctl_output_fmt wanted)
{
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        if (formats[i].format == wanted) {
            return formats[i].name;
        }
    }
    return "<unknown>";
}

bool
unixctl_output_fmt_from_string(const char *name,
                               enum unixctl_output_fmt *format)
{
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        if (!strcasecmp(formats[i].name, name)) {
            *format = formats[i].format;
            return true;
        }
    }
    return false;
}

/* Reads "--format VALUE" or "--format=VALUE".  Returns NULL, or what is wrong,
 * to be freed by the caller. */
static char *
parse(int argc, const char *argv[], enum unixctl_output_fmt *format)
{
    static const char option[] = "--format";
    size_t length = strlen(option);
    const char *value;

    if (!strcmp(argv[1], option)) {
        if (argc < 3) {
            return xasprintf("option '%s' requires an argument", option);
        }
        value = argv[2];
    } else if (!strncmp(argv[1], option, length) && argv[1][length] == '='
               && argc == 2) {
        value = &argv[1][length + 1];
    } else {
        return xasprintf("unrecognized option '%s'", argv[1]);
    }
    return (unixctl_output_fmt_from_string(value, format) ? NULL
            : xasprintf("option format has invalid value %s", value));
}

void
ef_set_options(struct unixctl_conn *conn, int argc, const char *argv[],
               void *aux OVS_UNUSED)
{
    enum unixctl_output_fmt format = conn->format;
    char *fault = parse(argc, argv, &format);

    if (fault) {
        unixctl_command_reply_error(conn, fault);
        free(fault);
        return;
    }
    conn->format = format;
    unixctl_command_reply(conn, NULL);
}
