/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_SHOW_JSON_H
#define EF_SHOW_SHOW_JSON_H 1

/* Puts facts into JSON objects.
 *
 * Threads: any. */

#include <stdint.h>

struct ds;
struct json;

void ef_show_json_number(struct json *object, const char *name, uint64_t);
/* Null if it is negative: not known. */
void ef_show_json_known(struct json *object, const char *name, int64_t);
/* Null if it is NULL. */
void ef_show_json_string(struct json *object, const char *name, const char *);

/* Appends 'json' on a line and destroys it. */
void ef_show_json_print(struct ds *, struct json *);

#endif /* show/show-json.h */
