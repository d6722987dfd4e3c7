# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/dpdk/buffer.c \
	lib/dpdk/buffer.h \
	lib/dpdk/classes.h \
	lib/dpdk/eal-args.c \
	lib/dpdk/eal-child.c \
	lib/dpdk/eal-child.h \
	lib/dpdk/eal-keys.c \
	lib/dpdk/eal-keys.h \
	lib/dpdk/eal-log.c \
	lib/dpdk/eal-show.c \
	lib/dpdk/eal-trial.c \
	lib/dpdk/eal-vlog.h \
	lib/dpdk/eal.c \
	lib/dpdk/eal.h \
	lib/dpdk/ethdev-attach.c \
	lib/dpdk/ethdev-commands.c \
	lib/dpdk/ethdev-config.c \
	lib/dpdk/ethdev-flow-ctrl.c \
	lib/dpdk/ethdev-offloads.c \
	lib/dpdk/ethdev-options.c \
	lib/dpdk/ethdev-reset.c \
	lib/dpdk/ethdev-rx.c \
	lib/dpdk/ethdev-setup.c \
	lib/dpdk/ethdev-stats.c \
	lib/dpdk/ethdev-status.c \
	lib/dpdk/ethdev-steering.c \
	lib/dpdk/ethdev-tx.c \
	lib/dpdk/ethdev-xstats.c \
	lib/dpdk/ethdev.c \
	lib/dpdk/ethdev.h \
	lib/dpdk/flow-api.c \
	lib/dpdk/link-watch.c \
	lib/dpdk/rx-finish.c \
	lib/dpdk/rx-finish.h \
	lib/dpdk/tx-copy.c \
	lib/dpdk/tx-copy.h \
	lib/dpdk/tx-offload.c \
	lib/dpdk/tx-offload.h \
	lib/dpdk/tx-prepare.c \
	lib/dpdk/tx-prepare.h \
	lib/dpdk/tx-segment.c \
	lib/dpdk/tx-segment.h
lib_libevenflow_a_SOURCES += \
	lib/dpdk/vhost.c \
	lib/dpdk/vhost.h \
	lib/dpdk/vhost-config.c \
	lib/dpdk/vhost-events.c \
	lib/dpdk/vhost-guest.c \
	lib/dpdk/vhost-queues.c \
	lib/dpdk/vhost-rx.c \
	lib/dpdk/vhost-setup.c \
	lib/dpdk/vhost-socket.c \
	lib/dpdk/vhost-stats.c \
	lib/dpdk/vhost-status.c \
	lib/dpdk/vhost-table.c \
	lib/dpdk/vhost-tx.c
