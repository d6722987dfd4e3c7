# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/stats/cpu-taken.c \
	lib/stats/cpu-taken.h \
	lib/stats/drop.c \
	lib/stats/drop.h \
	lib/stats/histogram.c \
	lib/stats/histogram.h \
	lib/stats/latency.c \
	lib/stats/latency.h \
	lib/stats/pmd-perf.h \
	lib/stats/stamp.c \
	lib/stats/stamp.h
