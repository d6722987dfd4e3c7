# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/compat/conntrack-calls.h \
	lib/compat/ct-limits.c \
	lib/compat/ct-limits.h \
	lib/compat/daemon-start.h \
	lib/compat/dpif-members.c \
	lib/compat/dpif-members.h \
	lib/compat/memory-locked.h \
	lib/compat/netdev-members.h \
	lib/compat/odp-actions.h \
	lib/compat/odp-format.h \
	lib/compat/packet-offload.h \
	lib/compat/unixctl-client.c \
	lib/compat/unixctl-json.h
