/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_SHOW_CONFIG_SHOW_H
#define EF_SHOW_CONFIG_SHOW_H 1

/* evenflow/config-show [json]: every key of the database that was looked at,
 * the value in force, and what was refused and why (core/settings.h).
 *
 * As text, a line for each scope and, indented, one for each key, with
 * another one if a value was refused; "default" without quotes is an unset
 * key:
 *
 *     Open_vSwitch:
 *       dpdk-init: 'true'
 *       dpdk-lcore-mask: default
 *         refused 'xyz': must be a hexadecimal mask ...
 *
 * As JSON, an object of scopes, each an object of keys:
 *
 *     {"Open_vSwitch": {
 *         "dpdk-lcore-mask": {"in_force": null, "refused": "xyz",
 *                             "rule": "must be ..."}, ...}, ...}
 *
 * where "refused" and "rule" are missing if nothing was refused.
 *
 * Threads: any, "ctl" if asked by a command. */

struct ds;

/* Registers the command; repetitions do nothing. */
void ef_config_show_init(void);

/* Appends what the command prints. */
void ef_show_config(struct ds *);
void ef_show_config_json(struct ds *);

#endif /* show/config-show.h */
