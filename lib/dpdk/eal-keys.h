/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_EAL_KEYS_H
#define EF_DPDK_EAL_KEYS_H 1

/* The keys of the database's other_config that concern EAL: whether they
 * changed, and what "evenflow/config-show" says of them.
 *
 * Threads: main. */

#include <stdbool.h>

#include "smap.h"

/* "dpdk-init" asks for DPDK; and then, to go on quietly without it. */
bool ef_eal_is_wanted(const struct smap *other_config);
bool ef_eal_is_try(const struct smap *other_config);

/* Initializes 'copy' with these keys of 'other_config'. */
void ef_eal_keys_copy(struct smap *copy, const struct smap *other_config);
bool ef_eal_keys_are_equal(const struct smap *a, const struct smap *b);

/* Reports that DPDK does not run: only "dpdk-init" has a value in force. */
void ef_eal_keys_report_idle(const struct smap *other_config);
/* Reports that EAL was started with 'values'. */
void ef_eal_keys_report_started(const struct smap *values);
/* Reports, also to the log, which of 'values' cannot take effect because they
 * differ from 'started' (empty: EAL does not run); only of keys that differ
 * from 'seen', the values at the last call. */
void ef_eal_keys_report_late(const struct smap *values,
                             const struct smap *seen,
                             const struct smap *started);
/* Reports that 'key' is refused. */
void ef_eal_keys_report_refused(const struct smap *values, const char *key,
                                const char *rule);
/* Reports that EAL did not start: with it, all keys that are set are refused,
 * for EAL does not tell which is at fault.  Returns their names, for the log,
 * which the caller frees. */
char *ef_eal_keys_report_failed(const struct smap *values,
                                const char *reason);

#endif /* dpdk/eal-keys.h */
