/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_MEMORY_LOCKED_H
#define EF_COMPAT_MEMORY_LOCKED_H 1

/* memory_all_locked(): whether every page has to be in memory at once, as with
 * --mlockall where pages cannot be locked when they are touched; older
 * packages have it by another name.
 *
 * Threads: any. */

#include "util.h"

#ifndef EF_HAVE_MEMORY_ALL_LOCKED
#define memory_all_locked memory_locked
#define set_all_memory_locked set_memory_locked
#endif

#endif /* compat/memory-locked.h */
