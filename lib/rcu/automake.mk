# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/rcu/call-stats.c \
	lib/rcu/call-stats.h \
	lib/rcu/deferral.c \
	lib/rcu/deferral.h \
	lib/rcu/epoch.h \
	lib/rcu/log.h \
	lib/rcu/ovs-rcu.c \
	lib/rcu/pacing.c \
	lib/rcu/pacing.h \
	lib/rcu/rcu.h \
	lib/rcu/reclaimer.c \
	lib/rcu/reclaimer.h \
	lib/rcu/registry.c \
	lib/rcu/registry.h \
	lib/rcu/stall-watch.c \
	lib/rcu/stall-watch.h
