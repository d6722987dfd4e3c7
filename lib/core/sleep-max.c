/* SPDX-License-Identifier: Apache-2.0 */

/* Parser of the times that PMD threads may sleep.  Pure; called by the main
 * thread when the configuration changes. */

#include <config.h>

#include "core/sleep-max.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/digits.h"
#include "util.h"

#define SEPARATORS ", \t\r\n"

static void
set_core(struct ef_sleep_max *max, unsigned core_id, uint64_t max_us)
{
    for (size_t i = 0; i < max->n_cores; i++) {
        if (max->cores[i].core_id == core_id) {
            max->cores[i].max_us = max_us;
            return;
        }
    }
    max->cores = xrealloc(max->cores,
                          (max->n_cores + 1) * sizeof *max->cores);
    max->cores[max->n_cores++] = (struct ef_sleep_core) { core_id, max_us };
}

/* Takes over "TIME" or "CORE:TIME".  Returns false, changing nothing, if
 * 'item' is something else. */
static bool
take_item(const char *item, struct ef_sleep_max *max, bool *clipped)
{
    uint64_t first, time;
    bool has_core;

    if (!ef_digits_take(&item, UINT64_MAX, &first)) {
        return false;
    }
    has_core = *item == ':';
    time = first;
    /* The largest number stands for no core. */
    if (has_core ? first >= UINT_MAX
                   || !ef_digits_whole(item + 1, UINT64_MAX, &time)
        : *item) {
        return false;
    }
    if (time > EF_SLEEP_MAX_LIMIT_US) {
        time = EF_SLEEP_MAX_LIMIT_US;
        *clipped = true;
    }
    if (has_core) {
        set_core(max, first, time);
    } else {
        max->default_us = time;
    }
    return true;
}

bool
ef_sleep_max_parse(struct ef_sleep_max *max, const char *text, bool *clipped)
{
    char *copy = xstrdup(text), *save = NULL;
    bool all_good = true;

    ef_sleep_max_destroy(max);
    *clipped = false;
    for (char *item = strtok_r(copy, SEPARATORS, &save); item;
         item = strtok_r(NULL, SEPARATORS, &save)) {
        all_good &= take_item(item, max, clipped);
    }
    free(copy);
    return all_good;
}

void
ef_sleep_max_copy(struct ef_sleep_max *to, const struct ef_sleep_max *from)
{
    *to = *from;
    if (from->n_cores) {
        to->cores = xmemdup(from->cores,
                            from->n_cores * sizeof *from->cores);
    }
}

uint64_t
ef_sleep_max_of(const struct ef_sleep_max *max, unsigned core_id)
{
    for (size_t i = 0; i < max->n_cores; i++) {
        if (max->cores[i].core_id == core_id) {
            return max->cores[i].max_us;
        }
    }
    return max->default_us;
}

static bool
has_all_of(const struct ef_sleep_max *a, const struct ef_sleep_max *b)
{
    for (size_t i = 0; i < b->n_cores; i++) {
        const struct ef_sleep_core *core = &b->cores[i];

        if (ef_sleep_max_of(a, core->core_id) != core->max_us) {
            return false;
        }
    }
    return true;
}

/* Whether every core has the same time in both. */
bool
ef_sleep_max_equal(const struct ef_sleep_max *a, const struct ef_sleep_max *b)
{
    return a->default_us == b->default_us && has_all_of(a, b)
           && has_all_of(b, a);
}

void
ef_sleep_max_destroy(struct ef_sleep_max *max)
{
    free(max->cores);
    *max = (struct ef_sleep_max) { .default_us = 0 };
}
