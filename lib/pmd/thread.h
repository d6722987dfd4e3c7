/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_PMD_THREAD_H
#define EF_PMD_THREAD_H 1

/* The loop of a PMD thread.  Threads: the PMD, for its whole life. */

/* Start routine; the argument is the "struct ef_pmd *". */
void *ef_pmd_thread_main(void *pmd);

#endif /* pmd/thread.h */
