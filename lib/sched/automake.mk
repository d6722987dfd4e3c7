# SPDX-License-Identifier: Apache-2.0

lib_libevenflow_a_SOURCES += \
	lib/sched/plan-log.c \
	lib/sched/plan.c \
	lib/sched/plan.h \
	lib/sched/rebalance.c \
	lib/sched/rebalance.h
