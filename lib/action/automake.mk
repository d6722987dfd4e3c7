# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/action/bucket.h \
	lib/action/ct-parse.c \
	lib/action/ct-parse.h \
	lib/action/ct.c \
	lib/action/execute.c \
	lib/action/execute.h \
	lib/action/handlers.h \
	lib/action/meter-entry.h \
	lib/action/meter-table.c \
	lib/action/meter.c \
	lib/action/meter.h \
	lib/action/output.c \
	lib/action/recirc.c \
	lib/action/tunnel.c \
	lib/action/upcall.c \
	lib/action/upcall.h \
	lib/action/userspace.c
