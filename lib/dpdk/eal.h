/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_DPDK_EAL_H
#define EF_DPDK_EAL_H 1

/* Start of DPDK's environment abstraction layer (EAL), which a process can
 * start once and which can end the process on a bad argument.
 *
 *   eal-args   other_config -> arguments; pure
 *   eal-keys   which keys changed, and what is shown of them
 *   eal-trial  tries the arguments in a child, and says why they failed
 *   eal-child  that child
 *   eal-log    DPDK's messages -> our log
 *   eal-show   commands dpdk/...
 *   eal        the package's dpdk.h: dpdk_init() and the rest
 *
 * Threads: main; eal-log any. */

#include <stdbool.h>

struct smap;
struct svec;

/* eal-args: appends the arguments after the program's name that
 * 'other_config' asks for; 'affinity_core' is the core for EAL's main thread
 * if nothing in there names cores.  Returns NULL or, if a key is malformed,
 * a message "'KEY=VALUE': RULE" that the caller frees, with the key's name in
 * '*keyp'. */
char *ef_eal_args(const struct smap *other_config, int affinity_core,
                  struct svec *args, const char **keyp);

/* Whether 'other_config' says which cores EAL uses. */
bool ef_eal_names_cores(const struct smap *other_config);

/* What keeps a 'key' that is set from being used: the option in dpdk-extra, or
 * the key, that stands against it; or NULL. */
const char *ef_eal_key_rival(const struct smap *other_config,
                             const char *key);

/* eal-trial: starts EAL with 'argv' (NULL at the end) in a child and ends it.
 * Returns NULL if it started, else what EAL said last, or how the child
 * ended; the caller frees it.  Waits for the child, at most 'timeout_s', after
 * which it is killed.  What the child took is free again on return. */
char *ef_eal_trial(int argc, char *argv[], int timeout_s);

/* eal-log: from now on DPDK's messages go to our log. */
void ef_eal_log_start(void);

/* eal-show: registers the commands; EAL runs. */
void ef_eal_show_init(void);
/* Logs what EAL has set up, at level DBG. */
void ef_eal_show_debug(void);

#endif /* dpdk/eal.h */
