/* SPDX-License-Identifier: Apache-2.0 */

/* What commands that have a JSON form share.  Called by the files of this
 * folder, on the thread that answers the command. */

#include <config.h>

#include "show/show-json.h"

#include "openvswitch/dynamic-string.h"
#include "openvswitch/json.h"

void
ef_show_json_number(struct json *object, const char *name, uint64_t n)
{
    json_object_put(object, name, json_integer_create(n));
}

void
ef_show_json_known(struct json *object, const char *name, int64_t n)
{
    json_object_put(object, name,
                    n < 0 ? json_null_create() : json_integer_create(n));
}

void
ef_show_json_string(struct json *object, const char *name, const char *s)
{
    json_object_put(object, name,
                    s ? json_string_create(s) : json_null_create());
}

void
ef_show_json_print(struct ds *ds, struct json *json)
{
    json_to_ds(json, JSSF_SORT, ds);
    ds_put_char(ds, '\n');
    json_destroy(json);
}
