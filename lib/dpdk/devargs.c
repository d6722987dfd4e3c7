/* SPDX-License-Identifier: Apache-2.0 */

/* Reads options:dpdk-devargs without asking DPDK.
 *
 * Called by ethdev-attach and ethdev-config, on the main thread.  No state. */

#include <config.h>

#include "dpdk/devargs.h"

#include <ctype.h>
#include <string.h>

#include "packets.h"
#include "util.h"

#define BY_MAC "class=eth,mac="

bool
ef_devargs_is_by_mac(const char *devargs)
{
    return !strncmp(devargs, BY_MAC, strlen(BY_MAC));
}

bool
ef_devargs_get_mac(const char *devargs, struct eth_addr *mac)
{
    return ef_devargs_is_by_mac(devargs)
           && eth_addr_from_string(devargs + strlen(BY_MAC), mac);
}

bool
ef_devargs_is_same_name(const char *a, const char *b)
{
    size_t n = strcspn(a, ",");

    return n == strcspn(b, ",") && !memcmp(a, b, n) && !memchr(a, '=', n);
}

/* Layers. */

static const char *const layer_keys[] = { "bus", "class", "driver" };

static bool
is_word(char c)
{
    return isalnum((unsigned char) c) || c == '_';
}

/* Whether the first pair in 's' has the key of a layer.  DPDK skips commas
 * before it, takes "x=bus=y" for one of "bus", and "bus" for one without a
 * value. */
static bool
begins_with_layer(const char *s)
{
    size_t len;

    for (s += strspn(s, ","); *s && *s != ','; s += MAX(len, 1)) {
        for (len = 0; is_word(s[len]); len++) {
            continue;
        }
        for (size_t i = 0; i < ARRAY_SIZE(layer_keys); i++) {
            if (len == strlen(layer_keys[i])
                && !memcmp(s, layer_keys[i], len)) {
                return true;
            }
        }
    }
    return false;
}

/* Returns the "KEY=" of the first layer that follows a slash in 's', or
 * NULL. */
static const char *
next_layer(const char *s)
{
    while ((s = strchr(s, '/')) != NULL) {
        s++;
        for (size_t i = 0; i < ARRAY_SIZE(layer_keys); i++) {
            size_t len = strlen(layer_keys[i]);

            if (!strncmp(s, layer_keys[i], len) && s[len] == '=') {
                return s;
            }
        }
    }
    return NULL;
}

/* Whether 'layer' is one of 'key' with a plain value in its first pair: a
 * second "=" would make DPDK see another key, and brackets hide commas. */
static bool
has_key_and_value(const char *layer, const char *key)
{
    const char *value, *end;

    if (strncmp(layer, key, strlen(key)) || layer[strlen(key)] != '=') {
        return false;
    }
    value = layer + strlen(key) + 1;
    for (end = value; is_word(*end) || *end == '-'; end++) {
        continue;
    }
    return end > value
           && (!*end || *end == ',' || end + 1 == next_layer(value));
}

bool
ef_devargs_is_digestible(const char *devargs)
{
    const char *second = next_layer(devargs);
    const char *third = second ? next_layer(second) : NULL;

    if (!second && !begins_with_layer(devargs)) {
        return true;            /* The older syntax: a name and arguments. */
    }
    if (!has_key_and_value(devargs, "bus")) {
        return false;
    }
    if (!third) {
        return second && has_key_and_value(second, "driver");
    }
    return has_key_and_value(second, "class")
           && has_key_and_value(third, "driver") && !next_layer(third);
}
