# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/dpif/alb.c \
	lib/dpif/class.c \
	lib/dpif/commands.c \
	lib/dpif/config.c \
	lib/dpif/datapath.c \
	lib/dpif/datapath.h \
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
	lib/dpif/schedule.h
