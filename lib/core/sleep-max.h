/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_SLEEP_MAX_H
#define EF_CORE_SLEEP_MAX_H 1

/* How long PMD threads may sleep: one time for all of them and others for
 * single cores, as the key pmd-sleep-max says it:
 *
 *     struct ef_sleep_max max = { 0 };
 *     bool clipped;
 *
 *     ef_sleep_max_parse(&max, "50,3:300", &clipped);
 *     ef_sleep_max_of(&max, 3);           300
 *     ef_sleep_max_of(&max, 4);            50
 *     ef_sleep_max_destroy(&max);
 *
 * Threads: any; one at a time for each object. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A PMD never sleeps longer than this. */
#define EF_SLEEP_MAX_LIMIT_US 10000

struct ef_sleep_max {
    uint64_t default_us;        /* 0: no sleep. */
    size_t n_cores;
    struct ef_sleep_core {
        unsigned core_id;
        uint64_t max_us;
    } *cores;
};

/* Replaces what '*max' says by 'text', a list of "TIME" and "CORE:TIME" in
 * microseconds, separated by commas or spaces; of several times for the same
 * core the last counts.  A time above the limit counts as the limit and sets
 * '*clipped'.  Returns false if any item is something else; it is passed over
 * and the others count, as with upstream. */
bool ef_sleep_max_parse(struct ef_sleep_max *max, const char *text,
                        bool *clipped);
void ef_sleep_max_copy(struct ef_sleep_max *to,
                       const struct ef_sleep_max *from);
uint64_t ef_sleep_max_of(const struct ef_sleep_max *, unsigned core_id);
bool ef_sleep_max_equal(const struct ef_sleep_max *,
                        const struct ef_sleep_max *);
/* Frees what 'max' owns, not 'max'. */
void ef_sleep_max_destroy(struct ef_sleep_max *max);

#endif /* core/sleep-max.h */
