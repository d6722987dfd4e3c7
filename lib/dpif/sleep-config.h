/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPIF_SLEEP_CONFIG_H
#define EF_DPIF_SLEEP_CONFIG_H 1

/* How long the PMD threads of a datapath may sleep: Open_vSwitch:other_config
 * pmd-sleep-max, or pmd-maxsleep as it was called before there were times for
 * single cores.
 *
 * Threads: main. */

struct ds;
struct ef_datapath;
struct ef_pmd;
struct smap;

/* Takes the configuration over and tells the PMDs. */
void ef_sleep_configure(struct ef_datapath *, const struct smap *cfg);
/* Tells a new PMD, before it starts. */
void ef_sleep_set_pmd(const struct ef_datapath *, struct ef_pmd *);

/* dpif-netdev/pmd-sleep-show. */
void ef_sleep_show(struct ds *, const struct ef_datapath *);

#endif /* dpif/sleep-config.h */
