# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/dpdk/buffer.c \
	lib/dpdk/buffer.h \
	lib/dpdk/buffer-store.c \
	lib/dpdk/buffer-store.h \
	lib/dpdk/cache-size.c \
	lib/dpdk/cache-size.h \
	lib/dpdk/classes.c \
	lib/dpdk/classes.h \
	lib/dpdk/dev-callbacks.c \
	lib/dpdk/dev-pool.c \
	lib/dpdk/dev-pool.h \
	lib/dpdk/dev.c \
	lib/dpdk/dev.h \
	lib/dpdk/devargs.c \
	lib/dpdk/devargs.h \
	lib/dpdk/eal-args.c \
	lib/dpdk/eal-child.c \
	lib/dpdk/eal-child.h \
	lib/dpdk/eal-keys.c \
	lib/dpdk/eal-keys.h \
	lib/dpdk/eal-log.c \
	lib/dpdk/eal-show.c \
	lib/dpdk/eal-thread.c \
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
	lib/dpdk/ethdev-thresh.c \
	lib/dpdk/ethdev-tx.c \
	lib/dpdk/ethdev-watch.c \
	lib/dpdk/ethdev-xstats.c \
	lib/dpdk/ethdev.c \
	lib/dpdk/ethdev.h \
	lib/dpdk/flow-api.c \
	lib/dpdk/lcores.c \
	lib/dpdk/lcores.h \
	lib/dpdk/link-watch.c \
	lib/dpdk/log.c \
	lib/dpdk/log.h \
	lib/dpdk/memory-now.c \
	lib/dpdk/memory-plan.c \
	lib/dpdk/memory-plan.h \
	lib/dpdk/memory-spec.c \
	lib/dpdk/mempool-claims.c \
	lib/dpdk/mempool-commands.c \
	lib/dpdk/mempool-config.c \
	lib/dpdk/mempool-config.h \
	lib/dpdk/mempool-facts.c \
	lib/dpdk/mempool-free.c \
	lib/dpdk/mempool-private.h \
	lib/dpdk/mempool-shape.c \
	lib/dpdk/mempool-stores.c \
	lib/dpdk/mempool.c \
	lib/dpdk/mempool.h \
	lib/dpdk/policer.c \
	lib/dpdk/policer.h \
	lib/dpdk/pool-alarm.c \
	lib/dpdk/pool-alarm.h \
	lib/dpdk/pool-options.c \
	lib/dpdk/pool-options.h \
	lib/dpdk/qos-batching.c \
	lib/dpdk/qos-batching.h \
	lib/dpdk/qos-class.h \
	lib/dpdk/qos-egress.c \
	lib/dpdk/qos-trtcm.c \
	lib/dpdk/qos.c \
	lib/dpdk/qos.h \
	lib/dpdk/rate-limit.h \
	lib/dpdk/rx-burst.c \
	lib/dpdk/rx-burst.h \
	lib/dpdk/rx-drain.c \
	lib/dpdk/rx-drain.h \
	lib/dpdk/rx-finish.c \
	lib/dpdk/rx-finish.h \
	lib/dpdk/rx-priority.c \
	lib/dpdk/rx-priority.h \
	lib/dpdk/tx-alarm-run.c \
	lib/dpdk/tx-alarm.c \
	lib/dpdk/tx-alarm.h \
	lib/dpdk/store-core.c \
	lib/dpdk/store-core.h \
	lib/dpdk/store-shared.c \
	lib/dpdk/store-shared.h \
	lib/dpdk/tx-copy.c \
	lib/dpdk/tx-copy.h \
	lib/dpdk/tx-driver.c \
	lib/dpdk/tx-driver.h \
	lib/dpdk/tx-facts.c \
	lib/dpdk/tx-facts.h \
	lib/dpdk/tx-fill.c \
	lib/dpdk/tx-fill.h \
	lib/dpdk/tx-marks.c \
	lib/dpdk/tx-marks.h \
	lib/dpdk/tx-offload.c \
	lib/dpdk/tx-offload.h \
	lib/dpdk/tx-prepare.c \
	lib/dpdk/tx-prepare.h \
	lib/dpdk/tx-segment.c \
	lib/dpdk/tx-segment.h \
	lib/dpdk/tx-threshold.c \
	lib/dpdk/tx-threshold.h \
	lib/dpdk/tx-watch.c \
	lib/dpdk/tx-watch.h \
	lib/dpdk/tx-window.c \
	lib/dpdk/tx-window.h
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

# The mempool handler for DPDK's secondary processes.  It takes DPDK's symbols
# from the process that loads it.
plugindir = $(pkglibdir)
plugin_DATA = lib/dpdk/libef-mempool.so
mempool_plugin_sources = \
	lib/dpdk/buffer-store.c \
	lib/dpdk/mempool-plugin.c \
	lib/dpdk/store-core.c \
	lib/dpdk/store-shared.c
lib/dpdk/libef-mempool.so: $(mempool_plugin_sources) \
		lib/core/counter.h \
		lib/dpdk/buffer-store.h \
		lib/dpdk/store-core.h \
		lib/dpdk/store-shared.h \
		$(OVS_BUILT)
	$(AM_V_GEN)$(MKDIR_P) lib/dpdk && \
	$(CC) $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) \
		$(LDFLAGS) -shared -fPIC -fvisibility=hidden -o $@ \
		$(mempool_plugin_sources:%=$(srcdir)/%)
CLEANFILES += lib/dpdk/libef-mempool.so
EXTRA_DIST += lib/dpdk/mempool-plugin.c
