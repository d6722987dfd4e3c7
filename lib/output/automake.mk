# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/output/bond.c \
	lib/output/bond.h \
	lib/output/hold.c \
	lib/output/hold.h \
	lib/output/tx-policy.c \
	lib/output/tx-policy.h \
	lib/output/tx-port.c \
	lib/output/tx-port.h \
	lib/output/tx-queue.c \
	lib/output/tx-queue.h
