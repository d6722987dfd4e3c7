# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/stats/drop.c \
	lib/stats/drop.h \
	lib/stats/histogram.c \
	lib/stats/histogram.h \
	lib/stats/pmd-perf.h
