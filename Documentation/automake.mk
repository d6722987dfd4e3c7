# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += \
	Documentation/architecture.rst \
	Documentation/howto/commands.rst \
	Documentation/howto/latency.rst \
	Documentation/howto/memory.rst \
	Documentation/howto/openvswitch-switch-dpdk.rst \
	Documentation/known-faults.rst \
	Documentation/topics/bases.rst \
	Documentation/topics/bounded-rcu.rst \
	Documentation/topics/buffers.rst \
	Documentation/topics/output-batching.rst \
	Documentation/topics/overload.rst \
	Documentation/topics/transmit-completion.rst

# --- Manual pages ------------------------------------------------------------
#
# utilities/manual-check compares them with the code at each make.

MANUAL_PAGES = \
	Documentation/ref/evenflow.conf.5 \
	Documentation/ref/ovs-vswitchd-evenflow.8
EXTRA_DIST += $(MANUAL_PAGES:=.rst)

SUFFIXES += .5 .5.rst .8 .8.rst
RUN_RST2MAN = $(AM_V_GEN)mkdir -p $(@D) && \
	$(RST2MAN) --strict $< $@.tmp && mv $@.tmp $@
.5.rst.5:
	$(RUN_RST2MAN)
.8.rst.8:
	$(RUN_RST2MAN)
CLEANFILES += $(MANUAL_PAGES)

if HAVE_RST2MAN
man_MANS += $(MANUAL_PAGES)
endif
