/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_CLASSES_H
#define EF_DPDK_CLASSES_H 1

/* The kinds of ports that need DPDK.
 *
 * Threads: main. */

struct smap;

/* Configures what all ports share from the database's 'other_config', then
 * registers the classes.  Called once, after EAL has started. */
void ef_dpdk_register_classes(const struct smap *other_config);

#endif /* dpdk/classes.h */
