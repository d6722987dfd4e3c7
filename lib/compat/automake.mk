# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/compat/unixctl-client.c \
	lib/compat/unixctl-json.h
