# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/control/client.c \
	lib/control/command.c \
	lib/control/command.h \
	lib/control/connection.c \
	lib/control/connection.h \
	lib/control/control.h \
	lib/control/handover.c \
	lib/control/handover.h \
	lib/control/log.h \
	lib/control/options.c \
	lib/control/options.h \
	lib/control/request.c \
	lib/control/request.h \
	lib/control/server.c
