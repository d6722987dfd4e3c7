# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/show/bond-show.c \
	lib/show/bond-show.h \
	lib/show/command.c \
	lib/show/command.h \
	lib/show/config-show.c \
	lib/show/config-show.h \
	lib/show/ctl-commands.c \
	lib/show/ctl-commands.h \
	lib/show/latency-show.c \
	lib/show/latency-show.h \
	lib/show/memory-plan-show.c \
	lib/show/memory-plan-show.h \
	lib/show/mempool-show.c \
	lib/show/mempool-show.h \
	lib/show/pmd-perf-show.c \
	lib/show/pmd-perf-show.h \
	lib/show/pmd-rxq-show.c \
	lib/show/pmd-rxq-show.h \
	lib/show/pmd-stats-show.c \
	lib/show/pmd-stats-show.h \
	lib/show/pmd-title.c \
	lib/show/pmd-title.h \
	lib/show/rcu-show.c \
	lib/show/rcu-show.h \
	lib/show/show-json.c \
	lib/show/show-json.h \
	lib/show/tx-show.c \
	lib/show/tx-show.h
