/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_COMPAT_NETDEV_MEMBERS_H
#define EF_COMPAT_NETDEV_MEMBERS_H 1

/* Members that not every struct netdev_class has, with their initializers:
 *
 *     const struct netdev_class ef_ethdev_class = {
 *         EF_NETDEV_SPEED(ef_ethdev_get_speed)
 *         ...
 */

#include "netdev-provider.h"

/* Speeds in Mb/s, 0 if unknown. */
typedef int ef_get_speed_func(const struct netdev *, uint32_t *current,
                              uint32_t *max);

#ifdef EF_HAVE_NETDEV_SPEED
#define EF_NETDEV_SPEED(GET_SPEED) .get_speed = GET_SPEED,
#else
#define EF_NETDEV_SPEED(GET_SPEED)
#endif

#endif /* compat/netdev-members.h */
