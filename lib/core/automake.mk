# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/core/clock.h \
	lib/core/core-claim.c \
	lib/core/core-claim.h \
	lib/core/counter.h \
	lib/core/digits.c \
	lib/core/digits.h \
	lib/core/log.c \
	lib/core/log.h \
	lib/core/params.c \
	lib/core/params.h \
	lib/core/random.h \
	lib/core/setting-parse.c \
	lib/core/setting-parse.h \
	lib/core/settings.c \
	lib/core/settings.h \
	lib/core/sleep-max.c \
	lib/core/sleep-max.h \
	lib/core/thread-role.h \
	lib/core/ticks.c \
	lib/core/ticks.h
