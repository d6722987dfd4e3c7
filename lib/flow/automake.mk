# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/flow/classifier.c \
	lib/flow/classifier.h \
	lib/flow/emc.c \
	lib/flow/emc.h \
	lib/flow/flow-nlattr.c \
	lib/flow/flow-nlattr.h \
	lib/flow/flow-table.c \
	lib/flow/flow-table.h \
	lib/flow/key-hash.h \
	lib/flow/key.c \
	lib/flow/key.h \
	lib/flow/megaflow.c \
	lib/flow/megaflow.h \
	lib/flow/nlattr-sizes.c \
	lib/flow/nlattr-sizes.h \
	lib/flow/offload-apply.c \
	lib/flow/offload-mark.c \
	lib/flow/offload-mark.h \
	lib/flow/offload-stats.c \
	lib/flow/offload-status.c \
	lib/flow/offload-thread.c \
	lib/flow/offload-thread.h \
	lib/flow/offload.c \
	lib/flow/offload.h \
	lib/flow/simple-match.c \
	lib/flow/simple-match.h \
	lib/flow/smc.c \
	lib/flow/smc.h \
	lib/flow/subtable-lookup.c \
	lib/flow/subtable.c \
	lib/flow/subtable.h
