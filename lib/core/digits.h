/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_DIGITS_H
#define EF_CORE_DIGITS_H 1

/* Reads decimal digits strictly: no sign, no space, no other base; leading
 * zeros do no harm.
 *
 *     const char *s = "1500:1";
 *     uint64_t mtu, node;
 *
 *     if (ef_digits_take(&s, 9702, &mtu) && *s++ == ':'
 *         && ef_digits_whole(s, INT_MAX, &node)) {
 *
 * Threads: any. */

#include <stdbool.h>
#include <stdint.h>

/* Takes all digits off '*sp'.  Returns false, changing nothing, if there are
 * none or their value is above 'max'. */
bool ef_digits_take(const char **sp, uint64_t max, uint64_t *value);

/* Whether 's' is nothing but digits, of a value of at most 'max'; else stores
 * nothing. */
bool ef_digits_whole(const char *s, uint64_t max, uint64_t *value);

#endif /* core/digits.h */
