/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_THREAD_ROLE_H
#define EF_CORE_THREAD_ROLE_H 1

/* Roles of threads, checked by clang at compile time.
 *
 * A role is a right without a lock.  Functions and fields say which role they
 * need; clang's thread-safety analysis (-Wthread-safety) then complains about
 * code that uses them without.  There are two kinds:
 *
 * - "Main thread": the one role 'ef_main_role'.
 *
 * - "Owner of an instance": a "struct ef_role" inside the instance.  A PMD
 *   thread has it from its start to its end; the instance without a thread
 *   lends it to whoever holds its mutex.
 *
 * Nothing happens at run time and a "struct ef_role" takes no space.  With gcc
 * the macros are empty.  Code without annotations stays as it is, but a
 * function that has no role may not call one that needs it, so annotate from
 * the leaves up to where a thread begins:
 *
 *     struct cache {
 *         struct ef_role owner;
 *         int n EF_OWNED;
 *     };
 *
 *     void cache_add(struct cache *cache) EF_NEEDS_ROLE(cache->owner);
 *     void config_parse(const char *) EF_MAIN_ONLY;
 *     int cache_peek(struct cache *cache) EF_NOT_ROLE(cache->owner);
 *
 *     static void *
 *     thread_main(void *cache_)
 *     {
 *         struct cache *cache = cache_;
 *
 *         ef_role_assume(&cache->owner);          until the function ends
 *         cache_add(cache);
 *         return NULL;
 *     }
 *
 *     static void
 *     flush(struct cache *cache)
 *     {
 *         ovs_mutex_lock(&mutex);
 *         ef_role_enter(&cache->owner);           lent, with the mutex
 *         cache_add(cache);
 *         ef_role_leave(&cache->owner);
 *         ovs_mutex_unlock(&mutex);
 *     }
 *
 * What is not promised: ef_role_assume() and ef_role_enter() are believed, so
 * they belong where a thread starts and next to a lock, nowhere else. */

#include "openvswitch/compiler.h"

#ifdef __clang__
#define EF_ROLE_ATTR(ATTR) __attribute__((ATTR))
#else
#define EF_ROLE_ATTR(ATTR)
#endif

struct EF_ROLE_ATTR(capability("role")) ef_role {
    /* Nothing. */
};

/* The role of the main thread.  A name for the analysis only; each file may
 * have its own copy of nothing. */
static const struct ef_role ef_main_role OVS_UNUSED;

/* On a function: the caller must have ROLE; must not have it. */
#define EF_NEEDS_ROLE(ROLE) EF_ROLE_ATTR(requires_capability(ROLE))
#define EF_NOT_ROLE(ROLE) EF_ROLE_ATTR(locks_excluded(ROLE))
#define EF_MAIN_ONLY EF_NEEDS_ROLE(ef_main_role)

/* On a member: only the owner; only the main thread.  In C an attribute cannot
 * name another member of its struct, so EF_OWNED accepts any role or lock. */
#define EF_OWNED EF_ROLE_ATTR(guarded_var)
#define EF_MAIN_OWNED EF_ROLE_ATTR(guarded_by(ef_main_role))

/* The calling thread has the role from here to the end of the function. */
static inline void
ef_role_assume(const struct ef_role *role OVS_UNUSED)
    EF_ROLE_ATTR(assert_capability(role));

/* The calling thread has the role from here to ef_role_leave(). */
static inline void
ef_role_enter(const struct ef_role *role OVS_UNUSED)
    EF_ROLE_ATTR(acquire_capability(role))
    EF_ROLE_ATTR(no_thread_safety_analysis);
static inline void
ef_role_leave(const struct ef_role *role OVS_UNUSED)
    EF_ROLE_ATTR(release_capability(role))
    EF_ROLE_ATTR(no_thread_safety_analysis);

static inline void
ef_role_assume(const struct ef_role *role OVS_UNUSED)
{
}

static inline void
ef_role_enter(const struct ef_role *role OVS_UNUSED)
{
}

static inline void
ef_role_leave(const struct ef_role *role OVS_UNUSED)
{
}

#endif /* core/thread-role.h */
