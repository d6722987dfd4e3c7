# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES +=
lib_libevenflow_a_SOURCES += \
	lib/dpif/commands.c
