# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/pmd/flow-change.c \
	lib/pmd/input.c \
	lib/pmd/input.h \
	lib/pmd/load.c \
	lib/pmd/load.h \
	lib/pmd/lookup.c \
	lib/pmd/miss.c \
	lib/pmd/miss.h \
	lib/pmd/overload-input.c \
	lib/pmd/overload-input.h \
	lib/pmd/overload.c \
	lib/pmd/overload.h \
	lib/pmd/pmd.c \
	lib/pmd/pmd.h \
	lib/pmd/poll.c \
	lib/pmd/poll.h \
	lib/pmd/private.h \
	lib/pmd/reload.c \
	lib/pmd/reload.h \
	lib/pmd/thread.c \
	lib/pmd/thread.h
