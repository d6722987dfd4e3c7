/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_ODP_FORMAT_H
#define EF_COMPAT_ODP_FORMAT_H 1

/* odp_flow_format() as both packages have it.
 *
 * Threads: any. */

#include <stdbool.h>

#include "odp-util.h"

/* Fields that a mask leaves out are left out of the text. */
static inline void
ef_odp_flow_format(const struct nlattr *key, size_t key_len,
                   const struct nlattr *mask, size_t mask_len, struct ds *s,
                   bool verbose)
{
#ifdef EF_HAVE_FORMAT_WITHOUT_MASK
    odp_flow_format(key, key_len, mask, mask_len, NULL, s, verbose,
                    mask != NULL);
#else
    odp_flow_format(key, key_len, mask, mask_len, NULL, s, verbose);
#endif
}

#endif /* compat/odp-format.h */
