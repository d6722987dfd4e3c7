# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/port/port-table.c \
	lib/port/port-table.h \
	lib/port/port.c \
	lib/port/port.h \
	lib/port/rxq-affinity.c \
	lib/port/rxq.c \
	lib/port/rxq.h
