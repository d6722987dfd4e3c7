/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_PMD_TITLE_H
#define EF_SHOW_PMD_TITLE_H 1

/* The line that names an instance in the output of commands.
 *
 * "pmd thread numa_id N core_id M:" or "main thread:"; programs recognize
 * an instance by this line.
 *
 * Threads: main; what is printed is constant. */

struct ds;
struct ef_pmd;

void ef_show_pmd_title(struct ds *, const struct ef_pmd *);

#endif /* show/pmd-title.h */
