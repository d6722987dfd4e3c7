# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/dpif/alb.c \
	lib/dpif/bond-ops.c \
	lib/dpif/class.c \
	lib/dpif/commands.c \
	lib/dpif/config.c \
	lib/dpif/ct-limit-ops.c \
	lib/dpif/ct-ops.c \
	lib/dpif/datapath.c \
	lib/dpif/datapath.h \
	lib/dpif/execute.c \
	lib/dpif/flow-dump.c \
	lib/dpif/flow-ops.c \
	lib/dpif/ipf-ops.c \
	lib/dpif/latency.c \
	lib/dpif/latency.h \
	lib/dpif/meter-ops.c \
	lib/dpif/ops.h \
	lib/dpif/pmd-set.c \
	lib/dpif/pmd-set.h \
	lib/dpif/port-config.c \
	lib/dpif/port-ops.c \
	lib/dpif/port-ops.h \
	lib/dpif/reconfigure.c \
	lib/dpif/reconfigure.h \
	lib/dpif/run.c \
	lib/dpif/schedule.c \
	lib/dpif/schedule.h \
	lib/dpif/sleep-config.c \
	lib/dpif/sleep-config.h \
	lib/dpif/stats.c
