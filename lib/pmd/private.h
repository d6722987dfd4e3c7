/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_PRIVATE_H
#define EF_PMD_PRIVATE_H 1

/* Between pmd/pmd.c and pmd/thread.c only. */

struct ef_pmd;

/* PMD thread (for the instance without a thread: main, non-PMD mutex held).
 * Takes the lowest free static tx queue number; gives it back. */
void ef_pmd_txq_get(struct ef_pmd *);
void ef_pmd_txq_put(struct ef_pmd *);

/* PMD thread, once: what ef_pmd_self() returns from now on. */
void ef_pmd_set_self(struct ef_pmd *);

#endif /* pmd/private.h */
