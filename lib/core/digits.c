/* SPDX-License-Identifier: Apache-2.0 */

/* Strict decimal numbers, for parsers of the database's values and of device
 * arguments.  No state. */

#include <config.h>

#include "core/digits.h"

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool
ef_digits_take(const char **sp, uint64_t max, uint64_t *value)
{
    const char *s = *sp;
    uint64_t n = 0;

    if (!is_digit(*s)) {
        return false;
    }
    for (; is_digit(*s); s++) {
        unsigned digit = *s - '0';

        if (digit > max || n > (max - digit) / 10) {
            return false;
        }
        n = n * 10 + digit;
    }
    *sp = s;
    *value = n;
    return true;
}

bool
ef_digits_whole(const char *s, uint64_t max, uint64_t *value)
{
    uint64_t n;

    if (!ef_digits_take(&s, max, &n) || *s) {
        return false;
    }
    *value = n;
    return true;
}
