/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_CORE_CORE_CLAIM_H
#define EF_CORE_CORE_CLAIM_H 1

/* Cores that threads have to themselves.
 *
 * A PMD thread never sleeps, so whoever the scheduler puts on its core takes
 * time from packets: the main thread under a storm of flow changes takes a
 * tenth of it and more.  A PMD therefore claims the core that it is pinned to,
 * and the main thread moves the process's other threads to the cores that are
 * left.
 *
 * Who was placed on purpose stays there: only threads move that may run
 * wherever the process could when it started, or where they were moved to
 * before.  If PMDs have claimed all cores that the process may use, nobody
 * moves.  Threads that are created later inherit the place of their creator.
 *
 *     ef_core_claims_init();              main thread, as the only one
 *     ef_core_claim();                    PMD, once it is pinned
 *     ef_core_claims_apply();             main thread, now and then
 *     ef_core_release();                  PMD, before it ends */

#include <stdbool.h>

/* --- Main thread --------------------------------------------------------- */

/* Remembers where the process may run.  Repetitions do nothing. */
void ef_core_claims_init(void);

/* Moves threads if claims have changed. */
void ef_core_claims_apply(void);
/* Wakes poll_block() when they do. */
void ef_core_claims_wait(void);

/* --- Who claims ---------------------------------------------------------- */

/* Claims the one core that the calling thread may run on.  A thread that may
 * run on several, as with cores made up for tests, claims none. */
void ef_core_claim(void);
/* Gives it back, if there is one. */
void ef_core_release(void);

#endif /* core/core-claim.h */
